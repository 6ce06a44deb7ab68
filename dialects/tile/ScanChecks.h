//===- ScanChecks.h - What the verifiers of scans share ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECTS_TILE_SCANCHECKS_H
#define KILN_DIALECTS_TILE_SCANCHECKS_H

#include "kiln/Dialect/Tile/YieldOps.h"

namespace kiln::tile {

/// Checks that `axis` is a dimension of `type`.
inline llvm::LogicalResult
verifyAxis(mlir::Operation *op, mlir::RankedTensorType type, int64_t axis) {
  if (axis >= 0 && axis < type.getRank())
    return llvm::success();
  return op->emitOpError() << "expected an axis in [0, " << type.getRank()
                           << "), found " << axis;
}

/// (C1) to (C3) of what scans sources together.
template <typename OpT> llvm::LogicalResult verifyScan(OpT op) {
  // (C1) At least one source, one result of its type for each.
  if (op.getSources().empty() ||
      !llvm::equal(op.getSources().getTypes(), op.getResults().getTypes(),
                   isSameTile))
    return op.emitOpError() << "expected at least one source and results of "
                               "the sources' types";
  auto first =
      llvm::cast<mlir::RankedTensorType>(op.getSources().front().getType());
  // (C2) Sources have one shape.
  for (mlir::Type type : op.getSources().getTypes())
    if (llvm::cast<mlir::RankedTensorType>(type).getShape() != first.getShape())
      return op.emitOpError() << "expected sources of the same shape, found "
                              << first << " and " << type;
  // (C3) The dimension exists.
  return verifyAxis(op, first, op.getAxis());
}

/// (C4) The region takes a prefix and an element of every source and yields a
/// prefix.
template <typename OpT> llvm::LogicalResult verifyCombiner(OpT op) {
  mlir::Block &block = op.getCombiner().front();
  size_t count = op.getSources().size();
  auto element = [&](size_t i) {
    return llvm::cast<mlir::RankedTensorType>(op.getSources()[i].getType())
        .getElementType();
  };
  if (block.getNumArguments() != 2 * count)
    return op.emitOpError() << "expected a region with " << 2 * count
                            << " arguments, found " << block.getNumArguments();
  for (auto [index, argument] : llvm::enumerate(block.getArguments()))
    if (argument.getType() != element(index % count))
      return op.emitOpError()
             << "expected argument " << index << " of the region to be "
             << element(index % count) << ", found " << argument.getType();
  auto yield = llvm::cast<YieldOp>(block.getTerminator());
  if (yield.getValues().size() != count)
    return yield.emitOpError()
           << "expected " << count << " values in a scan, found "
           << yield.getValues().size();
  for (auto [index, value] : llvm::enumerate(yield.getValues()))
    if (value.getType() != element(index))
      return yield.emitOpError()
             << "expected value " << index << " to be " << element(index)
             << ", found " << value.getType();
  return llvm::success();
}

} // namespace kiln::tile

#endif // KILN_DIALECTS_TILE_SCANCHECKS_H
