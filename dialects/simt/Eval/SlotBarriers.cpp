// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bulk copies, and the barriers that count their bytes and the arrivals of
// those who need a slot no more.
#include "Machine.h"
#include "kiln/Dialect/Simt/ClusterOps.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Marks.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

LogicalResult ThreadBlock::createBarriers(simt::CreateBarriersOp op) {
  constexpr int64_t kBytes = simt::kSplitBarrierBytes;
  if (readTimes.empty())
    readTimes.assign(sharedData.size() * warps.size(), 0);
  for (int64_t i = 0; i < int64_t(op.getCount()); ++i) {
    int64_t address = op.getPlace() + i * kBytes;
    SlotBarrier barrier;
    barrier.number = uint32_t(slotBarriers.size());
    barrier.madeIn = clusterPhase;
    barrier.arrivals = op.getArrivals();
    barrier.clock.assign(warps.front()->known.size(), 0);
    barrier.complete.assign(warps.front()->known.size(), 0);
    if (failed(checkShared(op, address, kBytes, kBytes)))
      return failure();
    if (!slotBarriers.emplace(address, std::move(barrier)).second)
      return op.emitOpError("expected no barrier at byte ")
             << address << " of shared memory yet";
  }
  for (auto &warp : warps)
    warp->awaitedPhases.resize(slotBarriers.size(), 0);
  return success();
}

SlotBarrier *ThreadBlock::slotBarrier(Operation *op, int64_t address) {
  auto found = slotBarriers.find(address);
  if (found != slotBarriers.end())
    return &found->second;
  op->emitOpError("expected a barrier at byte ")
      << address << " of shared memory";
  return nullptr;
}

bool ThreadBlock::areReadsKnown(int64_t at, const Warp &warp) const {
  if (readTimes.empty())
    return false;
  const uint32_t *times = &readTimes[at * warps.size()];
  for (unsigned w = 0; w < warps.size(); ++w) {
    uint32_t known = warp.known[warps[w]->clock()];
    if (times[w] &&
        (warps[w].get() == &warp ? times[w] >= known : times[w] > known))
      return false;
  }
  return true;
}

static void join(std::vector<uint32_t> &into,
                 const std::vector<uint32_t> &from) {
  for (size_t i = 0; i < std::min(into.size(), from.size()); ++i)
    into[i] = std::max(into[i], from[i]);
}

LogicalResult ThreadBlock::tryComplete(SlotBarrier &barrier, bool hurries) {
  if (barrier.arrived < barrier.arrivals || barrier.bytes)
    return success();
  for (int64_t id : barrier.copies) {
    ThreadCopy &copy = copies.at(id);
    if (!copy.isDone && !hurries)
      return success();
    if (failed(arrive(copy)))
      return failure();
  }
  ++barrier.phase;
  for (int64_t id : barrier.copies) {
    ThreadCopy copy = std::move(copies.at(id));
    copies.erase(id);
    for (int64_t at = copy.target; at < copy.target + copy.bytes; ++at) {
      ByteState &byte = shared.at(at);
      byte.copy = 0;
      byte.phase = barrier.phase;
      byte.slot = barrier.number;
    }
  }
  barrier.copies.clear();
  barrier.arrived = 0;
  join(barrier.complete, barrier.clock);
  return success();
}

LogicalResult ThreadBlock::arriveAt(Operation *op, Warp &warp,
                                    SlotBarrier &barrier, int64_t bytes) {
  if (++barrier.arrived > barrier.arrivals)
    return op->emitOpError("expected ")
           << barrier.arrivals << " arrivals in phase " << barrier.phase
           << " of a barrier, found one more by thread " << warp.thread(0);
  barrier.bytes += bytes;
  join(barrier.clock, warp.known);
  return tryComplete(barrier, /*hurries=*/false);
}

bool ThreadBlock::isSlotReady(int64_t address, bool isOdd) const {
  const SlotBarrier &barrier = slotBarriers.at(address);
  return bool(barrier.phase & 1) != isOdd ||
         (barrier.arrived == barrier.arrivals && !barrier.bytes);
}

LogicalResult ThreadBlock::awaitParity(Operation *op, Warp &warp,
                                       int64_t address, bool isOdd) {
  SlotBarrier *barrier = slotBarrier(op, address);
  if (!barrier)
    return failure();
  while (bool(barrier->phase & 1) == isOdd) {
    if (!isSlotReady(address, isOdd)) {
      warp.waitsAt = op;
      warp.awaitsSlot = address;
      warp.awaitsOdd = isOdd;
      warp.yield();
      warp.waitsAt = nullptr;
      warp.awaitsSlot = -1;
    }
    if (failed(tryComplete(*barrier, /*hurries=*/true)))
      return failure();
  }
  join(warp.known, barrier->complete);
  uint32_t &awaited = warp.awaitedPhases[barrier->number];
  awaited = std::max(awaited, barrier->phase);
  return success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {

/// The box that an operation copies.
struct CopiedBox {
  template <typename CopyOp>
  explicit CopiedBox(CopyOp op)
      : op(op), base(op.getBase()), at(op.getAt()), sizes(op.getSizes()),
        strides(op.getStrides()), box(op.getBox()),
        swizzle(op.getSwizzleAttr()), along(op.getAlong()),
        each(op.getElementBytes()), piece(op.getPieceBytes()),
        rows(op.getRows()), bytes(op.getBytes()) {}

  static CopiedBox of(Operation *op) {
    if (auto shared = dyn_cast<simt::CopyInClusterOp>(op))
      return CopiedBox(shared);
    return CopiedBox(cast<simt::CopyBulkOp>(op));
  }
  int64_t placeOf(ArrayRef<int64_t> at) const;

  Operation *op;
  mlir::Value base;
  OperandRange at, sizes, strides;
  ArrayRef<int64_t> box;
  simt::SwizzleAttr swizzle;
  int64_t along, each, piece, rows, bytes;
};

/// Where the element of a box lies behind its first byte.
int64_t CopiedBox::placeOf(ArrayRef<int64_t> at) const {
  int64_t row = 0;
  for (auto [d, coordinate] : llvm::enumerate(at))
    if (int64_t(d) != along)
      row = row * box[d] + coordinate;
  int64_t within = at[along] * each;
  return within / piece * rows * piece + row * piece + within % piece;
}

} // namespace

FailureOr<std::string> gatherBox(Operation *op, Warp &warp, unsigned lane,
                                 int64_t target) {
  CopiedBox copied = CopiedBox::of(op);
  size_t rank = copied.box.size();
  SmallVector<int64_t> sizes, strides, first;
  for (auto [operands, into] :
       {std::pair(copied.sizes, &sizes), std::pair(copied.strides, &strides),
        std::pair(copied.at, &first)})
    for (mlir::Value operand : operands) {
      const Value &value = warp.frame.get(operand);
      if (failed(warp.checkHasValue(op, value, "a size, stride or coordinate")))
        return failure();
      into->push_back(intAt(value, lane));
    }
  if (strides[copied.along] != 1 && sizes[copied.along] > 1) {
    op->emitOpError("expected a stride of 1 along dimension ")
        << copied.along << ", found " << strides[copied.along];
    return failure();
  }
  const Value &base = warp.frame.get(copied.base);
  if (failed(warp.checkHasValue(op, base, "the base")))
    return failure();
  auto space =
      cast<LLVM::LLVMPointerType>(copied.base.getType()).getAddressSpace();
  int64_t each = copied.each, start = intAt(base, lane);
  std::string bytes(size_t(copied.bytes), 0);
  simt::SwizzleAttr swizzle = copied.swizzle;
  int64_t chunks = swizzle ? copied.piece / swizzle.getChunk() : 1;
  SmallVector<int64_t> at(rank, 0);
  for (bool isOver = false; !isOver;) {
    bool isInside = true;
    int64_t offset = 0;
    for (size_t d = 0; d < rank; ++d) {
      int64_t coordinate = first[d] + at[d];
      isInside &= coordinate >= 0 && coordinate < sizes[d];
      offset += coordinate * strides[d];
    }
    if (isInside) {
      auto span = warp.block.reach(op, warp, lane, space, start + offset * each,
                                   each, each, ThreadBlock::Use::read);
      if (failed(span))
        return failure();
      int64_t to = target + copied.placeOf(at);
      if (swizzle)
        to ^= to / swizzle.getRow() % chunks * swizzle.getChunk();
      std::memcpy(bytes.data() + (to - target), span->data, size_t(each));
    }
    isOver = true;
    for (size_t d = rank; d-- > 0 && isOver;) {
      isOver = ++at[d] == copied.box[d];
      if (isOver)
        at[d] = 0;
    }
  }
  return bytes;
}

LogicalResult ThreadBlock::issueBulk(ThreadCopy copy) {
  SlotBarrier *barrier = slotBarrier(copy.op, copy.barrier);
  if (!barrier)
    return failure();
  barrier->bytes -= copy.bytes;
  // What other blocks copy may come before this one announces it.
  bool mayBeEarly =
      simt::isInCluster(copy.op) && barrier->arrived < barrier->arrivals;
  if (barrier->bytes < 0 && !mayBeEarly)
    return copy.op->emitOpError("copies ")
           << -barrier->bytes << " bytes more than its barrier expects";
  Warp &warp = *copy.warp;
  simt::SwizzleAttr swizzle = CopiedBox::of(copy.op).swizzle;
  int64_t align = swizzle ? swizzle.getAlign() : 1;
  if (failed(checkShared(copy.op, copy.target, copy.bytes, align)))
    return failure();
  // A copy unit writes behind what threads wrote only if they publish that.
  for (int64_t at = copy.target; at < copy.target + copy.bytes; ++at) {
    const ByteState &byte = shared.at(at);
    if (byte.write.isNone() || byte.phase || byte.copy)
      continue;
    for (auto &other : warps)
      for (LaneMask rest =
               byte.write.warps >> other->number & 1 ? byte.write.lanes : 0;
           rest; rest &= rest - 1)
        if (other->fences[__builtin_ctzll(rest)] <= byte.fences) {
          InFlightDiagnostic diag =
              copy.op->emitError("writes byte ")
              << at << " of shared memory, which a thread has written before "
              << "and does not publish";
          diag.attachNote(opOf(byte.write.op)->getLoc()) << "it does so here";
          return diag;
        }
  }
  if (&warp.block != this
          ? failed(touchFromOutside(copy))
          : failed(touch(copy.op, warp, copy.lane, shared, "shared memory",
                         copy.target, copy.bytes, Use::write, nullptr,
                         nullptr)))
    return failure();
  int64_t id = nextCopy++;
  for (int64_t at = copy.target; at < copy.target + copy.bytes; ++at) {
    shared.at(at).copy = uint32_t(id + 1);
    std::fill_n(&readTimes[at * warps.size()], warps.size(), 0);
  }
  barrier->copies.push_back(id);
  copies[id] = std::move(copy);
  return success();
}

namespace {

LogicalResult readObject(Operation *op, Warp &warp, unsigned lane,
                         int64_t address) {
  constexpr int64_t kBytes = simt::kSplitBarrierBytes;
  return failure(
      failed(warp.block.checkShared(op, address, kBytes, kBytes)) ||
      failed(warp.block.touch(op, warp, lane, warp.block.shared,
                              "shared memory", address, kBytes,
                              ThreadBlock::Use::read, nullptr, nullptr)));
}

LogicalResult create(simt::CreateBarriersOp op, Frame &frame) {
  if (!isInThreadCode(frame))
    return success();
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  if (warp->number)
    return success();
  int64_t bytes = op.getCount() * simt::kSplitBarrierBytes;
  if (failed(warp->block.checkShared(op, op.getPlace(), bytes,
                                     simt::kSplitBarrierBytes)) ||
      failed(warp->block.touch(op, *warp, /*lane=*/0, warp->block.shared,
                               "shared memory", op.getPlace(), bytes,
                               ThreadBlock::Use::write, nullptr, nullptr)))
    return failure();
  return warp->block.createBarriers(op);
}

/// Each active lane arrives.
template <typename OpT>
LogicalResult arrive(OpT op, Warp &warp, int64_t bytes) {
  if (failed(warp.block.stir(warp)))
    return failure();
  return masked(op, warp, op.getMask(), [&]() -> LogicalResult {
    if (!warp.active)
      return success();
    const Value &address = warp.frame.get(op.getBarrier());
    if (failed(warp.checkHasValue(op, address, "the barrier")))
      return failure();
    LogicalResult result = warp.eachLane([&](unsigned lane) -> LogicalResult {
      int64_t at = intAt(address, lane);
      SlotBarrier *barrier = warp.block.slotBarrier(op, at);
      return failure(!barrier || failed(readObject(op, warp, lane, at)) ||
                     failed(warp.block.arriveAt(op, warp, *barrier, bytes)));
    });
    ++warp.known[warp.clock()];
    return result;
  });
}

LogicalResult expectBytes(simt::ExpectBytesOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  return warp ? arrive(op, *warp, op.getBytes()) : failure();
}

LogicalResult arriveAt(simt::ArriveAtOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  return warp ? arrive(op, *warp, /*bytes=*/0) : failure();
}

LogicalResult awaitParity(simt::AwaitParityOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  return masked(op, *warp, op.getMask(), [&]() -> LogicalResult {
    if (!warp->active)
      return success();
    const Value &address = warp->frame.get(op.getBarrier()),
                &parity = warp->frame.get(op.getParity());
    if (failed(warp->checkHasValue(op, address, "the barrier")) ||
        failed(warp->checkHasValue(op, parity, "the parity")))
      return failure();
    // Copies: what others do meanwhile may change the frame's values.
    unsigned lane = llvm::countr_zero(warp->active);
    int64_t at = intAt(address, lane);
    bool isOdd = intAt(parity, lane);
    if (failed(warp->eachLane([&](unsigned other) -> LogicalResult {
          if (intAt(address, other) != at ||
              bool(intAt(parity, other)) != isOdd)
            return op.emitOpError("unsupported: evaluation of a wait of lanes "
                                  "for several barriers");
          return readObject(op, *warp, other, at);
        })))
      return failure();
    return warp->block.awaitParity(op, *warp, at, isOdd);
  });
}

LogicalResult copyBulk(simt::CopyBulkOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  return masked(op, *warp, op.getMask(), [&]() -> LogicalResult {
    if (!warp->active)
      return success();
    const Value &target = frame.get(op.getTarget()),
                &barrier = frame.get(op.getBarrier());
    if (failed(warp->checkHasValue(op, target, "the target")) ||
        failed(warp->checkHasValue(op, barrier, "the barrier")))
      return failure();
    return warp->eachLane([&](unsigned lane) -> LogicalResult {
      ThreadCopy copy;
      copy.op = op;
      copy.warp = warp;
      copy.lane = lane;
      copy.target = intAt(target, lane);
      copy.bytes = op.getBytes();
      copy.barrier = intAt(barrier, lane);
      FailureOr<std::string> bytes = gatherBox(op, *warp, lane, copy.target);
      if (failed(bytes))
        return failure();
      copy.snapshot = std::move(*bytes);
      return warp->block.issueBulk(std::move(copy));
    });
  });
}

} // namespace

void addSimtBulkCopies(EvaluationInterface &table) {
  table.add<simt::CreateBarriersOp>(create);
  table.add<simt::ExpectBytesOp>(expectBytes);
  table.add<simt::CopyBulkOp>(copyBulk);
  table.add<simt::ArriveAtOp>(arriveAt);
  table.add<simt::AwaitParityOp>(awaitParity);
  table.add<simt::SetRegistersOp>(
      [](simt::SetRegistersOp, Frame &) { return LogicalResult(success()); });
}

} // namespace kiln::eval
