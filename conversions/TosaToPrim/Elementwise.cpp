// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations of TOSA.
#include "Rules.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// One operand, the same operation in prim.
template <typename From, typename To>
LogicalResult unary(From op, Translator &e) {
  Value operand = e.get(op->getOperand(0));
  constexpr bool isBits =
      llvm::is_one_of<To, prim::BitwiseNotOp, prim::ClzOp>::value;
  if (!isBits && !std::is_same_v<To, prim::AbsOp> &&
      !isa<FloatType>(e.elementOf(operand)))
    return e.unsupported(op, "on integers");
  // One bit: it has a leading zero if it is not set, and no sign to speak of.
  if (e.elementOf(operand).isInteger(1))
    return e.set(op->getResult(0),
                 isBits ? e.unary<prim::BitwiseNotOp>(operand) : operand);
  return e.set(op->getResult(0), e.unary<To>(operand));
}

/// The operands of an operation, brought to one shape.
FailureOr<SmallVector<Value>> operands(Operation *op, Translator &e) {
  SmallVector<Value> values;
  for (Value operand : op->getOperands())
    values.push_back(e.get(operand));
  if (failed(e.broadcastTogether(op, values)))
    return failure();
  return values;
}

/// Arithmetic modulo 2 of operations that prim has for wider integers only.
template <typename To> Value onBits(Value lhs, Value rhs, Translator &e) {
  Value other = e.unary<prim::BitwiseNotOp>(rhs);
  if (std::is_same_v<To, prim::PowOp>)
    return e.binary<prim::BitwiseOrOp>(lhs, other);
  if (std::is_same_v<To, prim::DivOp>)
    return lhs;
  return e.binary<prim::BitwiseAndOp>(lhs, other); // shifts
}

/// Two operands, the same operation in prim.
template <typename From, typename To>
LogicalResult binary(From op, Translator &e) {
  auto values = operands(op, e);
  if (failed(values))
    return failure();
  Value lhs = (*values)[0], rhs = (*values)[1];
  constexpr bool isLogic =
      llvm::is_one_of<To, prim::BitwiseAndOp, prim::BitwiseOrOp,
                      prim::BitwiseXorOp>::value;
  if (!isLogic && e.elementOf(lhs).isInteger(1))
    return e.set(op->getResult(0), onBits<To>(lhs, rhs, e));
  if (std::is_same_v<To, prim::DivOp> && isUnsigned(op.getType()))
    return e.unsupported(op, "on unsigned integers");
  return e.set(op->getResult(0), e.binary<To>(lhs, rhs));
}

template <typename From, typename To>
LogicalResult compare(From op, Translator &e) {
  auto values = operands(op, e);
  if (failed(values))
    return failure();
  if (isUnsigned(op->getOperand(0).getType()))
    return e.unsupported(op, "on unsigned integers");
  return e.set(op->getResult(0), e.compare<To>((*values)[0], (*values)[1]));
}

LogicalResult add(tosa::AddOp op, Translator &e) {
  auto values = operands(op, e);
  if (failed(values))
    return failure();
  return e.set(op, e.add((*values)[0], (*values)[1]));
}

LogicalResult sub(tosa::SubOp op, Translator &e) {
  auto values = operands(op, e);
  if (failed(values))
    return failure();
  return e.set(op, e.sub((*values)[0], (*values)[1]));
}

/// A product in 64 bits, shifted by a number that is computed and rounded to
/// nearest, halves up.
LogicalResult mulComputed(tosa::MulOp op, Value lhs, Value rhs, Type element,
                          Translator &e) {
  if (!e.elementOf(lhs).isInteger(32))
    return e.unsupported(op, "has a shift that is not a constant, which is for "
                             "operands of i32 only");
  Type work = e.b.getI64Type();
  Value amount = e.get(op.getShift());
  RankedTensorType type = e.typeOf(amount);
  if (!type.hasStaticShape() || type.getNumElements() != 1)
    return e.unsupported(op, "has a shift that is not one number");
  Value product = e.mul(e.convert(lhs, work), e.convert(rhs, work));
  amount =
      e.broadcastInDim(e.reshape(e.convert(amount, work), ArrayRef<int64_t>()),
                       {}, e.sizesOf(product));
  Value one = e.integer(1, product);
  // Nothing where the shift is 0.
  Value half = e.binary<prim::ShiftRightLogicalOp>(
      e.binary<prim::ShiftLeftOp>(one, amount), one);
  return e.set(op, e.convert(e.binary<prim::ShiftRightArithmeticOp>(
                                 e.add(product, half), amount),
                             element));
}

/// Integers are multiplied in the type of the result; i32 with a shift in 64
/// bits, rounded to nearest, halves up.
LogicalResult mul(tosa::MulOp op, Translator &e) {
  SmallVector<Value, 2> values{e.get(op.getInput1()), e.get(op.getInput2())};
  if (failed(e.broadcastTogether(op, values)))
    return failure();
  Type element = primElement(getElementTypeOrSelf(op.getType()));
  if (!element)
    return e.unsupported(op,
                         "has a result of type " + Twine(text(op.getType())));
  Type from = e.elementOf(values[0]);
  auto shift = e.integersOf(e.get(op.getShift()));
  if (shift && shift->size() == 1 && shift->front() != 0 &&
      !getElementTypeOrSelf(op.getInput1().getType()).isInteger(32))
    return e.unsupported(op, "has a shift of " + Twine(shift->front()) +
                                 ", which is for operands of i32 only");
  if (isa<FloatType>(from) || from.isInteger(1))
    return e.set(op, e.convert(e.mul(values[0], values[1]), element));
  if (!shift || shift->size() != 1)
    return mulComputed(op, values[0], values[1], element, e);
  bool wide = from.isInteger(32) && shift->front() > 0;
  if (shift->front() < 0 || shift->front() > 63)
    return e.unsupported(op, "has a shift of " + Twine(shift->front()) +
                                 ", outside of [0, 63]");
  Type work = wide ? Type(e.b.getI64Type()) : element;
  Value product = e.mul(e.convert(values[0], work), e.convert(values[1], work));
  if (wide) {
    Value half = e.integer(int64_t(1) << (shift->front() - 1), product);
    product = e.binary<prim::ShiftRightArithmeticOp>(
        e.add(product, half), e.integer(shift->front(), product));
  }
  return e.set(op, e.convert(product, element));
}

/// Larger or smaller; NaN wins or loses by `nan_mode`.
template <typename From, typename Propagate, typename Ignore>
LogicalResult extremum(From op, Translator &e) {
  auto values = operands(op, e);
  if (failed(values))
    return failure();
  if (isUnsigned(op.getType()))
    return e.unsupported(op, "on unsigned integers");
  bool ignore = op.getNanMode() == tosa::NanPropagationMode::IGNORE &&
                isa<FloatType>(e.elementOf((*values)[0]));
  return e.set(op, ignore ? e.binary<Ignore>((*values)[0], (*values)[1])
                          : e.binary<Propagate>((*values)[0], (*values)[1]));
}

/// The shift rounds to nearest, halves up, if `round` is set.
LogicalResult arithmeticRightShift(tosa::ArithmeticRightShiftOp op,
                                   Translator &e) {
  auto values = operands(op, e);
  if (failed(values))
    return failure();
  Value x = (*values)[0], amount = (*values)[1];
  if (e.elementOf(x).isInteger(1))
    return e.set(op, x); // the sign comes in
  Value result = e.binary<prim::ShiftRightArithmeticOp>(x, amount);
  if (!op.getRound())
    return e.set(op, result);
  Value one = e.integer(1, x), zero = e.integer(0, x);
  Value last = e.binary<prim::ShiftRightArithmeticOp>(x, e.sub(amount, one));
  Value carry = e.binary<prim::BitwiseAndOp>(last, one);
  Value shifted = e.compare<prim::GtOp>(amount, zero);
  return e.set(op, e.add(result, e.where(shifted, carry, zero)));
}

/// output_zp - (x - input1_zp), clipped to the type of the result.
LogicalResult negate(tosa::NegateOp op, Translator &e) {
  Value x = e.get(op.getInput1());
  auto element = dyn_cast<IntegerType>(e.elementOf(x));
  if (!element)
    return e.set(op, e.unary<prim::NegOp>(x));
  auto in = e.integersOf(e.get(op.getInput1Zp()));
  auto out = e.integersOf(e.get(op.getOutputZp()));
  if (!in || !out)
    return e.unsupported(op, "has a zero point that is not a constant");
  if (element.getWidth() == 1)
    return e.set(op, x);
  if (element.getWidth() >= 32) {
    if (in->front() == 0 && out->front() == 0)
      return e.set(op, e.unary<prim::NegOp>(x));
    Value sum = e.integer(in->front() + out->front(), x);
    return e.set(op, e.sub(sum, x));
  }
  Value wide = e.convert(x, e.b.getI32Type());
  Value result = e.sub(e.integer(in->front() + out->front(), wide), wide);
  int64_t high = (int64_t(1) << (element.getWidth() - 1)) - 1;
  return e.set(op, e.convert(e.clampTo(result, -high - 1, high), element));
}

LogicalResult clamp(tosa::ClampOp op, Translator &e) {
  Value x = e.get(op.getInput());
  Type element = e.elementOf(x);
  auto bound = [&](Attribute attr) -> TypedAttr {
    if (auto number = dyn_cast<FloatAttr>(attr)) {
      if (!isa<FloatType>(element))
        return {};
      APFloat value = number.getValue();
      bool lost;
      value.convert(cast<FloatType>(element).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &lost);
      return FloatAttr::get(element, value);
    }
    auto number = dyn_cast<IntegerAttr>(attr);
    if (!number || !isa<IntegerType>(element))
      return {};
    return IntegerAttr::get(element, number.getValue().sextOrTrunc(
                                         element.getIntOrFloatBitWidth()));
  };
  TypedAttr min = bound(op.getMinValAttr()), max = bound(op.getMaxValAttr());
  if (!min || !max)
    return e.unsupported(op, "has bounds of another kind than its operand");
  bool ignore = isa<FloatType>(element) &&
                op.getNanMode() == tosa::NanPropagationMode::IGNORE;
  return e.set(op, prim::ClampOp::create(e.b, x.getType(), x, min, max, ignore,
                                         isUnsigned(op.getType())));
}

LogicalResult select(tosa::SelectOp op, Translator &e) {
  auto values = operands(op, e);
  if (failed(values))
    return failure();
  return e.set(op, e.where((*values)[0], (*values)[1], (*values)[2]));
}

/// Rounds to nearest, ties to even, and saturates; -0.0 and NaN give 0.
LogicalResult cast_(tosa::CastOp op, Translator &e) {
  Value x = e.get(op.getInput());
  Type element = primElement(getElementTypeOrSelf(op.getType()));
  if (!element)
    return e.unsupported(op, "to " + Twine(text(op.getType())));
  Type to = getElementTypeOrSelf(op.getType());
  if (to.isInteger(4) || to.isInteger(48))
    return e.unsupported(op, "to " + Twine(text(to)));
  bool round = isa<FloatType>(e.elementOf(x)) && isa<IntegerType>(element) &&
               !element.isInteger(1);
  return e.set(op,
               e.convert(x, element, round, isUnsigned(op.getInput().getType()),
                         isUnsigned(op.getType())));
}

LogicalResult identity(tosa::IdentityOp op, Translator &e) {
  return e.set(op, e.get(op.getInput1()));
}

template <typename From, typename To> void addUnary(Rules &rules) {
  rules.add<From>(unary<From, To>);
}
template <typename From, typename To> void addBinary(Rules &rules) {
  rules.add<From>(binary<From, To>);
}

} // namespace

void addElementwiseRules(Rules &rules) {
  addUnary<tosa::AbsOp, prim::AbsOp>(rules);
  addUnary<tosa::BitwiseNotOp, prim::BitwiseNotOp>(rules);
  addUnary<tosa::CeilOp, prim::CeilOp>(rules);
  addUnary<tosa::ClzOp, prim::ClzOp>(rules);
  addUnary<tosa::CosOp, prim::CosOp>(rules);
  addUnary<tosa::ErfOp, prim::ErfOp>(rules);
  addUnary<tosa::ExpOp, prim::ExpOp>(rules);
  addUnary<tosa::FloorOp, prim::FloorOp>(rules);
  addUnary<tosa::LogOp, prim::LogOp>(rules);
  addUnary<tosa::LogicalNotOp, prim::BitwiseNotOp>(rules);
  addUnary<tosa::ReciprocalOp, prim::ReciprocalOp>(rules);
  addUnary<tosa::RsqrtOp, prim::RsqrtOp>(rules);
  addUnary<tosa::SigmoidOp, prim::SigmoidOp>(rules);
  addUnary<tosa::SinOp, prim::SinOp>(rules);
  addUnary<tosa::TanhOp, prim::TanhOp>(rules);
  addBinary<tosa::BitwiseAndOp, prim::BitwiseAndOp>(rules);
  addBinary<tosa::BitwiseOrOp, prim::BitwiseOrOp>(rules);
  addBinary<tosa::BitwiseXorOp, prim::BitwiseXorOp>(rules);
  addBinary<tosa::IntDivOp, prim::DivOp>(rules);
  addBinary<tosa::LogicalAndOp, prim::BitwiseAndOp>(rules);
  addBinary<tosa::LogicalOrOp, prim::BitwiseOrOp>(rules);
  addBinary<tosa::LogicalXorOp, prim::BitwiseXorOp>(rules);
  addBinary<tosa::LogicalLeftShiftOp, prim::ShiftLeftOp>(rules);
  addBinary<tosa::LogicalRightShiftOp, prim::ShiftRightLogicalOp>(rules);
  addBinary<tosa::PowOp, prim::PowOp>(rules);
  rules.add<tosa::EqualOp>(compare<tosa::EqualOp, prim::EqOp>);
  rules.add<tosa::GreaterOp>(compare<tosa::GreaterOp, prim::GtOp>);
  rules.add<tosa::GreaterEqualOp>(compare<tosa::GreaterEqualOp, prim::GeOp>);
  rules.add<tosa::MaximumOp>(
      extremum<tosa::MaximumOp, prim::MaximumOp, prim::FmaxOp>);
  rules.add<tosa::MinimumOp>(
      extremum<tosa::MinimumOp, prim::MinimumOp, prim::FminOp>);
  rules.add<tosa::AddOp>(add);
  rules.add<tosa::SubOp>(sub);
  rules.add<tosa::MulOp>(mul);
  rules.add<tosa::ArithmeticRightShiftOp>(arithmeticRightShift);
  rules.add<tosa::NegateOp>(negate);
  rules.add<tosa::ClampOp>(clamp);
  rules.add<tosa::SelectOp>(select);
  rules.add<tosa::CastOp>(cast_);
  rules.add<tosa::IdentityOp>(identity);
}

} // namespace kiln::tensor_to_prim
