//===- Tile.h - Everything of the tile dialect ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_TILE_H
#define KILN_DIALECT_TILE_TILE_H

#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Dialect/Tile/YieldOps.h"
#include "kiln/Interfaces/Layout.h"

#endif // KILN_DIALECT_TILE_TILE_H
