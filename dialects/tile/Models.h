//===- Models.h - Interfaces of the operations of tile ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECTS_TILE_MODELS_H
#define KILN_DIALECTS_TILE_MODELS_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace kiln::tile {

/// Attaches interfaces that definitions do not name to the operations of the
/// dialect, which are registered.
void attachModels(mlir::MLIRContext *context);

} // namespace kiln::tile

#endif // KILN_DIALECTS_TILE_MODELS_H
