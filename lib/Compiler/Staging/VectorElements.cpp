//===- VectorElements.cpp - Elements of a region's expressions ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a region computes for some elements. An expression is computed where it
// is needed, from storage, constants and scalars.
//
//===----------------------------------------------------------------------===//

#include "VectorElements.h"
#include "kiln/Dialect/Stage/Places.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Interfaces/IndexMap.h"
#include "mlir/Dialect/Affine/Analysis/AffineStructures.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

LogicalResult VectorElements::decline(Operation *op, const Twine &reason) {
  return ctx.decline(region,
                     "'" + op->getName().getStringRef() + "': " + reason);
}

bool VectorElements::isFunction(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         OpTrait::hasElementwiseMappableTraits(op) &&
         op->getNumResults() == 1 && unit.computes(op);
}
VectorType VectorElements::lanesOf(Value value, int64_t lanes) {
  return VectorType::get(lanes, getElementTypeOrSelf(value));
}
Value VectorElements::numbers(Attribute number, int64_t lanes) {
  auto type = VectorType::get(lanes, cast<TypedAttr>(number).getType());
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(type, number));
}

LogicalResult VectorElements::split(AffineExpr expr, Point &point, Value &first,
                                    int64_t &step) {
  SmallVector<int64_t> flat;
  int64_t dims = point.values.size();
  expr = simplifyAffineExpr(expr, dims, 0);
  if (failed(getFlattenedAffineExpr(expr, dims, 0, &flat)) ||
      int64_t(flat.size()) != dims + 1)
    return failure();
  step = point.lane < 0 ? 0 : flat[point.lane];
  first = affine::expandAffineExpr(b, loc, expr, point.values, {});
  return success(first != nullptr);
}

LogicalResult VectorElements::locate(Value storage, ValueRange origin,
                                     ArrayRef<AffineExpr> coords, Point &point,
                                     Value &first, int64_t &stride) {
  auto type = cast<MemRefType>(storage.getType());
  if (!stage::isStrided(type))
    return decline(region, "it uses storage in panels");
  AffineExpr bytes = getAffineConstantExpr(0, context);
  for (auto [coord, step] : llvm::zip(coords, Addresses::byteStrides(type)))
    bytes = bytes + coord * step;
  if (failed(split(bytes, point, first, stride)))
    return decline(region, "its elements do not lie in rows");
  first = arith::AddIOp::create(b, loc, first,
                                ctx.addresses.at(loc, storage, origin));
  if (point.lanes == 1)
    stride = stage::elementBytes(type.getElementType());
  return success();
}

LogicalResult VectorElements::store(Value value, Value storage,
                                    ValueRange origin,
                                    ArrayRef<AffineExpr> coords, Point &point) {
  Value first;
  int64_t stride;
  if (failed(locate(storage, origin, coords, point, first, stride)))
    return failure();
  unit.store(value, first, stride);
  return success();
}

FailureOr<SmallVector<Value>>
VectorElements::evaluateAll(ValueRange tiles, ArrayRef<AffineExpr> coords,
                            Point &point) {
  SmallVector<Value> values;
  Known known;
  for (Value tile : tiles) {
    FailureOr<Value> value = evaluate(tile, coords, point, known);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  return values;
}
FailureOr<Value> VectorElements::evaluate(Value tile,
                                          ArrayRef<AffineExpr> coords,
                                          Point &point) {
  Known known;
  return evaluate(tile, coords, point, known);
}

FailureOr<Value> VectorElements::evaluate(Value tile,
                                          ArrayRef<AffineExpr> coords,
                                          Point &point, Known &known) {
  // Symbols of movements become dimensions, so their number is part of it.
  AffineMap key = AffineMap::get(point.values.size(), 0, coords, context);
  if (Value value = known.lookup({tile, key}))
    return value;
  FailureOr<Value> value = compute(tile, coords, point, known);
  if (succeeded(value))
    known[{tile, key}] = *value;
  return value;
}

FailureOr<Value> VectorElements::compute(Value tile,
                                         ArrayRef<AffineExpr> coords,
                                         Point &point, Known &known) {
  Operation *op = tile.getDefiningOp();
  VectorType type = lanesOf(tile, point.lanes);
  if (!isa<RankedTensorType>(tile.getType()))
    return unit.splat(type, tile);
  if (auto read = dyn_cast<stage::StorageReadOpInterface>(op)) {
    Value first;
    int64_t stride;
    if (failed(locate(read.getStorage(), read.getOrigin(), coords, point, first,
                      stride)))
      return failure();
    return unit.load(type, first, stride);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!value)
      return decline(op, "its numbers differ");
    return numbers(value.getSplatValue<Attribute>(), point.lanes);
  }
  if (Value scalar = getFillValue(op))
    return unit.splat(type, scalar);
  if (std::optional<unsigned> counted = getCountedDim(op)) {
    Value first;
    int64_t step;
    if (failed(split(coords[*counted], point, first, step)))
      return lack(op);
    return unit.count(type, first, step);
  }
  if (isFunction(op)) {
    IRMapping mapping;
    for (Value operand : op->getOperands()) {
      bool isTile = isa<RankedTensorType>(operand.getType());
      auto value = isTile ? evaluate(operand, coords, point, known)
                          : compute(operand, {}, point, known);
      if (failed(value))
        return failure();
      mapping.map(operand, *value);
    }
    Operation *made = b.clone(*op, mapping);
    made->getResult(0).setType(type);
    return made->getResult(0);
  }
  return move(op, cast<OpResult>(tile).getResultNumber(), coords, point, known);
}

FailureOr<Value> VectorElements::move(Operation *op, unsigned result,
                                      ArrayRef<AffineExpr> coords, Point &point,
                                      Known &known) {
  auto mapped = dyn_cast<IndexMapOpInterface>(op);
  if (!mapped || !handsOnElements(op))
    return lack(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    OperandRead read = getOperandRead(operand, result);
    if (!read || read.domain)
      return lack(op);
    SmallVector<Value> symbols;
    mapped.getIndexSymbols(symbols);
    SmallVector<AffineExpr> symbolExprs, at;
    for (Value symbol : symbols) {
      symbolExprs.push_back(dim(point.values.size()));
      point.values.push_back(symbol);
    }
    for (AffineExpr expr : read.map.getResults())
      at.push_back(expr.replaceDimsAndSymbols(coords, symbolExprs));
    return evaluate(operand.get(), at, point, known);
  }
  return lack(op);
}
