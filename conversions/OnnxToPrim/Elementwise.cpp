// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, comparisons, logic and functions, element by element.
#include "Node.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

template <typename Op> LogicalResult unary(Node &n) {
  return n.set(n.unary<Op>(n.in(0)));
}

/// A function whose operand may be an integer, which it leaves as it is.
template <typename Op> LogicalResult rounding(Node &n) {
  return n.isFloat(0) ? unary<Op>(n) : n.set(n.in(0));
}

/// Sums, differences and products wrap and do not see signs.
template <typename Op> LogicalResult binary(Node &n) {
  return n.set(n.binary<Op>(n.in(0), n.in(1)));
}

/// An operation that says whether integers are unsigned.
template <typename Op> Value ordered(Node &n, Value a, Value c) {
  Value both[] = {a, c};
  n.together(both);
  bool isUnsigned = n.isUnsigned(0) && !n.e.elementOf(both[0]).isInteger(1);
  return Op::create(n.e.b, both[0].getType(), both[0], both[1], isUnsigned);
}

LogicalResult div(Node &n) {
  return n.set(ordered<prim::DivOp>(n, n.in(0), n.in(1)));
}

/// Mod: the sign is the divisor's, with `fmod` the dividend's.
LogicalResult mod(Node &n) {
  return n.set(n.getInt("fmod", 0)
                   ? ordered<prim::FmodOp>(n, n.in(0), n.in(1))
                   : ordered<prim::RemainderOp>(n, n.in(0), n.in(1)));
}

/// Max, Min: of any number of tensors.
template <typename Op> LogicalResult extremum(Node &n) {
  Value result = n.in(0);
  for (unsigned i = 1; i < n.numInputs(); ++i)
    result = ordered<Op>(n, result, n.in(i));
  return n.set(result);
}

/// Sum, Mean.
/// Of narrow floats in f32: a sum may leave their range and its mean not.
template <bool isMean> LogicalResult sum(Node &n) {
  Type element = n.e.elementOf(n.in(0));
  bool isNarrow =
      isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  Value result;
  for (unsigned i = 0; i < n.numInputs(); ++i) {
    Value term = isNarrow ? n.f32(n.in(i)) : n.in(i);
    result = result ? n.add(result, term) : term;
  }
  if (isMean && !n.broken)
    result = n.div(result, n.number(n.numInputs(), result));
  return n.set(isNarrow ? n.cast(result, element) : result);
}

template <typename Op> LogicalResult order(Node &n) {
  Value both[] = {n.in(0), n.in(1)};
  n.together(both);
  bool isUnsigned = n.isUnsigned(0);
  Type type = n.e.typeOf(both[0]).clone(n.e.b.getI1Type());
  return n.set(Op::create(n.e.b, type, both[0], both[1], isUnsigned));
}

LogicalResult equal(Node &n) { return n.set(n.eq(n.in(0), n.in(1))); }

/// The power of integers whose exponent has no sign. Where its top bit is set:
/// even without it, times a to the 2^(n-1), which is 1 for odd numbers and 0
/// for even ones.
Value unsignedPower(Node &n, Value base, Value exponent) {
  Type element = n.e.elementOf(exponent);
  APInt most = APInt::getSignedMaxValue(element.getIntOrFloatBitWidth());
  Value low = n.binary<prim::PowOp>(
      base, n.both(exponent, n.e.full(IntegerAttr::get(element, most), {})));
  Value odd = n.both(base, n.number(1, base));
  return n.where(n.lt(exponent, n.number(0, exponent)), n.mul(low, odd), low);
}

/// Pow: the result has the type of the base.
LogicalResult pow(Node &n) {
  Value base = n.in(0), exponent = n.in(1);
  Type element = n.elementIn(0);
  bool isFloat = n.isFloat(0), byFloat = n.isFloat(1);
  if (!isFloat && byFloat) {
    Type wide = n.e.b.getF64Type();
    Value result = n.binary<prim::PowOp>(n.cast(base, wide, n.isUnsigned(0)),
                                         n.cast(exponent, wide));
    return n.set(n.cast(result, element));
  }
  exponent = n.cast(exponent, element, n.isUnsigned(1));
  if (!isFloat && n.isUnsigned(1))
    return n.set(unsignedPower(n, base, exponent));
  return n.set(n.binary<prim::PowOp>(base, exponent));
}

/// BitShift: signed numbers keep their sign. Amounts of all bits or more leave
/// nothing but it; negative ones count as such.
LogicalResult bitShift(Node &n) {
  StringRef direction = n.getString("direction");
  if (direction != "LEFT" && direction != "RIGHT")
    return n.fail("has direction '" + direction + "'");
  Value both[] = {n.in(0), n.in(1)};
  n.together(both);
  if (n.broken || !isa<IntegerType>(n.e.elementOf(both[0])))
    return n.broken ? failure() : n.fail("of elements that are no integers");
  int64_t width = n.e.elementOf(both[0]).getIntOrFloatBitWidth();
  Value inside = n.both(n.ge(both[1], n.number(0, both[1])),
                        n.lt(both[1], n.number(width, both[1])));
  Value rest = n.number(0, both[0]), shifted;
  if (direction == "LEFT") {
    shifted = n.binary<prim::ShiftLeftOp>(both[0], both[1]);
  } else if (n.isUnsigned(0)) {
    shifted = n.binary<prim::ShiftRightLogicalOp>(both[0], both[1]);
  } else {
    shifted = n.binary<prim::ShiftRightArithmeticOp>(both[0], both[1]);
    rest = n.binary<prim::ShiftRightArithmeticOp>(both[0],
                                                  n.number(width - 1, both[0]));
  }
  return n.set(n.where(inside, shifted, rest));
}

LogicalResult isInf(Node &n) {
  bool negative = n.getInt("detect_negative", 1),
       positive = n.getInt("detect_positive", 1);
  Value x = n.in(0), zero = n.number(0, x);
  Value result =
      prim::IsInfOp::create(n.e.b, n.e.typeOf(x).clone(n.e.b.getI1Type()), x);
  if (!negative)
    result = n.both(result, n.gt(x, zero));
  if (!positive)
    result = n.both(result, n.lt(x, zero));
  return n.set(result);
}

LogicalResult isNan(Node &n) { return n.set(n.e.isNan(n.in(0))); }

LogicalResult where(Node &n) {
  return n.set(n.where(n.in(0), n.in(1), n.in(2)));
}

/// Clip: limits are inputs, before version 11 attributes. Where they cross the
/// upper one counts.
LogicalResult clip(Node &n) {
  Value x = n.in(0);
  Value low = n.has(1) ? n.in(1) : Value(), high = n.has(2) ? n.in(2) : Value();
  if (n.hasAttr("min"))
    low = n.number(n.getFloat("min", 0), x);
  if (n.hasAttr("max"))
    high = n.number(n.getFloat("max", 0), x);
  if (low)
    x = ordered<prim::MaximumOp>(n, x, low);
  if (high)
    x = ordered<prim::MinimumOp>(n, x, high);
  return n.set(x);
}

/// What is unsigned has no sign to drop.
LogicalResult abs(Node &n) {
  return n.isUnsigned(0) ? n.set(n.in(0)) : unary<prim::AbsOp>(n);
}

LogicalResult sign(Node &n) {
  if (!n.isUnsigned(0))
    return unary<prim::SignOp>(n);
  Value x = n.in(0);
  return n.set(
      n.where(n.eq(x, n.number(0, x)), n.number(0, x), n.number(1, x)));
}

} // namespace

void addElementwiseRules(NodeRules &rules) {
  rules.add("Abs", abs);
  rules.add("Neg", unary<prim::NegOp>);
  rules.add("Ceil", rounding<prim::CeilOp>);
  rules.add("Floor", rounding<prim::FloorOp>);
  rules.add("Round", rounding<prim::RoundOp>);
  rules.add("Sign", sign);
  rules.add("Exp", unary<prim::ExpOp>);
  rules.add("Log", unary<prim::LogOp>);
  rules.add("Sqrt", unary<prim::SqrtOp>);
  rules.add("Reciprocal", unary<prim::ReciprocalOp>);
  rules.add("Sin", unary<prim::SinOp>);
  rules.add("Cos", unary<prim::CosOp>);
  rules.add("Tan", unary<prim::TanOp>);
  rules.add("Asin", unary<prim::AsinOp>);
  rules.add("Acos", unary<prim::AcosOp>);
  rules.add("Atan", unary<prim::AtanOp>);
  rules.add("Sinh", unary<prim::SinhOp>);
  rules.add("Cosh", unary<prim::CoshOp>);
  rules.add("Tanh", unary<prim::TanhOp>);
  rules.add("Asinh", unary<prim::AsinhOp>);
  rules.add("Acosh", unary<prim::AcoshOp>);
  rules.add("Atanh", unary<prim::AtanhOp>);
  rules.add("Erf", unary<prim::ErfOp>);
  rules.add("Not", unary<prim::BitwiseNotOp>);
  rules.add("BitwiseNot", unary<prim::BitwiseNotOp>);
  rules.add("Add", binary<prim::AddOp>, 2);
  rules.add("Sub", binary<prim::SubOp>, 2);
  rules.add("Mul", binary<prim::MulOp>, 2);
  rules.add("Div", div, 2);
  rules.add("Mod", mod, 2);
  rules.add("Pow", pow, 2);
  rules.add("And", binary<prim::BitwiseAndOp>, 2);
  rules.add("BitwiseAnd", binary<prim::BitwiseAndOp>, 2);
  rules.add("Or", binary<prim::BitwiseOrOp>, 2);
  rules.add("BitwiseOr", binary<prim::BitwiseOrOp>, 2);
  rules.add("Xor", binary<prim::BitwiseXorOp>, 2);
  rules.add("BitwiseXor", binary<prim::BitwiseXorOp>, 2);
  rules.add("BitShift", bitShift, 2);
  rules.add("Max", extremum<prim::MaximumOp>);
  rules.add("Min", extremum<prim::MinimumOp>);
  rules.add("Sum", sum<false>);
  rules.add("Mean", sum<true>);
  rules.add("Equal", equal, 2);
  rules.add("Less", order<prim::LtOp>, 2);
  rules.add("LessOrEqual", order<prim::LeOp>, 2);
  rules.add("Greater", order<prim::GtOp>, 2);
  rules.add("GreaterOrEqual", order<prim::GeOp>, 2);
  rules.add("IsInf", isInf);
  rules.add("IsNaN", isNan);
  rules.add("Where", where, 3);
  rules.add("Clip", clip);
}

} // namespace kiln::onnx_to_prim
