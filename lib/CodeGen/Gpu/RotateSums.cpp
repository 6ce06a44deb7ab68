//===- RotateSums.cpp - Sums are changed where an iteration ends ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop such as attention's rescales the accumulator that it carries before an
// MMA adds to it, so that the MMA waits for the rescaling. This pass moves the
// rescaling to the end of the iteration before, where it overlaps with the MMAs
// of other warps.
//
//===----------------------------------------------------------------------===//

#include "MemoryProducts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Gpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTROTATESUMS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// The operation that changes one carried accumulator.
class SumChange {
public:
  SumChange(scf::ForOp loop, BlockArgument sum) : loop(loop), sum(sum) {}

  /// Whether the sum goes through one operation, with carried and outer values
  /// and one of which there is a neutral element, into a product, and nowhere
  /// else.
  bool find(target::TargetAttr description);
  void rotate();

private:
  bool add(Operation *op);

  scf::ForOp loop;
  BlockArgument sum;
  llvm::SetVector<Operation *> ops; ///< each behind its operands
  Operation *change = nullptr;
  OpOperand *acc = nullptr;
};
} // namespace

/// Adds an operation, and what only it needs of the iteration.
bool SumChange::add(Operation *op) {
  if (op->getBlock() != loop.getBody() || !isPure(op) || op->getNumRegions())
    return false;
  for (Value operand : op->getOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (argument && argument == loop.getInductionVar())
      return false;
    Operation *source = operand.getDefiningOp();
    if (source && source->getBlock() == loop.getBody() &&
        !ops.contains(source) && (!operand.hasOneUse() || !add(source)))
      return false;
  }
  ops.insert(op);
  return true;
}

/// The element that changes nothing as the other operand of an operation; none
/// where there is none.
static TypedAttr neutralElement(Operation *op) {
  auto kind =
      llvm::TypeSwitch<Operation *, std::optional<arith::AtomicRMWKind>>(op)
          .Case([](arith::MulFOp) { return arith::AtomicRMWKind::mulf; })
          .Case([](arith::AddFOp) { return arith::AtomicRMWKind::addf; })
          .Case([](arith::MulIOp) { return arith::AtomicRMWKind::muli; })
          .Case([](arith::AddIOp) { return arith::AtomicRMWKind::addi; })
          .Default([](Operation *) { return std::nullopt; });
  OpBuilder b(op);
  return kind ? arith::getIdentityValueAttr(
                    *kind, getElementTypeOrSelf(op->getResult(0).getType()), b,
                    op->getLoc())
              : TypedAttr();
}

bool SumChange::find(target::TargetAttr description) {
  if (!sum.hasOneUse())
    return false;
  change = *sum.getUsers().begin();
  if (change->getNumOperands() != 2 || change->getNumResults() != 1 ||
      !change->getResult(0).hasOneUse() || !neutralElement(change))
    return false;
  acc = &*change->getResult(0).use_begin();
  if (!isMemoryProduct(acc->getOwner(), description))
    return false;
  // Otherwise the iteration computes the lhs, too, before the product begins.
  auto product = cast<MatrixProductOpInterface>(acc->getOwner());
  auto left = dyn_cast<BlockArgument>(product.getLhsOperand().get());
  return left && left.getOwner() == loop.getBody() &&
         acc == product.getAccOperand() && add(change);
}

/// What `factor` is, or what changes nothing where `holds` does not hold:
/// chosen before the elements are repeated.
static Value chooseFactor(OpBuilder &b, Value holds, Value factor,
                          TypedAttr neutral, IRMapping &mapping,
                          const llvm::SetVector<Operation *> &ops) {
  Operation *op = factor.getDefiningOp();
  bool isRepeated = op && ops.contains(op) && op->getNumOperands() == 1 &&
                    isa<RankedTensorType>(op->getOperand(0).getType());
  Value chosen = isRepeated ? op->getOperand(0) : factor;
  Location loc = chosen.getLoc();
  auto type = cast<RankedTensorType>(chosen.getType());
  Value none = arith::ConstantOp::create(
      b, loc, type, DenseElementsAttr::get(type, Attribute(neutral)));
  Value made = arith::SelectOp::create(b, loc, holds,
                                       mapping.lookupOrDefault(chosen), none);
  if (!isRepeated)
    return made;
  IRMapping repeated;
  repeated.map(chosen, made);
  return b.clone(*op, repeated)->getResult(0);
}

void SumChange::rotate() {
  OpBuilder b(loop);
  Location loc = acc->getOwner()->getLoc();
  IRMapping first, next;
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    first.map(argument, loop.getTiedLoopInit(argument)->get());
    next.map(argument, loop.getTiedLoopYieldedValue(argument)->get());
  }
  OpOperand *init = loop.getTiedLoopInit(sum),
            *yielded = loop.getTiedLoopYieldedValue(sum);
  Value before = init->get();
  for (Operation *op : ops)
    b.clone(*op, first);
  init->set(first.lookup(acc->get()));
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value following =
      arith::AddIOp::create(b, loc, loop.getInductionVar(), loop.getStep());
  Value goesOn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                       following, loop.getUpperBound());
  Value factor = change->getOperand(change->getOperand(0) == sum);
  next.map(factor,
           chooseFactor(b, goesOn, factor, neutralElement(change), next, ops));
  yielded->set(b.clone(*change, next)->getResult(0));
  acc->set(sum);
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  // Without an iteration nothing has changed the sum.
  Value result = loop.getTiedLoopResult(sum);
  if (loop.getStaticTripCount() || result.use_empty())
    return;
  b.setInsertionPointAfter(loop);
  Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                    loop.getLowerBound(), loop.getUpperBound());
  auto chosen = arith::SelectOp::create(b, loc, any, result, before);
  result.replaceAllUsesExcept(chosen, chosen);
}

namespace {
struct RotateSums : simt::impl::SimtRotateSumsBase<RotateSums> {
  using SimtRotateSumsBase::SimtRotateSumsBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    target::TargetAttr description = target::getDescription(kernel);
    if (!description || !hasMemoryProducts(kernel, description))
      return;
    kernel.walk([&](scf::ForOp loop) {
      for (BlockArgument sum : loop.getRegionIterArgs())
        if (SumChange change(loop, sum); change.find(description))
          change.rotate();
    });
  }
};
} // namespace
