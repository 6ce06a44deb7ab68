//===- IndexUses.cpp - Where indices go besides addresses -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dimension can get another block size only if every use of its index means a
// position: the index times the block size. This finds the uses that do not.
//
//===----------------------------------------------------------------------===//

#include "IterationSpaceBuilder.h"
#include "kiln/Interfaces/IndexMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

Value kiln::tile::matchClampedDistance(Value value, int64_t block) {
  while (Operation *cast = value.getDefiningOp()) {
    if (!isa<arith::IndexCastOp, arith::TruncIOp, arith::ExtSIOp>(cast))
      break;
    value = cast->getOperand(0);
  }
  auto minimum = value.getDefiningOp<arith::MinSIOp>();
  if (!minimum || getConstantIntValue(minimum.getRhs()) != block)
    return {};
  auto maximum = minimum.getLhs().getDefiningOp<arith::MaxSIOp>();
  if (!maximum || getConstantIntValue(maximum.getRhs()) != 0)
    return {};
  return maximum.getLhs();
}

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
    if (Value fill = getFillValue(op))
      checkFill(op, fill);
    else if (std::optional<unsigned> counted = getCountedDim(op))
      checkIota(op, *counted);
    else if (isShapeless(op) && isa<IndexMapOpInterface>(op))
      checkGenerated(op);
  });
}

/// True if the operand says where a view is accessed, or fills a tile.
static bool isSeenElsewhere(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto access = dyn_cast<ViewAccessOpInterface>(user))
    return llvm::any_of(access.getAxes(), [&](const ViewAxis &axis) {
      return axis.offset == OpFoldResult(use.get());
    });
  return getFillValue(user) == use.get();
}

void IterationSpaceBuilder::checkUse(OpOperand &use, unsigned dim,
                                     SmallVectorImpl<Value> &worklist) {
  Operation *user = use.getOwner();
  if (isSeenElsewhere(use))
    return;
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
  // A distance clamped to the block is judged where it fills a mask.
  int64_t block = space.dims[dim].block;
  if (isa<arith::MaxSIOp>(user) && user->hasOneUse()) {
    Value minimum = user->use_begin()->getOwner()->getResult(0);
    if (matchClampedDistance(minimum, block) == use.get()) {
      worklist.push_back(minimum);
      return;
    }
  }
  if (user->getNumResults() == 1 && matchClampedDistance(use.get(), block) &&
      matchClampedDistance(user->getResult(0), block)) {
    worklist.push_back(user->getResult(0));
    return;
  }
  if (user->getNumResults() == 1) {
    Value result = user->getResult(0);
    std::optional<index::Expr> form = linearizer->get(result);
    if (form && form->dependsOn(dim)) {
      worklist.push_back(result);
      return;
    }
    if (form && form->isStatic())
      return;
  }
  pin(dim, "'" + user->getName().getStringRef() + "' uses its index as data");
}

void IterationSpaceBuilder::checkFill(Operation *op, Value fill) {
  std::optional<index::Expr> form;
  if (fill.getType().isIntOrIndex())
    form = linearizer->get(fill);
  if (!form) {
    // A clamped distance is a limit for the index within a block, nothing else.
    for (auto [i, dim] : llvm::enumerate(space.dims))
      if (Value distance = matchClampedDistance(fill, dim.block))
        if (form = linearizer->get(distance); form && form->dependsOn(i))
          for (OpOperand &use : op->getUses())
            checkLimitUse(use, i);
    return;
  }
  for (auto [i, dim] : llvm::enumerate(space.dims)) {
    if (!form->dependsOn(i) || dim.block == 0)
      continue;
    index::Integer distance = index::mul(form->scale(i), dim.indexStep);
    if (!distance || *distance % dim.block != 0)
      pin(i, "a tile is filled with its index rather than its position");
  }
}

/// True for operations that hand on the elements of a tile as they are.
static bool handsOn(Operation *op) {
  return handsOnElements(op) ||
         isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp,
                         arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op);
}

/// A limit within a block may only be compared with the index in that block.
void IterationSpaceBuilder::checkLimitUse(OpOperand &use, unsigned dim) {
  Operation *user = use.getOwner();
  if (handsOn(user)) {
    for (OpOperand &next : user->getResult(0).getUses())
      checkLimitUse(next, dim);
    return;
  }
  if (isa<arith::CmpIOp>(user) && use.getOperandNumber() == 1) {
    Value other = user->getOperand(0);
    while (handsOn(other.getDefiningOp()))
      other = other.getDefiningOp()->getOperand(0);
    // The comparison itself is judged at the iota.
    if (getCountedDim(other.getDefiningOp()))
      return;
  }
  pin(dim, "a limit within a block is used without the index in the block");
}

void IterationSpaceBuilder::checkIota(Operation *op, unsigned counted) {
  for (OpOperand &use : op->getUses()) {
    auto found = dimOfClass.find(tileDims.classOf(use, counted));
    if (found != dimOfClass.end())
      checkIotaUse(use, found->second);
  }
}

void IterationSpaceBuilder::checkGenerated(Operation *op) {
  AffineMap map = cast<IndexMapOpInterface>(op).getGeneratedElement();
  std::string reason =
      "'" + op->getName().getStringRef().str() + "' computes with its index";
  for (OpOperand &use : op->getUses())
    for (unsigned d = 0; d < map.getNumDims(); ++d) {
      auto found = dimOfClass.find(tileDims.classOf(use, d));
      if (found != dimOfClass.end() && map.isFunctionOfDim(d))
        pin(found->second, reason);
    }
}

Value IterationSpaceBuilder::fillOf(Value tile) {
  while (handsOn(tile.getDefiningOp()))
    tile = tile.getDefiningOp()->getOperand(0);
  Value fill = getFillValue(tile.getDefiningOp());
  return fill && fill.getType().isIntOrIndex() ? fill : Value();
}

/// True if comparing the index within a block with `limit` is the same as
/// comparing the position with something else.
bool IterationSpaceBuilder::isMask(Value limit, unsigned dim) {
  const IterationDim &iteration = space.dims[dim];
  if (Value distance = matchClampedDistance(limit, iteration.block))
    limit = distance;
  std::optional<index::Expr> form = linearizer->get(limit);
  return form &&
         index::mul(form->scale(dim), iteration.indexStep) == -iteration.block;
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
  const IterationDim &iteration = space.dims[dim];
  if (user->getNumOperands() == 2) {
    Value fill = fillOf(user->getOperand(1 - use.getOperandNumber()));
    std::optional<index::Expr> form;
    if (fill && isa<arith::AddIOp>(user))
      form = linearizer->get(fill);
    if (form &&
        index::mul(form->scale(dim), iteration.indexStep) == iteration.block)
      return;
    auto compare = dyn_cast<arith::CmpIOp>(user);
    // Limits are clamped to what a block has, so that only < and >= say the
    // same for every block size.
    if (fill && compare && use.getOperandNumber() == 0 &&
        (compare.getPredicate() == arith::CmpIPredicate::slt ||
         compare.getPredicate() == arith::CmpIPredicate::sge) &&
        isMask(fill, dim))
      return;
  }
  pin(dim, "the index within a block is used without the block's position");
}
