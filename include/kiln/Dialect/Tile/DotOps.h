//===- DotOps.h - Matrix products of tiles ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_DOTOPS_H
#define KILN_DIALECT_TILE_DOTOPS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/Accumulation.h"
#include "kiln/Interfaces/Cost.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Interfaces/ProductSplit.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/DotOps.h.inc"

#endif // KILN_DIALECT_TILE_DOTOPS_H
