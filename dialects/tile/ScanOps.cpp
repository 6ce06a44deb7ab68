//===- ScanOps.cpp - Scans and rearrangement by index ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/ScanOps.h"
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
}

/// Checks that `axis` is a dimension of `type`.
static LogicalResult verifyAxis(Operation *op, RankedTensorType type,
                                int64_t axis) {
  if (axis >= 0 && axis < type.getRank())
    return success();
  return op->emitOpError() << "expected an axis in [0, " << type.getRank()
                           << "), found " << axis;
}

LogicalResult ScanOp::verify() {
  // (1) At least one source, one result of its type for each.
  if (getSources().empty() ||
      getSources().getTypes() != getResults().getTypes())
    return emitOpError() << "expected at least one source and results of the "
                            "sources' types";
  auto first = cast<RankedTensorType>(getSources().front().getType());
  // (2) Sources have one shape.
  for (Type type : getSources().getTypes())
    if (cast<RankedTensorType>(type).getShape() != first.getShape())
      return emitOpError() << "expected sources of the same shape, found "
                           << first << " and " << type;
  // (3) The dimension exists.
  return verifyAxis(*this, first, getAxis());
}

LogicalResult ScanOp::verifyRegions() {
  Block &block = getCombiner().front();
  size_t count = getSources().size();
  auto element = [&](size_t i) {
    return cast<RankedTensorType>(getSources()[i].getType()).getElementType();
  };
  // (4) The region takes a prefix and an element of every source and yields a
  // prefix.
  if (block.getNumArguments() != 2 * count)
    return emitOpError() << "expected a region with " << 2 * count
                         << " arguments, found " << block.getNumArguments();
  for (auto [index, argument] : llvm::enumerate(block.getArguments()))
    if (argument.getType() != element(index % count))
      return emitOpError() << "expected argument " << index
                           << " of the region to be " << element(index % count)
                           << ", found " << argument.getType();
  auto yield = cast<YieldOp>(block.getTerminator());
  if (yield.getValues().size() != count)
    return yield.emitOpError()
           << "expected " << count << " values in a scan, found "
           << yield.getValues().size();
  for (auto [index, value] : llvm::enumerate(yield.getValues()))
    if (value.getType() != element(index))
      return yield.emitOpError()
             << "expected value " << index << " to be " << element(index)
             << ", found " << value.getType();
  return success();
}

LogicalResult HistogramOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (result.getRank() != 1)
    return emitOpError() << "expected a result of rank 1, found " << result;
  if (getMask() && cast<RankedTensorType>(getMask().getType()).getShape() !=
                       source.getShape())
    return emitOpError() << "expected a mask of the source's shape, found "
                         << getMask().getType();
  return success();
}

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  if (failed(verifyAxis(*this, source, getAxis())))
    return failure();
  if (indices.getRank() != source.getRank())
    return emitOpError() << "expected indices of rank " << source.getRank()
                         << ", found " << indices;
  for (int64_t d = 0; d < source.getRank(); ++d)
    if (d != static_cast<int64_t>(getAxis()) &&
        indices.getDimSize(d) != source.getDimSize(d))
      return emitOpError() << "expected dimension " << d
                           << " of the indices to have size "
                           << source.getDimSize(d) << ", found "
                           << indices.getDimSize(d);
  Type expected = indices.clone(source.getElementType());
  if (getResult().getType() != expected)
    return emitOpError() << "expected a result of type " << expected
                         << ", found " << getResult().getType();
  return success();
}

LogicalResult SortOp::verify() {
  return verifyAxis(*this, cast<RankedTensorType>(getSource().getType()),
                    getAxis());
}

/// `type` with a last dimension of size 2 added.
static RankedTensorType pairType(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(2);
  return type.clone(shape);
}

LogicalResult JoinOp::verify() {
  auto expected = pairType(cast<RankedTensorType>(getLhs().getType()));
  if (getResult().getType() != expected)
    return emitOpError() << "expected a result of type " << expected
                         << ", found " << getResult().getType();
  return success();
}

LogicalResult SplitOp::verify() {
  auto expected = pairType(cast<RankedTensorType>(getFirst().getType()));
  if (getSource().getType() != expected)
    return emitOpError() << "expected a source of type " << expected
                         << ", found " << getSource().getType();
  return success();
}
