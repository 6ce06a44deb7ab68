//===- SetBlocks.h - Block sizes and grid orders by hand --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TILING_SETBLOCKS_H
#define KILN_TILING_SETBLOCKS_H

// The functions by which a schedule script (`--schedule=FILE`) sets block sizes
// and grid orders, in place of the cost model's choice.

#include "kiln/Dialect/Tile/TileDialect.h"
#include <string>

namespace kiln::tiling {

/// Rewrites a kernel with one matmul to tiles of `blocks` = {rows, columns,
/// depth} elements, where 0 keeps the size, and updates the grids of its
/// launches. On failure nothing has changed and `why` states the reason.
mlir::LogicalResult setBlocks(tile::KernelOp kernel,
                              llvm::ArrayRef<int64_t> blocks, std::string &why);

/// Sets the order in which the instances of a kernel take tiles (the raster,
/// an L2 swizzle): in bands of `group` coordinates along the axis `along` of
/// the grid. On failure nothing has changed and `why` states the reason.
mlir::LogicalResult setBands(tile::KernelOp kernel, int64_t group,
                             int64_t along, std::string &why);

} // namespace kiln::tiling

#endif // KILN_TILING_SETBLOCKS_H
