//===- IndirectVectors.cpp - Vectors along one dimension of a tile --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IndirectVectors.h"
#include "TileSource.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Index/List.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln::tile;

Value kiln::tile::toVector(OpBuilder &builder, Location loc, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getRank() == 1)
    return tile;
  return ReshapeOp::create(
      builder, loc,
      RankedTensorType::get({type.getNumElements()}, type.getElementType()),
      tile);
}

Value kiln::tile::toI64(OpBuilder &builder, Location loc, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto wide = type.clone(builder.getI64Type());
  if (type.getElementType().isInteger(64))
    return tile;
  if (isa<IndexType>(type.getElementType()))
    return arith::IndexCastOp::create(builder, loc, wide, tile);
  return arith::ExtSIOp::create(builder, loc, wide, tile);
}

Value kiln::tile::flatIndices(ScalarBuilder &scalars, LaunchBounds &bounds,
                              const PointerExpr &expr, RankedTensorType type,
                              bool &isPositive) {
  OpBuilder &builder = scalars.builder;
  Location loc = scalars.loc;
  auto wide = type.clone(builder.getI64Type());
  Value indices;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    auto vectorType =
        RankedTensorType::get({type.getDimSize(d)}, builder.getI64Type());
    auto times = [&](Value vector, IndexScalar factor) -> Value {
      Value integer = arith::IndexCastOp::create(
          builder, loc, builder.getI64Type(), scalars.materialize(factor));
      auto known = getConstantIntValue(factor);
      isPositive &= known && *known >= 0;
      return arith::MulIOp::create(
          builder, loc, vector,
          SplatOp::create(builder, loc, vectorType, integer));
    };
    auto add = [&](Value a, Value b) -> Value {
      return a ? arith::AddIOp::create(builder, loc, a, b).getResult() : b;
    };
    Value along;
    if (Value vector = expr.indirect[d]) {
      isPositive &= bounds.isNonNegative(vector);
      along = times(toI64(builder, loc, vector), expr.scales[d]);
    }
    if (!isConstantIntValue(expr.strides[d], 0))
      along = add(along, times(IotaOp::create(builder, loc, vectorType, 0),
                               expr.strides[d]));
    if (!along)
      continue;
    SmallVector<int64_t> shape(type.getRank(), 1);
    shape[d] = type.getDimSize(d);
    along = ReshapeOp::create(builder, loc, wide.clone(shape), along);
    indices = add(indices, BroadcastOp::create(builder, loc, wide, along));
  }
  if (indices)
    return indices;
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(wide));
}

Value kiln::tile::getSplatScalar(OpBuilder &builder, Value tile) {
  if (!isa<RankedTensorType>(tile.getType()))
    return tile;
  Operation *op = tile.getDefiningOp();
  if (!op)
    return {};
  if (Value fill = kiln::getFillValue(op))
    return fill;
  if (kiln::handsOnElements(op))
    return getSplatScalar(builder, op->getOperand(0));
  DenseElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(
        builder, tile.getLoc(),
        cast<TypedAttr>(constant.getSplatValue<Attribute>()));
  return {};
}

Value IndirectVectors::narrow(Operation *op) {
  if (auto known = narrowed.find(op); known != narrowed.end()) {
    along = known->second.second;
    return known->second.first;
  }
  Value vector = narrowOnce(op);
  narrowed[op] = {vector, along};
  return vector;
}

Value IndirectVectors::narrowOnce(Operation *op) {
  along = -1;
  SmallVector<Value> operands;
  int64_t length = 0;
  for (Value operand : op->getOperands()) {
    Value narrow = narrowOperand(operand);
    if (!narrow)
      return {};
    auto type = dyn_cast<RankedTensorType>(narrow.getType());
    if (type)
      length = type.getDimSize(0);
    operands.push_back(narrow);
  }
  if (along == -1)
    return {};
  OpBuilder &b = scalars.builder;
  for (Value &operand : operands)
    if (!isa<RankedTensorType>(operand.getType()))
      operand = SplatOp::create(
          b, scalars.loc, RankedTensorType::get({length}, operand.getType()),
          operand);
  auto element =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  OperationState state(scalars.loc, op->getName(), operands,
                       {RankedTensorType::get({length}, element)},
                       op->getAttrs());
  // Facts are about the dimensions that were.
  eraseElementFacts(state.attributes);
  return b.create(state)->getResult(0);
}

Value IndirectVectors::narrowOperand(Value operand) {
  if (Value scalar = getSplatScalar(scalars.builder, operand))
    return scalar;
  Value source = operand;
  SmallVector<int64_t> dims; // of the operand, for each dimension of source
  for (int64_t d = 0; d < rankOf(operand); ++d)
    dims.push_back(d);
  while (true) {
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> large;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.getDimSize(d) != 1)
        large.push_back(d);
    if (large.size() == 1) {
      int64_t dim = dims[large.front()];
      if (along != -1 && along != dim)
        return {};
      along = dim;
      return toVector(scalars.builder, scalars.loc, source);
    }
    Operation *op = source.getDefiningOp();
    if (std::optional<TileSource> from = findTileSource(op)) {
      source = from->value;
      dims =
          llvm::map_to_vector(from->dims, [&](int64_t d) { return dims[d]; });
    } else if (op && op->getNumResults() == 1 && op->getNumOperands() > 0 &&
               OpTrait::hasElementwiseMappableTraits(op) &&
               dims.size() == static_cast<size_t>(rankOf(operand))) {
      int64_t outer = along;
      Value vector = narrow(op);
      if (vector && outer != -1 && outer != along)
        return {};
      return vector;
    } else {
      return {};
    }
  }
}

Value IndirectVectors::first(Value vector) {
  Value zeroIndex = scalars.materialize(scalars.constant(0));
  return tensor::ExtractOp::create(scalars.builder, scalars.loc, vector,
                                   ValueRange{zeroIndex});
}

Value IndirectVectors::resize(Value vector, RankedTensorType type) {
  OpBuilder &b = scalars.builder;
  auto from = cast<RankedTensorType>(vector.getType()).getElementType();
  Type to = type.getElementType();
  if (from == to)
    return vector;
  if (from.isIndex() || to.isIndex())
    return arith::IndexCastOp::create(b, scalars.loc, type, vector);
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(b, scalars.loc, type, vector);
  return arith::ExtSIOp::create(b, scalars.loc, type, vector);
}

Value IndirectVectors::widen(Value vector) {
  return toI64(scalars.builder, scalars.loc, vector);
}

Value IndirectVectors::add(Value a, Value b, bool negate) {
  OpBuilder &builder = scalars.builder;
  b = widen(b);
  if (!a) {
    if (!negate)
      return b;
    a = arith::ConstantOp::create(
        builder, scalars.loc,
        builder.getZeroAttr(cast<ShapedType>(b.getType())));
  }
  a = widen(a);
  if (negate)
    return arith::SubIOp::create(builder, scalars.loc, a, b);
  return arith::AddIOp::create(builder, scalars.loc, a, b);
}

Value IndirectVectors::mul(Value vector, IndexScalar factor) {
  vector = widen(vector);
  Value scalar = arith::IndexCastOp::create(scalars.builder, scalars.loc,
                                            scalars.builder.getI64Type(),
                                            scalars.materialize(factor));
  Value tile =
      SplatOp::create(scalars.builder, scalars.loc, vector.getType(), scalar);
  return arith::MulIOp::create(scalars.builder, scalars.loc, vector, tile);
}
