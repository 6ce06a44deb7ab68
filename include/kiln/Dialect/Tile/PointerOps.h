//===- PointerOps.h - Pointers and tiles of pointers ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_POINTEROPS_H
#define KILN_DIALECT_TILE_POINTEROPS_H

#include "kiln/Dialect/Tile/TileDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/PointerOps.h.inc"

#endif // KILN_DIALECT_TILE_POINTEROPS_H
