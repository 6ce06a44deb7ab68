// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow in the regions of reductions, scans and maps.
#include "Regions.h"

#include "kiln/Dialect/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace kiln;

/// Upstream's lifting; regions that never end return nothing.
FailureOr<Operation *>
triton_to_tile::LiftControlFlow::createUnreachableTerminator(Location loc,
                                                             OpBuilder &builder,
                                                             Region &) {
  return tt::ReturnOp::create(builder, loc, ValueRange()).getOperation();
}

/// Moves the operations of a region in front of `op`; returns what it yields.
static SmallVector<Value> hoist(Region &region, Operation *op) {
  Block &block = region.front();
  SmallVector<Value> values(block.getTerminator()->getOperands());
  for (Operation &inner :
       llvm::make_early_inc_range(block.without_terminator()))
    inner.moveBefore(op);
  return values;
}

/// A chain of choices between two: kernels have no others.
static void replaceSwitch(scf::IndexSwitchOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto moveInto = [](Region &from, Region &to) {
    to.getBlocks().clear();
    to.takeBody(from);
  };
  scf::IfOp outermost;
  for (auto [label, region] : llvm::zip(op.getCases(), op.getCaseRegions())) {
    Value constant = arith::ConstantIndexOp::create(builder, loc, label);
    Value is = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     op.getArg(), constant);
    auto choice = scf::IfOp::create(builder, loc, op.getResultTypes(), is,
                                    /*withElseRegion=*/true);
    moveInto(region, choice.getThenRegion());
    if (outermost)
      scf::YieldOp::create(builder, loc, choice.getResults());
    else
      outermost = choice;
    // The next choice is what this one does otherwise.
    choice.getElseRegion().getBlocks().clear();
    builder.createBlock(&choice.getElseRegion());
  }
  Region *last = builder.getInsertionBlock()->getParent();
  if (outermost) {
    moveInto(op.getDefaultRegion(), *last);
    op->replaceAllUsesWith(outermost.getResults());
  } else {
    op->replaceAllUsesWith(hoist(op.getDefaultRegion(), op));
  }
  op->erase();
}

LogicalResult triton_to_tile::liftRegion(Operation *op, Region &region) {
  LiftControlFlow lifting;
  IRRewriter rewriter(op->getContext());
  // What follows a return is never reached.
  (void)eraseUnreachableBlocks(rewriter, region);
  DominanceInfo dominance(op);
  if (failed(transformCFGToSCF(region, lifting, dominance)))
    return op->emitOpError("unsupported: irreducible control flow");
  if (!llvm::hasSingleElement(region))
    return op->emitOpError("unsupported: control flow that cannot be lifted to "
                           "structured form");
  op->walk([](scf::IndexSwitchOp inner) { replaceSwitch(inner); });
  return success();
}

namespace {

/// Whether executing the block in vain changes nothing and ends.
bool isHarmless(Block &block) {
  return llvm::all_of(block.without_terminator(), [](Operation &op) {
    return op.getNumRegions() == 0 && isMemoryEffectFree(&op);
  });
}

void replaceBySelects(OpBuilder &builder, Operation *op, Value condition,
                      ArrayRef<Value> yes, ArrayRef<Value> no) {
  for (auto [result, a, b] : llvm::zip(op->getResults(), yes, no))
    result.replaceAllUsesWith(
        arith::SelectOp::create(builder, op->getLoc(), condition, a, b));
  op->erase();
}

/// Both sides, and the values of one of them. Integer division does not trap.
void flatten(scf::IfOp op) {
  bool hasElse = !op.getElseRegion().empty();
  if (!isHarmless(op.getThenRegion().front()) ||
      (hasElse && !isHarmless(op.getElseRegion().front())))
    return;
  SmallVector<Value> yes = hoist(op.getThenRegion(), op), no;
  if (hasElse)
    no = hoist(op.getElseRegion(), op);
  OpBuilder builder(op);
  replaceBySelects(builder, op, op.getCondition(), yes, no);
}

} // namespace

void triton_to_tile::dropAssertions(Region &region) {
  region.walk([](tt::AssertOp op) {
    op.emitWarning("ignored: an assertion on partial results, whose order is "
                   "not specified");
    op->erase();
  });
}

void triton_to_tile::flattenRegion(Region &region) {
  region.walk([](scf::IfOp op) { flatten(op); });
}
