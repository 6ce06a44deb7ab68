//===- RetileIndices.cpp - Index arithmetic for other block sizes ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Retiler.h"
#include "kiln/Index/ScalarBuilder.h"
#include "kiln/Interfaces/Accumulation.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/ViewAccess.h"
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
  auto op = cast<ViewAccessOpInterface>(access.op);
  OpBuilder builder(op);
  SmallVector<ViewAxis, 4> views = op.getAxes();
  // Block coordinates stay where they are the index of a dimension.
  bool touched = llvm::any_of(llvm::zip(access.axes, views), [&](auto pair) {
    auto &[axis, view] = pair;
    if (axis.indirect)
      return false;
    bool resized = axis.dim >= 0 && changes[axis.dim].changes();
    if (!view.countsBlocks)
      return isScaled(axis.offset);
    return (resized || isScaled(axis.offset)) && !isPlain(axis);
  });
  if (!touched)
    return success();
  SmallVector<Value> offsets;
  for (auto [axis, view] : llvm::zip(access.axes, views)) {
    if (axis.indirect)
      continue;
    auto given = dyn_cast<Value>(view.offset);
    if (given && !view.countsBlocks && !isScaled(axis.offset)) {
      offsets.push_back(given);
      continue;
    }
    FailureOr<Value> value = materialize(builder, op->getLoc(), axis.offset);
    if (failed(value))
      return failure();
    offsets.push_back(*value);
  }
  if (failed(op.setElementOffsets(offsets)))
    return fail("'" + op->getName().getStringRef() +
                "' takes no offsets in elements");
  return success();
}

LogicalResult Retiler::rewriteFill(Operation *op, Value fill) {
  Type type = fill.getType();
  if (!type.isIntOrIndex())
    return success();
  OpBuilder builder(op);
  Location loc = op->getLoc();
  FailureOr<Value> value = failure();
  if (std::optional<index::Expr> form = space.linearize(fill)) {
    if (!isScaled(*form))
      return success();
    value = materialize(builder, loc, *form);
  } else {
    FailureOr<Value> distance = Value();
    int64_t block = 0;
    for (auto [i, change] : llvm::enumerate(changes)) {
      Value limit =
          change.changes() ? matchClampedDistance(fill, change.from) : Value();
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
  op->replaceUsesOfWith(fill, *value);
  return success();
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// True for a tile that is zero outside of the views that it comes from.
static bool isZeroPadded(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (auto access = dyn_cast_or_null<ViewAccessOpInterface>(op))
    return indirectAxis(access.getAxes()) < 0 &&
           access.getOutside() == Outside::Zero;
  if (handsOnElements(op) ||
      isa_and_nonnull<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp,
                      arith::ExtUIOp, arith::TruncIOp>(op))
    return llvm::all_of(op->getOperands(), [](Value operand) {
      return !isa<RankedTensorType>(operand.getType()) || isZeroPadded(operand);
    });
  return false;
}

/// Old blocks that divide the extent never see padding. New ones that do not
/// are right only where the padding changes nothing.
LogicalResult Retiler::checkPadding(unsigned dim) {
  std::optional<int64_t> extent = getStaticExtent(space.getDims()[dim]);
  BlockChange change = changes[dim];
  if (!extent || *extent % change.from != 0 || *extent % change.to == 0)
    return success();
  bool safe = true;
  kernel.getBody().walk([&](Operation *op) {
    auto mapped = dyn_cast<IndexMapOpInterface>(op);
    if (!mapped || mapped.getNumSummedDims() == 0)
      return;
    // The operands that are summed along the dimension.
    unsigned rank =
        cast<RankedTensorType>(op->getResult(0).getType()).getRank();
    bool isAlong = false, isPadded = true;
    for (OpOperand &operand : op->getOpOperands()) {
      OperandRead read = getOperandRead(operand);
      if (!read)
        continue;
      bool isSummed = false;
      for (auto [e, expr] : llvm::enumerate(read.map.getResults())) {
        auto summed = dyn_cast<AffineDimExpr>(expr);
        isSummed |= summed && summed.getPosition() >= rank;
        isAlong |= summed && summed.getPosition() >= rank &&
                   space.dimOf(operand.get(), e) == static_cast<int>(dim);
      }
      isPadded &= !isSummed || isZeroPadded(operand.get());
    }
    auto accumulates = dyn_cast<AccumulationOpInterface>(op);
    if (isAlong)
      safe &= isPadded && accumulates && accumulates.areZerosNeutral();
  });
  if (safe)
    return success();
  return fail("blocks of " + Twine(change.to) + " do not divide the " +
              Twine(*extent) + " elements of d" + Twine(dim) +
              ", and its padding would enter a sum or reduction");
}
