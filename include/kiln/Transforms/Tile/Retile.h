//===- Retile.h - Other block sizes for structured kernels ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_TILE_RETILE_H
#define KILN_TRANSFORMS_TILE_RETILE_H

#include "kiln/Dialect/Tile/TileDialect.h"

namespace kiln::tile {

/// Rewrites `kernel` to other block sizes: `sizes[i]` is the block size of
/// dimension i of its IterationSpace, 0 (or a missing entry) keeps it. Loops,
/// tile types and index arithmetic follow, and so does the grid of each
/// program.launch of the kernel in the module around it. On failure nothing has
/// changed and `why` says the reason.
mlir::LogicalResult retile(KernelOp kernel, llvm::ArrayRef<int64_t> sizes,
                           std::string &why);

/// The same, with the reason as an error at the kernel.
mlir::LogicalResult retile(KernelOp kernel, llvm::ArrayRef<int64_t> sizes);

} // namespace kiln::tile

#endif // KILN_TRANSFORMS_TILE_RETILE_H
