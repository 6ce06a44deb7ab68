//===- TileSteps.h - How far neighbours of a tile mostly are ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_ANALYSIS_TILESTEPS_H
#define KILN_ANALYSIS_TILESTEPS_H

#include "kiln/Analysis/AxisAnalysis.h"

namespace kiln::tile {

/// By how much most neighbours along each dimension of a tile of integers or
/// pointers differ. A guess, for the order of threads alone, where AxisAnalysis
/// proves no runs: a remainder steps as the dividend does between its jumps,
/// a quotient stays, and a number that only a launch knows is far, farther if
/// it is a multiple of many elements.
class TileSteps {
public:
  explicit TileSteps(index::Analysis &scalars) : scalars(scalars) {}

  /// The step along a dimension about which nothing is known.
  static constexpr int64_t kUnknown = int64_t(1) << 40;

  /// Returns the step along each dimension of a tile, in elements.
  llvm::ArrayRef<int64_t> of(mlir::Value tile);

  /// Returns the guess for a number that is known only at launch, from a
  /// divisor of it.
  static int64_t guessOf(int64_t divisor) {
    constexpr int64_t kFar = int64_t(1) << 20, kMany = 16;
    return divisor % kMany ? kFar : kFar * kMany;
  }
  /// A step times a number, both of any sign.
  static int64_t multiply(int64_t step, int64_t times);

  /// Returns the dimension with the smallest step that is not 0, the last one
  /// of equal steps; -1 if no step is known.
  static int findNearest(llvm::ArrayRef<int64_t> steps);

private:
  using Steps = llvm::SmallVector<int64_t, 4>;
  Steps compute(mlir::Value tile);
  Steps ofMoved(mlir::OpOperand &operand, mlir::OpResult result);
  Steps ofProduct(mlir::Value x, mlir::Value y);

  index::Analysis &scalars;
  llvm::DenseMap<mlir::Value, Steps> known;
  unsigned depth = 0;
};

} // namespace kiln::tile

#endif // KILN_ANALYSIS_TILESTEPS_H
