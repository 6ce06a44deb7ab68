// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of floats.
#include "kiln/Dialect/Prim/FunctionOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Folds.h"

#include <cmath>

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/FunctionOps.cpp.inc"

void PrimDialect::registerFunctionOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/FunctionOps.cpp.inc"
      >();
}

/// The gamma function's logarithm without the variable that lgamma writes.
static double logGamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

#define FOLD_FUNCTION(OpTy, FUNCTION)                                          \
  OpFoldResult OpTy::fold(FoldAdaptor adaptor) {                               \
    return fold::viaDouble(getType(), adaptor.getOperand(),                    \
                           [](double x) { return FUNCTION(x); });              \
  }
FOLD_FUNCTION(TanOp, std::tan)
FOLD_FUNCTION(AsinOp, std::asin)
FOLD_FUNCTION(AcosOp, std::acos)
FOLD_FUNCTION(AtanOp, std::atan)
FOLD_FUNCTION(SinhOp, std::sinh)
FOLD_FUNCTION(CoshOp, std::cosh)
FOLD_FUNCTION(AsinhOp, std::asinh)
FOLD_FUNCTION(AcoshOp, std::acosh)
FOLD_FUNCTION(AtanhOp, std::atanh)
FOLD_FUNCTION(Log2Op, std::log2)
FOLD_FUNCTION(Log10Op, std::log10)
FOLD_FUNCTION(CbrtOp, std::cbrt)
FOLD_FUNCTION(ErfcOp, std::erfc)
FOLD_FUNCTION(LgammaOp, logGamma)
#undef FOLD_FUNCTION
