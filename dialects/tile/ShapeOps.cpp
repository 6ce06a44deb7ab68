//===- ShapeOps.cpp - Making and rearranging tiles ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/ExchangeOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/ShapeOps.cpp.inc"

void TileDialect::registerShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/ShapeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/ExchangeOps.cpp.inc"
      >();
}

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static LogicalResult verifySameElement(Operation *op, Value a, Value b) {
  if (typeOf(a).getElementType() == typeOf(b).getElementType())
    return success();
  return op->emitOpError() << "expected source and result of the same element "
                              "type, found "
                           << typeOf(a) << " and " << typeOf(b);
}

static LogicalResult verifySameRank(Operation *op, Value a, Value b) {
  if (typeOf(a).getRank() == typeOf(b).getRank())
    return success();
  return op->emitOpError()
         << "expected source and result of the same rank, found " << typeOf(a)
         << " and " << typeOf(b);
}

/// The same splat constant in another shape, or null.
static OpFoldResult resizeSplat(Attribute source, Value result) {
  auto dense = dyn_cast_or_null<SplatElementsAttr>(source);
  return dense ? dense.resizeSplat(typeOf(result)) : SplatElementsAttr();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (isa_and_nonnull<FloatAttr, IntegerAttr>(adaptor.getValue()))
    return SplatElementsAttr::get(typeOf(getResult()), adaptor.getValue());
  return {};
}

LogicalResult IotaOp::verify() {
  // (C1) The dimension exists.
  int64_t rank = typeOf(getResult()).getRank(), dim = getDim();
  if (dim < 0 || dim >= rank)
    return emitOpError() << "expected a dimension in [0, " << rank
                         << "), found " << dim;
  return success();
}

LogicalResult BroadcastOp::verify() {
  // (C1) Element types and ranks agree.
  if (failed(verifySameElement(*this, getSource(), getResult())) ||
      failed(verifySameRank(*this, getSource(), getResult())))
    return failure();
  // (C2) Only dimensions of size 1 change.
  for (auto [from, to] : llvm::zip(typeOf(getSource()).getShape(),
                                   typeOf(getResult()).getShape()))
    if (from != to && from != 1)
      return emitOpError() << "expected only dimensions of size 1 to change, "
                              "found "
                           << typeOf(getSource()) << " to "
                           << typeOf(getResult());
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  return resizeSplat(adaptor.getSource(), getResult());
}

LogicalResult ExpandDimsOp::verify() {
  // (C1) Element types agree.
  if (failed(verifySameElement(*this, getSource(), getResult())))
    return failure();
  // (C2) The position is one of the result's.
  SmallVector<int64_t> shape(typeOf(getSource()).getShape());
  int64_t axis = getAxis(), rank = shape.size();
  if (axis < 0 || axis > rank)
    return emitOpError() << "expected an axis in [0, " << rank + 1
                         << "), found " << axis;
  // (C3) The result has size 1 there and the source's sizes elsewhere.
  shape.insert(shape.begin() + axis, 1);
  if (ArrayRef<int64_t>(shape) != typeOf(getResult()).getShape())
    return emitOpError() << "expected a result of type "
                         << typeOf(getResult()).clone(shape) << ", found "
                         << typeOf(getResult());
  return success();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return resizeSplat(adaptor.getSource(), getResult());
}

LogicalResult ReshapeOp::verify() {
  // (C1) Element types agree.
  if (failed(verifySameElement(*this, getSource(), getResult())))
    return failure();
  // (C2) The number of elements stays.
  int64_t from = typeOf(getSource()).getNumElements();
  int64_t to = typeOf(getResult()).getNumElements();
  if (from != to)
    return emitOpError() << "expected " << from << " elements, found " << to;
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ReshapeOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSource()))
    return dense.reshape(typeOf(getResult()));
  return {};
}

LogicalResult TransposeOp::verify() {
  // (C1) Element types and ranks agree.
  if (failed(verifySameElement(*this, getSource(), getResult())) ||
      failed(verifySameRank(*this, getSource(), getResult())))
    return failure();
  // (C2) It is a permutation of the dimensions.
  ArrayRef<int64_t> permutation = getPermutation();
  ArrayRef<int64_t> shape = typeOf(getSource()).getShape();
  SmallVector<bool> seen(shape.size());
  bool valid = permutation.size() == shape.size();
  for (int64_t d : permutation) {
    valid =
        valid && d >= 0 && d < static_cast<int64_t>(seen.size()) && !seen[d];
    if (!valid)
      break;
    seen[d] = true;
  }
  if (!valid)
    return emitOpError() << "expected a permutation of " << shape.size()
                         << " dimensions, found [" << permutation << "]";
  // (C3) Sizes follow it.
  for (auto [d, p] : llvm::enumerate(permutation))
    if (typeOf(getResult()).getDimSize(d) != shape[p])
      return emitOpError() << "expected size " << shape[p]
                           << " along dimension " << d << ", found "
                           << typeOf(getResult());
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  // A tile in another layout is another value.
  if (llvm::is_sorted(getPermutation()) &&
      getSource().getType() == getResult().getType())
    return getSource();
  return resizeSplat(adaptor.getSource(), getResult());
}

LogicalResult CatOp::verify() {
  // (C1) At least one source.
  if (getSources().empty())
    return emitOpError() << "expected at least one source, found none";
  // (C2) The dimension exists.
  RankedTensorType result = typeOf(getResult());
  int64_t axis = getAxis(), sum = 0;
  if (axis < 0 || axis >= result.getRank())
    return emitOpError() << "expected an axis in [0, " << result.getRank()
                         << "), found " << axis;
  for (Value source : getSources()) {
    // (C3) Element types and ranks agree.
    if (failed(verifySameElement(*this, source, getResult())) ||
        failed(verifySameRank(*this, source, getResult())))
      return failure();
    // (C4) Sizes agree except along the axis.
    for (int64_t d = 0; d < result.getRank(); ++d)
      if (d != axis && typeOf(source).getDimSize(d) != result.getDimSize(d))
        return emitOpError()
               << "expected size " << result.getDimSize(d)
               << " along dimension " << d << ", found " << typeOf(source);
    sum += typeOf(source).getDimSize(axis);
  }
  // (C5) Sizes along the axis add up.
  if (sum != result.getDimSize(axis))
    return emitOpError() << "expected size " << sum << " along axis " << axis
                         << ", found " << result;
  return success();
}

LogicalResult ExtractOp::verify() {
  // (C1) Element types and ranks agree.
  if (failed(verifySameElement(*this, getSource(), getResult())) ||
      failed(verifySameRank(*this, getSource(), getResult())))
    return failure();
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  // (C2) One coordinate per dimension.
  if (static_cast<int64_t>(getCoords().size()) != source.getRank())
    return emitOpError() << "expected " << source.getRank()
                         << " coordinates, found " << getCoords().size();
  // (C3) Blocks cover the source evenly.
  for (auto [whole, block] : llvm::zip(source.getShape(), result.getShape()))
    if (block < 1 || whole % block != 0)
      return emitOpError() << "expected sizes that divide those of " << source
                           << ", found " << result;
  return success();
}
