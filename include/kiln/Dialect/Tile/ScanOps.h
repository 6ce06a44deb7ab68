//===- ScanOps.h - Scans and rearrangement by index -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_SCANOPS_H
#define KILN_DIALECT_TILE_SCANOPS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Dialect/Tile/YieldOps.h"
#include "kiln/Interfaces/Accumulation.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/OrdersElements.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/ScanOps.h.inc"

#endif // KILN_DIALECT_TILE_SCANOPS_H
