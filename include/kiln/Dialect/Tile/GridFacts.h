//===- GridFacts.h - What is known of the grid of a kernel ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_GRIDFACTS_H
#define KILN_DIALECT_TILE_GRIDFACTS_H

#include "llvm/ADT/StringRef.h"

namespace kiln::tile {

/// On a kernel that only known launches run: the most instances that any of
/// them has along each of the three axes of the grid (DenseI64ArrayAttr).
inline constexpr llvm::StringLiteral kMostInstancesAttr = "tile.most_instances";

} // namespace kiln::tile

#endif // KILN_DIALECT_TILE_GRIDFACTS_H
