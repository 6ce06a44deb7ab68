//===- Passes.h - Passes on tile programs -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_TILE_PASSES_H
#define KILN_TRANSFORMS_TILE_PASSES_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace kiln::tile {

class PrintOp;

#define GEN_PASS_DECL
#include "kiln/Transforms/Tile/Passes.h.inc"

/// The element types that an operation's operands are to be shown as.
llvm::SmallVector<mlir::Type> getPrintedTypes(PrintOp op);

/// Registers every pass of this header.
void registerTilePasses();

} // namespace kiln::tile

#endif // KILN_TRANSFORMS_TILE_PASSES_H
