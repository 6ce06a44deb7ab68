//===- ElementwiseInteger.cpp - Expansions of prims on integers -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing here traps: divisors that would are replaced first, and shift amounts
// outside of the width give what the prim says.
//
//===----------------------------------------------------------------------===//

#include "TileMath.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

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

static Value emitShift(Operation *op, TileMath &t, Value x, Value y) {
  unsigned width = widthOf(x);
  Value limit = t.integer(y, width - 1);
  Value inside = t.compare(P::ule, y, limit);
  Value amount = t.select(inside, y, limit);
  if (isa<prim::ShiftRightArithmeticOp>(op))
    return t.make<arith::ShRSIOp>(x, amount);
  Value shifted = isa<prim::ShiftLeftOp>(op)
                      ? t.make<arith::ShLIOp>(x, amount)
                      : t.make<arith::ShRUIOp>(x, amount);
  return t.select(inside, shifted, t.integer(x, 0));
}

static Value emitClamp(TileMath &t, prim::ClampOp op, Value x) {
  Value low = t.splat(x, op.getMinAttr()), high = t.splat(x, op.getMaxAttr());
  if (op.getIsUnsigned())
    return t.make<arith::MinUIOp>(t.make<arith::MaxUIOp>(x, low), high);
  return t.make<arith::MinSIOp>(t.make<arith::MaxSIOp>(x, low), high);
}

static Value emitUnary(Operation *op, Value x, TileMath &t) {
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](prim::AbsOp) { return emitAbs(t, x); })
      .Case([&](prim::NegOp) {
        return t.make<arith::SubIOp>(t.integer(x, 0), x);
      })
      .Case([&](prim::SignOp) {
        Value limited = t.make<arith::MinSIOp>(x, t.integer(x, 1));
        return t.make<arith::MaxSIOp>(limited, t.integer(x, -1));
      })
      .Case([&](prim::BitwiseNotOp) {
        return t.make<arith::XOrIOp>(x, t.integer(x, -1));
      })
      .Case([&](prim::PopulationCountOp) { return t.make<math::CtPopOp>(x); })
      .Case([&](prim::ClzOp) { return t.make<math::CountLeadingZerosOp>(x); })
      .Case([&](prim::ClampOp clamp) { return emitClamp(t, clamp, x); })
      .Default([](Operation *) { return Value(); });
}

/// What reads its operands as unsigned numbers.
static Value emitUnsignedBinary(Operation *op, Value x, Value y, TileMath &t) {
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](prim::DivOp) { return emitUnsigned<arith::DivUIOp>(t, x, y); })
      .Case<prim::RemainderOp, prim::FmodOp>(
          [&](auto) { return emitUnsigned<arith::RemUIOp>(t, x, y); })
      .Case([&](prim::MaximumOp) { return t.make<arith::MaxUIOp>(x, y); })
      .Case([&](prim::MinimumOp) { return t.make<arith::MinUIOp>(x, y); })
      .Default([](Operation *) { return Value(); });
}

static Value emitBinary(Operation *op, Value x, Value y, TileMath &t) {
  if (op->hasAttr("is_unsigned"))
    return emitUnsignedBinary(op, x, y, t);
  bool truth = widthOf(x) == 1;
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](prim::AddOp) { return t.make<arith::AddIOp>(x, y); })
      .Case([&](prim::SubOp) { return t.make<arith::SubIOp>(x, y); })
      .Case([&](prim::MulOp) { return t.make<arith::MulIOp>(x, y); })
      .Case([&](prim::DivOp) { return emitDiv(t, x, y); })
      .Case([&](prim::RemainderOp) { return emitRemainder(t, x, y); })
      .Case([&](prim::FmodOp) {
        return t.make<arith::RemSIOp>(x, safeDivisor(t, y));
      })
      .Case([&](prim::PowOp) { return emitPow(t, x, y); })
      .Case([&](prim::GcdOp) { return emitGcd(t, x, y); })
      .Case([&](prim::MaximumOp) {
        return truth ? t.either(x, y) : t.make<arith::MaxSIOp>(x, y);
      })
      .Case([&](prim::MinimumOp) {
        return truth ? t.both(x, y) : t.make<arith::MinSIOp>(x, y);
      })
      .Case([&](prim::BitwiseAndOp) { return t.both(x, y); })
      .Case([&](prim::BitwiseOrOp) { return t.either(x, y); })
      .Case([&](prim::BitwiseXorOp) { return t.make<arith::XOrIOp>(x, y); })
      .Case<prim::ShiftLeftOp, prim::ShiftRightArithmeticOp,
            prim::ShiftRightLogicalOp>(
          [&](Operation *) { return emitShift(op, t, x, y); })
      .Default([](Operation *) { return Value(); });
}

Value kiln::schedule::emitIntegerTile(Operation *op, ValueRange operands,
                                      OpBuilder &builder) {
  TileMath t{builder, op->getLoc()};
  if (operands.size() == 1)
    return emitUnary(op, operands[0], t);
  if (operands.size() == 2)
    return emitBinary(op, operands[0], operands[1], t);
  return {};
}
