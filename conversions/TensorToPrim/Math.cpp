// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of math.
#include "Translator.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// The translated operands, of one shape.
FailureOr<SmallVector<Value>> operands(Operation *op, Translator &e) {
  SmallVector<Value> values;
  for (Value operand : op->getOperands())
    values.push_back(e.get(operand));
  if (isa<VectorType>(op->getResult(0).getType()))
    return e.unsupported(op, "on vectors");
  if (failed(e.broadcastTogether(op, values)))
    return failure();
  return values;
}

template <typename From, typename To>
LogicalResult unary(From op, Translator &e) {
  auto x = operands(op, e);
  return failed(x) ? failure() : e.set(op, e.unary<To>((*x)[0]));
}

/// A logarithm of another base, rounded twice.
template <typename From>
LogicalResult logarithm(From op, Translator &e, double base) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  Value log = e.unary<prim::LogOp>((*x)[0]);
  return e.set(op, e.mul(log, e.number(1 / std::log(base), log)));
}
LogicalResult log2(math::Log2Op op, Translator &e) {
  return logarithm(op, e, 2);
}
LogicalResult log10(math::Log10Op op, Translator &e) {
  return logarithm(op, e, 10);
}

LogicalResult tan(math::TanOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  return e.set(op, e.binary<prim::DivOp>(e.unary<prim::SinOp>((*x)[0]),
                                         e.unary<prim::CosOp>((*x)[0])));
}

LogicalResult cosh(math::CoshOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  Value sum = e.add(e.unary<prim::ExpOp>((*x)[0]),
                    e.unary<prim::ExpOp>(e.unary<prim::NegOp>((*x)[0])));
  return e.set(op, e.mul(sum, e.number(0.5, sum)));
}

LogicalResult sinh(math::SinhOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  Value up = e.unary<prim::Expm1Op>((*x)[0]);
  Value down = e.unary<prim::Expm1Op>(e.unary<prim::NegOp>((*x)[0]));
  Value twice = e.sub(up, down);
  return e.set(op, e.mul(twice, e.number(0.5, twice)));
}

/// Halves are rounded away from zero.
LogicalResult round(math::RoundOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  Value whole = e.unary<prim::TruncOp>((*x)[0]);
  Value rest = e.unary<prim::AbsOp>(e.sub((*x)[0], whole));
  Value away = e.compare<prim::GeOp>(rest, e.number(0.5, rest));
  Value next = e.add(whole, e.unary<prim::SignOp>((*x)[0]));
  return e.set(op, e.where(away, next, whole));
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
  return e.set(op, e.binary<prim::PowOp>((*x)[0], (*x)[1]));
}

/// Rounded twice, where the hardware may round once.
LogicalResult fma(math::FmaOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  return e.set(op, e.add(e.mul((*x)[0], (*x)[1]), (*x)[2]));
}

LogicalResult copysign(math::CopySignOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  // 1 / -0.0 is negative, so that the sign of a zero counts.
  Value size = e.unary<prim::AbsOp>((*x)[0]), sign = (*x)[1];
  Value zero = e.number(0, sign);
  Value isZero = e.compare<prim::EqOp>(sign, zero);
  Value probe = e.where(isZero, e.unary<prim::ReciprocalOp>(sign), sign);
  Value negative = e.compare<prim::LtOp>(probe, zero);
  return e.set(op, e.where(negative, e.unary<prim::NegOp>(size), size));
}

LogicalResult isnan(math::IsNaNOp op, Translator &e) {
  auto x = operands(op, e);
  return failed(x) ? failure() : e.set(op, e.isNan((*x)[0]));
}

template <typename From, typename To> void addUnary(Rules &rules) {
  rules.add<From>(unary<From, To>);
}

} // namespace

void addMathRules(Rules &rules) {
  addUnary<math::AbsFOp, prim::AbsOp>(rules);
  addUnary<math::AbsIOp, prim::AbsOp>(rules);
  addUnary<math::CeilOp, prim::CeilOp>(rules);
  addUnary<math::CosOp, prim::CosOp>(rules);
  addUnary<math::CountLeadingZerosOp, prim::ClzOp>(rules);
  addUnary<math::ErfOp, prim::ErfOp>(rules);
  addUnary<math::Exp2Op, prim::Exp2Op>(rules);
  addUnary<math::ExpM1Op, prim::Expm1Op>(rules);
  addUnary<math::ExpOp, prim::ExpOp>(rules);
  addUnary<math::FloorOp, prim::FloorOp>(rules);
  addUnary<math::Log1pOp, prim::Log1pOp>(rules);
  addUnary<math::LogOp, prim::LogOp>(rules);
  addUnary<math::RoundEvenOp, prim::RoundOp>(rules);
  addUnary<math::RsqrtOp, prim::RsqrtOp>(rules);
  addUnary<math::SinOp, prim::SinOp>(rules);
  addUnary<math::SqrtOp, prim::SqrtOp>(rules);
  addUnary<math::TanhOp, prim::TanhOp>(rules);
  addUnary<math::TruncOp, prim::TruncOp>(rules);
  rules.add<math::Log2Op>(log2);
  rules.add<math::Log10Op>(log10);
  rules.add<math::TanOp>(tan);
  rules.add<math::CoshOp>(cosh);
  rules.add<math::SinhOp>(sinh);
  rules.add<math::RoundOp>(round);
  rules.add<math::FPowIOp>(fpowi);
  rules.add<math::PowFOp>(powf);
  rules.add<math::IPowIOp>(ipowi);
  rules.add<math::FmaOp>(fma);
  rules.add<math::CopySignOp>(copysign);
  rules.add<math::IsNaNOp>(isnan);
}

} // namespace kiln::tensor_to_prim
