//===- Reader.cpp - Expressions of computed values ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Index/Reader.h"
#include "kiln/Index/ScalarBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace kiln::index;

std::optional<Expr> Reader::read(Value value) {
  if (!value.getType().isIntOrIndex())
    return std::nullopt;
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  std::optional<Expr> expr;
  if (first)
    expr = first(value);
  constexpr unsigned most = 4096;
  if (!expr && depth < most) {
    llvm::SaveAndRestore deeper(depth, depth + 1);
    expr = compute(value);
  }
  if (!expr || !expr->isKnown())
    expr = last(value);
  known[value] = expr;
  return expr;
}

/// Whether a sum, a product or a cast may well wrap around: coordinates of 32
/// bits do not get that far, those of fewer do.
static bool mayWrap(Operation *op) {
  auto type = dyn_cast<IntegerType>(op->getResult(0).getType());
  if (!type || type.getWidth() >= 32)
    return false;
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return !flags || !flags.hasNoSignedWrap();
}

std::optional<Expr> Reader::compute(Value value) {
  if (Integer number = getNumber(value))
    return Expr(*number);
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (mode == Coordinates) {
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp>(op))
      return isa<arith::ExtSIOp>(op) || !mayWrap(op) ? read(op->getOperand(0))
                                                     : std::nullopt;
  } else if (!value.getType().isIndex() && !value.getType().isInteger(64)) {
    return std::nullopt;
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op) ||
      mayWrap(op))
    return std::nullopt;
  std::optional<Expr> lhs = read(op->getOperand(0)),
                      rhs = read(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *lhs + *rhs;
  if (isa<arith::SubIOp>(op))
    return *lhs - *rhs;
  if (isa<arith::ShLIOp>(op)) {
    if (!rhs->isStatic() || rhs->get() < 0 || rhs->get() > 61)
      return std::nullopt;
    rhs = Expr(int64_t(1) << rhs->get());
  }
  if (mode == Coordinates && !lhs->isStatic() && !rhs->isStatic())
    return std::nullopt;
  return *lhs * *rhs;
}
