//===- ExternOps.h - Calls, conversions, output -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_EXTERNOPS_H
#define KILN_DIALECT_TILE_EXTERNOPS_H

#include "kiln/Dialect/Effects.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Index/IndexInterfaces.h"
#include "kiln/Interfaces/Cost.h"
#include "mlir/IR/PatternMatch.h"

namespace kiln::tile {

/// A function of C's <math.h> that `math` does not have. Its signature is the
/// operands' types and the result's, as letters: `r` is f32 or f64 (one type
/// in all places), `i` is i32.
struct CFunction {
  llvm::StringLiteral name;
  llvm::StringLiteral operands;
  char result;
};

/// The function of that name, which has no suffix for its type, or null.
const CFunction *findCFunction(llvm::StringRef name);

} // namespace kiln::tile

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/ExternOps.h.inc"

#endif // KILN_DIALECT_TILE_EXTERNOPS_H
