//===- SplitBarriers.cpp - Arrivals that stand ahead of their waits -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barrier of a loop with rings makes all warps start an iteration at the
// same time, so that they use the same units at the same time. If a thread
// arrives an iteration before it waits, warps may be an iteration apart: some
// compute while the matrix unit works for others.
//
//===----------------------------------------------------------------------===//

#include "MemoryProducts.h"
#include "SharedPlaces.h"
#include "StorageAreas.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Staging/LoopValues.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTSPLITBARRIERS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// The one barrier of a loop, with what stands before it.
class LoopBarrier {
public:
  LoopBarrier(scf::ForOp loop, target::TargetAttr description)
      : loop(loop), description(description) {}

  /// Whether the barrier parts nothing but the slots of rings, which are enough
  /// for warps that are an iteration apart.
  bool find();
  void split(int64_t place);
  scf::ForOp getLoop() { return loop; }

private:
  bool findBarrier();
  bool isPartOfRings(Operation &op);
  bool areProductsAwaited();
  bool haveRingsRoom();

  scf::ForOp loop;
  target::TargetAttr description;
  /// The wait for copies and the proxy fence before the barrier.
  Operation *wait = nullptr, *fence = nullptr;
  int64_t but = 0; ///< of the wait
  gpu::BarrierOp barrier;
  int64_t groups = 0; ///< of copies in an iteration
};
} // namespace

static bool isBarrier(Operation *op) {
  std::optional<Synchronization> sync = synchronizationOf(op);
  return (sync && sync->isBarrier()) || getDecided(op, kScratchEntry);
}

bool LoopBarrier::findBarrier() {
  WalkResult walked = loop.getBody()->walk([&](Operation *op) {
    if (!isBarrier(op))
      return WalkResult::advance();
    auto own = dyn_cast<gpu::BarrierOp>(op);
    if (!own || barrier || op->getParentOp() != loop)
      return WalkResult::interrupt();
    barrier = own;
    return WalkResult::advance();
  });
  if (walked.wasInterrupted() || !barrier)
    return false;
  Operation *before = barrier->getPrevNode();
  if (synchronizes(before, Synchronization::Kind::ProxyFence)) {
    fence = before;
    before = before->getPrevNode();
  }
  std::optional<Synchronization> sync =
      before ? synchronizationOf(before) : std::nullopt;
  if (!sync || !sync->isWaitFor(Synchronization::Group::Copies))
    return false;
  wait = before;
  but = sync->but;
  return true;
}

/// Whether an operation computes, or fills or reads slots.
bool LoopBarrier::isPartOfRings(Operation &op) {
  if (auto choice = dyn_cast<scf::IfOp>(op); choice && choice->use_empty())
    return llvm::all_of(choice->getRegions(), [&](Region &region) {
      return region.empty() ||
             llvm::all_of(region.front().without_terminator(),
                          [&](Operation &inner) {
                            return isMemoryEffectFree(&inner) ||
                                   stage::ringFilledBy(&inner);
                          });
    });
  return stage::ringUsedBy(&op) ||
         isa<stage::StorageProductOpInterface, stage::AsyncWaitOpInterface>(
             op) ||
         commits(&op, Synchronization::Group::Copies) ||
         isMemoryEffectFree(&op);
}

/// Whether each product has read its slots before the iteration ends: a wait
/// leaves at most those in flight that began later.
bool LoopBarrier::areProductsAwaited() {
  return llvm::all_of(*loop.getBody(), [&](Operation &op) {
    if (!isMemoryProduct(&op, description))
      return true;
    return !op.use_empty() && llvm::all_of(op.getUsers(), [&](Operation *user) {
      auto wait = dyn_cast<stage::AsyncWaitOpInterface>(user);
      if (!wait || wait->getBlock() != op.getBlock() ||
          !llvm::is_contained(wait.getAwaited(), op.getResult(0)))
        return false;
      int64_t later = 0;
      for (Operation *next = op.getNextNode(); next != wait;
           next = next->getNextNode())
        later += isMemoryProduct(next, description);
      return int64_t(wait.getBut().value_or(0)) <= later;
    });
  });
}

/// While some threads read the slots of an iteration, others fill those of the
/// next one: of slots that are full when an iteration begins, one more than
/// those and the one that is filled.
bool LoopBarrier::haveRingsRoom() {
  llvm::MapVector<Value, stage::SlotCounts> rings;
  loop.walk([&](Operation *op) {
    if (Value ring = stage::ringUsedBy(op); ring && !stage::ringFreedBy(op))
      rings[ring].add(op);
  });
  for (auto &[ring, inLoop] : rings) {
    stage::SlotCounts before;
    for (Operation *user : ring.getUsers()) {
      Operation *whole = loop->getBlock()->findAncestorOpInBlock(*user);
      if (!whole)
        return false;
      if (whole == loop || loop->isBeforeInBlock(whole))
        continue;
      before.add(user);
    }
    if (inLoop.filled != 1 || inLoop.taken != 1 ||
        before.filled - before.taken + 2 >
            cast<stage::RingType>(ring.getType()).getDepth())
      return false;
  }
  return !rings.empty();
}

bool LoopBarrier::find() {
  if (!findBarrier())
    return false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isOwn = &op == wait || &op == barrier || (fence && &op == fence);
    if (isOwn)
      continue;
    if (!isPartOfRings(op) ||
        (op.isBeforeInBlock(wait) &&
         (!isMemoryEffectFree(&op) || isMemoryProduct(&op, description))))
      return false;
    groups += commits(&op, Synchronization::Group::Copies);
  }
  return groups && but >= groups && areProductsAwaited() && haveRingsRoom();
}

void LoopBarrier::split(int64_t place) {
  IRRewriter b(loop.getContext());
  Location loc = barrier.getLoc();
  // What is to be there where an iteration begins.
  auto arrive = [&](int64_t left) -> Value {
    WaitCopiesOp::create(b, loc, left);
    if (fence)
      PublishOp::create(b, loc);
    return ArriveOp::create(b, loc, b.getI64Type(), place);
  };
  b.setInsertionPoint(loop);
  Value first = arrive(but);
  // Products begin as soon as a thread may read; it arrives, and fills, behind
  // that. The groups of this iteration come behind the arrival.
  Operation *reader = nullptr, *product = nullptr;
  SmallVector<Operation *> fillings;
  for (Operation &op : *loop.getBody()) {
    if (!reader && stage::ringTakenBy(&op))
      reader = &op;
    if (isMemoryProduct(&op, description))
      product = &op;
    if (stage::ringFilledBy(&op) ||
        commits(&op, Synchronization::Group::Copies) ||
        (isa<scf::IfOp>(op) && !isMemoryEffectFree(&op)))
      fillings.push_back(&op);
  }
  b.setInsertionPointAfter(product ? product : barrier);
  Value next = arrive(but - groups);
  for (Operation *op : llvm::reverse(fillings))
    op->moveAfter(next.getDefiningOp());
  auto made = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      b, first, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
        return SmallVector<Value>{next};
      }));
  b.setInsertionPoint(reader);
  AwaitOp::create(b, loc, made.getRegionIterArgs().back(), place);
  b.setInsertionPointAfter(made);
  AwaitOp::create(b, loc, made.getResults().back(), place);
  wait->erase();
  if (fence)
    fence->erase();
  barrier.erase();
  loop = made;
}

namespace {
struct SplitBarriers : simt::impl::SimtSplitBarriersBase<SplitBarriers> {
  using SimtSplitBarriersBase::SimtSplitBarriersBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    target::TargetAttr description = target::getDescription(kernel);
    auto bytes = kernel.getSharedBytesAttr();
    if (!description || !bytes || !hasSplitBarriers(description) ||
        !hasMemoryProducts(kernel, description))
      return;
    int64_t place = llvm::alignTo(bytes.getInt(), kSplitBarrierBytes);
    target::MemoryAttr shared =
        description.getMemory(sharedSpaceOf(description));
    if (shared && shared.getSize() &&
        place + kSplitBarrierBytes > shared.getSize())
      return;
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    Block &body = kernel.getBody().front();
    Operation *first = nullptr;
    for (scf::ForOp loop : loops)
      if (LoopBarrier barrier(loop, description); barrier.find()) {
        barrier.split(place);
        if (!first)
          first = body.findAncestorOpInBlock(*barrier.getLoop());
      }
    if (!first)
      return;
    OpBuilder b = OpBuilder::atBlockBegin(&body);
    CreateSplitBarrierOp::create(b, kernel.getLoc(), place);
    // The threads that arrive know of it by a barrier.
    if (llvm::none_of(llvm::make_range(body.begin(), first->getIterator()),
                      llvm::IsaPred<gpu::BarrierOp>))
      gpu::BarrierOp::create(b, kernel.getLoc());
    kernel.setSharedBytesAttr(b.getI64IntegerAttr(place + kSplitBarrierBytes));
  }
};
} // namespace
