//===- ProductProblem.h - The product of a kernel as a problem --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TILING_PRODUCTPROBLEM_H
#define KILN_LIB_TILING_PRODUCTPROBLEM_H

#include "kiln/Analysis/IterationSpace.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Target/TilingModel.h"

namespace kiln::tiling {

/// The only product of a kernel as a problem, with the dimension of the
/// kernel's iteration space for each of the problem's: rows, columns, depth.
class ProductProblem {
public:
  /// Reads it off a kernel. Nothing, and no reason, where there is no product
  /// whose blocks can be chosen; nothing and a reason where other blocks might
  /// be better, but the kernel cannot be rewritten.
  static std::optional<ProductProblem> of(tile::KernelOp kernel,
                                          const tile::IterationSpace &space,
                                          std::string &reason);

  /// Block sizes for every dimension of the iteration space: `wanted` for those
  /// of the problem, 0 for others, which stay.
  llvm::SmallVector<int64_t> sizesFor(llvm::ArrayRef<int64_t> wanted) const;

  target::TilingProblem problem;
  llvm::SmallVector<int, 3> dims;
  llvm::SmallVector<int64_t, 3> blocks; ///< that the kernel has

private:
  ProductProblem(tile::KernelOp kernel, const tile::IterationSpace &space)
      : kernel(kernel), space(&space) {}
  void add(int dim, target::TilingRole role);
  /// What instances hold: what they read and write, and the product.
  void addTiles(MatrixProductOpInterface dot);
  void addTile(mlir::Value value);

  tile::KernelOp kernel;
  const tile::IterationSpace *space;
};

} // namespace kiln::tiling

#endif // KILN_LIB_TILING_PRODUCTPROBLEM_H
