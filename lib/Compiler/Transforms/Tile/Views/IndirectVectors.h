// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not affine in a tile of pointers: vectors along one dimension.
#ifndef KILN_LIB_TRANSFORMS_TILE_INDIRECTVECTORS_H
#define KILN_LIB_TRANSFORMS_TILE_INDIRECTVECTORS_H

#include "PointerExpr.h"

namespace kiln::tile {

/// The rank of a tile; 0 for scalars.
inline int64_t rankOf(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

/// Finds vectors in tiles and computes with them.
class IndirectVectors {
public:
  explicit IndirectVectors(ScalarBuilder &scalars) : scalars(scalars) {}

  /// The dimension that the last vector lies along; -1 for none.
  int64_t along = -1;

  /// If all operands vary along the same single dimension: the operation on
  /// vectors, with the dimension in `along`.
  mlir::Value narrow(mlir::Operation *op);

  mlir::Value first(mlir::Value vector);
  /// Elements in another integer type, of which low bits are kept.
  mlir::Value resize(mlir::Value vector, mlir::RankedTensorType type);
  /// The sum or difference in i64; no `a` counts as 0.
  mlir::Value add(mlir::Value a, mlir::Value b, bool negate);
  mlir::Value mul(mlir::Value vector, IndexScalar factor);

private:
  mlir::Value narrowOnce(mlir::Operation *op);
  /// The operand as a vector along `along`, or as a scalar; null if it is
  /// neither.
  mlir::Value narrowOperand(mlir::Value operand);
  /// Elements as i64.
  mlir::Value widen(mlir::Value vector);

  ScalarBuilder &scalars;
  /// What has been made of an operation, and along which dimension.
  llvm::DenseMap<mlir::Operation *, std::pair<mlir::Value, int64_t>> narrowed;
};

} // namespace kiln::tile

#endif // KILN_LIB_TRANSFORMS_TILE_INDIRECTVECTORS_H
