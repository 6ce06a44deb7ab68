//===- Polynomials.cpp - Scalars as sums of products ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Polynomials.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

/// The narrower number that a value is, where that is extended with its sign.
static Value extended(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto from = op->getNumOperands()
                    ? dyn_cast<IntegerType>(op->getOperand(0).getType())
                    : IntegerType();
    if (!isa<arith::IndexCastOp, arith::ExtSIOp>(op) || !from ||
        from.getWidth() > 64)
      return value;
    value = op->getOperand(0);
  }
  return value;
}

Polynomials::Polynomials(index::ScalarBuilder &scalars)
    : scalars(scalars), reader(index::Reader::Sizes, [this](Value value) {
        return std::optional(symbols.of(extended(value)));
      }) {}

index::Expr Polynomials::read(OpFoldResult scalar) {
  if (index::Integer number = index::getNumber(scalar))
    return *number;
  auto value = dyn_cast<Value>(scalar);
  return (value ? reader.read(value) : std::nullopt)
      .value_or(index::Expr::unknown());
}

OpFoldResult Polynomials::build(const index::Expr &sum) {
  OpFoldResult result = scalars.constant(sum.getNumber());
  for (const index::Expr::Term &term : sum.getTerms()) {
    bool isSubtracted = term.coefficient == -1;
    SmallVector<OpFoldResult> factors = {
        scalars.constant(isSubtracted ? 1 : term.coefficient)};
    for (unsigned symbol : term.factors)
      factors.push_back(scalars.cast(symbols[symbol].value));
    OpFoldResult product = scalars.product(factors);
    result = isSubtracted ? scalars.sub(result, product)
                          : scalars.add(result, product);
  }
  return result;
}
