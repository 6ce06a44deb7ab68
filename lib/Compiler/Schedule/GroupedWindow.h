//===- GroupedWindow.h - Convolutions of small groups -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_GROUPEDWINDOW_H
#define KILN_LIB_SCHEDULE_GROUPEDWINDOW_H

#include "ConvolutionBuilder.h"

namespace kiln::schedule {

/// Builds a convolution whose groups have few channels, for machines whose
/// threads share out the tiles of an instance:
///
///   result[places, group, j] = sum over the window and i of
///       input[moved places, group, i] * filter[window, i, group, j]
///
/// `i` and `j` are the channels of a group. A matrix unit would multiply mostly
/// zeros, so a tile has one element for each place, or each place and group,
/// and there is a tile for each `i` and each `j`. An instance computes several
/// such tiles of results, `beside` each other along one spatial dimension: each
/// of their factors is loaded once.
class GroupedWindow : public ConvolutionBuilder {
public:
  using ConvolutionBuilder::ConvolutionBuilder;

  mlir::LogicalResult run();

private:
  using Tiles = llvm::SmallVector<mlir::Value>;

  mlir::LogicalResult findDims();
  mlir::LogicalResult findPlaces();
  /// Decides what is read and written as vectors, along which dimension
  /// neighbours are, and over which positions of the window a loop goes.
  void chooseForm();
  /// The blocks of all dimensions for this number of neighbours.
  llvm::SmallVector<std::pair<int, int64_t>> blocksFor(int64_t results,
                                                       int64_t elements);
  void chooseBlocks();
  /// Copies the filter to where the factors of a group lie side by side.
  mlir::LogicalResult orderFilter();
  void placeGrid();
  /// Gives the neighbour `number` its place in the result.
  void placeResult(int64_t number);
  /// Places what the neighbours read `offset` elements behind the first.
  void placeInput(int64_t offset);
  /// The sums with the products of one step of the loop.
  Tiles step(mlir::ValueRange sums);
  /// A tile for each channel that `dim` counts, from one load if `isVector`.
  Tiles channelTiles(const Buffer &buffer, const AccessMap &map,
                     llvm::ArrayRef<int> axes, int dim, bool isVector);
  /// The parts along a last dimension, of a power of two of elements, in order.
  Tiles split(mlir::Value tile);
  mlir::Value reshape(mlir::Value tile, llvm::ArrayRef<int64_t> shape);
  mlir::Value join(llvm::ArrayRef<mlir::Value> parts);
  mlir::LogicalResult storeResults(llvm::ArrayRef<mlir::Value> sums);
  mlir::LogicalResult storeTile(mlir::Value sum, llvm::ArrayRef<int> axes);

  int64_t sizeOf(int dim) const {
    return dim < 0 ? 1 : group.plan.sizes[dim].get();
  }
  int64_t windowOf(unsigned d) const { return sizeOf(window[d]); }
  int64_t dilation(unsigned d) const { return conv.getDilation()[d]; }
  int64_t stride(unsigned d) const { return conv.getStrides()[d]; }

  Buffer input, filter;
  AccessMap filterMap;
  Surrounded filterCopy;
  /// Dimensions of the kernel; -1: a single element. `depth` counts the input
  /// channels of a group, `channel` those of the result.
  int image = -1, groups = -1, channel = -1, depth = -1;
  llvm::SmallVector<int> position, window;
  /// Dimensions of tiles: of those of the result, and of the input.
  llvm::SmallVector<int> resultAxes, inputAxes;
  /// Channels are innermost in memory, and tiles have a dimension of groups.
  bool channelsInner = false, loadsVectors = false, storesVectors = false;
  /// The spatial dimension that neighbours are along, if any, and how many.
  int along = -1;
  int64_t beside = 1;
  mlir::Value firstResult; ///< along that dimension
  /// Positions of the window along it are one step of the loop.
  bool unrollsWindow = false;
  mlir::Type element, acc;
};

/// Registered as `generic.grouped_window`.
mlir::LogicalResult scheduleGroupedWindow(prim::FusionOp group,
                                          ScheduleContext &ctx);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_GROUPEDWINDOW_H
