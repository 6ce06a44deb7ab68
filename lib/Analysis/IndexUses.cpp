//===- IndexUses.cpp - Where indices go besides addresses -----------------===//
//
// A dimension can get another block size only if every use of its index means a
// position: the index times the block size. This finds the uses that do not.
//
//===----------------------------------------------------------------------===//

#include "IterationSpaceBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln::tile;

void IterationSpaceBuilder::checkUses() {
  for (auto [i, dim] : llvm::enumerate(space.dims)) {
    SmallVector<Value> worklist = {dim.index};
    llvm::SetVector<Value> seen;
    // Counters that a loop carries move with its index.
    if (dim.isLoop())
      for (BlockArgument argument : dim.loop.getRegionIterArgs())
        if (linearizer->isInduction(argument))
          worklist.push_back(argument);
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (!seen.insert(value))
        continue;
      for (OpOperand &use : value.getUses())
        checkUse(use, i, worklist);
    }
  }
  kernel.getBody().walk([&](Operation *op) {
    if (auto splat = dyn_cast<SplatOp>(op))
      checkSplat(splat);
    else if (auto iota = dyn_cast<IotaOp>(op))
      checkIota(iota);
  });
}

void IterationSpaceBuilder::checkUse(OpOperand &use, unsigned dim,
                                     SmallVectorImpl<Value> &worklist) {
  Operation *user = use.getOwner();
  if (isa<LoadOp, StoreOp, GatherOp, SplatOp>(user))
    return; // seen elsewhere
  if (auto loop = dyn_cast<scf::ForOp>(user)) {
    // A counter that starts at a position moves on from there.
    if (unsigned number = use.getOperandNumber();
        number >= loop.getNumControlOperands()) {
      unsigned i = number - loop.getNumControlOperands();
      if (linearizer->isInduction(loop.getRegionIterArg(i)) &&
          loop.getResult(i).use_empty()) {
        worklist.push_back(loop.getRegionIterArg(i));
        return;
      }
    }
    pin(dim, "the bounds of a loop or what it carries depend on it");
    for (auto [i, other] : llvm::enumerate(space.dims))
      if (other.loop == loop)
        pin(i, "the bounds of its loop or what it carries depend on d" +
                   Twine(dim));
    return;
  }
  if (auto yield = dyn_cast<scf::YieldOp>(user)) {
    auto loop = dyn_cast<scf::ForOp>(yield->getParentOp());
    if (loop &&
        linearizer->isInduction(loop.getRegionIterArg(use.getOperandNumber())))
      return;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(user)) {
    // "Is this the first block" stays the same question.
    if ((compare.getPredicate() == arith::CmpIPredicate::eq ||
         compare.getPredicate() == arith::CmpIPredicate::ne) &&
        use.get() == space.dims[dim].index &&
        getConstantIntValue(compare->getOperand(1 - use.getOperandNumber())) ==
            0)
      return;
  }
  if (user->getNumResults() == 1) {
    Value result = user->getResult(0);
    std::optional<LinearForm> form = linearizer->get(result);
    if (form && form->coefficient(dim) != 0) {
      worklist.push_back(result);
      return;
    }
    if (form && form->isInvariant() && form->symbols.empty())
      return;
  }
  pin(dim, "'" + user->getName().getStringRef() + "' uses its index as data");
}

void IterationSpaceBuilder::checkSplat(SplatOp splat) {
  std::optional<LinearForm> form;
  if (splat.getValue().getType().isIntOrIndex())
    form = linearizer->get(splat.getValue());
  if (!form)
    return; // its index uses were seen at what computes the value
  for (auto [i, dim] : llvm::enumerate(space.dims)) {
    int64_t coefficient = form->coefficient(i);
    if (coefficient == 0 || dim.block == 0)
      continue;
    if ((coefficient * dim.indexStep) % dim.block != 0)
      pin(i, "a tile is filled with its index rather than its position");
  }
}

void IterationSpaceBuilder::checkIota(IotaOp iota) {
  for (OpOperand &use : iota->getUses()) {
    auto found = dimOfClass.find(tileDims.classOf(use, iota.getDim()));
    if (found != dimOfClass.end())
      checkIotaUse(use, found->second);
  }
}

/// True for operations that hand on the elements of a tile as they are.
static bool handsOn(Operation *op) {
  return isa_and_nonnull<BroadcastOp, ExpandDimsOp, TransposeOp, ReshapeOp,
                         arith::IndexCastOp, arith::IndexCastUIOp,
                         arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op);
}

/// True for a tile that is everywhere the position of the block.
bool IterationSpaceBuilder::isPositionOf(Value value, unsigned dim) {
  while (handsOn(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto splat = value.getDefiningOp<SplatOp>();
  if (!splat || !splat.getValue().getType().isIntOrIndex())
    return false;
  std::optional<LinearForm> form = linearizer->get(splat.getValue());
  const IterationDim &iteration = space.dims[dim];
  return form &&
         form->coefficient(dim) * iteration.indexStep == iteration.block;
}

/// An index within a block has a meaning only together with the position of the
/// block.
void IterationSpaceBuilder::checkIotaUse(OpOperand &use, unsigned dim) {
  Operation *user = use.getOwner();
  if (handsOn(user)) {
    for (OpOperand &next : user->getResult(0).getUses())
      checkIotaUse(next, dim);
    return;
  }
  if (isa<arith::AddIOp>(user) &&
      isPositionOf(user->getOperand(1 - use.getOperandNumber()), dim))
    return;
  pin(dim, "the index within a block is used without the block's position");
}
