//===- ReduceOps.h - Reductions of tiles ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_REDUCEOPS_H
#define KILN_DIALECT_TILE_REDUCEOPS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Dialect/Tile/YieldOps.h"
#include "kiln/Interfaces/Accumulation.h"
#include "kiln/Interfaces/IndexMap.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/ReduceOps.h.inc"

#endif // KILN_DIALECT_TILE_REDUCEOPS_H
