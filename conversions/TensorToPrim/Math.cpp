// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of math.
#include "Narrow.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// The translated operands, of one shape; none after a report.
FailureOr<SmallVector<Value>> operands(Operation *op, Translator &e) {
  SmallVector<Value> values;
  if (isa<VectorType>(op->getResult(0).getType()))
    return e.unsupported(op, "on vectors");
  for (Value operand : op->getOperands()) {
    values.push_back(e.get(operand));
    if (!values.back())
      return failure();
  }
  if (failed(e.broadcastTogether(op, values)))
    return failure();
  return values;
}

template <typename From, typename To>
LogicalResult unary(From op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  return e.set(op, wrapTo(op.getType(), e.unary<To>((*x)[0]), e));
}

/// Counts bits of numbers without a sign; zeros beyond them do not count.
template <typename From, typename To>
LogicalResult count(From op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  Value bits = e.unary<To>(clearSpare(op.getType(), (*x)[0], e));
  if (isa<math::CountLeadingZerosOp>(op))
    bits = e.sub(bits, e.integer(spareBits(op.getType()), bits));
  return e.set(op, wrapTo(op.getType(), bits, e));
}

template <typename From, typename To>
LogicalResult binary(From op, Translator &e) {
  auto x = operands(op, e);
  return failed(x) ? failure() : e.set(op, e.binary<To>((*x)[0], (*x)[1]));
}

/// A test of each element.
template <typename From, typename To>
LogicalResult test(From op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  auto type = cast<RankedTensorType>((*x)[0].getType());
  return e.set(op, To::create(e.b, type.clone(e.b.getI1Type()), (*x)[0]));
}

/// x to a power that is a small constant, by multiplication.
Value smallPower(Value x, int64_t power, Translator &e) {
  if (power == 0)
    return e.number(1, x);
  if (power < 0)
    return e.unary<prim::ReciprocalOp>(smallPower(x, -power, e));
  Value half = power > 1 ? smallPower(x, power / 2, e) : Value();
  if (!half)
    return x;
  Value square = e.mul(half, half);
  return power % 2 ? e.mul(square, x) : square;
}

LogicalResult fpowi(math::FPowIOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  std::optional<TypedAttr> splat = e.splatOf((*x)[1]);
  if (auto number = splat ? dyn_cast<IntegerAttr>(*splat) : IntegerAttr())
    if (std::abs(number.getInt()) <= 4)
      return e.set(op, smallPower((*x)[0], number.getInt(), e));
  Value exponent = e.convert((*x)[1], e.elementOf((*x)[0]));
  return e.set(op, e.binary<prim::PowOp>((*x)[0], exponent));
}

/// The square needs no power function.
LogicalResult powf(math::PowFOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  std::optional<TypedAttr> splat = e.splatOf((*x)[1]);
  auto number = splat ? dyn_cast<FloatAttr>(*splat) : FloatAttr();
  if (number && number.getValueAsDouble() == 2.0)
    return e.set(op, e.mul((*x)[0], (*x)[0]));
  return e.set(op, e.binary<prim::PowOp>((*x)[0], (*x)[1]));
}

LogicalResult ipowi(math::IPowIOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  if (e.elementOf((*x)[0]).isInteger(1))
    return e.unsupported(op, "on i1");
  return e.set(
      op, wrapTo(op.getType(), e.binary<prim::PowOp>((*x)[0], (*x)[1]), e));
}

LogicalResult fma(math::FmaOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  return e.set(op, prim::FmaOp::create(e.b, (*x)[0], (*x)[1], (*x)[2]));
}

LogicalResult clampf(math::ClampFOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  return e.set(op, e.binary<prim::MaximumOp>(
                       e.binary<prim::MinimumOp>((*x)[0], (*x)[2]), (*x)[1]));
}

LogicalResult sincos(math::SincosOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  return success(succeeded(e.set(op.getSin(), e.unary<prim::SinOp>((*x)[0]))) &&
                 succeeded(e.set(op.getCos(), e.unary<prim::CosOp>((*x)[0]))));
}

/// Neither zero nor subnormal, and finite.
LogicalResult isNormal(math::IsNormalOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  auto element = cast<FloatType>(e.elementOf((*x)[0]));
  auto least = APFloat::getSmallestNormalized(element.getFloatSemantics());
  Value size = e.unary<prim::AbsOp>((*x)[0]);
  Value large = e.compare<prim::GeOp>(
      size, e.full(FloatAttr::get(element, least), e.sizesOf(size)));
  Value finite = prim::IsFiniteOp::create(
      e.b, e.typeOf(size).clone(e.b.getI1Type()), size);
  return e.set(op, e.binary<prim::BitwiseAndOp>(large, finite));
}

template <typename From, typename To> void addUnary(Rules &rules) {
  rules.add<From>(unary<From, To>);
}

} // namespace

void addMathRules(Rules &rules) {
  addUnary<math::AbsFOp, prim::AbsOp>(rules);
  addUnary<math::AbsIOp, prim::AbsOp>(rules);
  addUnary<math::AcosOp, prim::AcosOp>(rules);
  addUnary<math::AcoshOp, prim::AcoshOp>(rules);
  addUnary<math::AsinOp, prim::AsinOp>(rules);
  addUnary<math::AsinhOp, prim::AsinhOp>(rules);
  addUnary<math::AtanOp, prim::AtanOp>(rules);
  addUnary<math::AtanhOp, prim::AtanhOp>(rules);
  addUnary<math::CbrtOp, prim::CbrtOp>(rules);
  addUnary<math::CeilOp, prim::CeilOp>(rules);
  addUnary<math::CosOp, prim::CosOp>(rules);
  addUnary<math::CoshOp, prim::CoshOp>(rules);
  rules.add<math::CountLeadingZerosOp>(
      count<math::CountLeadingZerosOp, prim::ClzOp>);
  rules.add<math::CtPopOp>(count<math::CtPopOp, prim::PopulationCountOp>);
  addUnary<math::ErfOp, prim::ErfOp>(rules);
  addUnary<math::ErfcOp, prim::ErfcOp>(rules);
  addUnary<math::Exp2Op, prim::Exp2Op>(rules);
  addUnary<math::ExpM1Op, prim::Expm1Op>(rules);
  addUnary<math::ExpOp, prim::ExpOp>(rules);
  addUnary<math::FloorOp, prim::FloorOp>(rules);
  addUnary<math::Log10Op, prim::Log10Op>(rules);
  addUnary<math::Log1pOp, prim::Log1pOp>(rules);
  addUnary<math::Log2Op, prim::Log2Op>(rules);
  addUnary<math::LogOp, prim::LogOp>(rules);
  addUnary<math::RoundEvenOp, prim::RoundOp>(rules);
  addUnary<math::RoundOp, prim::RoundHalfAwayOp>(rules);
  addUnary<math::RsqrtOp, prim::RsqrtOp>(rules);
  addUnary<math::SinOp, prim::SinOp>(rules);
  addUnary<math::SinhOp, prim::SinhOp>(rules);
  addUnary<math::SqrtOp, prim::SqrtOp>(rules);
  addUnary<math::TanOp, prim::TanOp>(rules);
  addUnary<math::TanhOp, prim::TanhOp>(rules);
  addUnary<math::TruncOp, prim::TruncOp>(rules);
  rules.add<math::Atan2Op>(binary<math::Atan2Op, prim::Atan2Op>);
  rules.add<math::CopySignOp>(binary<math::CopySignOp, prim::CopysignOp>);
  rules.add<math::IsFiniteOp>(test<math::IsFiniteOp, prim::IsFiniteOp>);
  rules.add<math::IsInfOp>(test<math::IsInfOp, prim::IsInfOp>);
  rules.add<math::IsNaNOp>(test<math::IsNaNOp, prim::IsNanOp>);
  rules.add<math::FPowIOp>(fpowi);
  rules.add<math::PowFOp>(powf);
  rules.add<math::IPowIOp>(ipowi);
  rules.add<math::FmaOp>(fma);
  rules.add<math::ClampFOp>(clampf);
  rules.add<math::SincosOp>(sincos);
  rules.add<math::IsNormalOp>(isNormal);
}

} // namespace kiln::tensor_to_prim
