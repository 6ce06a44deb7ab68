// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activations, and what is normalised along an axis to be one.
#include "Activation.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

template <typename Op> LogicalResult unary(Node &n) {
  return n.set(n.unary<Op>(n.in(0)));
}

LogicalResult relu(Node &n) {
  Value x = n.in(0);
  return n.isFloat(0) ? unary<prim::ReluOp>(n)
                      : n.set(n.max(x, n.number(0, x)));
}

/// x where it is positive (`strict`) or not negative, else `other`.
Value orElse(Node &n, Value x, Value other, bool strict = true) {
  Value zero = n.number(0, x);
  return n.where(strict ? n.gt(x, zero) : n.ge(x, zero), x, other);
}

/// alpha * (exp(x / by) - 1).
Value expm1(Node &n, Value x, double alpha) {
  return n.mul(n.number(alpha, x), n.unary<prim::Expm1Op>(x));
}

LogicalResult elu(Node &n) {
  Value x = n.in(0);
  return n.set(orElse(n, x, expm1(n, x, n.getFloat("alpha", 1)), false));
}

LogicalResult celu(Node &n) {
  Value x = n.in(0);
  double alpha = n.getFloat("alpha", 1);
  Value scaled = n.div(x, n.number(alpha, x));
  return n.set(orElse(n, x, expm1(n, scaled, alpha), false));
}

LogicalResult selu(Node &n) {
  Value x = n.in(0);
  double alpha = n.getFloat("alpha", 1.67326319217681884765625);
  double gamma = n.getFloat("gamma", 1.05070102214813232421875);
  return n.set(n.mul(n.number(gamma, x), orElse(n, x, expm1(n, x, alpha))));
}

LogicalResult leakyRelu(Node &n) {
  Value x = n.in(0);
  return n.set(
      orElse(n, x, n.mul(x, n.number(n.getFloat("alpha", 0.01f), x)), false));
}

/// PRelu: the slope is repeated in the shape of x.
LogicalResult prelu(Node &n) {
  Value x = n.in(0), slope = n.in(1);
  if (n.isUnsigned(0)) // nothing is below zero
    return n.set(x);
  Value zero = n.number(0, x);
  return n.set(n.where(n.lt(x, zero), n.mul(x, slope), x));
}

LogicalResult thresholdedRelu(Node &n) {
  Value x = n.in(0), alpha = n.number(n.getFloat("alpha", 1), x);
  return n.set(n.where(n.gt(x, alpha), x, n.number(0, x)));
}

Value hardSigmoid(Node &n, Value x, double alpha, double beta) {
  return n.clamp(n.add(n.mul(x, n.number(alpha, x)), n.number(beta, x)), 0, 1);
}

LogicalResult hardSigmoid(Node &n) {
  return n.set(hardSigmoid(n, n.in(0), n.getFloat("alpha", 0.2f),
                           n.getFloat("beta", 0.5)));
}

LogicalResult hardSwish(Node &n) {
  Value x = n.in(0);
  return n.set(n.mul(x, hardSigmoid(n, x, 1.0 / 6, 0.5)));
}

/// log(1 + exp(x)) without overflow.
Value softplus(Node &n, Value x) {
  Value zero = n.number(0, x);
  Value rest =
      n.unary<prim::ExpOp>(n.unary<prim::NegOp>(n.unary<prim::AbsOp>(x)));
  return n.add(n.max(x, zero), n.unary<prim::Log1pOp>(rest));
}

LogicalResult softplus(Node &n) { return n.set(softplus(n, n.in(0))); }

LogicalResult softsign(Node &n) {
  Value x = n.in(0);
  return n.set(n.div(x, n.add(n.number(1, x), n.unary<prim::AbsOp>(x))));
}

LogicalResult mish(Node &n) {
  Value x = n.in(0);
  return n.set(n.mul(x, n.unary<prim::TanhOp>(softplus(n, x))));
}

LogicalResult gelu(Node &n) {
  Value x = n.in(0);
  StringRef how = n.getString("approximate", "none");
  if (how != "none" && how != "tanh")
    return n.fail("has approximate '" + how + "'");
  return n.set(prim::GeluOp::create(n.e.b, x.getType(), x,
                                    how == "tanh" ? prim::GeluKind::tanh
                                                  : prim::GeluKind::exact));
}

LogicalResult swish(Node &n) {
  Value x = n.in(0);
  Value scaled = n.mul(x, n.number(n.getFloat("alpha", 1), x));
  return n.set(n.mul(x, n.unary<prim::SigmoidOp>(scaled)));
}

/// SwiGLU: the gate's swish times the other input.
LogicalResult swiGlu(Node &n) {
  Value gate = n.wide(n.in(0)), x = n.wide(n.in(1));
  Value scaled = n.mul(gate, n.number(n.getFloat("alpha", 1), gate));
  Value made = n.mul(n.mul(gate, n.unary<prim::SigmoidOp>(scaled)), x);
  return n.set(n.cast(made, n.elementIn(0)));
}

/// A list of numbers that a node has for each feature, or the one for all.
Value features(Node &n, StringRef name, double otherwise) {
  SmallVector<double> all =
      n.getFloats(name).value_or(SmallVector<double>{otherwise});
  int64_t count = all.size(), last = n.shape(n.in(0)).back();
  if (count != 1 && !ShapedType::isDynamic(last) && count != last)
    return n.refuse("has " + Twine(count) + " entries in " + name + " for " +
                    Twine(last) + " features");
  return n.floats(all, count, n.e.b.getF32Type());
}

/// The features of a node of ai.onnx.ml as f32; null after a report.
Value featuresIn(Node &n) {
  if (n.rank(0) < 1)
    return n.refuse("of a scalar");
  return n.cast(n.in(0), n.e.b.getF32Type(), n.isUnsigned(0));
}

/// Scaler: (x - offset) * scale.
LogicalResult scaler(Node &n) {
  Value x = featuresIn(n);
  Value offset = x ? features(n, "offset", 0) : Value();
  Value scale = offset ? features(n, "scale", 1) : Value();
  return scale ? n.set(n.mul(n.sub(x, offset), scale)) : failure();
}

/// Imputer: numbers in place of one that stands for what is missing.
LogicalResult imputer(Node &n) {
  if (!n.isFloat(0))
    return n.fail("of integers");
  Value x = featuresIn(n);
  Value given = x ? features(n, "imputed_value_floats", 0) : Value();
  if (!given)
    return failure();
  double missing = n.getFloat("replaced_value_float", 0);
  Value found =
      std::isnan(missing) ? n.no(n.eq(x, x)) : n.eq(x, n.number(missing, x));
  return n.set(n.e.convert(n.where(found, given, x), n.e.elementOf(n.in(0))));
}

/// LinearRegressor: rows times coefficients of each target, plus intercepts.
LogicalResult linearRegressor(Node &n) {
  int64_t targets = n.getInt("targets", 1);
  auto coefficients = n.getFloats("coefficients");
  auto intercepts = n.getFloats("intercepts");
  if (n.getString("post_transform", "NONE") != "NONE")
    return n.fail("with a post_transform");
  if (n.rank(0) != 2 || targets < 1 || !coefficients ||
      coefficients->size() % targets ||
      (intercepts && int64_t(intercepts->size()) != targets))
    return n.fail("has coefficients or intercepts that do not fit");
  Value x = featuresIn(n);
  int64_t count = coefficients->size() / targets, last = n.shape(x)[1];
  if (!ShapedType::isDynamic(last) && last != count)
    return n.fail("has coefficients or intercepts that do not fit");
  Type f32 = n.e.b.getF32Type();
  Value sum = n.dot(x, n.floats(*coefficients, {targets, count}, f32), {}, {},
                    {1}, {1});
  return n.set(intercepts ? n.add(sum, n.floats(*intercepts, targets, f32))
                          : sum);
}

/// Binarizer: 1 above the threshold.
LogicalResult binarizer(Node &n) {
  Value x = n.in(0), bar = n.number(n.getFloat("threshold", 0), x);
  return n.set(n.where(n.gt(x, bar), n.number(1, x), n.number(0, x)));
}

LogicalResult shrink(Node &n) {
  Value x = n.in(0);
  double bias = n.getFloat("bias", 0), lambd = n.getFloat("lambd", 0.5);
  Value wide =
      n.isFloat(0) ? x : n.cast(x, n.e.b.getF64Type(), n.isUnsigned(0));
  Value b = n.number(bias, wide), l = n.number(lambd, wide);
  Value low = n.lt(wide, n.unary<prim::NegOp>(l)), high = n.gt(wide, l);
  Value result = n.where(low, n.add(wide, b),
                         n.where(high, n.sub(wide, b), n.number(0, wide)));
  return n.set(n.cast(result, n.elementIn(0)));
}

/// What a function does along the axis. Before version 13 everything from the
/// axis on is one dimension.
LogicalResult alongAxis(Node &n, llvm::function_ref<Value(Value, int64_t)> fn) {
  Value x = n.in(0);
  bool flat = n.opset() < 13;
  int64_t dim = n.axisAttr("axis", flat ? 1 : -1, n.rank(0));
  if (n.broken)
    return failure();
  if (!flat)
    return n.set(fn(x, dim));
  Sizes sizes = n.e.sizesOf(x);
  Sizes two{n.e.sizeMath().product(ArrayRef(sizes).take_front(dim)),
            n.e.sizeMath().product(ArrayRef(sizes).drop_front(dim))};
  Value result = fn(n.e.reshape(x, two), 1);
  return n.set(result ? n.e.reshape(result, sizes) : Value());
}

LogicalResult softmax(Node &n) {
  return alongAxis(n, [&](Value x, int64_t dim) { return n.softmax(x, dim); });
}

LogicalResult logSoftmax(Node &n) {
  return alongAxis(n,
                   [&](Value x, int64_t dim) { return n.logSoftmax(x, dim); });
}

/// Hardmax: 1 at the first largest element, else 0.
LogicalResult hardmax(Node &n) {
  return alongAxis(n, [&](Value x, int64_t dim) -> Value {
    Ints shape(n.shape(x));
    shape.erase(shape.begin() + dim);
    Value first = prim::ArgmaxOp::create(
        n.e.b, RankedTensorType::get(shape, n.e.b.getI64Type()), x, dim, false);
    Value place = n.along(n.iota(n.e.sizesOf(x)[dim], n.e.b.getI64Type()), dim,
                          n.e.typeOf(x).getRank());
    return n.cast(n.eq(n.unsqueeze(first, {dim}), place), n.e.elementOf(x));
  });
}

} // namespace

Value activate(Node &n, Value x, StringRef name, ArrayRef<double> parameters) {
  if (!x || name.empty())
    return x;
  auto parameter = [&](size_t i, double otherwise) {
    return i < parameters.size() ? parameters[i] : otherwise;
  };
  if (name == "Relu")
    return n.unary<prim::ReluOp>(x);
  if (name == "Sigmoid")
    return n.unary<prim::SigmoidOp>(x);
  if (name == "Tanh")
    return n.unary<prim::TanhOp>(x);
  if (name == "LeakyRelu")
    return orElse(n, x, n.mul(x, n.number(parameter(0, 0.01f), x)), false);
  if (name == "HardSigmoid")
    return hardSigmoid(n, x, parameter(0, 0.2f), parameter(1, 0.5));
  if (name == "Clip" && parameters.size() == 2)
    return n.clamp(x, parameters[0], parameters[1]);
  return n.refuse("has activation '" + name + "'");
}

void addActivationRules(NodeRules &rules) {
  rules.add("Relu", relu);
  rules.add("Sigmoid", unary<prim::SigmoidOp>);
  rules.add("Elu", elu);
  rules.add("Celu", celu);
  rules.add("Selu", selu);
  rules.add("LeakyRelu", leakyRelu);
  rules.add("PRelu", prelu, 2);
  rules.add("ThresholdedRelu", thresholdedRelu);
  rules.add("HardSigmoid", hardSigmoid);
  rules.add("HardSwish", hardSwish);
  rules.add("Softplus", softplus);
  rules.add("Softsign", softsign);
  rules.add("Mish", mish);
  rules.add("Gelu", gelu);
  rules.add("Swish", swish);
  rules.add("SwiGLU", swiGlu, 2);
  rules.add("Shrink", shrink);
  rules.add("ai.onnx.ml.Binarizer", binarizer);
  rules.add("ai.onnx.ml.Scaler", scaler);
  rules.add("ai.onnx.ml.Imputer", imputer);
  rules.add("ai.onnx.ml.LinearRegressor", linearRegressor);
  rules.add("Softmax", softmax);
  rules.add("LogSoftmax", logSoftmax);
  rules.add("Hardmax", hardmax);
}

} // namespace kiln::onnx_to_prim
