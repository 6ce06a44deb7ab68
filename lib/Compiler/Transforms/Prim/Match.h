// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matching of values through what frontends put in between. Private to the
// dialect.
#ifndef KILN_LIB_TRANSFORMS_PRIM_MATCH_H
#define KILN_LIB_TRANSFORMS_PRIM_MATCH_H

#include "kiln/Dialect/Prim/Prim.h"

#include <optional>

namespace kiln::prim::match {

/// The operation that defines `value`, seen through nothing.
template <typename Op> Op def(mlir::Value value) {
  return value ? value.getDefiningOp<Op>() : Op();
}

/// The value that a constant, `full`, or a broadcast or reshape of one has
/// everywhere.
std::optional<double> splat(mlir::Value value);

/// Whether `value` is a splat close to `expected`, as far as its type can tell.
bool isSplatNear(mlir::Value value, double expected);

/// The operands of a commutative operation with the splat second, and its
/// value. Nothing if neither operand is a splat.
template <typename Op>
std::optional<std::pair<mlir::Value, double>> withSplat(mlir::Value value) {
  auto op = def<Op>(value);
  if (!op)
    return std::nullopt;
  if (std::optional<double> rhs = splat(op.getRhs()))
    return std::make_pair(mlir::Value(op.getLhs()), *rhs);
  if (std::optional<double> lhs = splat(op.getLhs()))
    return std::make_pair(mlir::Value(op.getRhs()), *lhs);
  return std::nullopt;
}

/// The other operand of a commutative operation that has `operand` as one.
template <typename Op>
mlir::Value other(mlir::Value value, mlir::Value operand) {
  auto op = def<Op>(value);
  if (!op)
    return {};
  if (op.getLhs() == operand)
    return op.getRhs();
  if (op.getRhs() == operand)
    return op.getLhs();
  return {};
}

/// A value seen from the elements of another: dimension i of `value` is
/// dimension dims[i] of the tensor it was broadcast to, or has size 1 (-1).
struct Row {
  mlir::Value value;
  llvm::SmallVector<int64_t> dims;
};

/// Looks through broadcasts and through reshapes that insert or remove
/// dimensions of size 1. Starts with the identity if `row.dims` is empty.
Row throughShape(Row row);

/// The same for a value of its own.
Row throughShape(mlir::Value value);

/// If `row` is a reduction by Op whose dimensions line up with those of the
/// tensor that `row` was broadcast to: the reduced tensor.
template <typename Op>
Op reduction(const Row &row, llvm::SmallVectorImpl<int64_t> &dims) {
  auto op = def<Op>(row.value);
  if (!op)
    return {};
  llvm::append_range(dims, op.getDims());
  int64_t next = 0;
  for (int64_t i = 0, e = op.getOperand().getType().getRank(); i < e; ++i) {
    if (llvm::is_contained(op.getDims(), i))
      continue;
    int64_t to = row.dims[next];
    // A dimension of size 1 may have got lost, but not be another one.
    if (to != i && !(to == -1 && op.getType().getDimSize(next) == 1))
      return {};
    ++next;
  }
  return op;
}

/// If `row` is a mean, the sum of it, as a row.
std::optional<Row> meanOf(Row row);

/// x * factor, written as a product or as a quotient by a splat.
std::optional<std::pair<mlir::Value, double>> scaled(mlir::Value value);

/// Numbers that agree up to the rounding of constants in bf16.
bool isNear(double value, double expected);

} // namespace kiln::prim::match

#endif // KILN_LIB_TRANSFORMS_PRIM_MATCH_H
