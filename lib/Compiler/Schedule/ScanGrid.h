//===- ScanGrid.h - Where the kernels of a scan are -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_SCANGRID_H
#define KILN_LIB_SCHEDULE_SCANGRID_H

#include "ScanBlocks.h"
#include "kiln/Schedule/TileBuilder.h"

namespace kiln::schedule {

/// A kernel of a scan, without what it combines by: its grid, the shape of its
/// tiles, the blocks that an instance goes over, and views of buffers.
class ScanGrid {
protected:
  /// Begins the kernel. `sizes` are those of what is scanned along `dim`;
  /// `parts`: how many of the parts of that dimension have an instance.
  ScanGrid(HostProgramBuilder &host, mlir::Location loc, llvm::StringRef name,
           llvm::ArrayRef<Extent> sizes, unsigned dim, const ScanBlocks &blocks,
           int64_t parts, bool reverse);

  mlir::RankedTensorType tileType(mlir::Type element, int64_t along) const;
  /// The scanned dimension of a tile.
  unsigned axis() const { return blocks.beside >= 0 && blocks.isLast ? 1 : 0; }
  /// The view with the dimensions of tiles last, and where a tile begins that
  /// begins at `at` along the scanned one.
  mlir::Value view(const Buffer &buffer, mlir::Value at, bool write,
                   llvm::SmallVectorImpl<mlir::Value> &coords);
  /// A tile as long as a block, of elements that are the same along it.
  mlir::Value broadcast(mlir::Value tile);
  /// The first element of the block with that number in the order of the scan.
  mlir::Value placeOf(mlir::Value number);
  /// The blocks of this instance's part, without the last.
  std::pair<mlir::Value, mlir::Value> ownBlocks();

  KernelBuilder kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
  const ScanBlocks &blocks;
  unsigned dim;
  bool reverse;
  llvm::SmallVector<int> dims; ///< of the kernel, for each of the tensor
  mlir::Value part;            ///< null: there is one
  Extent count;                ///< of blocks
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_SCANGRID_H
