//===- ScanOps.cpp - Scans and rearrangement by index ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/ScanOps.h"
#include "ScanChecks.h"
#include "kiln/Dialect/Tile/FourierOps.h"
#include "kiln/Dialect/Tile/SegmentOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/ScanOps.cpp.inc"

void TileDialect::registerScanOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/ScanOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/SegmentOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/FourierOps.cpp.inc"
      >();
}

LogicalResult ScanOp::verify() { return verifyScan(*this); }
LogicalResult ScanOp::verifyRegions() { return verifyCombiner(*this); }

LogicalResult HistogramOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  // (C1) The result has rank 1.
  if (result.getRank() != 1)
    return emitOpError() << "expected a result of rank 1, found " << result;
  // (C2) The mask has the shape of the source.
  if (getMask() && cast<RankedTensorType>(getMask().getType()).getShape() !=
                       source.getShape())
    return emitOpError() << "expected a mask of the source's shape, found "
                         << getMask().getType();
  return success();
}

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  // (C1) The dimension exists.
  if (failed(verifyAxis(*this, source, getAxis())))
    return failure();
  // (C2) Indices have the rank of the source.
  if (indices.getRank() != source.getRank())
    return emitOpError() << "expected indices of rank " << source.getRank()
                         << ", found " << indices;
  // (C3) They have its sizes in every other dimension.
  for (int64_t d = 0; d < source.getRank(); ++d)
    if (d != static_cast<int64_t>(getAxis()) &&
        indices.getDimSize(d) != source.getDimSize(d))
      return emitOpError() << "expected dimension " << d
                           << " of the indices to have size "
                           << source.getDimSize(d) << ", found "
                           << indices.getDimSize(d);
  // (C4) The result has their shape and the element type of the source.
  Type expected =
      RankedTensorType::get(indices.getShape(), source.getElementType());
  if (!isSameTile(getResult().getType(), expected))
    return emitOpError() << "expected a result of type " << expected
                         << ", found " << getResult().getType();
  return success();
}

LogicalResult SortOp::verify() {
  // (C1) The dimension exists.
  return verifyAxis(*this, cast<RankedTensorType>(getSource().getType()),
                    getAxis());
}

LogicalResult TopKOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto values = cast<RankedTensorType>(getValues().getType());
  // (C1) The dimension exists.
  if (failed(verifyAxis(*this, source, getAxis())))
    return failure();
  int64_t axis = getAxis(), size = source.getDimSize(axis);
  // (C2) Results have the rank of the source.
  if (values.getRank() != source.getRank())
    return emitOpError() << "expected results of rank " << source.getRank()
                         << ", found " << values;
  // (C3) They have its sizes in every other dimension.
  for (int64_t d = 0; d < source.getRank(); ++d)
    if (d != axis && values.getDimSize(d) != source.getDimSize(d))
      return emitOpError() << "expected results of size "
                           << source.getDimSize(d) << " in dimension " << d
                           << ", found " << values;
  // (C4) Their size along the dimension is at most that of the source.
  if (values.getDimSize(axis) > size)
    return emitOpError() << "expected at most " << size << " elements, found "
                         << values.getDimSize(axis);
  // (C5) Values have the element type of the source.
  if (values.getElementType() != source.getElementType())
    return emitOpError() << "expected values of type "
                         << source.getElementType() << ", found " << values;
  // (C6) Every index along the dimension is a number of the indices' type.
  Type index = cast<RankedTensorType>(getIndices().getType()).getElementType();
  unsigned bits = index.isIndex() ? 64 : index.getIntOrFloatBitWidth();
  if (bits < 64 && (size - 1) >> (bits - 1))
    return emitOpError() << "expected indices that hold " << size - 1
                         << ", found " << index;
  return success();
}

/// `type` with a last dimension of size 2 added.
static RankedTensorType pairType(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(2);
  return RankedTensorType::get(shape, type.getElementType());
}

LogicalResult JoinOp::verify() {
  // (C1) The result has a last dimension of size 2.
  auto expected = pairType(cast<RankedTensorType>(getLhs().getType()));
  if (!isSameTile(getResult().getType(), expected))
    return emitOpError() << "expected a result of type " << expected
                         << ", found " << getResult().getType();
  return success();
}

LogicalResult SplitOp::verify() {
  // (C1) The source has a last dimension of size 2.
  auto expected = pairType(cast<RankedTensorType>(getFirst().getType()));
  if (!isSameTile(getSource().getType(), expected))
    return emitOpError() << "expected a source of type " << expected
                         << ", found " << getSource().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  // Elements keep their places, so that a layout of the source fits.
  llvm::append_range(types, adaptor.getSources().getTypes());
  return success();
}

bool ScanOp::isCompatibleReturnTypes(TypeRange l, TypeRange r) {
  return llvm::equal(l, r, isSameTile);
}

kiln::Accumulation ScanOp::getAccumulation() {
  auto type = cast<RankedTensorType>(getSources().front().getType());
  return Accumulation::sumOver({type.getDimSize(getAxis())});
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto indices = dyn_cast<RankedTensorType>(adaptor.getIndices().getType());
  auto source = dyn_cast<RankedTensorType>(adaptor.getSource().getType());
  if (!indices || !source)
    return failure();
  types.push_back(
      RankedTensorType::get(indices.getShape(), source.getElementType()));
  return success();
}

bool GatherOp::isCompatibleReturnTypes(TypeRange l, TypeRange r) {
  return llvm::equal(l, r, isSameTile);
}

LogicalResult JoinOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(adaptor.getLhs().getType());
  if (!type)
    return failure();
  types.push_back(pairType(type));
  return success();
}

bool JoinOp::isCompatibleReturnTypes(TypeRange l, TypeRange r) {
  return llvm::equal(l, r, isSameTile);
}

kiln::OperandRead JoinOp::getIndexMap(OpOperand &operand, unsigned) {
  MLIRContext *context = getContext();
  unsigned last = cast<RankedTensorType>(getLhs().getType()).getRank();
  AffineMap map =
      AffineMap::getMultiDimIdentityMap(last + 1, context).dropResult(last);
  AffineExpr which = getAffineDimExpr(last, context) -
                     static_cast<int64_t>(operand.getOperandNumber());
  return {map, IntegerSet::get(last + 1, 0, {which}, {true})};
}

bool JoinOp::movesElements() { return true; }

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(adaptor.getSource().getType());
  if (!type || type.getRank() == 0)
    return failure();
  types.assign(2, RankedTensorType::get(type.getShape().drop_back(),
                                        type.getElementType()));
  return success();
}

bool SplitOp::isCompatibleReturnTypes(TypeRange l, TypeRange r) {
  return llvm::equal(l, r, isSameTile);
}

kiln::OperandRead SplitOp::getIndexMap(OpOperand &, unsigned result) {
  MLIRContext *context = getContext();
  unsigned rank = cast<RankedTensorType>(getFirst().getType()).getRank();
  SmallVector<AffineExpr> exprs;
  for (unsigned d = 0; d < rank; ++d)
    exprs.push_back(getAffineDimExpr(d, context));
  exprs.push_back(getAffineConstantExpr(result, context));
  return {AffineMap::get(rank, 0, exprs, context), IntegerSet()};
}

bool SplitOp::movesElements() { return true; }
