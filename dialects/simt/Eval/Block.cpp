// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warps that take turns, and meet at barriers.
#include "Machine.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace kiln::eval {

/// Shared memory that nothing has written: poison of no cause.
static constexpr uint8_t kUnwritten = 1;

void ThreadBlock::begin(ThreadCode &threadCode, Evaluator &owner,
                        Instance &place, ArrayRef<Value> args) {
  code = &threadCode;
  evaluator = &owner;
  instance = &place;
  generator.seed(owner.seed * 1000003 + place.number);
  sharedData.assign(code->sharedBytes, 0);
  sharedMarks.assign(code->sharedBytes, kUnwritten);
  int64_t lanes = code->lanes;
  for (int64_t first = 0; first < code->threads; first += lanes) {
    int64_t count = std::min(lanes, code->threads - first);
    warps.push_back(std::make_unique<Warp>(
        *this, warps.size(), llvm::maskTrailingOnes<uint64_t>(count)));
    Warp &warp = *warps.back();
    auto parameters = code->function.getBody().getArguments();
    for (auto [parameter, arg] : llvm::zip_equal(parameters, args))
      (void)warp.frame.set(parameter, warp.splat(arg));
  }
}

uint32_t ThreadBlock::numberOf(Operation *op) {
  uint32_t &number = opNumbers[op];
  if (!number) {
    number = ops.size();
    ops.push_back(op);
  }
  return number;
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

FailureOr<bool> ThreadBlock::turn() {
  SmallVector<unsigned, 32> ready;
  bool isOver = true;
  for (auto &warp : warps) {
    isOver &= warp->coroutine.isDone();
    bool isReady = warp->awaitsSlot >= 0
                       ? isSlotReady(warp->awaitsSlot, warp->awaitsOdd)
                   : warp->awaits ? haveAllArrived(warp->awaits - 1)
                                  : !warp->waitsAt;
    if (!warp->coroutine.isDone() && isReady)
      ready.push_back(warp->number);
  }
  if (isOver)
    return false;
  if (ready.empty()) {
    // What all others wait for may have stopped since.
    for (auto &warp : warps)
      if (warp->waitsAt && !warp->awaits && !warp->meetsCluster &&
          warp->awaitsSlot < 0 && areAllAt(warp->waitsAt, warp->waitsWith)) {
        release(warp->waitsAt, warp->waitsWith);
        return true;
      }
    if (llvm::any_of(warps, [](auto &warp) { return warp->meetsCluster; })) {
      if (failed(cluster->tryComplete()))
        return failure();
      return true;
    }
    if (cluster && cluster->mayGoOn())
      return true;
    return explainStuck();
  }
  if (cluster)
    cluster->idleTurns = 0;
  unsigned chosen = ready.front();
  if (evaluator->seed) {
    chosen = ready[random(ready.size())];
  } else {
    for (unsigned number : llvm::reverse(ready))
      if (number >= next)
        chosen = number;
    next = chosen + 1;
  }
  Warp &warp = *warps[chosen];
  running = &warp;
  warp.coroutine.resume();
  running = nullptr;
  if (failed(warp.result))
    return failure();
  return true;
}

/// No warp can go on: names one that waits, and one that does not come.
LogicalResult ThreadBlock::explainStuck() {
  for (auto &warp : warps) {
    if (!warp->waitsAt)
      continue;
    if (warp->awaitsSlot >= 0) {
      const SlotBarrier &barrier = slotBarriers.at(warp->awaitsSlot);
      return warp->waitsAt->emitError("thread ")
             << warp->thread(0) << " waits for phase " << barrier.phase
             << " of the barrier at byte " << warp->awaitsSlot << ", which has "
             << barrier.arrived << " of " << barrier.arrivals
             << " arrivals, and " << barrier.bytes
             << " bytes that nothing copies";
    }
    for (auto &other : warps) {
      bool hasCome = warp->awaits ? other->arrived >= warp->awaits
                                  : other->waitsAt == warp->waitsAt;
      if (!(warp->waitsWith >> other->number & 1) || other->hasStopped ||
          hasCome)
        continue;
      InFlightDiagnostic diag = warp->waitsAt->emitError("thread ")
                                << warp->thread(0) << " waits for thread "
                                << other->thread(0)
                                << (warp->awaits ? ", which does not arrive"
                                                 : ", which does not come "
                                                   "here");
      if (other->waitsAt)
        diag.attachNote(other->waitsAt->getLoc()) << "it waits here";
      else
        diag.attachNote(code->function.getBody().back().back().getLoc())
            << "it has ended here";
      return diag;
    }
  }
  return code->function.emitError("no thread of a block can go on");
}

uint32_t ThreadBlock::allWarps() const {
  return llvm::maskTrailingOnes<uint32_t>(warps.size());
}

/// A warp whose threads have stopped is not waited for.
bool ThreadBlock::areAllAt(Operation *op, uint32_t with) const {
  return llvm::all_of(warps, [&](auto &warp) {
    bool isNeeded = with >> warp->number & 1 && !warp->hasStopped;
    return !isNeeded || warp->waitsAt == op;
  });
}

/// Lets warps that have met go on.
void ThreadBlock::release(Operation *op, uint32_t with) {
  for (auto &warp : warps)
    if (with >> warp->number & 1 && warp->waitsAt == op)
      warp->waitsAt = nullptr;
}

LogicalResult ThreadBlock::meet(Warp &warp, Operation *op, uint32_t with) {
  if (failed(warp.checkConverged(op)))
    return failure();
  warp.waitsAt = op;
  warp.waitsWith = with;
  if (areAllAt(op, with)) {
    release(op, with);
    return success();
  }
  warp.yield();
  return success();
}

bool ThreadBlock::haveAllArrived(uint32_t phase) const {
  return llvm::all_of(warps, [&](auto &warp) {
    return warp->hasStopped || warp->arrived > phase;
  });
}

uint32_t ThreadBlock::arrive(Warp &warp) {
  warp.fencesBeforeBlock[warp.arrived & 1] = warp.fences;
  return warp.arrived++;
}

LogicalResult ThreadBlock::await(Warp &warp, Operation *op, uint32_t phase) {
  if (!haveAllArrived(phase)) {
    warp.waitsAt = op;
    warp.waitsWith = allWarps();
    warp.awaits = phase + 1;
    warp.yield();
    warp.waitsAt = nullptr;
    warp.awaits = 0;
  }
  warp.passed = std::max(warp.passed, phase + 1);
  return success();
}

LogicalResult ThreadBlock::barrier(Warp &warp, Operation *op) {
  uint32_t phase = arrive(warp);
  warp.fencesBeforeWarp = warp.fences;
  uint32_t before = globalEpoch;
  if (failed(meet(warp, op, allWarps())))
    return failure();
  warp.passed = phase + 1;
  // The last one to come is the first to go on.
  auto named = dyn_cast<simt::BarrierOp>(op);
  if ((!named || named.getMemories() == simt::Memories::All) &&
      globalEpoch == before)
    ++globalEpoch;
  return success();
}

/// Warps that meet at a named barrier may have met others at barriers that not
/// all of them go to. From here on they count phases alike.
static void countAlike(ThreadBlock &block, uint32_t with) {
  uint32_t latest = 0;
  for (auto &warp : block.warps)
    if (with >> warp->number & 1)
      latest = std::max(latest, warp->arrived);
  for (auto &warp : block.warps)
    if (with >> warp->number & 1) {
      warp->arrived = latest;
      warp->fencesBeforeBlock[(latest - 1) & 1] = warp->fences;
    }
}

LogicalResult ThreadBlock::barrier(Warp &warp, simt::NamedBarrierOp op) {
  int64_t warpsHere = op.getThreads() / code->lanes;
  if (int64_t(op.getThreads()) % code->lanes || warpsHere < 1 ||
      warpsHere > int64_t(warps.size()) || warp.number >= warpsHere)
    return op.emitOpError("expected warps of the first ")
           << op.getThreads() << " threads of " << code->threads
           << ", found thread " << warp.thread(0);
  auto first = namedBarriers.try_emplace(op.getNumber(), op).first->second;
  if (cast<simt::NamedBarrierOp>(first).getThreads() != op.getThreads())
    return op.emitOpError("expected ")
           << cast<simt::NamedBarrierOp>(first).getThreads()
           << " threads, as at other barriers of number " << op.getNumber();
  arrive(warp);
  warp.fencesBeforeWarp = warp.fences;
  uint32_t before = globalEpoch,
           with = llvm::maskTrailingOnes<uint32_t>(warpsHere);
  warp.waitsAt = first;
  if (areAllAt(first, with))
    countAlike(*this, with);
  if (failed(meet(warp, first, with)))
    return failure();
  warp.passed = warp.arrived;
  globalEpoch += globalEpoch == before;
  return success();
}

static bool hasEnded(const ThreadBlock &block) {
  return llvm::all_of(block.warps,
                      [](auto &warp) { return warp->coroutine.isDone(); });
}

/// Passes the barrier of the cluster, with all warps that wait at it.
static void passCluster(ThreadBlock &block) {
  uint32_t with = 0;
  for (auto &warp : block.warps)
    if (warp->meetsCluster)
      with |= uint32_t(1) << warp->number;
  if (with)
    countAlike(block, with);
  for (auto &warp : block.warps)
    if (warp->meetsCluster) {
      warp->waitsAt = nullptr;
      warp->meetsCluster = false;
      warp->passed = warp->arrived;
    }
  ++block.globalEpoch;
  ++block.clusterPhase;
  block.reachedBy = nullptr;
}

LogicalResult ThreadCluster::tryComplete() {
  Operation *waitsAt = nullptr;
  int64_t ended = 0;
  for (ThreadBlock *block : blocks) {
    ended += hasEnded(*block);
    for (auto &warp : block->warps) {
      if (warp->coroutine.isDone() || warp->hasStopped)
        continue;
      if (!warp->meetsCluster)
        return success();
      waitsAt = warp->waitsAt;
    }
  }
  if (waitsAt && ended)
    return waitsAt->emitError("a block waits for others of its cluster, of "
                              "which ")
           << ended << " have ended";
  idleTurns = 0;
  std::vector<uint32_t> joined = blocks.front()->instance->clock;
  for (ThreadBlock *block : blocks)
    for (auto [all, one] : llvm::zip(joined, block->instance->clock))
      all = std::max(all, one);
  for (ThreadBlock *block : blocks) {
    block->instance->clock = joined;
    passCluster(*block);
  }
  return success();
}

LogicalResult ThreadCluster::meet(Warp &warp, Operation *op) {
  if (failed(warp.checkConverged(op)))
    return failure();
  warp.block.arrive(warp);
  warp.fencesBeforeWarp = warp.fences;
  warp.waitsAt = op;
  warp.waitsWith = 0;
  warp.meetsCluster = true;
  if (failed(tryComplete()))
    return failure();
  if (warp.meetsCluster)
    warp.yield();
  return success();
}

LogicalResult ThreadBlock::stir(Warp &warp) {
  if (!evaluator->seed)
    return success();
  SmallVector<int64_t> flying;
  for (auto &[id, copy] : copies)
    if (!copy.isDone)
      flying.push_back(id);
  while (!flying.empty() && random(4) == 0) {
    size_t k = random(flying.size());
    if (failed(arrive(copies.at(flying[k]))))
      return failure();
    if (int64_t barrier = copies.at(flying[k]).barrier; barrier >= 0)
      if (failed(tryComplete(slotBarriers.at(barrier), /*hurries=*/false)))
        return failure();
    flying.erase(flying.begin() + k);
  }
  for (auto &product : products)
    if (random(4) == 0 && failed(product->happen()))
      return failure();
  if (random(8) == 0)
    warp.yield();
  return success();
}

LogicalResult ThreadBlock::finishWarp(Warp &warp) {
  // Other threads than the one that starts a bulk copy may wait for it.
  bool isLast = llvm::all_of(warps, [&](auto &other) {
    return other.get() == &warp || other->coroutine.isDone();
  });
  for (auto &[id, copy] : copies)
    if (copy.barrier >= 0 ? isLast
                          : copy.warp == &warp && warp.live >> copy.lane & 1)
      return copy.op->emitError("is a copy that thread ")
             << warp.thread(copy.lane) << " does not wait for before it ends";
  for (auto &product : products)
    if (product->warp == &warp && warp.live)
      return product->op->emitError("is a product that thread ")
             << warp.thread(0) << " does not wait for before it ends";
  return success();
}

} // namespace kiln::eval
