//===- YieldOps.h - Ends of the regions of tile operations ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_YIELDOPS_H
#define KILN_DIALECT_TILE_YIELDOPS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/YieldOps.h.inc"

#endif // KILN_DIALECT_TILE_YIELDOPS_H
