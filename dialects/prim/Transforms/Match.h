// Matching of values through what frontends put in between. Private to the
// dialect.
#ifndef KILN_DIALECTS_PRIM_TRANSFORMS_MATCH_H
#define KILN_DIALECTS_PRIM_TRANSFORMS_MATCH_H

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

/// x * factor, written as a product or as a quotient by a splat.
std::optional<std::pair<mlir::Value, double>> scaled(mlir::Value value);

/// Numbers that agree up to the rounding of constants in bf16.
bool isNear(double value, double expected);

} // namespace kiln::prim::match

#endif // KILN_DIALECTS_PRIM_TRANSFORMS_MATCH_H
