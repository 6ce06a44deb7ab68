//===- ElementwiseInteger.cpp - Expansions of prims on integers -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing here traps: divisors that would are replaced first, and shift amounts
// outside of the width give what the prim says.
//
//===----------------------------------------------------------------------===//

#include "ElementRules.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

using P = arith::CmpIPredicate;

static unsigned widthOf(Value x) {
  return TileMath::element(x).getIntOrFloatBitWidth();
}

/// y, or 1 where y is 0 or -1: a divisor that never traps.
static Value safeDivisor(TileMath &t, Value y) {
  Value one = t.integer(y, 1);
  Value isBad = t.compare(P::ule, t.make<arith::AddIOp>(y, one), one);
  return t.select(isBad, one, y);
}

/// Unsigned quotients (`div`) and remainders, which never overflow.
template <typename OpT>
static Value emitUnsigned(TileMath &t, Value x, Value y) {
  Value zero = t.compare(P::eq, y, t.integer(y, 0));
  return t.make<OpT>(x, t.select(zero, t.integer(y, 1), y));
}

/// x without its trailing zero bits; 0 stays.
static Value makeOdd(TileMath &t, Value x) {
  Value isZero = t.compare(P::eq, x, t.integer(x, 0));
  Value zeros = t.make<math::CountTrailingZerosOp>(x);
  return t.make<arith::ShRUIOp>(x, t.select(isZero, t.integer(x, 0), zeros));
}

static Value emitAbs(TileMath &t, Value x) {
  return t.make<arith::MaxSIOp>(x, t.make<arith::SubIOp>(t.integer(x, 0), x));
}

/// Stein's algorithm. Each step takes a bit at least from one of the two, so
/// that twice the width are enough.
static Value emitGcd(TileMath &t, Value x, Value y) {
  Value a = emitAbs(t, x), b = emitAbs(t, y), zero = t.integer(x, 0);
  // Common factors of 2; where both are zero any amount that is no poison.
  Value common = t.make<math::CountTrailingZerosOp>(t.either(a, b));
  common = t.make<arith::MinUIOp>(common, t.integer(x, widthOf(x) - 1));
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(t.b, t.loc, value);
  };
  Value begin = index(0), end = index(2 * widthOf(x)), step = index(1);
  auto loop = scf::ForOp::create(
      t.b, t.loc, begin, end, step, ValueRange{makeOdd(t, a), makeOdd(t, b)},
      [&](OpBuilder &inside, Location loc, Value, ValueRange carried) {
        TileMath i{inside, loc};
        Value u = carried[0], v = carried[1];
        Value least = i.make<arith::MinUIOp>(u, v);
        Value rest = makeOdd(
            i, i.make<arith::SubIOp>(i.make<arith::MaxUIOp>(u, v), least));
        Value isDone = i.compare(P::eq, v, i.integer(v, 0));
        scf::YieldOp::create(
            inside, loc,
            ValueRange{i.select(isDone, u, least), i.select(isDone, v, rest)});
      });
  Value result = t.make<arith::ShLIOp>(loop.getResult(0), common);
  result = t.select(t.compare(P::eq, b, zero), a, result);
  return t.select(t.compare(P::eq, a, zero), b, result);
}

static Value emitDiv(TileMath &t, Value x, Value y) {
  // The smallest value by -1 wraps to itself.
  Value quotient = t.make<arith::DivSIOp>(x, safeDivisor(t, y));
  Value negative = t.make<arith::SubIOp>(t.integer(x, 0), x);
  return t.select(t.compare(P::eq, y, t.integer(y, -1)), negative, quotient);
}

static Value emitRemainder(TileMath &t, Value x, Value y) {
  Value zero = t.integer(x, 0);
  Value r = t.make<arith::RemSIOp>(x, safeDivisor(t, y));
  Value signs = t.compare(P::slt, t.make<arith::XOrIOp>(r, y), zero);
  Value off = t.both(t.compare(P::ne, r, zero), signs);
  return t.select(off, t.make<arith::AddIOp>(r, y), r);
}

static Value emitPow(TileMath &t, Value x, Value y) {
  Value zero = t.integer(x, 0), one = t.integer(x, 1);
  Value result = one, square = x;
  unsigned width = widthOf(x);
  for (unsigned bit = 0; bit + 1 < width; ++bit) {
    Value isSet =
        t.compare(P::ne, t.both(y, t.integer(y, int64_t(1) << bit)), zero);
    result = t.select(isSet, t.make<arith::MulIOp>(result, square), result);
    if (bit + 2 < width)
      square = t.make<arith::MulIOp>(square, square);
  }
  // 1 / x^-y, truncated: only 1 and -1 leave something.
  Value minusOne = t.integer(x, -1);
  Value odd = t.compare(P::ne, t.both(y, one), zero);
  Value alternating = t.select(odd, minusOne, one);
  Value quotient =
      t.select(t.compare(P::eq, x, one), one,
               t.select(t.compare(P::eq, x, minusOne), alternating, zero));
  return t.select(t.compare(P::slt, y, zero), quotient, result);
}

/// A shift by an amount that is less than the width; `inside` tells whether it
/// was.
template <typename OpT>
static Value shiftLimited(TileMath &t, Value x, Value y, Value &inside) {
  Value limit = t.integer(y, widthOf(x) - 1);
  inside = t.compare(P::ule, y, limit);
  return t.make<OpT>(x, t.select(inside, y, limit));
}

static Value emitArithmeticShift(TileMath &t, Value x, Value y) {
  Value inside;
  return shiftLimited<arith::ShRSIOp>(t, x, y, inside);
}

/// A shift that leaves nothing of a value that is shifted by its width.
template <typename OpT>
static Value emitLogicalShift(TileMath &t, Value x, Value y) {
  Value inside, shifted = shiftLimited<OpT>(t, x, y, inside);
  return t.select(inside, shifted, t.integer(x, 0));
}

static Value emitClamp(TileMath &t, Operation *clamp, Value x) {
  auto op = cast<prim::ClampOp>(clamp);
  Value low = t.splat(x, op.getMinAttr()), high = t.splat(x, op.getMaxAttr());
  if (op.getIsUnsigned())
    return t.make<arith::MinUIOp>(t.make<arith::MaxUIOp>(x, low), high);
  return t.make<arith::MinSIOp>(t.make<arith::MaxSIOp>(x, low), high);
}

static Value emitNeg(TileMath &t, Value x) {
  return t.make<arith::SubIOp>(t.integer(x, 0), x);
}

static Value emitSign(TileMath &t, Value x) {
  Value limited = t.make<arith::MinSIOp>(x, t.integer(x, 1));
  return t.make<arith::MaxSIOp>(limited, t.integer(x, -1));
}

static Value emitNot(TileMath &t, Value x) {
  return t.make<arith::XOrIOp>(x, t.integer(x, -1));
}

static Value emitFmod(TileMath &t, Value x, Value y) {
  return t.make<arith::RemSIOp>(x, safeDivisor(t, y));
}

/// Of truth values the larger one is true.
static Value emitMaximum(TileMath &t, Value x, Value y) {
  return widthOf(x) == 1 ? t.either(x, y) : t.make<arith::MaxSIOp>(x, y);
}

static Value emitMinimum(TileMath &t, Value x, Value y) {
  return widthOf(x) == 1 ? t.both(x, y) : t.make<arith::MinSIOp>(x, y);
}

static const OpTable<UnaryRule> &unaryRules() {
  static const OpTable<UnaryRule> rules =
      OpTable<UnaryRule>()
          .add<prim::AbsOp>(unary<emitAbs>)
          .add<prim::NegOp>(unary<emitNeg>)
          .add<prim::SignOp>(unary<emitSign>)
          .add<prim::BitwiseNotOp>(unary<emitNot>)
          .add<prim::PopulationCountOp>(asUnary<math::CtPopOp>)
          .add<prim::ClzOp>(asUnary<math::CountLeadingZerosOp>)
          .add<prim::ClampOp>(emitClamp);
  return rules;
}

/// Operations that read their operands as unsigned numbers.
static const OpTable<BinaryRule> &unsignedRules() {
  static const OpTable<BinaryRule> rules =
      OpTable<BinaryRule>()
          .add<prim::DivOp>(binary<emitUnsigned<arith::DivUIOp>>)
          .add<prim::RemainderOp, prim::FmodOp>(
              binary<emitUnsigned<arith::RemUIOp>>)
          .add<prim::MaximumOp>(asBinary<arith::MaxUIOp>)
          .add<prim::MinimumOp>(asBinary<arith::MinUIOp>);
  return rules;
}

static const OpTable<BinaryRule> &binaryRules() {
  static const OpTable<BinaryRule> rules =
      OpTable<BinaryRule>()
          .add<prim::AddOp>(asBinary<arith::AddIOp>)
          .add<prim::SubOp>(asBinary<arith::SubIOp>)
          .add<prim::MulOp>(asBinary<arith::MulIOp>)
          .add<prim::DivOp>(binary<emitDiv>)
          .add<prim::RemainderOp>(binary<emitRemainder>)
          .add<prim::FmodOp>(binary<emitFmod>)
          .add<prim::PowOp>(binary<emitPow>)
          .add<prim::GcdOp>(binary<emitGcd>)
          .add<prim::MaximumOp>(binary<emitMaximum>)
          .add<prim::MinimumOp>(binary<emitMinimum>)
          .add<prim::BitwiseAndOp>(asBinary<arith::AndIOp>)
          .add<prim::BitwiseOrOp>(asBinary<arith::OrIOp>)
          .add<prim::BitwiseXorOp>(asBinary<arith::XOrIOp>)
          .add<prim::ShiftLeftOp>(binary<emitLogicalShift<arith::ShLIOp>>)
          .add<prim::ShiftRightArithmeticOp>(binary<emitArithmeticShift>)
          .add<prim::ShiftRightLogicalOp>(
              binary<emitLogicalShift<arith::ShRUIOp>>);
  return rules;
}

Value kiln::schedule::emitIntegerTile(Operation *op, ValueRange operands,
                                      OpBuilder &builder) {
  TileMath t{builder, op->getLoc()};
  if (operands.size() == 1)
    if (UnaryRule rule = unaryRules().find(op))
      return rule(t, op, operands[0]);
  if (operands.size() == 2) {
    bool isUnsigned = op->hasAttr("is_unsigned");
    const OpTable<BinaryRule> &rules =
        isUnsigned ? unsignedRules() : binaryRules();
    if (BinaryRule rule = rules.find(op))
      return rule(t, op, operands[0], operands[1]);
  }
  return {};
}
