//===- ElementwiseFloat.cpp - Expansions of prims on floats ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileMath.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// A math function, computed in f32 for half types and rounded once.
template <typename Op, typename... Values>
static Value function(TileMath &t, Values... operands) {
  Value first = std::get<0>(std::make_tuple(operands...));
  return t.narrow(t.make<Op>(t.widen(operands)...), t.element(first));
}

static Value emitSign(TileMath &t, Value x) {
  // Zeros and NaN are their own sign.
  Value self = t.compare(arith::CmpFPredicate::UEQ, x, t.real(x, 0.0));
  Value one = t.make<math::CopySignOp>(t.real(x, 1.0), x);
  return t.select(self, x, one);
}

static Value emitRemainder(TileMath &t, Value x, Value y) {
  Value zero = t.real(x, 0.0);
  Value r = t.make<arith::RemFOp>(x, y);
  using P = arith::CmpFPredicate;
  // A remainder of the other sign is one divisor off.
  Value signs = t.make<arith::XOrIOp>(t.compare(P::OLT, r, zero),
                                      t.compare(P::OLT, y, zero));
  Value off = t.both(t.compare(P::ONE, r, zero), signs);
  Value moved = t.select(off, t.make<arith::AddFOp>(r, y), r);
  // Zero has the sign of the divisor, too.
  Value isZero = t.compare(P::OEQ, moved, zero);
  return t.select(isZero, t.make<math::CopySignOp>(zero, y), moved);
}

/// The larger (smaller) number, the other operand beside a NaN; +0 is larger
/// than -0, which `maxnumf` leaves open.
template <typename OpT> static Value emitNumber(TileMath &t, Value x, Value y) {
  using P = arith::CmpFPredicate;
  Value both = t.make<OpT>(x, y);
  Value kept = t.select(t.compare(P::UNO, y, y), x, both);
  return t.select(t.compare(P::UNO, x, x), y, kept);
}

/// A function of C, by its name.
static Value callC(TileMath &t, StringRef name, ValueRange operands) {
  return tile::CallExternOp::create(t.b, t.loc,
                                    TypeRange{operands[0].getType()}, name, "",
                                    /*pure=*/true, operands)
      .getResult(0);
}

static Value emitHypot(TileMath &t, Value x, Value y) {
  return t.narrow(callC(t, "hypot", {t.widen(x), t.widen(y)}), t.element(x));
}

static Value emitClamp(TileMath &t, prim::ClampOp op, Value x) {
  Value low = t.splat(x, op.getMinAttr()), high = t.splat(x, op.getMaxAttr());
  Value raised = op.getIgnoreNan() ? t.make<arith::MaxNumFOp>(x, low)
                                   : t.make<arith::MaximumFOp>(x, low);
  return t.make<arith::MinimumFOp>(raised, high);
}

/// True for sums of a number and an exponential.
static bool isOffsetExponential(Value value) {
  auto sum = value.getDefiningOp<prim::AddOp>();
  if (!sum)
    return false;
  auto isExponential = [](Value of) {
    return of.getDefiningOp<prim::ExpOp>() != nullptr;
  };
  return isExponential(sum.getLhs()) || isExponential(sum.getRhs());
}

/// A quotient by 1 + exp(x), as of a sigmoid, whose divisor is not exact. Where
/// it is rounded to 16 bits at once, two units in its last place do not matter,
/// and targets may take a quotient that is faster for that.
static Value emitQuotient(Operation *op, Value x, Value y, TileMath &t) {
  Value quotient = t.make<arith::DivFOp>(x, y);
  bool isRounded = llvm::all_of(op->getUsers(), [](Operation *user) {
    auto convert = dyn_cast<prim::ConvertElementTypeOp>(user);
    Type to = convert ? getElementTypeOrSelf(convert.getType()) : Type();
    return to && (to.isF16() || to.isBF16());
  });
  auto made = quotient.getDefiningOp<arith::DivFOp>();
  if (made && isRounded && getElementTypeOrSelf(y.getType()).isF32() &&
      isOffsetExponential(op->getOperands().back()))
    made.setFastmath(arith::FastMathFlags::afn);
  return quotient;
}

static Value emitUnary(Operation *op, Value x, TileMath &t) {
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](prim::AbsOp) { return t.make<math::AbsFOp>(x); })
      .Case([&](prim::NegOp) { return t.make<arith::NegFOp>(x); })
      .Case([&](prim::CeilOp) { return t.make<math::CeilOp>(x); })
      .Case([&](prim::FloorOp) { return t.make<math::FloorOp>(x); })
      .Case([&](prim::RoundOp) { return t.make<math::RoundEvenOp>(x); })
      .Case([&](prim::TruncOp) { return t.make<math::TruncOp>(x); })
      .Case([&](prim::SignOp) { return emitSign(t, x); })
      .Case([&](prim::ExpOp) { return function<math::ExpOp>(t, x); })
      .Case([&](prim::Exp2Op) { return function<math::Exp2Op>(t, x); })
      .Case([&](prim::Expm1Op) { return function<math::ExpM1Op>(t, x); })
      .Case([&](prim::LogOp) { return function<math::LogOp>(t, x); })
      .Case([&](prim::Log1pOp) { return function<math::Log1pOp>(t, x); })
      .Case([&](prim::SinOp) { return function<math::SinOp>(t, x); })
      .Case([&](prim::CosOp) { return function<math::CosOp>(t, x); })
      .Case([&](prim::TanhOp) { return function<math::TanhOp>(t, x); })
      .Case([&](prim::ErfOp) { return function<math::ErfOp>(t, x); })
      .Case([&](prim::TanOp) { return function<math::TanOp>(t, x); })
      .Case([&](prim::AsinOp) { return function<math::AsinOp>(t, x); })
      .Case([&](prim::AcosOp) { return function<math::AcosOp>(t, x); })
      .Case([&](prim::AtanOp) { return function<math::AtanOp>(t, x); })
      .Case([&](prim::SinhOp) { return function<math::SinhOp>(t, x); })
      .Case([&](prim::CoshOp) { return function<math::CoshOp>(t, x); })
      .Case([&](prim::AsinhOp) { return function<math::AsinhOp>(t, x); })
      .Case([&](prim::AcoshOp) { return function<math::AcoshOp>(t, x); })
      .Case([&](prim::AtanhOp) { return function<math::AtanhOp>(t, x); })
      .Case([&](prim::Log2Op) { return function<math::Log2Op>(t, x); })
      .Case([&](prim::Log10Op) { return function<math::Log10Op>(t, x); })
      .Case([&](prim::CbrtOp) { return function<math::CbrtOp>(t, x); })
      .Case([&](prim::ErfcOp) { return function<math::ErfcOp>(t, x); })
      .Case(
          [&](prim::RoundHalfAwayOp) { return function<math::RoundOp>(t, x); })
      .Case([&](prim::SqrtOp) { return function<math::SqrtOp>(t, x); })
      .Case([&](prim::RsqrtOp) { return function<math::RsqrtOp>(t, x); })
      .Case([&](prim::ReciprocalOp) {
        return emitQuotient(op, t.real(x, 1.0), x, t);
      })
      .Case([&](prim::ClampOp clamp) { return emitClamp(t, clamp, x); })
      .Default([](Operation *) { return Value(); });
}

static Value emitBinary(Operation *op, Value x, Value y, TileMath &t) {
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](prim::AddOp) { return t.make<arith::AddFOp>(x, y); })
      .Case([&](prim::SubOp) { return t.make<arith::SubFOp>(x, y); })
      .Case([&](prim::MulOp) { return t.make<arith::MulFOp>(x, y); })
      .Case([&](prim::DivOp) { return emitQuotient(op, x, y, t); })
      .Case([&](prim::RemainderOp) { return emitRemainder(t, x, y); })
      .Case([&](prim::FmodOp) { return t.make<arith::RemFOp>(x, y); })
      .Case([&](prim::PowOp) { return function<math::PowFOp>(t, x, y); })
      .Case([&](prim::Atan2Op) { return function<math::Atan2Op>(t, x, y); })
      .Case([&](prim::HypotOp) { return emitHypot(t, x, y); })
      .Case([&](prim::MaximumOp) { return t.make<arith::MaximumFOp>(x, y); })
      .Case([&](prim::MinimumOp) { return t.make<arith::MinimumFOp>(x, y); })
      .Case(
          [&](prim::FmaxOp) { return emitNumber<arith::MaximumFOp>(t, x, y); })
      .Case(
          [&](prim::FminOp) { return emitNumber<arith::MinimumFOp>(t, x, y); })
      .Default([](Operation *) { return Value(); });
}

Value kiln::schedule::emitFloatTile(Operation *op, ValueRange operands,
                                    OpBuilder &builder) {
  TileMath t{builder, op->getLoc()};
  if (Value real = emitRealTile(op, operands, builder))
    return real;
  if (Value special = emitSpecialTile(op, operands, builder))
    return special;
  if (operands.size() == 1)
    return emitUnary(op, operands[0], t);
  if (operands.size() == 2)
    return emitBinary(op, operands[0], operands[1], t);
  return {};
}
