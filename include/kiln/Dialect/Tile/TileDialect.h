//===- TileDialect.h - The tile dialect, types and attributes ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//

#ifndef KILN_DIALECT_TILE_TILEDIALECT_H
#define KILN_DIALECT_TILE_TILEDIALECT_H

#include "kiln/Index/IndexInterfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kiln/Dialect/Tile/TileBase.h.inc"

#include "kiln/Dialect/Tile/TileAttrsEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Tile/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "kiln/Dialect/Tile/TileTypes.h.inc"

namespace kiln::tile {

// Headers that only name it need not its definition (KernelOps.h).
class KernelOp;

/// How a loop or a kernel is to run: LoopHintsAttr or KernelHintsAttr. What is
/// known of parameters and operations is in Facts.h.
inline constexpr llvm::StringLiteral kHintsAttr = "tile.hints";

/// True for the element types that tiles and views may have.
bool isElementType(mlir::Type type);

/// True if the types are equal, or tiles that differ in their encodings only.
bool isSameTile(mlir::Type a, mlir::Type b);

} // namespace kiln::tile

#endif // KILN_DIALECT_TILE_TILEDIALECT_H
