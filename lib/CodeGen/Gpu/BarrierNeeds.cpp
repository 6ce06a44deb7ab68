//===- BarrierNeeds.cpp - What the check of barriers has to know ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check follows only the values that say where threads access the memory
// of a block, whether they do, and how often.
//
//===----------------------------------------------------------------------===//

#include "BarrierCheck.h"
#include "SharedPlaces.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

static bool waits(Operation *op) {
  return isa<gpu::BarrierOp, BarrierOp, WarpBarrierOp, CommitCopiesOp,
             WaitCopiesOp, CommitProductsOp, WaitProductsOp, PublishOp,
             CreateSplitBarrierOp, ArriveOp, AwaitOp, CreateBarriersOp>(op);
}

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

/// What an access reaches, and where; false for what is neither an access nor a
/// wait.
bool BarrierCheck::findAccess(Operation *op, function_ref<void(Value)> need) {
  Value place = sharedPlace(op);
  if (!place && !waits(op))
    return false;
  need(place);
  need(maskOf(op));
  if (auto product = dyn_cast<MmaAsyncOp>(op)) {
    hasProducts = true;
    need(product.getLhsAddress());
  }
  if (auto copy = dyn_cast<CopyBulkOp>(op)) {
    hasProducts = hasBulkCopies = true; // they need fences, too
    need(copy.getBarrier());
  }
  if (auto wait = dyn_cast<AwaitParityOp>(op))
    need(wait.getParity());
  return true;
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
    bool isCopy = isa<AsyncCopyOpInterface, CopyBulkOp>(op);
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
