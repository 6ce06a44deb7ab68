//===- PatchProduct.h - Convolutions as products ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_PATCHPRODUCT_H
#define KILN_LIB_SCHEDULE_PATCHPRODUCT_H

#include "ConvolutionBuilder.h"

namespace kiln::schedule {

/// Implicit GEMM: builds a convolution whose positions are contiguous in the
/// result as one matmul, of the filter with the patches of the input:
///
///   result[channels, positions] =
///       filter[channels, depth] * patches[depth, positions]
///
/// or, where channels are contiguous in the result, the other way round:
///
///   result[positions, channels] =
///       patches[positions, depth] * filter[depth, channels]
///
/// where `depth` is input channels times window. Patches are never in memory:
/// they are a view of the input, surrounded by zeros where the convolution pads
/// it, whose dimensions overlap, and the tile of that view in another shape.
class PatchProduct : public ConvolutionBuilder {
public:
  using ConvolutionBuilder::ConvolutionBuilder;

  mlir::LogicalResult run();

private:
  /// What is summed over: a dimension of the window, or, behind these, the
  /// input channels.
  struct Part {
    unsigned dim;
    int64_t size;
  };
  /// A dimension of the view of patches, of which a tile has a block.
  struct ViewDim {
    int64_t size, stride, block;
    mlir::Value coord;
  };

  mlir::LogicalResult findDims();
  mlir::LogicalResult findDepth();
  void chooseBlocks();
  /// Makes an input that windows never leave.
  void surroundInput();
  /// Copies a filter that is not one dimension deep to where it is.
  void packFilter();
  mlir::Value filterTile();
  /// What is summed over, and the positions, in the view of patches.
  llvm::SmallVector<ViewDim> depthDims() const;
  llvm::SmallVector<ViewDim> positionDims() const;
  mlir::Value patchTile();
  mlir::LogicalResult finish(mlir::Value sum);
  mlir::Value reshape(mlir::Value tile, llvm::ArrayRef<int64_t> shape);
  /// The positions of a tile.
  int64_t tilePositions() const;
  /// A tile of these dimensions, or with them the other way round where
  /// channels are innermost.
  mlir::RankedTensorType productType(int64_t first, int64_t second,
                                     mlir::Type type) const;
  /// The dimensions of an image, the outermost in memory first.
  llvm::SmallVector<unsigned> memoryOrder() const;

  int64_t sizeOf(int dim) const { return kernel.dims[dim].size.get(); }
  /// The size of a spatial dimension of the result.
  int64_t positions(unsigned d) const;

  Buffer input, filter;
  Surrounded surrounded, packed;
  /// Dimensions of the kernel; -1: none.
  int image = -1, place = -1, channel = -1;
  llvm::SmallVector<int> groups;
  /// Outermost first in the filter, where together they are one dimension.
  llvm::SmallVector<Part> depth;
  int64_t deep = 1, depthStride = 1;
  bool packsFilter = false;
  /// The dimensions of the depth are not one, and the filter is read as it is.
  bool viewsFilter = false;
  /// Channels, not positions, lie side by side in the result.
  bool channelsLast = false;
  /// A block of positions of one image.
  int64_t lines = 1, columns = 1;
  mlir::Type element, acc;
};

/// Registered as `generic.patches`.
mlir::LogicalResult schedulePatches(prim::FusionOp group, ScheduleContext &ctx);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_PATCHPRODUCT_H
