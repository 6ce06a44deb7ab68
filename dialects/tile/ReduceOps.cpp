//===- ReduceOps.cpp - Reductions of tiles --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/ReduceOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/ReduceOps.cpp.inc"

void TileDialect::registerReduceOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/ReduceOps.cpp.inc"
      >();
}

LogicalResult ReduceOp::verify() {
  // (1) At least one source, and one result for each.
  if (getSources().empty() || getSources().size() != getResults().size())
    return emitOpError() << "expected at least one source and as many results "
                            "as sources, found "
                         << getSources().size() << " sources and "
                         << getResults().size() << " results";
  auto first = cast<RankedTensorType>(getSources().front().getType());
  int64_t axis = getAxis();
  // (2) The dimension exists and has at least one element.
  if (axis < 0 || axis >= first.getRank())
    return emitOpError() << "expected an axis in [0, " << first.getRank()
                         << "), found " << axis;
  if (first.getDimSize(axis) < 1)
    return emitOpError() << "expected at least one element along axis " << axis
                         << ", found " << first;
  SmallVector<int64_t> shape(first.getShape());
  shape.erase(shape.begin() + axis);
  for (auto [source, result] : llvm::zip(getSources(), getResults())) {
    auto type = cast<RankedTensorType>(source.getType());
    // (3) Sources have one shape.
    if (type.getShape() != first.getShape())
      return emitOpError() << "expected sources of the same shape, found "
                           << first << " and " << type;
    // (4) A result is its source without the dimension.
    auto expected = RankedTensorType::get(shape, type.getElementType());
    if (result.getType() != expected)
      return emitOpError() << "expected a result of type " << expected
                           << ", found " << result.getType();
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  Block &block = getCombiner().front();
  size_t count = getSources().size();
  // (5) The region takes all left elements, then all right ones.
  if (block.getNumArguments() != 2 * count)
    return emitOpError() << "expected a region with " << 2 * count
                         << " arguments, found " << block.getNumArguments();
  auto elementType = [&](size_t i) {
    return cast<RankedTensorType>(getSources()[i].getType()).getElementType();
  };
  for (auto [index, argument] : llvm::enumerate(block.getArguments()))
    if (argument.getType() != elementType(index % count))
      return emitOpError() << "expected argument " << index
                           << " of the region to be "
                           << elementType(index % count) << ", found "
                           << argument.getType();
  // (6) It yields one element for every source.
  auto yield = cast<YieldOp>(block.getTerminator());
  if (yield.getValues().size() != count)
    return yield.emitOpError()
           << "expected " << count << " values in a reduction, found "
           << yield.getValues().size();
  for (auto [index, value] : llvm::enumerate(yield.getValues()))
    if (value.getType() != elementType(index))
      return yield.emitOpError()
             << "expected value " << index << " to be " << elementType(index)
             << ", found " << value.getType();
  return success();
}
