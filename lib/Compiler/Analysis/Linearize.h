//===- Linearize.h - Index computations of a kernel -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_ANALYSIS_LINEARIZE_H
#define KILN_LIB_ANALYSIS_LINEARIZE_H

#include "kiln/Analysis/IterationSpace.h"
#include "kiln/Index/Reader.h"
#include <optional>

namespace kiln::tile {

/// Reads index computations as linear in the indices of iteration dimensions.
class Linearizer {
public:
  Linearizer(llvm::ArrayRef<IterationDim> dims, index::Symbols &symbols);

  /// An integer or index scalar, or nothing.
  std::optional<index::Expr> get(mlir::Value value) {
    return reader.read(value);
  }

  /// True unless the value is the same wherever the kernel is.
  bool varies(mlir::Value value);

  /// True for a loop-carried value that moves by a constant per iteration.
  bool isInduction(mlir::BlockArgument argument);

private:
  /// Indices, and what moves with one.
  std::optional<index::Expr> ofIndex(mlir::Value value);
  std::optional<index::Expr> ofInduction(mlir::BlockArgument argument);
  bool computeVaries(mlir::Value value);

  index::Symbols &symbols;
  llvm::DenseMap<mlir::Value, unsigned> dimOf;
  index::Reader reader;
  llvm::DenseMap<mlir::Value, bool> varying;
};

} // namespace kiln::tile

#endif // KILN_LIB_ANALYSIS_LINEARIZE_H
