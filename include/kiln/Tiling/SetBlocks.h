//===- SetBlocks.h - Block sizes and grid orders by hand --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TILING_SETBLOCKS_H
#define KILN_TILING_SETBLOCKS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include <string>

namespace kiln::tiling {

/// Rewrites a kernel with one matmul to blocks of these rows, columns and
/// depth, where 0 keeps the size; its launches follow. On failure nothing has
/// changed and `why` says the reason.
mlir::LogicalResult setBlocks(tile::KernelOp kernel,
                              llvm::ArrayRef<int64_t> blocks, std::string &why);

/// Lets the instances of a kernel take the grid in bands of `group` coordinates
/// along axis `along`. On failure nothing has changed and `why` says the
/// reason.
mlir::LogicalResult setBands(tile::KernelOp kernel, int64_t group,
                             int64_t along, std::string &why);

} // namespace kiln::tiling

#endif // KILN_TILING_SETBLOCKS_H
