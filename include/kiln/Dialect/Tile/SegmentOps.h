//===- SegmentOps.h - Scans within segments ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_SEGMENTOPS_H
#define KILN_DIALECT_TILE_SEGMENTOPS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Dialect/Tile/YieldOps.h"
#include "kiln/Interfaces/Accumulation.h"
#include "kiln/Interfaces/Composite.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/SegmentOps.h.inc"

#endif // KILN_DIALECT_TILE_SEGMENTOPS_H
