// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recovers relu, sigmoid, silu and gelu.
#include "../Match.h"
#include "Raise.h"

#include <cmath>

using namespace mlir;
using namespace kiln::prim;

namespace {

bool isFloat(Value value) {
  return isa<FloatType>(
      cast<RankedTensorType>(value.getType()).getElementType());
}

/// maximum(x, 0) is relu(x).
struct RaiseReluMaximum : OpRewritePattern<MaximumOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MaximumOp op,
                                PatternRewriter &rewriter) const override {
    auto operands = match::withSplat<MaximumOp>(op);
    if (!isFloat(op) || !operands || operands->second != 0 ||
        std::signbit(operands->second))
      return failure();
    rewriter.replaceOpWithNewOp<ReluOp>(op, op.getType(), operands->first);
    return success();
  }
};

/// clamp(x, 0, inf) is relu(x); so is a clamp to the largest finite number of a
/// value that cannot be infinite, but that is not known.
struct RaiseReluClamp : OpRewritePattern<ClampOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ClampOp op,
                                PatternRewriter &rewriter) const override {
    auto min = dyn_cast<FloatAttr>(op.getMin());
    auto max = dyn_cast<FloatAttr>(op.getMax());
    if (!min || !max || op.getIgnoreNan() || !min.getValue().isPosZero() ||
        !max.getValue().isInfinity())
      return failure();
    rewriter.replaceOpWithNewOp<ReluOp>(op, op.getType(), op.getOperand());
    return success();
  }
};

/// The operand of 1 + exp(-x), or null.
Value matchOnePlusExp(Value value) {
  auto sum = match::withSplat<AddOp>(value);
  auto exp = sum && sum->second == 1 ? match::def<ExpOp>(sum->first) : ExpOp();
  if (!exp)
    return {};
  if (auto negated = match::def<NegOp>(exp.getOperand()))
    return negated.getOperand();
  auto product = match::withSplat<MulOp>(exp.getOperand());
  return product && product->second == -1 ? product->first : Value();
}

/// reciprocal(1 + exp(-x)) is sigmoid(x).
struct RaiseSigmoid : OpRewritePattern<ReciprocalOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReciprocalOp op,
                                PatternRewriter &rewriter) const override {
    Value x = matchOnePlusExp(op.getOperand());
    if (!x)
      return failure();
    rewriter.replaceOpWithNewOp<SigmoidOp>(op, op.getType(), x);
    return success();
  }
};

/// 1 / (1 + exp(-x)) is sigmoid(x), x / (1 + exp(-x)) is silu(x).
struct RaiseSigmoidDiv : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    Value x = isFloat(op) ? matchOnePlusExp(op.getRhs()) : Value();
    if (!x)
      return failure();
    if (x == op.getLhs())
      rewriter.replaceOpWithNewOp<SiluOp>(op, op.getType(), x);
    else if (match::splat(op.getLhs()) == 1.0)
      rewriter.replaceOpWithNewOp<SigmoidOp>(op, op.getType(), x);
    else
      return failure();
    return success();
  }
};

/// x * sigmoid(x) is silu(x).
struct RaiseSilu : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    for (Value operand : {op.getLhs(), op.getRhs()}) {
      auto sigmoid = match::def<SigmoidOp>(operand);
      if (!sigmoid || !match::other<MulOp>(op, operand) ||
          match::other<MulOp>(op, operand) != sigmoid.getOperand())
        continue;
      rewriter.replaceOpWithNewOp<SiluOp>(op, op.getType(),
                                          sigmoid.getOperand());
      return success();
    }
    return failure();
  }
};

/// Flattens a product of three and more factors.
void collectFactors(Value value, SmallVectorImpl<Value> &factors,
                    double &scale) {
  if (std::optional<double> constant = match::splat(value)) {
    scale *= *constant;
    return;
  }
  // An inner product with other users stays a factor of its own.
  auto product = match::def<MulOp>(value);
  if (!product || factors.size() > 4) {
    if (auto quotient = match::scaled(value);
        quotient && match::def<DivOp>(value)) {
      scale *= quotient->second;
      collectFactors(quotient->first, factors, scale);
      return;
    }
    factors.push_back(value);
    return;
  }
  collectFactors(product.getLhs(), factors, scale);
  collectFactors(product.getRhs(), factors, scale);
}

/// Whether `value` is x^3, as products or as a power.
bool isCube(Value value, Value x) {
  if (auto power = match::def<PowOp>(value))
    return power.getLhs() == x && match::splat(power.getRhs()) == 3.0;
  SmallVector<Value> factors;
  double scale = 1;
  collectFactors(value, factors, scale);
  return scale == 1 && factors.size() == 3 &&
         llvm::all_of(factors, [&](Value factor) { return factor == x; });
}

/// Whether `value` is sqrt(2 / pi) * (x + 0.044715 x^3).
bool isTanhArgument(Value value, Value x) {
  auto outer = match::scaled(value);
  if (!outer || !match::isNear(outer->second, 0.79788456080286536))
    return false;
  auto sum = match::def<AddOp>(outer->first);
  if (!sum)
    return false;
  Value cubic = match::other<AddOp>(sum, x);
  if (!cubic)
    return false;
  SmallVector<Value> factors;
  double scale = 1;
  collectFactors(cubic, factors, scale);
  if (!match::isNear(scale, 0.044715))
    return false;
  if (factors.size() == 1)
    return isCube(factors[0], x);
  return factors.size() == 3 &&
         llvm::all_of(factors, [&](Value factor) { return factor == x; });
}

/// x / 2 * (1 + erf(x / sqrt(2))) and the form with tanh are gelu(x), in
/// whatever order the factors stand.
struct RaiseGelu : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFloat(op))
      return failure();
    SmallVector<Value> factors;
    double scale = 1;
    collectFactors(op, factors, scale);
    if (factors.size() != 2 || scale != 0.5)
      return failure();
    for (auto [x, rest] : {std::pair(factors[0], factors[1]),
                           std::pair(factors[1], factors[0])}) {
      auto sum = match::withSplat<AddOp>(rest);
      if (!sum || sum->second != 1)
        continue;
      std::optional<GeluKind> kind;
      if (auto erf = match::def<ErfOp>(sum->first)) {
        auto inner = match::scaled(erf.getOperand());
        if (inner && inner->first == x &&
            match::isNear(inner->second, 0.70710678118654752))
          kind = GeluKind::exact;
      } else if (auto tanh = match::def<TanhOp>(sum->first)) {
        if (isTanhArgument(tanh.getOperand(), x))
          kind = GeluKind::tanh;
      }
      if (!kind)
        continue;
      rewriter.replaceOpWithNewOp<GeluOp>(op, op.getType(), x, *kind);
      return success();
    }
    return failure();
  }
};

} // namespace

void kiln::prim::populateRaiseActivations(RewritePatternSet &patterns) {
  patterns.add<RaiseReluMaximum, RaiseReluClamp, RaiseSigmoid, RaiseSigmoidDiv,
               RaiseSilu, RaiseGelu>(patterns.getContext());
}
