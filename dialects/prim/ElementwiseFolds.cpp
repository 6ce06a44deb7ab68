// Folds of elementwise arithmetic: constants, and identities that hold for
// every value, signed zeros and NaN included.
#include "kiln/Dialect/Prim/CompareOps.h"
#include "kiln/Dialect/Prim/ConvertOps.h"
#include "kiln/Dialect/Prim/ElementwiseOps.h"

#include "Folds.h"

#include <cmath>

using namespace mlir;
using namespace kiln::prim;

using Floats = ArrayRef<APFloat>;
using Ints = ArrayRef<APInt>;
static constexpr APFloat::roundingMode nearest = APFloat::rmNearestTiesToEven;

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // x + 0 is x for integers; for floats only x + -0.0 is.
  bool integer = isa<IntegerType>(getType().getElementType());
  if (fold::isSplat(adaptor.getRhs(), integer ? 0.0 : -0.0))
    return getLhs();
  return fold::elements(
      getType(), adaptor.getOperands(),
      [](Floats x) { return std::optional(x[0] + x[1]); },
      [](Ints x) { return std::optional(x[0] + x[1]); });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (fold::isSplat(adaptor.getRhs(), 0.0))
    return getLhs();
  return fold::elements(
      getType(), adaptor.getOperands(),
      [](Floats x) { return std::optional(x[0] - x[1]); },
      [](Ints x) { return std::optional(x[0] - x[1]); });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (fold::isSplat(adaptor.getRhs(), 1.0))
    return getLhs();
  return fold::elements(
      getType(), adaptor.getOperands(),
      [](Floats x) { return std::optional(x[0] * x[1]); },
      [](Ints x) { return std::optional(x[0] * x[1]); });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (fold::isSplat(adaptor.getRhs(), 1.0))
    return getLhs();
  return fold::elements(
      getType(), adaptor.getOperands(),
      [](Floats x) { return std::optional(x[0] / x[1]); },
      [](Ints x) -> std::optional<APInt> {
        bool overflow = false;
        if (x[1].isZero())
          return std::nullopt;
        APInt quotient = x[0].sdiv_ov(x[1], overflow);
        return overflow ? std::nullopt : std::optional(quotient);
      });
}

OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return fold::elements(
      getType(), adaptor.getOperands(),
      [](Floats x) { return std::optional(llvm::maximum(x[0], x[1])); },
      // i1 is false < true, so its maximum is unsigned.
      [](Ints x) {
        return std::optional(x[0].getBitWidth() == 1
                                 ? llvm::APIntOps::umax(x[0], x[1])
                                 : llvm::APIntOps::smax(x[0], x[1]));
      });
}

OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return fold::elements(
      getType(), adaptor.getOperands(),
      [](Floats x) { return std::optional(llvm::minimum(x[0], x[1])); },
      [](Ints x) {
        return std::optional(x[0].getBitWidth() == 1
                                 ? llvm::APIntOps::umin(x[0], x[1])
                                 : llvm::APIntOps::smin(x[0], x[1]));
      });
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NegOp>())
    return inner.getOperand();
  return fold::elements(
      getType(), adaptor.getOperands(),
      [](Floats x) { return std::optional(neg(x[0])); },
      [](Ints x) { return std::optional(-x[0]); });
}

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  return fold::elements(
      getType(), adaptor.getOperands(),
      [](Floats x) { return std::optional(abs(x[0])); },
      [](Ints x) { return std::optional(x[0].abs()); });
}

OpFoldResult ReciprocalOp::fold(FoldAdaptor adaptor) {
  return fold::elements(getType(), adaptor.getOperands(), [](Floats x) {
    APFloat one(x[0].getSemantics(), 1);
    one.divide(x[0], nearest);
    return std::optional(one);
  });
}

OpFoldResult SqrtOp::fold(FoldAdaptor adaptor) {
  return fold::viaDouble(getType(), adaptor.getOperand(),
                         [](double x) { return std::sqrt(x); });
}

OpFoldResult RsqrtOp::fold(FoldAdaptor adaptor) {
  return fold::viaDouble(getType(), adaptor.getOperand(),
                         [](double x) { return 1 / std::sqrt(x); });
}

OpFoldResult ExpOp::fold(FoldAdaptor adaptor) {
  return fold::viaDouble(getType(), adaptor.getOperand(),
                         [](double x) { return std::exp(x); });
}

OpFoldResult LogOp::fold(FoldAdaptor adaptor) {
  return fold::viaDouble(getType(), adaptor.getOperand(),
                         [](double x) { return std::log(x); });
}

OpFoldResult SinOp::fold(FoldAdaptor adaptor) {
  return fold::viaDouble(getType(), adaptor.getOperand(),
                         [](double x) { return std::sin(x); });
}

OpFoldResult CosOp::fold(FoldAdaptor adaptor) {
  return fold::viaDouble(getType(), adaptor.getOperand(),
                         [](double x) { return std::cos(x); });
}

OpFoldResult TanhOp::fold(FoldAdaptor adaptor) {
  return fold::viaDouble(getType(), adaptor.getOperand(),
                         [](double x) { return std::tanh(x); });
}

OpFoldResult WhereOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse() || fold::isSplat(adaptor.getCondition(), 1))
    return getOnTrue();
  if (fold::isSplat(adaptor.getCondition(), 0))
    return getOnFalse();
  return {};
}

LogicalResult PowOp::canonicalize(PowOp op, PatternRewriter &rewriter) {
  Attribute exponent;
  if (!matchPattern(op.getRhs(), m_Constant(&exponent)))
    return failure();
  // The correctly rounded square and inverse are what mul and div give.
  if (fold::isSplat(exponent, 1.0)) {
    rewriter.replaceOp(op, op.getLhs());
  } else if (fold::isSplat(exponent, 2.0)) {
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getLhs(), op.getLhs());
  } else if (fold::isSplat(exponent, -1.0) &&
             isa<FloatType>(op.getType().getElementType())) {
    rewriter.replaceOpWithNewOp<ReciprocalOp>(op, op.getLhs());
  } else {
    return failure();
  }
  return success();
}
