// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds of elementwise arithmetic: constants, and identities that hold for
// every value, signed zeros and NaN included.
#include "kiln/Dialect/Prim/Prim.h"

#include "Folds.h"

#include <cmath>

using namespace mlir;
using namespace kiln::prim;

using Floats = ArrayRef<APFloat>;
using Ints = ArrayRef<APInt>;
static constexpr APFloat::roundingMode nearest = APFloat::rmNearestTiesToEven;

/// Whether a value is never -0.0, or has a zero of unspecified sign: then
/// adding +0.0 changes nothing.
static bool hasNoNegativeZero(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<SumOp, DotGeneralOp, ConvOp, SumPoolOp, ExpOp, Exp2Op,
                         SigmoidOp, SoftmaxOp>(op);
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  bool integer = isa<IntegerType>(getType().getElementType());
  for (auto [one, other, zero] :
       {std::tuple(getLhs(), getRhs(), adaptor.getRhs()),
        std::tuple(getRhs(), getLhs(), adaptor.getLhs())}) {
    // x + 0 is x for integers; for floats x + -0.0 always is.
    if (fold::isSplat(other, zero, integer ? 0.0 : -0.0))
      return one;
    if (hasNoNegativeZero(one) && fold::isSplat(other, zero, 0.0))
      return one;
  }
  return fold::elements(
      getType(), adaptor.getOperands(),
      [](Floats x) { return std::optional(x[0] + x[1]); },
      [](Ints x) { return std::optional(x[0] + x[1]); });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (fold::isSplat(getRhs(), adaptor.getRhs(), 0.0))
    return getLhs();
  return fold::elements(
      getType(), adaptor.getOperands(),
      [](Floats x) { return std::optional(x[0] - x[1]); },
      [](Ints x) { return std::optional(x[0] - x[1]); });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (fold::isSplat(getRhs(), adaptor.getRhs(), 1.0))
    return getLhs();
  if (fold::isSplat(getLhs(), adaptor.getLhs(), 1.0))
    return getRhs();
  return fold::elements(
      getType(), adaptor.getOperands(),
      [](Floats x) { return std::optional(x[0] * x[1]); },
      [](Ints x) { return std::optional(x[0] * x[1]); });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (fold::isSplat(getRhs(), adaptor.getRhs(), 1.0))
    return getLhs();
  return fold::elements(
      getType(), adaptor.getOperands(),
      [](Floats x) { return std::optional(x[0] / x[1]); },
      [&](Ints x) -> std::optional<APInt> {
        bool overflow = false;
        if (x[1].isZero())
          return std::nullopt;
        if (getIsUnsigned())
          return x[0].udiv(x[1]);
        APInt quotient = x[0].sdiv_ov(x[1], overflow);
        return overflow ? std::nullopt : std::optional(quotient);
      });
}

/// Whether an operand is the infinity or the integer that never wins.
static bool isNeutral(Value operand, Attribute attribute, double infinity,
                      bool isUnsigned) {
  Type element = cast<RankedTensorType>(operand.getType()).getElementType();
  if (isa<FloatType>(element))
    return fold::isSplat(operand, attribute, infinity);
  // The largest i64 is not a double.
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1 || width > 32)
    return false;
  if (isUnsigned) // all zeros, or all ones
    return fold::isSplat(operand, attribute, infinity > 0 ? -1.0 : 0.0);
  double limit = std::ldexp(1.0, width - 1);
  return fold::isSplat(operand, attribute, infinity > 0 ? limit - 1 : -limit);
}

OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  bool isUnsigned = getIsUnsigned();
  if (getLhs() == getRhs() ||
      isNeutral(getRhs(), adaptor.getRhs(), -INFINITY, isUnsigned))
    return getLhs();
  if (isNeutral(getLhs(), adaptor.getLhs(), -INFINITY, isUnsigned))
    return getRhs();
  return fold::elements(
      getType(), adaptor.getOperands(),
      [](Floats x) { return std::optional(llvm::maximum(x[0], x[1])); },
      // i1 is false < true, so its maximum is unsigned.
      [&](Ints x) {
        return std::optional(isUnsigned || x[0].getBitWidth() == 1
                                 ? llvm::APIntOps::umax(x[0], x[1])
                                 : llvm::APIntOps::smax(x[0], x[1]));
      });
}

OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) {
  bool isUnsigned = getIsUnsigned();
  if (getLhs() == getRhs() ||
      isNeutral(getRhs(), adaptor.getRhs(), INFINITY, isUnsigned))
    return getLhs();
  if (isNeutral(getLhs(), adaptor.getLhs(), INFINITY, isUnsigned))
    return getRhs();
  return fold::elements(
      getType(), adaptor.getOperands(),
      [](Floats x) { return std::optional(llvm::minimum(x[0], x[1])); },
      [&](Ints x) {
        return std::optional(isUnsigned || x[0].getBitWidth() == 1
                                 ? llvm::APIntOps::umin(x[0], x[1])
                                 : llvm::APIntOps::smin(x[0], x[1]));
      });
}

OpFoldResult GcdOp::fold(FoldAdaptor adaptor) {
  return fold::elements(
      getType(), adaptor.getOperands(), /*floats=*/nullptr, [](Ints x) {
        return std::optional(
            llvm::APIntOps::GreatestCommonDivisor(x[0].abs(), x[1].abs()));
      });
}

OpFoldResult PopulationCountOp::fold(FoldAdaptor adaptor) {
  return fold::elements(
      getType(), adaptor.getOperands(), /*floats=*/nullptr, [](Ints x) {
        return std::optional(APInt(x[0].getBitWidth(), x[0].popcount()));
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

/// Compares constants: floats by their order or its lack, integers signed or as
/// the operation says, i1 as false < true.
template <typename Op>
static OpFoldResult foldCompare(Op op, ArrayRef<Attribute> operands,
                                function_ref<bool(APFloat::cmpResult)> holds) {
  bool isUnsigned = op->hasAttr("is_unsigned");
  return fold::elements(
      op.getType(), operands, [&](ArrayRef<Attribute> x) -> Attribute {
        APFloat::cmpResult order;
        if (auto real = dyn_cast<FloatAttr>(x[0])) {
          order = real.getValue().compare(cast<FloatAttr>(x[1]).getValue());
        } else {
          APInt a = cast<IntegerAttr>(x[0]).getValue();
          APInt b = cast<IntegerAttr>(x[1]).getValue();
          bool less = isUnsigned || a.getBitWidth() == 1 ? a.ult(b) : a.slt(b);
          order = a == b ? APFloat::cmpEqual
                  : less ? APFloat::cmpLessThan
                         : APFloat::cmpGreaterThan;
        }
        return BoolAttr::get(op.getContext(), holds(order));
      });
}

OpFoldResult EqOp::fold(FoldAdaptor adaptor) {
  return foldCompare(*this, adaptor.getOperands(), [](APFloat::cmpResult r) {
    return r == APFloat::cmpEqual;
  });
}

OpFoldResult NeOp::fold(FoldAdaptor adaptor) {
  return foldCompare(*this, adaptor.getOperands(), [](APFloat::cmpResult r) {
    return r != APFloat::cmpEqual;
  });
}

OpFoldResult LtOp::fold(FoldAdaptor adaptor) {
  return foldCompare(*this, adaptor.getOperands(), [](APFloat::cmpResult r) {
    return r == APFloat::cmpLessThan;
  });
}

OpFoldResult LeOp::fold(FoldAdaptor adaptor) {
  return foldCompare(*this, adaptor.getOperands(), [](APFloat::cmpResult r) {
    return r == APFloat::cmpLessThan || r == APFloat::cmpEqual;
  });
}

OpFoldResult GtOp::fold(FoldAdaptor adaptor) {
  return foldCompare(*this, adaptor.getOperands(), [](APFloat::cmpResult r) {
    return r == APFloat::cmpGreaterThan;
  });
}

OpFoldResult GeOp::fold(FoldAdaptor adaptor) {
  return foldCompare(*this, adaptor.getOperands(), [](APFloat::cmpResult r) {
    return r == APFloat::cmpGreaterThan || r == APFloat::cmpEqual;
  });
}

OpFoldResult WhereOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse() ||
      fold::isSplat(getCondition(), adaptor.getCondition(), 1))
    return getOnTrue();
  if (fold::isSplat(getCondition(), adaptor.getCondition(), 0))
    return getOnFalse();
  return {};
}

LogicalResult PowOp::canonicalize(PowOp op, PatternRewriter &rewriter) {
  Attribute exponent;
  (void)matchPattern(op.getRhs(), m_Constant(&exponent));
  // The correctly rounded square and inverse are what mul and div give.
  if (fold::isSplat(op.getRhs(), exponent, 1.0)) {
    rewriter.replaceOp(op, op.getLhs());
  } else if (fold::isSplat(op.getRhs(), exponent, 2.0)) {
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getLhs(), op.getLhs());
  } else if (fold::isSplat(op.getRhs(), exponent, -1.0) &&
             isa<FloatType>(op.getType().getElementType())) {
    rewriter.replaceOpWithNewOp<ReciprocalOp>(op, op.getLhs());
  } else {
    return failure();
  }
  return success();
}
