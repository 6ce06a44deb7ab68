// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions over values.
#include "kiln/Math/Term.h"

#include "kiln/Dialect/Tile/ExternOps.h"

using namespace mlir;

namespace kiln::functions {

Term Term::extendTo(Type type, bool isSigned) const {
  unsigned width = type.getIntOrFloatBitWidth();
  if (type == getElement())
    return *this;
  if (isFloat())
    return width > getWidth() ? make<arith::ExtFOp>(type, *this)
                              : make<arith::TruncFOp>(type, *this);
  if (width < getWidth())
    return make<arith::TruncIOp>(type, *this);
  return isSigned ? make<arith::ExtSIOp>(type, *this)
                  : make<arith::ExtUIOp>(type, *this);
}

Term polynomial(Term x, ArrayRef<double> coefficients) {
  Term sum = x.number(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, x.number(c));
  return sum;
}

Term Term::callC(StringRef name, ArrayRef<Term> operands, Type element) {
  Term first = operands.front();
  SmallVector<Value> values;
  for (Term operand : operands)
    values.push_back(operand.value);
  auto call = tile::CallExternOp::create(*first.builder, first.loc,
                                         TypeRange{first.typeOf(element)}, name,
                                         "", /*pure=*/true, values);
  return {*first.builder, first.loc, call.getResult(0)};
}

} // namespace kiln::functions
