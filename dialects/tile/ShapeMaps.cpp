//===- ShapeMaps.cpp - Where rearranged tiles have their elements from ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/ShapeOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A map of `dims` coordinates, symbols included where there are any.
static OperandRead readAt(MLIRContext *context, unsigned dims,
                          ArrayRef<AffineExpr> exprs, unsigned symbols = 0) {
  return {AffineMap::get(dims, symbols, exprs, context), IntegerSet()};
}

//===----------------------------------------------------------------------===//
// Index maps
//===----------------------------------------------------------------------===//

void SplatOp::getIndexSymbols(SmallVectorImpl<Value> &symbols) {
  symbols.push_back(getValue());
}

AffineMap SplatOp::getGeneratedElement() {
  return AffineMap::get(getType().getRank(), 1,
                        getAffineSymbolExpr(0, getContext()));
}

AffineMap IotaOp::getGeneratedElement() {
  return AffineMap::get(getType().getRank(), 0,
                        getAffineDimExpr(getDim(), getContext()));
}

OperandRead BroadcastOp::getIndexMap(OpOperand &, unsigned) {
  SmallVector<AffineExpr> exprs;
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  for (int64_t d = 0; d < source.getRank(); ++d)
    exprs.push_back(source.getDimSize(d) == result.getDimSize(d)
                        ? getAffineDimExpr(d, getContext())
                        : getAffineConstantExpr(0, getContext()));
  return readAt(getContext(), exprs.size(), exprs);
}

OperandRead ExpandDimsOp::getIndexMap(OpOperand &, unsigned) {
  SmallVector<AffineExpr> exprs;
  unsigned rank = typeOf(getSource()).getRank();
  for (unsigned d = 0; d < rank; ++d)
    exprs.push_back(getAffineDimExpr(d < getAxis() ? d : d + 1, getContext()));
  return readAt(getContext(), rank + 1, exprs);
}

OperandRead ReshapeOp::getIndexMap(OpOperand &, unsigned) {
  return {getReshapeMap(getContext(), typeOf(getSource()).getShape(),
                        typeOf(getResult()).getShape()),
          IntegerSet()};
}

OperandRead TransposeOp::getIndexMap(OpOperand &, unsigned) {
  SmallVector<AffineExpr> exprs(getPermutation().size());
  for (auto [d, from] : llvm::enumerate(getPermutation()))
    exprs[from] = getAffineDimExpr(d, getContext());
  return readAt(getContext(), exprs.size(), exprs);
}

OperandRead CatOp::getIndexMap(OpOperand &operand, unsigned) {
  MLIRContext *context = getContext();
  int64_t axis = getAxis(), start = 0;
  for (Value before : getSources().take_front(operand.getOperandNumber()))
    start += typeOf(before).getDimSize(axis);
  unsigned rank = typeOf(getResult()).getRank();
  SmallVector<AffineExpr> exprs;
  for (unsigned d = 0; d < rank; ++d)
    exprs.push_back(getAffineDimExpr(d, context));
  AffineExpr at = exprs[axis] - start;
  int64_t size = typeOf(operand.get()).getDimSize(axis);
  exprs[axis] = at;
  return {AffineMap::get(rank, 0, exprs, context),
          IntegerSet::get(rank, 0, {at, size - 1 - at}, {false, false})};
}

void ExtractOp::getIndexSymbols(SmallVectorImpl<Value> &symbols) {
  llvm::append_range(symbols, getCoords());
}

OperandRead ExtractOp::getIndexMap(OpOperand &, unsigned) {
  MLIRContext *context = getContext();
  SmallVector<AffineExpr> exprs;
  for (auto [d, sizes] : llvm::enumerate(llvm::zip(
           typeOf(getSource()).getShape(), typeOf(getResult()).getShape()))) {
    auto [whole, block] = sizes;
    AffineExpr at = getAffineDimExpr(d, context);
    // There is only one block to ask for where sizes are equal.
    exprs.push_back(
        whole == block ? at : at + getAffineSymbolExpr(d, context) * block);
  }
  return readAt(context, exprs.size(), exprs, exprs.size());
}

bool BroadcastOp::movesElements() { return true; }
bool ExpandDimsOp::movesElements() { return true; }
bool ReshapeOp::movesElements() { return true; }
bool TransposeOp::movesElements() { return true; }
bool CatOp::movesElements() { return true; }
bool ExtractOp::movesElements() { return true; }

//===----------------------------------------------------------------------===//
// Result types
//===----------------------------------------------------------------------===//

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location>,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto source = dyn_cast<RankedTensorType>(adaptor.getSource().getType());
  int64_t axis = adaptor.getAxis();
  if (!source || axis < 0 || axis > source.getRank())
    return failure();
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + axis, 1);
  types.push_back(RankedTensorType::get(shape, source.getElementType()));
  return success();
}

bool ExpandDimsOp::isCompatibleReturnTypes(TypeRange l, TypeRange r) {
  return llvm::equal(l, r, isSameTile);
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto source = dyn_cast<RankedTensorType>(adaptor.getSource().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (!source || !isPermutationVector(permutation) ||
      source.getRank() != static_cast<int64_t>(permutation.size()))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t d : permutation)
    shape.push_back(source.getDimSize(d));
  types.push_back(RankedTensorType::get(shape, source.getElementType()));
  return success();
}

bool TransposeOp::isCompatibleReturnTypes(TypeRange l, TypeRange r) {
  return llvm::equal(l, r, isSameTile);
}

LogicalResult CatOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  int64_t axis = adaptor.getAxis(), sum = 0;
  RankedTensorType first;
  for (Value value : adaptor.getSources()) {
    auto source = dyn_cast<RankedTensorType>(value.getType());
    if (!source || axis < 0 || axis >= source.getRank())
      return failure();
    first = first ? first : source;
    sum += source.getDimSize(axis);
  }
  if (!first)
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  shape[axis] = sum;
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

bool CatOp::isCompatibleReturnTypes(TypeRange l, TypeRange r) {
  return llvm::equal(l, r, isSameTile);
}
