//===- DeepChannels.h - Gradients of depthwise filters ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_DEEPCHANNELS_H
#define KILN_LIB_SCHEDULE_DEEPCHANNELS_H

#include "SplitConvolution.h"

namespace kiln::schedule {

/// Builds a convolution of one image with a large window, few positions, and
/// one filter for each group, as the gradient of a depthwise filter is:
///
///   result[position, group] = sum over channels of the group and the window of
///       filter[group, window, channel] * input[position + window, ...]
///
/// An instance has a block of groups, a line of positions, and a part of the
/// lines of the window. A step reads a block of a line of the window, and for
/// each position the elements of the input beside it, which neighbouring
/// positions find in the cache. Sums are f32 and have the shape of a block;
/// what it has along the line is added up at the end. A second kernel adds up
/// the sums of all parts in one order.
class DeepChannels : public SplitConvolution {
public:
  using SplitConvolution::SplitConvolution;

  /// Emits the bodies.
  mlir::LogicalResult run();

private:
  mlir::LogicalResult findDims();
  mlir::LogicalResult findSpace();
  void chooseBlocks();
  void chooseParts();
  /// Gives the window the place of a step.
  void placeStep();
  /// Moves what is read of the input for position `number` of the line.
  void placeInput(int64_t number);
  /// The elements of the input for that position; null on failure.
  mlir::Value inputTile(int64_t number);
  mlir::Value filterTile();
  mlir::LogicalResult storeSums(llvm::ArrayRef<mlir::Value> sums);
  /// Keeps the first reason.
  mlir::LogicalResult fail(const llvm::Twine &why) {
    if (reason.empty())
      reason = why.str();
    return mlir::failure();
  }

  /// Dimensions of the kernel: groups, those of positions and of the window by
  /// dimension of space (-1: a single element), channels of a group, and others
  /// of the result.
  int channel = -1, depth = -1, step = -1;
  llvm::SmallVector<int> position, window, others;
  int64_t line = 1; ///< positions of a line
  mlir::Type element;
};

/// Registered as `generic.deep_channels`.
mlir::LogicalResult scheduleDeepChannels(prim::FusionOp group,
                                         ScheduleContext &ctx);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_DEEPCHANNELS_H
