//===- BarrierFlowRings.cpp - Waits for copies and products ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of a slot form a group of the thread. Which groups may still be in
// flight where a slot is consumed follows from the order of the text, if the
// same groups are in flight wherever an iteration begins.
//
//===----------------------------------------------------------------------===//

#include "BarrierFlow.h"
#include "MemoryProducts.h"
#include "Order.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Whether a value is defined inside of an operation.
static bool isInside(Value value, Operation *op) {
  return op->isAncestor(value.getParentBlock()->getParentOp());
}

void BarrierFlow::Copies::forgetInside(Operation *op) {
  for (Value &ring : groups)
    if (ring && isInside(ring, op))
      ring = Value();
}

SmallVector<Value> simt::groupsEndingAt(Operation *op) {
  SmallVector<Value> rings;
  if (auto produce = dyn_cast<stage::ProduceOp>(op)) {
    auto choice = dyn_cast<scf::IfOp>(op->getParentOp());
    if (!choice || isInside(produce.getRing(), choice))
      rings.push_back(produce.getRing());
  } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : choice->getRegions())
      for (auto produce : region.getOps<stage::ProduceOp>())
        if (!isInside(produce.getRing(), choice))
          rings.push_back(produce.getRing());
  }
  return rings;
}

bool simt::fillsAtOnce(Operation *op) {
  if (op->getParentOfType<stage::ProduceOp>())
    return false;
  if (auto write = dyn_cast<stage::WriteOp>(op))
    return isLookup(write.getValue().getDefiningOp());
  auto copy = dyn_cast<stage::CopyOp>(op);
  return copy && isa<MemRefType>(copy.getTarget().getType());
}

/// The storage that an operation fills, and the global memory that it reads.
static void collectFillings(Operation *op, SmallVectorImpl<Value> &targets,
                            SmallVectorImpl<Reach> &sources) {
  op->walk([&](Operation *inner) {
    if (auto copy = dyn_cast<stage::CopyOp>(inner);
        copy && isa<MemRefType>(copy.getTarget().getType())) {
      targets.push_back(copy.getTarget());
      sources.push_back({copy.getSource(), /*reads=*/true, /*writes=*/false});
    } else if (auto write = dyn_cast<stage::WriteOp>(inner)) {
      targets.push_back(write.getStorage());
      if (Operation *load = write.getValue().getDefiningOp())
        if (Reach reach = reachOf(load); reach.place)
          sources.push_back(reach);
    }
  });
}

void BarrierFlow::visitFilling(Operation *op) {
  // The slot that is filled was read an iteration ago. Where a slot is consumed
  // behind it, one barrier does both.
  for (Value ring : groupsEndingAt(op))
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (auto consume = dyn_cast<stage::ConsumeOp>(next);
          consume && consume.getRing() == ring &&
          !copies.awaited.contains(ring) &&
          llvm::is_contained(copies.groups, ring)) {
        waitForSlot(ring, op);
        copies.awaited.insert(ring);
      }
  // What is copied others need not wait for: it is done where its storage is
  // read.
  SmallVector<Value> targets;
  SmallVector<Reach> sources;
  collectFillings(op, targets, sources);
  SmallVector<Operation *> met;
  for (Value target : targets)
    findMeetings(areaOf(target), met);
  auto meets = [&](Operation *earlier) {
    return llvm::any_of(sources, [&](const Reach &source) {
      return mayConflict(reachOf(earlier), source);
    });
  };
  llvm::copy_if(pending.global, std::back_inserter(met), meets);
  part(op, met);
  widenBarriers(meets);
}

void BarrierFlow::visitConsume(stage::ConsumeOp op) {
  if (!copies.awaited.erase(op.getRing()))
    waitForSlot(op.getRing(), op);
}

void BarrierFlow::waitForSlot(Value ring, Operation *anchor) {
  if (int64_t &ready = copies.ready[ring]) {
    --ready;
    return;
  }
  auto *first = llvm::find(copies.groups, ring);
  int64_t but = 0;
  if (first == copies.groups.end()) {
    copies.groups.clear(); // not to be told from the text: all of them
  } else {
    but = copies.groups.end() - first - 1;
    for (Value done : llvm::make_range(copies.groups.begin(), first))
      if (done)
        ++copies.ready[done];
    copies.groups.erase(copies.groups.begin(), first + 1);
  }
  std::optional<int64_t> &wait = plan.before[anchor].copiesBut;
  wait = std::min(wait.value_or(but), but);
  passBarrier(anchor);
}

/// Which copies are in flight must be the same at the start of each iteration,
/// or all of them are waited for.
void BarrierFlow::enterRingLoop(scf::ForOp loop) {
  // No wait of the loop depends on older groups of rings that it does not
  // consume. A later wait for one of these finds no group and covers all.
  llvm::SmallDenseSet<Value, 4> consumed;
  llvm::SetVector<Value> rings;
  loop.walk([&](stage::ConsumeOp consume) {
    consumed.insert(consume.getRing());
    rings.insert(consume.getRing());
  });
  copies.groups.erase(copies.groups.begin(),
                      llvm::find_if(copies.groups, [&](Value ring) {
                        return consumed.contains(ring);
                      }));
  SmallVector<Value> under = copies.groups;
  auto ready = copies.ready;
  bool isKnown = true;
  for (Operation &op : *loop.getBody()) {
    if (auto consume = dyn_cast<stage::ConsumeOp>(op)) {
      Value ring = consume.getRing();
      if (ready[ring]) {
        --ready[ring];
        continue;
      }
      auto *first = llvm::find(under, ring);
      isKnown &= first != under.end();
      if (!isKnown)
        break;
      for (Value done : llvm::make_range(under.begin(), first))
        if (done)
          ++ready[done];
      under.erase(under.begin(), first + 1);
    } else if (SmallVector<Value> filled = groupsEndingAt(&op);
               !filled.empty()) {
      llvm::append_range(under, filled);
    } else if (isa<scf::ForOp, scf::WhileOp>(op) && touchesRings(&op)) {
      isKnown = false;
    } else if (fillsAtOnce(&op)) {
      under.clear();
    }
  }
  for (auto [ring, count] : ready)
    isKnown &= count == copies.ready.lookup(ring);
  isKnown &= under == copies.groups;
  for (Value ring : rings)
    ahead[ring] =
        isKnown ? copies.ready.lookup(ring) + llvm::count(copies.groups, ring)
                : cast<stage::RingType>(ring.getType()).getDepth();
  if (isKnown)
    return;
  plan.before[loop].copiesBut = 0;
  copies.groups.clear();
  copies.ready.clear();
  passBarrier(loop);
}

/// The ring whose slot a factor is read from; null where it is none.
static Value ringOf(Value factor) {
  stage::ReadOp read = storageRead(factor);
  auto consume = read ? read.getStorage().getDefiningOp<stage::ConsumeOp>()
                      : stage::ConsumeOp();
  return consume ? consume.getRing() : Value();
}

/// Whether an asynchronous product may be in flight until the next iteration's
/// product has begun: no slot that it reads is filled before, and its sum only
/// goes into that one.
bool BarrierFlow::mayStayInFlight(Operation *op) {
  auto product = cast<MatrixProductOpInterface>(op);
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  OpOperand *acc = product.getAccOperand();
  if (!loop || !acc || !op->getResult(0).hasOneUse())
    return false;
  // The sum is carried to itself.
  OpOperand &use = *op->getResult(0).use_begin();
  auto carried = dyn_cast<BlockArgument>(acc->get());
  if (use.getOwner() != loop.getBody()->getTerminator() || !carried ||
      carried.getOwner() != loop.getBody() || !carried.hasOneUse() ||
      carried != loop.getRegionIterArg(use.getOperandNumber()))
    return false;
  // Groups are counted: there is one in an iteration.
  int64_t count = 0;
  loop.walk([&](Operation *inner) {
    count += isMemoryProduct(inner, block.description);
  });
  if (count != 1)
    return false;
  // It reads one slot, the next product another one, and others are filled.
  for (OpOperand *factor :
       {&product.getLhsOperand(), &product.getRhsOperand()}) {
    Value ring = ringOf(factor->get());
    if (!ring || ahead.lookup(ring) + 2 >
                     cast<stage::RingType>(ring.getType()).getDepth())
      return false;
  }
  return true;
}
