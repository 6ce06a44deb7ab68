//===- MemoryOps.h - Views, loads and stores --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_MEMORYOPS_H
#define KILN_DIALECT_TILE_MEMORYOPS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Index/IndexInterfaces.h"
#include "kiln/Interfaces/Cost.h"
#include "kiln/Interfaces/ExactResult.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/ViewAccess.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/MemoryOps.h.inc"

namespace kiln::tile {

/// How `tile.store` or `tile.store_scatter` combines with what is there;
/// `assign` for every other operation.
Combine combineOf(mlir::Operation *op);

} // namespace kiln::tile

#endif // KILN_DIALECT_TILE_MEMORYOPS_H
