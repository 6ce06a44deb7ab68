// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of threads, barriers, and what lanes of a warp do together.
#include "Machine.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Marks.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

namespace {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// An index for each lane.
template <typename OpTy, typename Fn>
void addNumber(EvaluationInterface &table, Fn fn) {
  table.add<OpTy>([fn](OpTy op, Frame &frame) -> LogicalResult {
    Warp *warp = warpOf(op, frame);
    if (!warp)
      return failure();
    Value out = laneValue(*warp, op->getResult(0).getType());
    SmallVector<int64_t, 64> numbers;
    for (unsigned lane = 0; lane < warp->block.code->lanes; ++lane)
      numbers.push_back(fn(op, *warp, lane));
    storeInts(out.dtype(), out.mutableData(), 0, out.size(), numbers.data());
    return frame.set(op->getResult(0), std::move(out));
  });
}

void addNumbers(EvaluationInterface &table) {
  auto along = [](auto op, int64_t x, int64_t otherwise) {
    return op.getDimension() == gpu::Dimension::x ? x : otherwise;
  };
  addNumber<gpu::ThreadIdOp>(
      table, [along](gpu::ThreadIdOp op, Warp &warp, unsigned lane) {
        return along(op, warp.thread(lane), 0);
      });
  addNumber<gpu::BlockDimOp>(table,
                             [along](gpu::BlockDimOp op, Warp &warp, unsigned) {
                               return along(op, warp.block.code->threads, 1);
                             });
  addNumber<gpu::BlockIdOp>(table, [](gpu::BlockIdOp op, Warp &warp, unsigned) {
    return warp.block.instance->id[size_t(op.getDimension())];
  });
  addNumber<gpu::GridDimOp>(table, [](gpu::GridDimOp op, Warp &warp, unsigned) {
    return warp.block.instance->grid[size_t(op.getDimension())];
  });
  addNumber<gpu::LaneIdOp>(table, [](gpu::LaneIdOp, Warp &, unsigned lane) {
    return int64_t(lane);
  });
  addNumber<gpu::SubgroupIdOp>(table,
                               [](gpu::SubgroupIdOp, Warp &warp, unsigned) {
                                 return int64_t(warp.number);
                               });
  addNumber<gpu::SubgroupSizeOp>(table,
                                 [](gpu::SubgroupSizeOp, Warp &warp, unsigned) {
                                   return warp.block.code->lanes;
                                 });
  addNumber<gpu::NumSubgroupsOp>(table,
                                 [](gpu::NumSubgroupsOp, Warp &warp, unsigned) {
                                   return int64_t(warp.block.warps.size());
                                 });
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

/// The lane that a lane reads; negative where it is none of its group.
int64_t sourceOf(gpu::ShuffleMode mode, int64_t lane, int64_t by,
                 int64_t width) {
  int64_t within = lane % width, first = lane - within;
  switch (mode) {
  case gpu::ShuffleMode::XOR:
    within ^= by;
    break;
  case gpu::ShuffleMode::UP:
    within -= by;
    break;
  case gpu::ShuffleMode::DOWN:
    within += by;
    break;
  case gpu::ShuffleMode::IDX:
    within = by;
    break;
  }
  return within < 0 || within >= width ? -1 : first + within;
}

LogicalResult shuffle(gpu::ShuffleOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->checkConverged(op)))
    return failure();
  const Value &value = frame.get(op.getValue());
  const Value &offset = frame.get(op.getOffset());
  const Value &width = frame.get(op.getWidth());
  if (failed(warp->checkHasValue(op, offset, "the offset")) ||
      failed(warp->checkHasValue(op, width, "the width")))
    return failure();
  Value out = Value::tensor(value.dtype(), value.shape());
  Value valid = Value::tensor(DType::i1, {value.dim(0)});
  std::memset(out.mutableData(), 0, out.bytes());
  std::memset(valid.mutableData(), 0, valid.bytes());
  int64_t lanes = value.dim(0), each = value.bytes() / lanes,
          parts = value.size() / lanes;
  LogicalResult result = warp->eachLane([&](unsigned lane) -> LogicalResult {
    int64_t group = intAt(width, lane);
    if (group < 1 || group > lanes || (group & (group - 1)))
      return op.emitOpError("expected a width that is a power of two of at "
                            "most ")
             << lanes << ", found " << group;
    int64_t from = sourceOf(op.getMode(), lane, intAt(offset, lane), group);
    if (from < 0 || !(warp->live >> from & 1)) {
      std::memset(out.makePoison() + lane * parts, kPoison, parts);
      return success();
    }
    std::memcpy(out.as<char>() + lane * each, value.as<char>() + from * each,
                each);
    valid.as<uint8_t>()[lane] = 1;
    if (value.poison())
      std::memcpy(out.makePoison() + lane * parts,
                  value.poison() + from * parts, parts);
    return success();
  });
  if (failed(result))
    return failure();
  (void)frame.set(op.getShuffleResult(), std::move(out));
  return frame.set(op.getValid(), std::move(valid));
}

/// The same number, which all active lanes must have.
LogicalResult uniform(simt::UniformOp op, Frame &frame) {
  Value value = frame.get(op.getValue());
  if (!isInThreadCode(frame))
    return frame.set(op.getResult(), std::move(value));
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  int64_t bytes = runtime::dtypeBytes(value.dtype());
  const char *first = nullptr;
  if (failed(warp->eachLane([&](unsigned lane) -> LogicalResult {
        const char *own =
            static_cast<const char *>(value.data()) + lane * bytes;
        first = first ? first : own;
        if (!std::memcmp(first, own, bytes))
          return success();
        return op.emitOpError("expected one number in all lanes of a warp; "
                              "that of thread ")
               << warp->thread(lane) << " is another one";
      })))
    return failure();
  return frame.set(op.getResult(), std::move(value));
}

/// Orders shared memory at least. A `simt.barrier` names what it orders; code
/// for machines whose barriers order no more is judged by what it names.
LogicalResult barrier(Operation *op, Frame &frame) {
  if (!isInThreadCode(frame))
    return success();
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  return warp->block.barrier(*warp, op);
}

LogicalResult namedBarrier(simt::NamedBarrierOp op, Frame &frame) {
  if (!isInThreadCode(frame))
    return success();
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  return warp->block.barrier(*warp, op);
}

/// A barrier of the blocks of a cluster, which thread code has as kernels have.
LogicalResult clusterBarrier(tile::ClusterBarrierOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  if (!warp->block.cluster)
    return op.emitOpError("expected a launch in clusters");
  return warp->block.cluster->meet(*warp, op);
}

/// The first thread writes what a split barrier is, and who arrives reads it.
LogicalResult touchBarrier(Operation *op, Warp &warp, unsigned lane,
                           int64_t place, ThreadBlock::Use use) {
  ThreadBlock &block = warp.block;
  constexpr int64_t kBytes = simt::kSplitBarrierBytes;
  return failure(
      failed(block.checkShared(op, place, kBytes, kBytes)) ||
      failed(block.touch(op, warp, lane, block.shared, "shared memory", place,
                         kBytes, use, nullptr, nullptr)));
}

LogicalResult create(simt::CreateSplitBarrierOp op, Frame &frame) {
  if (!isInThreadCode(frame))
    return success();
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  return warp->number ? success()
                      : touchBarrier(op, *warp, /*lane=*/0, op.getPlace(),
                                     ThreadBlock::Use::write);
}

LogicalResult arrive(simt::ArriveOp op, Frame &frame) {
  // In a kernel of tiles one instance does everything in program order.
  if (!isInThreadCode(frame))
    return frame.set(op.getPhase(), Value::ofInt(DType::i64, 0));
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)) ||
      failed(warp->checkConverged(op)) ||
      failed(warp->eachLane([&](unsigned lane) {
        return touchBarrier(op, *warp, lane, op.getPlace(),
                            ThreadBlock::Use::read);
      })))
    return failure();
  return frame.set(op.getPhase(), warp->splat(Value::ofInt(
                                      DType::i64, warp->block.arrive(*warp))));
}

LogicalResult await(simt::AwaitOp op, Frame &frame) {
  if (!isInThreadCode(frame))
    return success();
  Warp *warp = warpOf(op, frame);
  const Value &phase = frame.get(op.getPhase());
  if (!warp || failed(warp->block.stir(*warp)) ||
      failed(warp->checkConverged(op)) ||
      failed(warp->checkHasValue(op, phase, "the phase")))
    return failure();
  return warp->block.await(*warp, op,
                           intAt(phase, llvm::countr_zero(warp->active)));
}

LogicalResult warpBarrier(simt::WarpBarrierOp op, Frame &frame) {
  if (!isInThreadCode(frame))
    return success();
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)) ||
      failed(warp->checkConverged(op)))
    return failure();
  ++warp->epoch;
  warp->fencesBeforeWarp = warp->fences;
  return success();
}

//===----------------------------------------------------------------------===//
// Matrices by a tile move of the description
//===----------------------------------------------------------------------===//

/// The word of a lane.
char *wordOf(Value &words, unsigned lane) {
  return words.as<char>() + lane * runtime::dtypeBytes(words.dtype());
}

/// Where an element of a matrix lies: the lane that gives an address in its
/// row, counted from the matrix's first one, and the bytes behind that address.
struct ElementPlace {
  int64_t addressLane, byte;
};

/// A tile move, and the places of what each lane has of a matrix: those of its
/// registers, side by side in a word.
struct MatrixMove {
  target::TileMoveAttr row;
  int64_t bytes = 0;                ///< of an element
  int64_t registers = 0;            ///< of a lane
  int64_t lanesUsed = 0;            ///< by one matrix
  int64_t addresses = 0;            ///< of one matrix
  SmallVector<ElementPlace> places; ///< at register * lanes + lane

  /// The lane that gives the address of an element of a lane's matrix `m`.
  int64_t addressLane(const ElementPlace &place, unsigned lane,
                      unsigned m) const {
    return (lane & ~(lanesUsed - 1)) + m * addresses + place.addressLane;
  }
};

FailureOr<MatrixMove> moveOf(Operation *op, Warp &warp, StringRef name) {
  target::TargetAttr description = target::getDescription(op);
  MatrixMove move;
  if (description)
    for (target::TileMoveAttr row : description.getTileMoves())
      if (row.getName() == name)
        move.row = row;
  if (!move.row)
    return op->emitOpError("expected a tile move of the description, found '")
           << name << "'";
  auto held = dyn_cast<simt::LayoutAttr>(move.row.getHeld());
  auto addressed = dyn_cast<simt::LayoutAttr>(move.row.getAddressed());
  if (!held || !addressed)
    return op->emitOpError("expected layouts of threads in tile move '")
           << name << "'";
  ThreadCode &code = *warp.block.code;
  int64_t lanes = code.lanes;
  move.bytes = move.row.getBits() / 8;
  move.registers = held.getNumRegisters();
  move.lanesUsed = int64_t(1) << held.getLaneBases(0).size();
  move.addresses = int64_t(1) << addressed.getLaneBases(0).size();
  auto starts = code.placesOf(addressed);
  for (auto [row, column] : code.placesOf(held)) {
    ElementPlace found{-1, 0};
    for (int64_t lane = 0; lane < std::min(move.addresses, lanes); ++lane)
      if (auto [startRow, start] = starts[lane];
          startRow == row && start <= column &&
          (found.addressLane < 0 || column - start < found.byte))
        found = {lane, column - start};
    if (found.addressLane < 0)
      return op->emitOpError("expected an address for each row in tile move '")
             << name << "'";
    found.byte *= move.bytes;
    move.places.push_back(found);
  }
  return move;
}

/// Calls `fn(lane, matrix, byte of the word, address, bytes)` for all elements
/// of all words of a warp.
template <typename OpT, typename Fn>
LogicalResult eachElement(OpT op, Warp &warp, Fn fn) {
  unsigned matrices = op.getWords().size();
  int64_t lanes = warp.block.code->lanes, addressing = op.getLanes();
  if (warp.live != firstLanes(lanes))
    return op->emitOpError("expected a whole warp");
  if (cast<LLVM::LLVMPointerType>(op.getAddress().getType())
          .getAddressSpace() != simt::kShared)
    return op->emitOpError("expected an address in shared memory");
  if (failed(warp.block.stir(warp)) || failed(warp.checkConverged(op)))
    return failure();
  FailureOr<MatrixMove> move = moveOf(op, warp, op.getMove());
  if (failed(move))
    return failure();
  Value address = warp.frame.get(op.getAddress());
  LaneMask all = warp.active;
  warp.active = firstLanes(std::min(addressing, lanes));
  LogicalResult hasValue = warp.checkHasValue(op, address, "the address");
  warp.active = all;
  if (failed(hasValue))
    return failure();
  return warp.eachLane([&](unsigned lane) -> LogicalResult {
    for (unsigned m = 0; m < matrices; ++m)
      for (int64_t reg = 0; reg < move->registers; ++reg) {
        const ElementPlace &place = move->places[reg * lanes + lane];
        int64_t from = move->addressLane(place, lane, m);
        if (from >= std::min(addressing, lanes))
          return op->emitOpError("expected addresses of ")
                 << from + 1 << " lanes, found " << addressing;
        int64_t row = address.as<int64_t>()[from];
        if (failed(warp.block.checkShared(op, row, op.getBytes(),
                                          op.getBytes())) ||
            failed(
                fn(lane, m, reg * move->bytes, row + place.byte, move->bytes)))
          return failure();
      }
    return success();
  });
}

LogicalResult loadMatrix(simt::LoadMatrixOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  SmallVector<Value, 4> words;
  for (Type type : op.getResultTypes()) {
    words.push_back(laneValue(*warp, type));
    std::memset(words.back().mutableData(), 0, words.back().bytes());
  }
  ThreadBlock &block = warp->block;
  if (failed(eachElement(
          op, *warp,
          [&](unsigned lane, unsigned m, int64_t byte, int64_t at,
              int64_t bytes) -> LogicalResult {
            auto span = block.reach(op, *warp, lane, simt::kShared, at, bytes,
                                    bytes, ThreadBlock::Use::read);
            if (failed(span))
              return failure();
            std::memcpy(wordOf(words[m], lane) + byte, span->data, bytes);
            for (int64_t i = at; i < at + bytes; ++i)
              if (uint8_t mark = block.sharedMarks[i]) {
                if (mark == kPoison && block.shared.at(i).write.isNone())
                  mark = poisonBy(op, "reads byte " + std::to_string(i) +
                                          " of shared memory, which no thread "
                                          "has written");
                uint8_t &to = words[m].makePoison()[lane];
                to = joinMarks(to, mark);
              }
            return success();
          })))
    return failure();
  for (auto [result, word] : llvm::zip(op.getWords(), words))
    (void)frame.set(result, std::move(word));
  return success();
}

LogicalResult storeMatrix(simt::StoreMatrixOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  SmallVector<Value> words = frame.get(op.getWords());
  ThreadBlock &block = warp->block;
  return eachElement(
      op, *warp,
      [&](unsigned lane, unsigned m, int64_t byte, int64_t at,
          int64_t bytes) -> LogicalResult {
        const char *from = wordOf(words[m], lane) + byte;
        auto span = block.reach(op, *warp, lane, simt::kShared, at, bytes,
                                bytes, ThreadBlock::Use::write, from);
        if (failed(span))
          return failure();
        std::memcpy(span->data, from, bytes);
        uint8_t mark = words[m].poison() ? words[m].poison()[lane] : 0;
        std::memset(block.sharedMarks.data() + at, mark, bytes);
        return success();
      });
}

} // namespace

void addGpu(EvaluationInterface &table) {
  addNumbers(table);
  table.add<gpu::ShuffleOp>(shuffle);
  table.add<gpu::BarrierOp>(barrier);
}

void addClusterBarrier(EvaluationInterface &table) {
  table.add<tile::ClusterBarrierOp>(clusterBarrier);
}

void addSimtMatrices(EvaluationInterface &table) {
  table.add<simt::BarrierOp>(barrier);
  table.add<simt::NamedBarrierOp>(namedBarrier);
  table.add<simt::UniformOp>(uniform);
  table.add<simt::WarpBarrierOp>(warpBarrier);
  table.add<simt::CreateSplitBarrierOp>(create);
  table.add<simt::ArriveOp>(arrive);
  table.add<simt::AwaitOp>(await);
  table.add<simt::LoadMatrixOp>(loadMatrix);
  table.add<simt::StoreMatrixOp>(storeMatrix);
}

} // namespace kiln::eval
