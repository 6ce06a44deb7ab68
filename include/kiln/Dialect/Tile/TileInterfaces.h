//===- TileInterfaces.h - Folds, moved pointers, output ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes on kernels know of folds, of moved pointers and of output. The
// operations of `tile` implement these interfaces, and so can those of a
// plug-in.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_TILE_TILEINTERFACES_H
#define KILN_DIALECT_TILE_TILEINTERFACES_H

#include "mlir/IR/OpDefinition.h"

#include "kiln/Dialect/Tile/TileInterfaces.h.inc"

namespace kiln::tile {

/// Returns an operation as a fold whose results do not have the axis; null if
/// it is none.
inline FoldOpInterface asReduction(mlir::Operation *op) {
  auto fold = llvm::dyn_cast_if_present<FoldOpInterface>(op);
  return fold && !fold.keepsAxis() ? fold : FoldOpInterface();
}

/// Returns an operation as one that moves pointers by a number of elements;
/// null if it is none.
inline PointerOffsetOpInterface asPointerStep(mlir::Operation *op) {
  auto step = llvm::dyn_cast_if_present<PointerOffsetOpInterface>(op);
  return step && step.getOffsetInElements() ? step : PointerOffsetOpInterface();
}

} // namespace kiln::tile

#endif // KILN_DIALECT_TILE_TILEINTERFACES_H
