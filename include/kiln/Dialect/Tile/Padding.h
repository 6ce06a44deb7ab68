//===- Padding.h - Assembly of what accesses read outside -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directive `custom<Padding>` of operations that read views: nothing for
// zero, `pad %x : f32` for a value, or `padding nan`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_TILE_PADDING_H
#define KILN_DIALECT_TILE_PADDING_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/IR/OpImplementation.h"

namespace kiln::tile {

/// Parses and prints the padding of an access: `pad %value : type`, or a word.
mlir::ParseResult
parsePadding(mlir::OpAsmParser &parser,
             std::optional<mlir::OpAsmParser::UnresolvedOperand> &pad,
             mlir::Type &type, PaddingAttr &padding);
/// Begins with a space where it prints anything.
void printPadding(mlir::OpAsmPrinter &p, mlir::Operation *, mlir::Value pad,
                  mlir::Type type, PaddingAttr padding);

} // namespace kiln::tile

#endif // KILN_DIALECT_TILE_PADDING_H
