//===- Axes.h - Which dimensions of a box tiles have ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_STAGE_AXES_H
#define KILN_DIALECT_STAGE_AXES_H

#include "kiln/Dialect/Stage/ComputeOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

namespace kiln::stage {

/// Maps each dimension of the tiles of a region to a dimension of its box.
/// Sinks of the box's rank have its dimensions in order. Dimensions of other
/// tiles follow from the operations between them.
class Axes {
public:
  static constexpr int64_t kNone = -1;

  /// Computes the dimensions of all tiles of the region.
  explicit Axes(ComputeOp op);

  /// Returns the dimension of the box for each dimension of a tile; kNone for a
  /// dimension that is none of them.
  llvm::ArrayRef<int64_t> of(mlir::Value tile) const;

  /// Checks the constraints C4 and C5 of stage.compute, and reports errors.
  mlir::LogicalResult verify() const;

  /// Returns the tiles that leave the region at this operation: those that it
  /// writes, stores, reduces or yields.
  static llvm::SmallVector<mlir::Value> sinks(mlir::Operation *op);

private:
  struct Node {
    int parent;
    int64_t axis = kNone;
    bool conflict = false;
  };
  int nodeOf(mlir::Value tile, int64_t dim);
  int find(int node) const;
  void unite(mlir::Value a, int64_t dimA, mlir::Value b, int64_t dimB);
  void anchor(mlir::Value tile, int64_t dim, int64_t axis);
  void relate(mlir::Operation *op);
  void relateSame(mlir::Value a, mlir::Value b);

  ComputeOp compute;
  llvm::DenseMap<mlir::Value, int> first; ///< node of dimension 0
  mutable std::vector<Node> nodes;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 4>> result;
};

} // namespace kiln::stage

#endif // KILN_DIALECT_STAGE_AXES_H
