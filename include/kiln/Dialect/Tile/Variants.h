//===- Variants.h - Kernels for launches of which more is known -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_VARIANTS_H
#define KILN_DIALECT_TILE_VARIANTS_H

#include "llvm/ADT/StringRef.h"

namespace kiln::tile {

/// On a public kernel: a list of symbols of kernels that
/// compute the same and have the same parameters, with more facts about them
/// (`tile.align`, `tile.size_div`, `tile.stride_div`, `tile.divisibility`) or
/// about the launch (`tile.requires`). A launch by the kernel's name runs the
/// first of them whose facts hold, or else the kernel itself.
inline constexpr llvm::StringLiteral kVariantsAttr = "tile.variants";

/// On a kernel: an affine set without dimensions. Its symbols are the
/// parameters, integers read as signed and all others 0, and behind them the
/// three extents of the grid, as the caller gives it. The kernel has a meaning
/// only in launches that the set holds. The conditions are in order: those
/// before it keep an expression below 2^62.
inline constexpr llvm::StringLiteral kRequiresAttr = "tile.requires";

} // namespace kiln::tile

#endif // KILN_DIALECT_TILE_VARIANTS_H
