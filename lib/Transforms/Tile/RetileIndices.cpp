//===- RetileIndices.cpp - Index arithmetic for other block sizes ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Retiler.h"
#include "kiln/Index/ScalarBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

/// True if the index counts blocks that change size, so that positions need
/// other coefficients.
bool Retiler::isScaled(unsigned dim) const {
  return changes[dim].changes() && !space.getDims()[dim].countsElements();
}

bool Retiler::isScaled(const index::Expr &form) const {
  return llvm::any_of(form.dims(), [&](int dim) { return isScaled(dim); });
}

/// Computes a form of positions with the new block sizes, as an index.
FailureOr<Value> Retiler::materialize(OpBuilder &builder, Location loc,
                                      const index::Expr &form) {
  index::ScalarBuilder math(builder, loc);
  OpFoldResult sum = math.constant(0);
  auto add = [&](Value term, int64_t coefficient) {
    if (!isa<IndexType>(term.getType()))
      term = builder.createOrFold<arith::IndexCastOp>(
          loc, builder.getIndexType(), term);
    sum = math.add(sum, math.mul(term, math.constant(coefficient)));
  };
  for (int i : form.dims()) {
    int64_t scaled = form.scale(i);
    if (isScaled(i)) {
      BlockChange change = changes[i];
      index::Integer product = index::mul(scaled, change.to);
      if (!product || *product % change.from != 0)
        return fail("an offset of " + Twine(scaled) + " times d" + Twine(i) +
                    " has no counterpart with blocks of " + Twine(change.to) +
                    " instead of " + Twine(change.from));
      scaled = *product / change.from;
    }
    add(space.getDims()[i].index, scaled);
  }
  index::Expr offset = form.offset();
  for (const index::Expr::Term &term : offset.getTerms())
    add(space.getSymbols()[term.factors.front()].value, term.coefficient);
  return math.materialize(math.add(sum, math.constant(form.getNumber())));
}

/// True if the coordinate is the index of the dimension itself, in blocks.
static bool isPlain(const AxisAccess &axis) {
  return axis.dim >= 0 &&
         axis.offset.same(index::Expr::dim(axis.dim) * axis.block);
}

LogicalResult Retiler::rewriteAccess(const ViewAccess &access) {
  Operation *op = access.op;
  OpBuilder builder(op);
  MutableArrayRef<OpOperand> coordinates;
  bool elements = true;
  if (auto load = dyn_cast<LoadOp>(op)) {
    coordinates = load.getCoordsMutable();
    elements = load.getElementOffsets();
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    coordinates = store.getCoordsMutable();
    elements = store.getElementOffsets();
  } else {
    coordinates = cast<LoadGatherOp>(op).getOffsetsMutable();
  }

  SmallVector<const AxisAccess *> axes;
  for (const AxisAccess &axis : access.axes)
    if (!axis.indirect)
      axes.push_back(&axis);
  // Block coordinates stay where they are the index of a dimension.
  bool touched = llvm::any_of(axes, [&](const AxisAccess *axis) {
    bool resized = axis->dim >= 0 && changes[axis->dim].changes();
    if (elements)
      return isScaled(axis->offset);
    return (resized || isScaled(axis->offset)) && !isPlain(*axis);
  });
  if (!touched)
    return success();
  for (auto [axis, coordinate] : llvm::zip(axes, coordinates)) {
    if (elements && !isScaled(axis->offset))
      continue;
    FailureOr<Value> value = materialize(builder, op->getLoc(), axis->offset);
    if (failed(value))
      return failure();
    coordinate.set(*value);
  }
  if (auto load = dyn_cast<LoadOp>(op))
    load.setElementOffsets(true);
  else if (auto store = dyn_cast<StoreOp>(op))
    store.setElementOffsets(true);
  return success();
}

LogicalResult Retiler::rewriteSplat(SplatOp splat) {
  Type type = splat.getValue().getType();
  if (!type.isIntOrIndex())
    return success();
  OpBuilder builder(splat);
  Location loc = splat.getLoc();
  FailureOr<Value> value = failure();
  if (std::optional<index::Expr> form = space.linearize(splat.getValue())) {
    if (!isScaled(*form))
      return success();
    value = materialize(builder, loc, *form);
  } else {
    FailureOr<Value> distance = Value();
    int64_t block = 0;
    for (auto [i, change] : llvm::enumerate(changes)) {
      Value limit = change.changes()
                        ? matchClampedDistance(splat.getValue(), change.from)
                        : Value();
      if (!limit || !(form = space.linearize(limit)) || !form->dependsOn(i))
        continue;
      block = change.to;
      distance = materialize(builder, loc, *form);
    }
    if (block == 0)
      return success();
    if (failed(distance))
      return failure();
    auto constant = [&](int64_t number) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, number);
    };
    Value lower = arith::MaxSIOp::create(builder, loc, *distance, constant(0));
    value = arith::MinSIOp::create(builder, loc, lower, constant(block))
                .getResult();
  }
  if (failed(value))
    return failure();
  if (!isa<IndexType>(type))
    value = builder.createOrFold<arith::IndexCastOp>(loc, type, *value);
  splat.getValueMutable().assign(*value);
  return success();
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// True for a tile that is zero outside of the views that it comes from.
static bool isZeroPadded(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (auto load = dyn_cast_or_null<LoadOp>(op))
    return load.getPadding() == Padding::zero;
  if (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp,
                      arith::ExtUIOp, arith::TruncIOp, TransposeOp, ReshapeOp,
                      ExpandDimsOp>(op))
    return isZeroPadded(op->getOperand(0));
  return false;
}

/// Old blocks that divide the extent never see padding. New ones that do not
/// are right only where the padding changes nothing.
LogicalResult Retiler::checkPadding(unsigned dim) {
  std::optional<int64_t> extent = getStaticExtent(space.getDims()[dim]);
  BlockChange change = changes[dim];
  if (!extent || *extent % change.from != 0 || *extent % change.to == 0)
    return success();
  auto isAlong = [&](Value tile, int64_t axis) {
    return space.dimOf(tile, axis) == static_cast<int>(dim);
  };
  bool safe = true;
  kernel.getBody().walk([&](Operation *op) {
    if (auto dot = dyn_cast<DotOp>(op)) {
      auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
      if (isAlong(dot.getLhs(), lhs.getRank() - 1))
        safe &= isZeroPadded(dot.getLhs()) && isZeroPadded(dot.getRhs());
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      Value source = reduce.getSources().front();
      if (!isAlong(source, reduce.getAxis()))
        return;
      Block &block = reduce.getCombiner().front();
      bool isSum = reduce.getSources().size() == 1 &&
                   isa<arith::AddFOp, arith::AddIOp>(block.front()) &&
                   block.getOperations().size() == 2;
      safe &= isSum && isZeroPadded(source);
    }
  });
  if (safe)
    return success();
  return fail("blocks of " + Twine(change.to) + " do not divide the " +
              Twine(*extent) + " elements of d" + Twine(dim) +
              ", and its padding would enter a sum or reduction");
}
