//===- ExchangeOps.h - Elements that change places --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_EXCHANGEOPS_H
#define KILN_DIALECT_TILE_EXCHANGEOPS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/ExactResult.h"
#include "kiln/Interfaces/IndexMap.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/ExchangeOps.h.inc"

namespace kiln::tile {
/// `index` xor `mask`, of an index that is not negative.
mlir::AffineExpr getExchangedIndex(mlir::AffineExpr index, int64_t mask);
} // namespace kiln::tile

#endif // KILN_DIALECT_TILE_EXCHANGEOPS_H
