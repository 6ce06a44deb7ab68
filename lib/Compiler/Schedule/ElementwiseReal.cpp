//===- ElementwiseReal.cpp - Expansions of prims on the parts of floats ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementRules.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

using CmpF = arith::CmpFPredicate;
using CmpI = arith::CmpIPredicate;

static Value infinity(TileMath &t, Value like) {
  return t.real(like, std::numeric_limits<double>::infinity());
}

static Value floatOf(TileMath &t, Value bits, Value like) {
  return t.make<arith::BitcastOp>(like.getType(), bits);
}

/// One unit away from or towards zero on the bits, whose order is that of
/// magnitudes.
static Value emitNextafter(TileMath &t, Operation *, ValueRange operands) {
  Value x = operands[0], y = operands[1];
  Value bits = t.bits(x), zero = t.real(x, 0.0);
  Value up = t.compare(CmpF::OLT, x, y);
  Value positive = t.compare(CmpF::OGT, x, zero);
  Value grows = t.compare(CmpI::eq, up, positive);
  Value step = t.select(grows, t.integer(bits, 1), t.integer(bits, -1));
  Value next = floatOf(t, t.make<arith::AddIOp>(bits, step), x);
  Value least = floatOf(t, t.integer(bits, 1), x);
  Value isZero = t.compare(CmpF::OEQ, x, zero);
  next = t.select(isZero, t.make<math::CopySignOp>(least, y), next);
  next = t.select(t.compare(CmpF::OEQ, x, y), y, next);
  Value unordered = t.compare(CmpF::UNO, x, y);
  return t.select(unordered, t.make<arith::AddFOp>(x, y), next);
}

/// Rounds the mantissa by an addition that may carry into the exponent, then
/// replaces what the narrower exponent does not hold.
static Value emitReducePrecision(TileMath &t, Operation *reduce,
                                 ValueRange operands) {
  auto op = cast<prim::ReducePrecisionOp>(reduce);
  Value x = operands[0];
  const llvm::fltSemantics &own =
      cast<FloatType>(t.element(x)).getFloatSemantics();
  int64_t mantissa = APFloat::semanticsPrecision(own) - 1;
  int64_t width = APFloat::semanticsSizeInBits(own);
  int64_t exponent = width - mantissa - 1;
  Value bits = t.bits(x);
  if (op.getMantissaBits() < mantissa) {
    int64_t dropped = mantissa - op.getMantissaBits();
    Value lowest =
        t.both(t.make<arith::ShRUIOp>(bits, t.integer(bits, dropped)),
               t.integer(bits, 1));
    Value half = t.integer(bits, (int64_t(1) << (dropped - 1)) - 1);
    bits = t.make<arith::AddIOp>(bits, t.make<arith::AddIOp>(lowest, half));
    bits = t.both(bits, t.integer(bits, -(int64_t(1) << dropped)));
  }
  if (op.getExponentBits() < exponent) {
    int64_t bias = (int64_t(1) << (exponent - 1)) - 1;
    int64_t reduced = (int64_t(1) << (op.getExponentBits() - 1)) - 1;
    auto field = [&](int64_t e) { return t.integer(bits, e << mantissa); };
    Value all = field((int64_t(1) << exponent) - 1);
    Value own = t.both(bits, all);
    Value sign = t.both(bits, t.integer(bits, int64_t(1) << (width - 1)));
    Value above = t.compare(CmpI::ugt, own, field(bias + reduced));
    Value below = t.compare(CmpI::ule, own, field(bias - reduced));
    bits = t.select(above, t.either(sign, all), bits);
    bits = t.select(below, sign, bits);
  }
  Value result = floatOf(t, bits, x);
  return t.select(t.compare(CmpF::UNO, x, x), x, result);
}

static Value emitIsNan(TileMath &t, Operation *, ValueRange operands) {
  return t.compare(CmpF::UNO, operands[0], operands[0]);
}

/// Compares the magnitude with infinity.
template <CmpF predicate>
static Value compareInfinity(TileMath &t, Operation *, ValueRange operands) {
  Value x = operands[0];
  return t.compare(predicate, t.make<math::AbsFOp>(x), infinity(t, x));
}

static Value emitSignbit(TileMath &t, Operation *, ValueRange operands) {
  Value bits = t.bits(operands[0]);
  return t.compare(CmpI::slt, bits, t.integer(bits, 0));
}

static Value emitCopysign(TileMath &t, Operation *, ValueRange operands) {
  return t.make<math::CopySignOp>(operands[0], operands[1]);
}

static Value emitFma(TileMath &t, Operation *, ValueRange operands) {
  return t.narrow(t.make<math::FmaOp>(t.widen(operands[0]),
                                      t.widen(operands[1]),
                                      t.widen(operands[2])),
                  t.element(operands[0]));
}

Value kiln::schedule::emitRealTile(Operation *op, ValueRange operands,
                                   OpBuilder &builder) {
  using Rule = Value (*)(TileMath &, Operation *, ValueRange);
  static const OpTable<Rule> rules =
      OpTable<Rule>()
          .add<prim::IsNanOp>(emitIsNan)
          .add<prim::IsInfOp>(compareInfinity<CmpF::OEQ>)
          .add<prim::IsFiniteOp>(compareInfinity<CmpF::OLT>)
          .add<prim::SignbitOp>(emitSignbit)
          .add<prim::CopysignOp>(emitCopysign)
          .add<prim::NextafterOp>(emitNextafter)
          .add<prim::FmaOp>(emitFma)
          .add<prim::ReducePrecisionOp>(emitReducePrecision);
  TileMath t{builder, op->getLoc()};
  Rule rule = rules.find(op);
  return rule ? rule(t, op, operands) : Value();
}
