//===- ElementwiseFloat.cpp - Expansions of prims on floats ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementRules.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Math/Angle.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// A math function, computed in f32 for half types and rounded once.
template <typename Op>
static Value function(TileMath &t, Operation *, Value x) {
  return t.narrow(t.make<Op>(t.widen(x)), t.element(x));
}
template <typename Op>
static Value function2(TileMath &t, Operation *, Value x, Value y) {
  return t.narrow(t.make<Op>(t.widen(x), t.widen(y)), t.element(x));
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

static Value emitAngle(TileMath &t, Value y, Value x) {
  using functions::Term;
  Term angle = functions::angle(Term(t.b, t.loc, t.widen(y)),
                                Term(t.b, t.loc, t.widen(x)));
  return t.narrow(angle.getValue(), t.element(y));
}

static Value emitClamp(TileMath &t, Operation *clamp, Value x) {
  auto op = cast<prim::ClampOp>(clamp);
  Value low = t.splat(x, op.getMinAttr()), high = t.splat(x, op.getMaxAttr());
  Value raised = op.getIgnoreNan() ? t.make<arith::MaxNumFOp>(x, low)
                                   : t.make<arith::MaximumFOp>(x, low);
  return t.make<arith::MinimumFOp>(raised, high);
}

/// True for sums of a number and an exponential.
static bool isOffsetExponential(Value value) {
  using prim::ElementFunction;
  Operation *sum = prim::getDefinition(value, ElementFunction::Add);
  return sum && llvm::any_of(sum->getOperands(), [](Value of) {
           return prim::getDefinition(of, ElementFunction::Exponential);
         });
}

/// A quotient by 1 + exp(x), as of a sigmoid, whose divisor is not exact. Where
/// it is rounded to 16 bits at once, two units in its last place do not matter,
/// and targets may take a quotient that is faster for that.
static Value emitQuotient(TileMath &t, Operation *op, Value x, Value y) {
  Value quotient = t.make<arith::DivFOp>(x, y);
  bool isRounded = llvm::all_of(op->getUsers(), [](Operation *user) {
    Type to = isa<prim::ElementConversionOpInterface>(user)
                  ? getElementTypeOrSelf(user->getResult(0).getType())
                  : Type();
    return to && (to.isF16() || to.isBF16());
  });
  auto made = quotient.getDefiningOp<arith::DivFOp>();
  if (made && isRounded && getElementTypeOrSelf(y.getType()).isF32() &&
      isOffsetExponential(op->getOperands().back()))
    made.setFastmath(arith::FastMathFlags::afn);
  return quotient;
}

static Value emitReciprocal(TileMath &t, Operation *op, Value x) {
  return emitQuotient(t, op, t.real(x, 1.0), x);
}

static const OpTable<UnaryRule> &unaryRules() {
  static const OpTable<UnaryRule> rules =
      OpTable<UnaryRule>()
          .add<prim::AbsOp>(asUnary<math::AbsFOp>)
          .add<prim::NegOp>(asUnary<arith::NegFOp>)
          .add<prim::CeilOp>(asUnary<math::CeilOp>)
          .add<prim::FloorOp>(asUnary<math::FloorOp>)
          .add<prim::RoundOp>(asUnary<math::RoundEvenOp>)
          .add<prim::TruncOp>(asUnary<math::TruncOp>)
          .add<prim::SignOp>(unary<emitSign>)
          .add<prim::ExpOp>(function<math::ExpOp>)
          .add<prim::Exp2Op>(function<math::Exp2Op>)
          .add<prim::Expm1Op>(function<math::ExpM1Op>)
          .add<prim::LogOp>(function<math::LogOp>)
          .add<prim::Log1pOp>(function<math::Log1pOp>)
          .add<prim::SinOp>(function<math::SinOp>)
          .add<prim::CosOp>(function<math::CosOp>)
          .add<prim::TanhOp>(function<math::TanhOp>)
          .add<prim::ErfOp>(function<math::ErfOp>)
          .add<prim::TanOp>(function<math::TanOp>)
          .add<prim::AsinOp>(function<math::AsinOp>)
          .add<prim::AcosOp>(function<math::AcosOp>)
          .add<prim::AtanOp>(function<math::AtanOp>)
          .add<prim::SinhOp>(function<math::SinhOp>)
          .add<prim::CoshOp>(function<math::CoshOp>)
          .add<prim::AsinhOp>(function<math::AsinhOp>)
          .add<prim::AcoshOp>(function<math::AcoshOp>)
          .add<prim::AtanhOp>(function<math::AtanhOp>)
          .add<prim::Log2Op>(function<math::Log2Op>)
          .add<prim::Log10Op>(function<math::Log10Op>)
          .add<prim::CbrtOp>(function<math::CbrtOp>)
          .add<prim::ErfcOp>(function<math::ErfcOp>)
          .add<prim::RoundHalfAwayOp>(function<math::RoundOp>)
          .add<prim::SqrtOp>(function<math::SqrtOp>)
          .add<prim::RsqrtOp>(function<math::RsqrtOp>)
          .add<prim::ReciprocalOp>(emitReciprocal)
          .add<prim::ClampOp>(emitClamp);
  return rules;
}

static const OpTable<BinaryRule> &binaryRules() {
  static const OpTable<BinaryRule> rules =
      OpTable<BinaryRule>()
          .add<prim::AddOp>(asBinary<arith::AddFOp>)
          .add<prim::SubOp>(asBinary<arith::SubFOp>)
          .add<prim::MulOp>(asBinary<arith::MulFOp>)
          .add<prim::DivOp>(emitQuotient)
          .add<prim::RemainderOp>(binary<emitRemainder>)
          .add<prim::FmodOp>(asBinary<arith::RemFOp>)
          .add<prim::PowOp>(function2<math::PowFOp>)
          .add<prim::Atan2Op>(binary<emitAngle>)
          .add<prim::HypotOp>(binary<emitHypot>)
          .add<prim::MaximumOp>(asBinary<arith::MaximumFOp>)
          .add<prim::MinimumOp>(asBinary<arith::MinimumFOp>)
          .add<prim::FmaxOp>(binary<emitNumber<arith::MaximumFOp>>)
          .add<prim::FminOp>(binary<emitNumber<arith::MinimumFOp>>);
  return rules;
}

Value kiln::schedule::emitFloatTile(Operation *op, ValueRange operands,
                                    OpBuilder &builder) {
  TileMath t{builder, op->getLoc()};
  if (Value real = emitRealTile(op, operands, builder))
    return real;
  if (Value special = emitSpecialTile(op, operands, builder))
    return special;
  if (operands.size() == 1)
    if (UnaryRule rule = unaryRules().find(op))
      return rule(t, op, operands[0]);
  if (operands.size() == 2)
    if (BinaryRule rule = binaryRules().find(op))
      return rule(t, op, operands[0], operands[1]);
  return {};
}
