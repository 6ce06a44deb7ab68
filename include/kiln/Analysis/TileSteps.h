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

  /// A step that nothing tells of.
  static constexpr int64_t kUnknown = int64_t(1) << 40;

  llvm::ArrayRef<int64_t> of(mlir::Value tile);

  /// The guess for a number that only a launch knows, of which a divisor is
  /// known.
  static int64_t guessOf(int64_t divisor) {
    constexpr int64_t kFar = int64_t(1) << 20, kMany = 16;
    return divisor % kMany ? kFar : kFar * kMany;
  }
  /// A step times a number, both of any sign.
  static int64_t multiply(int64_t step, int64_t times);

  /// The dimension with the smallest of such steps that are not 0, of equal
  /// ones the last; -1 where none is known.
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
