//===- KernelBuilder.h - A kernel and its launch ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds one tile.kernel together with the program.launch that runs it:
// parameters appear as the body asks for them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SCHEDULE_KERNELBUILDER_H
#define KILN_SCHEDULE_KERNELBUILDER_H

#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Schedule/HostProgramBuilder.h"
#include <vector>

namespace kiln::schedule {

/// An iteration dimension inside of a kernel.
struct KernelDim {
  Extent size = 1;
  int64_t block = 1;  ///< elements of the tile along it
  int64_t step = 1;   ///< distance of those elements
  int into = -1;      ///< merged into this (the next inner) dimension
  mlir::Value offset; ///< of the tile's first element; null: no place yet
  mlir::Value coord;  ///< offset / block, if that is what offset is
  /// A loop takes every `parts`-th block from `part` on; null: all.
  mlir::Value part;
  int64_t parts = 1;
  /// The blocks that a loop goes through, without the last; null: all.
  mlir::Value first, last;
  /// The places of the tile's elements, a tile of one dimension of signed
  /// integers; null: neighbours from `offset` on, `step` apart.
  mlir::Value places;
  /// A window's coordinate: may lie outside on both sides.
  bool outside = false;
};

/// Builds one kernel.
class KernelBuilder {
public:
  KernelBuilder(HostProgramBuilder &host, mlir::Location loc,
                llvm::StringRef name);

  HostProgramBuilder &host;
  mlir::Location loc;
  tile::Kernel kernel;
  mlir::OpBuilder b; ///< inside of the kernel
  llvm::SmallVector<KernelDim> dims;

  /// The parameter for a buffer.
  mlir::Value view(const Buffer &buffer, bool write);
  /// The extent as an index value of the kernel.
  mlir::Value index(Extent extent);
  mlir::Value constant(int64_t value);

  /// Adds a dimension to the grid, the fastest first; every block of `dim` gets
  /// an instance. After all of them `placeGrid` sets their offsets.
  void addGridDim(int dim) { gridDims.push_back(dim); }
  void placeGrid();
  /// Has the instances take the blocks of a dimension of the grid from the last
  /// one on, behind `placeGrid`: where the last blocks have the most work, it
  /// begins first.
  void placeFromEnd(int dim);
  /// Number of blocks of a dimension.
  Extent numBlocks(int dim);
  /// True if a dimension is shared out in as many parts as it has blocks: what
  /// takes part has one block, and needs no loop.
  bool hasBlockOfEachPart(int dim) {
    return dims[dim].parts > 1 && numBlocks(dim).is(dims[dim].parts);
  }
  /// Sets coordinate and offset of a dimension to those of block `coord`.
  void place(int dim, mlir::Value coord);

  /// Ends the kernel and launches it.
  program::LaunchOp finish(llvm::StringRef schedule, Extent flops = 0);
  /// Removes the kernel.
  void abandon();

  mlir::Value add(mlir::Value a, mlir::Value c);
  mlir::Value sub(mlir::Value a, mlir::Value c);
  mlir::Value mul(mlir::Value a, mlir::Value c);

private:
  struct Argument {
    Buffer buffer;
    mlir::Value param;
    bool write;
    int64_t place; ///< among the launch's arguments
  };
  std::vector<Argument> views;
  llvm::SmallVector<mlir::Value> hostArgs;
  llvm::SmallVector<int64_t> writes;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::SmallVector<int> gridDims;
  llvm::SmallVector<Extent> gridSizes;
};

} // namespace kiln::schedule

#endif // KILN_SCHEDULE_KERNELBUILDER_H
