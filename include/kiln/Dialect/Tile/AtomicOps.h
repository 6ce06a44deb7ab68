//===- AtomicOps.h - Atomic accesses ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ classes of tile.atomic_rmw and tile.atomic_cas; AtomicOps.td defines
// them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_TILE_ATOMICOPS_H
#define KILN_DIALECT_TILE_ATOMICOPS_H

#include "kiln/Dialect/Tile/TileDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/AtomicOps.h.inc"

#endif // KILN_DIALECT_TILE_ATOMICOPS_H
