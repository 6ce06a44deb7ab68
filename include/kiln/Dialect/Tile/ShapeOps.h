//===- ShapeOps.h - Making and rearranging tiles ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_SHAPEOPS_H
#define KILN_DIALECT_TILE_SHAPEOPS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/ExactResult.h"
#include "kiln/Interfaces/IndexMap.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/ShapeOps.h.inc"

#endif // KILN_DIALECT_TILE_SHAPEOPS_H
