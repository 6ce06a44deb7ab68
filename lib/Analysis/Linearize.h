//===- Linearize.h - Linear forms of index computations ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_ANALYSIS_LINEARIZE_H
#define KILN_LIB_ANALYSIS_LINEARIZE_H

#include "kiln/Analysis/IterationSpace.h"
#include <optional>

namespace kiln::tile {

/// Finds linear forms over the indices of iteration dimensions.
class Linearizer {
public:
  explicit Linearizer(llvm::ArrayRef<IterationDim> dims);

  /// The form of an integer or index scalar, or nothing.
  std::optional<LinearForm> get(mlir::Value value);

  /// True unless the value is the same wherever the kernel is.
  bool varies(mlir::Value value);

  /// True for a loop-carried value that moves by a constant per iteration.
  bool isInduction(mlir::BlockArgument argument);

private:
  std::optional<LinearForm> compute(mlir::Value value);
  std::optional<LinearForm> ofInduction(mlir::BlockArgument argument);
  bool computeVaries(mlir::Value value);

  llvm::DenseMap<mlir::Value, unsigned> dimOf;
  llvm::DenseMap<mlir::Value, std::optional<LinearForm>> forms;
  llvm::DenseMap<mlir::Value, bool> varying;
};

/// a * x + b * y, or nothing on overflow.
std::optional<LinearForm> combine(int64_t a, const LinearForm &x, int64_t b,
                                  const LinearForm &y);

} // namespace kiln::tile

#endif // KILN_LIB_ANALYSIS_LINEARIZE_H
