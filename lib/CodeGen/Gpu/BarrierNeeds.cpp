//===- BarrierNeeds.cpp - What the check of barriers has to know ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check follows only the values that say where threads access the memory
// of a block, whether they do, and how often.
//
//===----------------------------------------------------------------------===//

#include "BarrierCheck.h"
#include "SharedPlaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Has a value known at every point, with all that it comes from.
void BarrierCheck::need(Value value, SmallVectorImpl<Value> &open) {
  if (value && (value.getType().isIntOrIndex() || isShared(value)) &&
      needed.try_emplace(value, needed.size()).second)
    open.push_back(value);
}

/// What decides whether an operation is reached, and how often.
static void conditionsOf(Operation *around, function_ref<void(Value)> need) {
  if (auto choice = dyn_cast<scf::IfOp>(around))
    need(choice.getCondition());
  if (auto loop = dyn_cast<scf::ForOp>(around))
    for (Value bound :
         {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      need(bound);
  if (auto loop = dyn_cast<scf::WhileOp>(around))
    need(loop.getConditionOp().getCondition());
}

/// Needs what says which bytes an access reaches, and whether. Returns false
/// for an operation that neither accesses shared memory nor orders accesses.
bool BarrierCheck::findAccess(Operation *op, function_ref<void(Value)> need) {
  std::optional<Synchronization> sync = synchronizationOf(op);
  bool orders = sync && !sync->is(Synchronization::Kind::PartBarrier);
  for (const ThreadAccess &access : sharedAccesses(op)) {
    orders = true;
    need(access.address);
    need(access.mask);
    bool isBulk = access.flight == ThreadAccess::Flight::Barrier;
    hasBulkCopies |= isBulk; // they need fences, too
    hasProducts |= isBulk || access.flight == ThreadAccess::Flight::Products;
  }
  if (auto slot = dyn_cast<SlotBarrierOpInterface>(op)) {
    orders = true;
    need(slot.getBarrier());
    need(slot.getMask());
    need(slot.getAwaitedParity());
  }
  return orders;
}

/// What a value comes from.
static void originsOf(Value value, function_ref<void(Value)> need) {
  auto result = dyn_cast<OpResult>(value);
  Operation *op = result ? result.getOwner()
                         : cast<BlockArgument>(value).getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned n = result ? result.getResultNumber()
                        : cast<BlockArgument>(value).getArgNumber() - 1;
    if (result || cast<BlockArgument>(value).getArgNumber()) {
      need(loop.getInitArgs()[n]);
      need(loop.getRegionIterArg(n));
      need(loop.getBody()->getTerminator()->getOperand(n));
    }
    conditionsOf(loop, need);
  } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
    conditionsOf(choice, need);
    for (Region *region : {&choice.getThenRegion(), &choice.getElseRegion()})
      if (!region->empty())
        need(region->front().getTerminator()->getOperand(
            result.getResultNumber()));
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    // Simply all that it carries.
    for (ValueRange all : {ValueRange(loop.getInits()),
                           ValueRange(loop.getConditionOp().getArgs()),
                           ValueRange(loop.getYieldOp().getOperands()),
                           ValueRange(loop.getBeforeArguments()),
                           ValueRange(loop.getAfterArguments())})
      llvm::for_each(all, need);
    conditionsOf(loop, need);
  } else if (result && isMemoryEffectFree(op)) {
    llvm::for_each(op->getOperands(), need);
  }
}

/// Addresses, masks, and the conditions and bounds of what touches memory, with
/// all that they come from.
void BarrierCheck::findNeeded() {
  SmallVector<Value> open;
  auto needOne = [&](Value value) { need(value, open); };
  function.walk([&](Operation *op) {
    if (!findAccess(op, needOne))
      return;
    bool isCopy = startsCopy(op);
    for (Operation *around = op;
         isCopy && around != function && copying.insert(around).second;
         around = around->getParentOp())
      ;
    for (Operation *around = op;
         around != function && touching.insert(around).second;
         around = around->getParentOp())
      conditionsOf(around, needOne);
  });
  while (!open.empty())
    originsOf(open.pop_back_val(), needOne);
}
