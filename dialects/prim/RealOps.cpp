// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What floats are made of.
#include "kiln/Dialect/Prim/RealOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Folds.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/RealOps.cpp.inc"

void PrimDialect::registerRealOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/RealOps.cpp.inc"
      >();
}

using Floats = ArrayRef<APFloat>;

/// A test of constants.
template <typename OpTy>
static OpFoldResult foldTest(OpTy op, Attribute operand,
                             function_ref<bool(const APFloat &)> holds) {
  return fold::elements(
      op.getType(), operand, [&](ArrayRef<Attribute> x) -> Attribute {
        return BoolAttr::get(op.getContext(),
                             holds(cast<FloatAttr>(x[0]).getValue()));
      });
}

OpFoldResult IsNanOp::fold(FoldAdaptor adaptor) {
  return foldTest(*this, adaptor.getOperand(),
                  [](const APFloat &x) { return x.isNaN(); });
}

OpFoldResult IsInfOp::fold(FoldAdaptor adaptor) {
  return foldTest(*this, adaptor.getOperand(),
                  [](const APFloat &x) { return x.isInfinity(); });
}

OpFoldResult IsFiniteOp::fold(FoldAdaptor adaptor) {
  return foldTest(*this, adaptor.getOperand(),
                  [](const APFloat &x) { return x.isFinite(); });
}

OpFoldResult SignbitOp::fold(FoldAdaptor adaptor) {
  return foldTest(*this, adaptor.getOperand(),
                  [](const APFloat &x) { return x.isNegative(); });
}

OpFoldResult CopysignOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return fold::elements(getType(), adaptor.getOperands(), [](Floats x) {
    return std::optional(APFloat::copySign(x[0], x[1]));
  });
}

OpFoldResult FmaOp::fold(FoldAdaptor adaptor) {
  // In f16 and bf16 it is rounded twice.
  if (getType().getElementTypeBitWidth() < 32)
    return {};
  return fold::elements(
      getType(), adaptor.getOperands(), [](Floats x) -> std::optional<APFloat> {
        APFloat result = x[0];
        result.fusedMultiplyAdd(x[1], x[2], APFloat::rmNearestTiesToEven);
        if (result.isNaN())
          return std::nullopt;
        return result;
      });
}

LogicalResult ReducePrecisionOp::verify() {
  // C1
  auto exponent = static_cast<int32_t>(getExponentBits()),
       mantissa = static_cast<int32_t>(getMantissaBits());
  if (exponent < 1 || mantissa < 0)
    return emitOpError() << "expected at least 1 bit of exponent and 0 of "
                            "mantissa, found "
                         << exponent << " and " << mantissa;
  return success();
}

OpFoldResult ReducePrecisionOp::fold(FoldAdaptor) {
  const llvm::fltSemantics &own =
      cast<FloatType>(getType().getElementType()).getFloatSemantics();
  unsigned mantissa = APFloat::semanticsPrecision(own) - 1;
  unsigned exponent = APFloat::semanticsSizeInBits(own) - mantissa - 1;
  if (getExponentBits() >= exponent && getMantissaBits() >= mantissa)
    return getOperand();
  return {};
}
