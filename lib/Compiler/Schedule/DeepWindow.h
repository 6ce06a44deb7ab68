//===- DeepWindow.h - Convolutions with large windows -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_DEEPWINDOW_H
#define KILN_LIB_SCHEDULE_DEEPWINDOW_H

#include "SplitConvolution.h"

namespace kiln::schedule {

/// Builds a convolution with a large window and few positions as one product
/// for each position, for machines whose threads share out the tiles of an
/// instance. The gradient of a filter is such a convolution: its window is an
/// image, its positions are the elements of the filter, its input channels are
/// the images of a batch, and its images are channels.
///
///   result[position][filters, images] =
///       sum over a depth of filter[filters, depth]
///           * input[place of each element of the depth, images]
///
/// The depth has input channels and elements of the window together. Each of
/// its elements has a place in the input, which the position moves; where it
/// leaves the input it adds nothing. Where there are few positions along the
/// last dimension, and an instance would read much for few products, it has a
/// sum for each of these: the filters that it reads meet the input at several
/// places. So both factors are read along the memory of data whose channels lie
/// side by side. Sums are f32, as those of other products; where instances
/// share out the depth, a second kernel adds up their sums in one order.
class DeepWindow : public SplitConvolution {
public:
  using SplitConvolution::SplitConvolution;

  /// Emits the bodies.
  mlir::LogicalResult run();

private:
  /// A dimension of the depth, and what it moves along in the input.
  struct Axis {
    int dim = -1;                ///< of the plan; -1: a single element
    int position = -1;           ///< of the result; -1: a single position
    int64_t size = 1;            ///< elements of the input along it
    int64_t window = 1;          ///< elements of the depth along it
    int64_t places = 0;          ///< how many places one of the input is apart
    int64_t step = 1;            ///< elements of the input between two of these
    int64_t stride = 1, low = 0; ///< of positions
    bool leaves = false;         ///< whether an element may lie outside
  };

  mlir::LogicalResult findDims();
  mlir::LogicalResult findAxes();
  /// Whether images lie side by side, and elements of the depth at places of
  /// equal distances.
  bool hasPlaces(const Buffer &input);
  /// Whether filters lie side by side, and the depth is one dimension of them.
  bool hasDepth(const Buffer &filter) const;
  /// The memory of an operand as it is, or a copy in the order that is read.
  mlir::FailureOr<Surrounded>
  find(unsigned number, llvm::function_ref<bool(const Buffer &)> isUsable);
  mlir::LogicalResult findOperands();
  void mergeDepth();
  /// Whether a unit copies the filters; threads copy the input.
  bool hasCopyUnit() const;
  /// Decides whether an instance has sums for a line of positions.
  void chooseLine();
  void chooseBlocks();
  /// As many parts as leave no core without an instance, up to three times as
  /// many as the model chooses: it does not know what threads copy.
  int64_t enoughParts(int64_t parts) const;
  void askWarps();
  /// Places the instance at a position of its line.
  void placeOfLine(int64_t number);
  mlir::Value splat(int64_t value);
  mlir::Value splat(mlir::Value scalar);
  template <typename Op> mlir::Value binary(mlir::Value a, mlir::Value b) {
    return Op::create(kernel.b, kernel.loc, a, b);
  }
  /// The places of a step's elements of the depth, -1 for none.
  mlir::Value placesOfStep();
  mlir::Value inputTile();
  mlir::LogicalResult storeSums(llvm::ArrayRef<mlir::Value> sums);

  Buffer input, filter;
  Surrounded inputCopy, filterCopy;
  /// Input channels, and those of space, outermost first.
  llvm::SmallVector<Axis> axes;
  /// Distance of neighbouring places in the input, in elements.
  int64_t pitch = 1;
  llvm::SmallVector<int> positions; ///< dimensions of the result, in the grid
  int image = -1, channel = -1, depth = -1;
  /// The positions that an instance has sums for, and their dimension.
  int64_t line = 1;
  int along = -1;
  int64_t rowsOfLine = 0; ///< filters of an instance with a line
  mlir::Type element, indexType;
};

/// Registered as `generic.deep_window`.
mlir::LogicalResult scheduleDeepWindow(prim::FusionOp group,
                                       ScheduleContext &ctx);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_DEEPWINDOW_H
