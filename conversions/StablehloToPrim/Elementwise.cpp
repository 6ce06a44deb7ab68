// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, logic, comparison and selection of StableHLO.
#include "Interleave.h"
#include "Narrow.h"
#include "Reduction.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// The operands of an operation on real numbers, or nothing after a report.
std::optional<std::pair<Value, Value>> realPair(Operation *op, Translator &e) {
  if (isComplex(op->getOperand(0).getType())) {
    (void)e.unsupported(op, "on complex numbers");
    return std::nullopt;
  }
  return std::pair(e.get(op->getOperand(0)), e.get(op->getOperand(1)));
}

bool isBool(Value x, Translator &e) { return e.elementOf(x).isInteger(1); }

template <typename Op, typename Bits> LogicalResult sum(Op op, Translator &e) {
  constexpr bool isAdd = std::is_same_v<Op, stablehlo::AddOp>;
  if (isAdd)
    if (Tensors joined = interleave(op.getLhs(), op.getRhs(), e);
        !joined.empty())
      return bind(op, joined, e);
  if (isComplex(op.getType())) {
    Complex a = complexOf(op.getLhs(), e), b = complexOf(op.getRhs(), e);
    return bind(op,
                isAdd ? ArrayRef<Value>{e.add(a.re, b.re), e.add(a.im, b.im)}
                      : ArrayRef<Value>{e.sub(a.re, b.re), e.sub(a.im, b.im)},
                e);
  }
  Value a = e.get(op.getLhs()), b = e.get(op.getRhs());
  if (isBool(a, e))
    return e.set(op, e.binary<Bits>(a, b));
  return e.set(op, isAdd ? e.add(a, b) : e.sub(a, b));
}

LogicalResult multiply(stablehlo::MulOp op, Translator &e) {
  if (isComplex(op.getType())) {
    Complex z = ComplexMath(op, e).mul(complexOf(op.getLhs(), e),
                                       complexOf(op.getRhs(), e));
    return bind(op, {z.re, z.im}, e);
  }
  return e.set(op, e.mul(e.get(op.getLhs()), e.get(op.getRhs())));
}

/// Integers: towards zero; by zero all bits are set, and the smallest value by
/// -1 is itself.
LogicalResult divide(stablehlo::DivOp op, Translator &e) {
  if (isComplex(op.getType())) {
    Complex z = ComplexMath(op, e).div(complexOf(op.getLhs(), e),
                                       complexOf(op.getRhs(), e));
    return bind(op, {z.re, z.im}, e);
  }
  Value a = e.get(op.getLhs()), b = e.get(op.getRhs());
  if (!isa<IntegerType>(e.elementOf(a)))
    return e.set(op, e.binary<prim::DivOp>(a, b));
  if (isBool(a, e))
    return e.set(op, a);
  bool isUnsigned = tensor_to_prim::isUnsigned(op.getType());
  Value zero = e.integer(0, b), ones = e.integer(-1, b);
  Value none = e.compare<prim::EqOp>(b, zero);
  auto quotient =
      make(op, "div", {a, b}, a.getType(), e, unsignedFlag(isUnsigned, e));
  if (failed(quotient))
    return failure();
  Value result = (*quotient)->getResult(0);
  if (!isUnsigned)
    result = e.where(e.compare<prim::EqOp>(b, ones), e.unary<prim::NegOp>(a),
                     result);
  return e.set(op, e.where(none, ones, result));
}

/// The remainder with the sign of the dividend; by zero it is the dividend.
LogicalResult remainder(stablehlo::RemOp op, Translator &e) {
  auto pair = realPair(op, e);
  if (!pair)
    return failure();
  auto [a, b] = *pair;
  if (isBool(a, e))
    return e.set(
        op, e.binary<prim::BitwiseAndOp>(a, e.unary<prim::BitwiseNotOp>(b)));
  bool isUnsigned = tensor_to_prim::isUnsigned(op.getType());
  auto made =
      make(op, "fmod", {a, b}, a.getType(), e, unsignedFlag(isUnsigned, e));
  if (failed(made))
    return failure();
  Value rest = (*made)->getResult(0);
  if (!isa<IntegerType>(e.elementOf(a)))
    return e.set(op, rest);
  Value zero = e.integer(0, b);
  if (!isUnsigned)
    rest = e.where(e.compare<prim::EqOp>(b, e.integer(-1, b)), zero, rest);
  return e.set(op, e.where(e.compare<prim::EqOp>(b, zero), a, rest));
}

/// Larger or smaller; complex numbers by their real parts, then by the others.
template <typename Op, typename To, typename Better>
LogicalResult extremum(Op op, Translator &e) {
  if (isComplex(op.getType())) {
    Complex a = complexOf(op.getLhs(), e), b = complexOf(op.getRhs(), e);
    Value same = e.compare<prim::EqOp>(a.re, b.re);
    Value first = e.where(same, e.compare<Better>(a.im, b.im),
                          e.compare<Better>(a.re, b.re));
    return bind(op, {e.where(first, a.re, b.re), e.where(first, a.im, b.im)},
                e);
  }
  Value a = e.get(op.getLhs()), b = e.get(op.getRhs());
  bool isUnsigned = tensor_to_prim::isUnsigned(op.getType()) && !isBool(a, e);
  auto made = make(op, To::getOperationName().drop_front(5), {a, b},
                   a.getType(), e, unsignedFlag(isUnsigned, e));
  return failed(made) ? failure() : e.set(op, (*made)->getResult(0));
}

/// Integers wrap; a negative exponent leaves 1, -1 and 0.
LogicalResult power(stablehlo::PowOp op, Translator &e) {
  if (isComplex(op.getType())) {
    ComplexMath math(op, e);
    Complex z = math.pow(complexOf(op.getLhs(), e), complexOf(op.getRhs(), e));
    return math.good ? bind(op, {z.re, z.im}, e) : failure();
  }
  Value a = e.get(op.getLhs()), b = e.get(op.getRhs());
  if (isBool(a, e))
    return e.set(
        op, e.binary<prim::BitwiseOrOp>(a, e.unary<prim::BitwiseNotOp>(b)));
  if (!tensor_to_prim::isUnsigned(op.getType()))
    return e.set(op, e.binary<prim::PowOp>(a, b));
  // An exponent with the top bit set: even without it, of a power that wraps.
  Value rest = e.binary<prim::BitwiseAndOp>(
      b, e.full(IntegerAttr::get(e.elementOf(b),
                                 APInt::getSignedMaxValue(
                                     e.elementOf(b).getIntOrFloatBitWidth())),
                e.sizesOf(b)));
  Value low = e.binary<prim::PowOp>(a, rest);
  // a to the 2^(n-1) is 1 for odd numbers and 0 for even ones.
  Value odd = e.binary<prim::BitwiseAndOp>(a, e.integer(1, a));
  Value top = e.compare<prim::LtOp>(b, e.integer(0, b));
  return e.set(op, e.where(top, e.mul(low, odd), low));
}

LogicalResult atan2(stablehlo::Atan2Op op, Translator &e) {
  if (isComplex(op.getType())) {
    // -i log((x + iy) / sqrt(x x + y y))
    ComplexMath math(op, e);
    Complex y = complexOf(op.getLhs(), e), x = complexOf(op.getRhs(), e);
    Complex root = math.sqrt(math.add(math.mul(x, x), math.mul(y, y)));
    Complex z =
        math.turnBack(math.log(math.div(math.add(x, math.turn(y)), root)));
    return math.good ? bind(op, {z.re, z.im}, e) : failure();
  }
  Value result = call(op, "atan2", {e.get(op.getLhs()), e.get(op.getRhs())}, e);
  return result ? e.set(op, result) : failure();
}

template <typename Op, typename To> LogicalResult bits(Op op, Translator &e) {
  if (std::is_same_v<Op, stablehlo::OrOp>)
    if (Tensors joined = interleave(op.getLhs(), op.getRhs(), e);
        !joined.empty())
      return bind(op, joined, e);
  auto pair = realPair(op, e);
  if (!pair)
    return failure();
  return e.set(op, e.binary<To>(pair->first, pair->second));
}

/// An amount that is as large as the number of bits, or larger as unsigned.
template <typename Op, typename To> LogicalResult shift(Op op, Translator &e) {
  Value a = e.get(op.getLhs()), b = e.get(op.getRhs());
  if (isBool(a, e)) {
    constexpr bool keeps =
        std::is_same_v<Op, stablehlo::ShiftRightArithmeticOp>;
    return e.set(op, keeps ? a
                           : e.binary<prim::BitwiseAndOp>(
                                 a, e.unary<prim::BitwiseNotOp>(b)));
  }
  // All bits of narrow integers are those that are shifted in, too.
  if constexpr (std::is_same_v<Op, stablehlo::ShiftRightLogicalOp>)
    a = zeroExtended(op.getType(), a, e);
  if constexpr (std::is_same_v<Op, stablehlo::ShiftRightArithmeticOp>)
    a = signExtended(op.getType(), a, e);
  return e.set(op, e.binary<To>(a, b));
}

/// A comparison of real numbers.
Value compareReal(stablehlo::ComparisonDirection direction, Value a, Value b,
                  Translator &e) {
  switch (direction) {
  case stablehlo::ComparisonDirection::EQ:
    return e.compare<prim::EqOp>(a, b);
  case stablehlo::ComparisonDirection::NE:
    return e.compare<prim::NeOp>(a, b);
  case stablehlo::ComparisonDirection::GE:
    return e.compare<prim::GeOp>(a, b);
  case stablehlo::ComparisonDirection::GT:
    return e.compare<prim::GtOp>(a, b);
  case stablehlo::ComparisonDirection::LE:
    return e.compare<prim::LeOp>(a, b);
  case stablehlo::ComparisonDirection::LT:
    return e.compare<prim::LtOp>(a, b);
  }
  return {};
}

} // namespace

Value totalOrder(Operation *op, Value x, Translator &e) {
  unsigned width = e.elementOf(x).getIntOrFloatBitWidth();
  auto element = IntegerType::get(op->getContext(), width);
  Value bits = call(op, "bitcast", x, e, e.typeOf(x).clone(element));
  return bits ? orderedBits(bits, e) : Value();
}

Value orderedBits(Value bits, Translator &e) {
  auto element = cast<IntegerType>(e.elementOf(bits));
  Value low = e.full(
      IntegerAttr::get(element, APInt::getSignedMaxValue(element.getWidth())),
      e.sizesOf(bits));
  Value negative = e.compare<prim::LtOp>(bits, e.integer(0, bits));
  return e.where(negative, e.binary<prim::BitwiseXorOp>(bits, low), bits);
}

namespace {

LogicalResult compare(stablehlo::CompareOp op, Translator &e) {
  auto direction = op.getComparisonDirection();
  if (isComplex(op.getLhs().getType())) {
    Complex a = complexOf(op.getLhs(), e), b = complexOf(op.getRhs(), e);
    bool equal = direction == stablehlo::ComparisonDirection::EQ;
    if (!equal && direction != stablehlo::ComparisonDirection::NE)
      return e.unsupported(op, "orders complex numbers");
    Value re = compareReal(direction, a.re, b.re, e);
    Value im = compareReal(direction, a.im, b.im, e);
    return e.set(op, equal ? e.binary<prim::BitwiseAndOp>(re, im)
                           : e.binary<prim::BitwiseOrOp>(re, im));
  }
  Value a = e.get(op.getLhs()), b = e.get(op.getRhs());
  auto kind = op.getCompareType().value_or(stablehlo::ComparisonType::NOTYPE);
  if (kind == stablehlo::ComparisonType::TOTALORDER &&
      isa<FloatType>(e.elementOf(a))) {
    a = totalOrder(op, a, e);
    b = a ? totalOrder(op, b, e) : Value();
    if (!b)
      return failure();
  }
  if (isUnsigned(op.getLhs().getType()) && !isBool(a, e) &&
      direction != stablehlo::ComparisonDirection::EQ &&
      direction != stablehlo::ComparisonDirection::NE) {
    a = flipTop(a, e);
    b = flipTop(b, e);
  }
  return e.set(op, compareReal(direction, a, b, e));
}

/// The condition may be one for all elements.
LogicalResult select(stablehlo::SelectOp op, Translator &e) {
  Value condition = e.get(op.getPred());
  return eachPart(op, {op.getOnTrue(), op.getOnFalse()}, e,
                  [&](RankedTensorType, ArrayRef<Value> values) {
                    return e.where(spread(condition, values[0], e), values[0],
                                   values[1]);
                  });
}

/// Bounds may be one for all elements.
LogicalResult clamp(stablehlo::ClampOp op, Translator &e) {
  if (isComplex(op.getType()))
    return e.unsupported(op, "on complex numbers");
  Value x = e.get(op.getOperand());
  Value low = spread(e.get(op.getMin()), x, e);
  Value high = spread(e.get(op.getMax()), x, e);
  auto flags = unsignedFlag(isUnsigned(op.getType()) && !isBool(x, e), e);
  auto upper = make(op, "maximum", {low, x}, x.getType(), e, flags);
  if (failed(upper))
    return failure();
  auto both = make(op, "minimum", {(*upper)->getResult(0), high}, x.getType(),
                   e, flags);
  return failed(both) ? failure() : e.set(op, (*both)->getResult(0));
}

} // namespace

void addElementwiseRules(Rules &rules) {
  using namespace stablehlo;
  rules.add<stablehlo::AddOp>(sum<stablehlo::AddOp, prim::BitwiseOrOp>);
  rules.add<SubtractOp>(sum<SubtractOp, prim::BitwiseXorOp>);
  rules.add<stablehlo::MulOp>(multiply);
  rules.add<stablehlo::DivOp>(divide);
  rules.add<RemOp>(remainder);
  rules.add<MaxOp>(extremum<MaxOp, prim::MaximumOp, prim::GtOp>);
  rules.add<MinOp>(extremum<MinOp, prim::MinimumOp, prim::LtOp>);
  rules.add<stablehlo::PowOp>(power);
  rules.add<Atan2Op>(atan2);
  rules.add<AndOp>(bits<AndOp, prim::BitwiseAndOp>);
  rules.add<OrOp>(bits<OrOp, prim::BitwiseOrOp>);
  rules.add<XorOp>(bits<XorOp, prim::BitwiseXorOp>);
  rules.add<stablehlo::ShiftLeftOp>(
      shift<stablehlo::ShiftLeftOp, prim::ShiftLeftOp>);
  rules.add<stablehlo::ShiftRightArithmeticOp>(
      shift<stablehlo::ShiftRightArithmeticOp, prim::ShiftRightArithmeticOp>);
  rules.add<stablehlo::ShiftRightLogicalOp>(
      shift<stablehlo::ShiftRightLogicalOp, prim::ShiftRightLogicalOp>);
  rules.add<CompareOp>(compare);
  rules.add<SelectOp>(select);
  rules.add<stablehlo::ClampOp>(clamp);
}

} // namespace kiln::stablehlo_to_prim
