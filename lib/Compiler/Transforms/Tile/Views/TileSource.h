//===- TileSource.h - Tiles whose elements another one has ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TRANSFORMS_TILESOURCE_H
#define KILN_LIB_TRANSFORMS_TILESOURCE_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace kiln::tile {

/// The tile whose elements an operation hands on, as broadcasts and transposes
/// do, and the dimension of the result that runs along each of its dimensions.
/// A dimension of size 1 that is repeated has the number that it has itself.
struct TileSource {
  mlir::Value value;
  llvm::SmallVector<int64_t> dims;
  int64_t rank = 0; ///< of the result

  /// Returns whether the result has the same dimensions, each with its number.
  bool keepsDims() const;
};

/// Returns the source of an operation (or null); nothing for one that splits or
/// joins dimensions, or that does not hand on the elements of one tile.
std::optional<TileSource> findTileSource(mlir::Operation *op);

/// Returns the tile operand of an operation that hands on its elements, at
/// whatever coordinates; null for others.
mlir::Value getMovedTile(mlir::Operation *op);

} // namespace kiln::tile

#endif // KILN_LIB_TRANSFORMS_TILESOURCE_H
