//===- SplitConvolution.h - Convolutions with split-K -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_SPLITCONVOLUTION_H
#define KILN_LIB_SCHEDULE_SPLITCONVOLUTION_H

#include "ConvolutionBuilder.h"
#include "PartSums.h"

namespace kiln::schedule {

/// What builders of convolutions share if several instances may share the sum
/// of an element (split-K): a dimension of the grid that counts the parts, and
/// a second kernel that adds up their partial accumulators.
class SplitConvolution : public ConvolutionBuilder {
public:
  using ConvolutionBuilder::ConvolutionBuilder;

  /// Removes all kernels after a failure.
  void abandon();

protected:
  /// Divides a loop of `steps` among `parts` instances, or among as few as have
  /// equally many steps. `part` stays -1 if that is one.
  void split(int64_t steps, int64_t parts);
  /// Adds the dimension that counts parts to the grid if the parts of a block
  /// are to meet, as neighbours; `row` and `column` are the dimensions of a
  /// sum, of which they share out the second.
  /// Call this before other dimensions are added, and `addParts` behind them.
  void addCluster(int row, int column);
  void addParts();
  /// Returns the arithmetic operations of a convolution that sums over elements
  /// of these sizes.
  Extent flopsFor(llvm::ArrayRef<Extent> summed) const;
  /// Stores tiles of sums, whose dimensions are those of `space`: for each part
  /// in a workspace, or as the epilogue's result in `out`. `kept` are the
  /// dimensions of the result, outermost first; `name` is the schedule's. With
  /// several tiles `place` sets the coordinates of one, by its number.
  mlir::LogicalResult finish(
      llvm::ArrayRef<mlir::Value> sums, Space space, llvm::ArrayRef<int> kept,
      llvm::StringRef name, const Extent &flops,
      llvm::function_ref<void(int64_t)> place = [](int64_t) {});

  /// The kernel that runs before, if the schedule has one, and the one that
  /// adds up partial sums, if several instances share a sum.
  std::optional<KernelBuilder> first, last;
  int part = -1; ///< the dimension of the kernel that counts parts; -1: none
  bool isCluster = false; ///< the parts of a block add up their sums
  mlir::Type acc;         ///< of sums
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_SPLITCONVOLUTION_H
