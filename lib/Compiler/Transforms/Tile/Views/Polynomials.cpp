//===- Polynomials.cpp - Scalars as sums of products ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Polynomials.h"
#include "kiln/Analysis/AnchoredBox.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

Polynomials::Polynomials(index::ScalarBuilder &scalars)
    : scalars(scalars), reader(index::Reader::Sizes, [this](Value value) {
        return std::optional(symbols.of(extendedFrom(value)));
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
