//===- Float32.cpp - Functions of f32 as polynomials ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Math/Float32.h"
#include <limits>

using namespace mlir;
using namespace kiln::functions;

/// Added to a number of at most 2^22, it leaves the nearest integer in the
/// lower bits.
constexpr double kMagic = 12582912.0;
constexpr int64_t kMagicBits = 0x4B400000;
/// The bits of sqrt(1/2).
constexpr int64_t kHalfRoot = 0x3f3504f3;

Float32::~Float32() = default;

Value Float32::polynomial(Value x, ArrayRef<double> coefficients) const {
  Value sum = f32(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, f32(c));
  return sum;
}

Value Float32::nearest(Value x, double scale, Value &integer) const {
  Value magic = f32(kMagic);
  Value shifted = fma(x, f32(scale), magic);
  integer = subi(bits(shifted), i32(kMagicBits));
  return sub(shifted, magic);
}

Value Float32::expParts(Value x, Value &shifted) const {
  Value magic = f32(kMagic);
  shifted = fma(x, f32(1.44269504088896341), magic);
  Value whole = sub(shifted, magic);
  Value r = fma(whole, f32(-0.693145751953125), x);
  r = fma(whole, f32(-1.42860676533018719e-06), r);
  return polynomial(r, {1.0, 1.0, 0.4999999403953552, 0.16666515171527863,
                        0.04166845977306366, 0.008369426243007183,
                        0.0013813064433634281});
}

Value Float32::exp(Value x) const {
  // Beyond these the result is 0 or infinity; NaN compares false.
  x = select(less(x, f32(-104.0)), f32(-104.0), x);
  x = select(less(f32(89.0), x), f32(89.0), x);
  Value shifted;
  Value y = expParts(x, shifted);
  // In two steps, so that subnormal results are rounded once.
  Value n = subi(bits(shifted), i32(kMagicBits));
  Value half = sar(n, 1);
  return mul(mul(y, power(half)), power(subi(n, half)));
}

Value Float32::expm1(Value x) const {
  // The bounds give -1 and infinity.
  Value near = select(less(x, f32(-26.0)), f32(-26.0), x);
  near = select(less(f32(89.0), near), f32(89.0), near);
  Value n;
  Value whole = nearest(near, 1.44269504088896341, n);
  Value r = fma(whole, f32(-0.693145751953125), near);
  r = fma(whole, f32(-1.42860676533018719e-06), r);
  Value p = polynomial(r, {0.4999999403953552, 0.16666515171527863,
                           0.04166845977306366, 0.008369426243007183,
                           0.0013813064433634281});
  p = fma(mul(r, r), p, r);
  // Half of 2^n, which has no bits to spare at the upper end.
  Value half = power(subi(n, i32(1)));
  Value y = fma(p, half, sub(half, f32(0.5)));
  y = select(less(abs(x), f32(0.34)), p, add(y, y));
  return copysign(y, x);
}

Value Float32::logTail(Value f) const {
  Value p = polynomial(f, {0.3333333134651184, -0.250008225440979,
                           0.2000121772289276, -0.16623321175575256,
                           0.14201951026916504, -0.13160714507102966,
                           0.12760421633720398, -0.07631657272577286});
  return mul(fma(f, p, f32(-0.5)), mul(f, f));
}

Float32::LogParts Float32::logParts(Value x) const {
  Value tiny = less(x, f32(1.17549435e-38));
  Value scaled = select(tiny, mul(x, f32(8388608.0)), x);
  Value raw = bits(scaled);
  // Mantissa in [sqrt(1/2), sqrt(2)), exponent in e.
  Value e = sar(subi(raw, i32(kHalfRoot)), 23);
  Value f = sub(float_(subi(raw, shl(e, 23))), f32(1.0));
  e = subi(e, select(tiny, i32(23), i32(0)));
  Value k = arith::SIToFPOp::create(b, loc, type(b.getF32Type()), e);
  return {f, k, logTail(f)};
}

Value Float32::logEnds(Value x, Value y) const {
  double inf = std::numeric_limits<double>::infinity();
  y = select(less(x, f32(inf)), y, x); // infinity and NaN
  Value zero = f32(0.0);
  y = select(less(x, zero), f32(std::numeric_limits<double>::quiet_NaN()), y);
  return select(compare(CmpF::OEQ, x, zero), f32(-inf), y);
}

Value Float32::log(Value x) const {
  LogParts parts = logParts(x);
  Value y = add(parts.f, fma(parts.e, f32(-2.12194440e-4), parts.tail));
  return logEnds(x, fma(parts.e, f32(0.693359375), y));
}

Value Float32::scaledLog(Value f, Value tail, double high, double low,
                         Value &rest) const {
  Value product = mul(f, f32(high));
  rest = fma(f, f32(high), sub(f32(0.0), product));
  rest = fma(f, f32(low), rest);
  rest = fma(tail, f32(high), rest);
  return product;
}

Value Float32::log2(Value x) const {
  LogParts parts = logParts(x);
  Value rest;
  // 1 / log(2).
  Value y = scaledLog(parts.f, parts.tail, 1.44269502162933349609375,
                      1.92596299112661e-8, rest);
  return logEnds(x, add(parts.e, add(y, rest)));
}

Value Float32::log10(Value x) const {
  LogParts parts = logParts(x);
  Value rest;
  // 1 / log(10), and log10(2) for the exponents.
  Value y = scaledLog(parts.f, parts.tail, 0.4342944920063018798828125,
                      -1.01030460e-8, rest);
  rest = fma(parts.e, f32(4.6050389811952137e-6), rest);
  return logEnds(x, fma(parts.e, f32(0.301025390625), add(y, rest)));
}

Value Float32::log1p(Value x) const {
  Value sum = add(f32(1.0), x);
  Value raw = bits(sum);
  Value e = sar(subi(raw, i32(kHalfRoot)), 23);
  // (1 + x) / 2^e - 1 rounded once; where 2^e is large, 1 does not count.
  Value most = arith::MinSIOp::create(b, loc, e, i32(60));
  Value scale = power(subi(i32(0), most));
  Value f = fma(x, scale, sub(scale, f32(1.0)));
  Value far =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, e, i32(24));
  f = select(far, sub(float_(subi(raw, shl(e, 23))), f32(1.0)), f);
  Value k = arith::SIToFPOp::create(b, loc, type(b.getF32Type()), e);
  Value y = add(f, fma(k, f32(-2.12194440e-4), logTail(f)));
  y = logEnds(sum, fma(k, f32(0.693359375), y));
  // Also keeps the sign of zero.
  return select(less(abs(x), f32(6e-8)), x, y);
}

Value Float32::reciprocal(Value x) const {
  return arith::DivFOp::create(b, loc, f32(1.0), x);
}

Value Float32::tanh(Value x) const {
  Value a = abs(x), s = mul(x, x);
  Value p = polynomial(s, {-0.33333247900009155, 0.1333054006099701,
                           -0.05366479605436325, 0.020397305488586426,
                           -0.005438837688416243});
  Value small = fma(mul(x, s), p, x);
  Value e = exp(add(a, a));
  Value large = fma(reciprocal(add(e, f32(1.0))), f32(-2.0), f32(1.0));
  // The sign of a zero too.
  return copysign(select(less(a, f32(0.65)), small, large), x);
}

Value Float32::erf(Value x) const {
  Value a = abs(x), s = mul(x, x);
  Value p = polynomial(s, {0.12837915122509003, -0.3761247992515564,
                           0.11281681805849075, -0.026761706918478012,
                           0.004985924810171127, -0.0005953669315204024});
  Value small = fma(x, p, x);
  Value t = select(less(f32(3.95), a), f32(3.95), a);
  Value q = polynomial(t, {0.1286371499300003, 0.6351976990699768,
                           0.10615959018468857, -0.02369503490626812,
                           0.003610563464462757, -0.00031491226400248706,
                           1.043846714310348e-05});
  Value power = fma(t, q, t);
  Value large = sub(f32(1.0), exp(sub(f32(0.0), power)));
  return select(less(a, f32(0.92)), small, copysign(large, x));
}

Float32::Turn Float32::quarterTurn(Value x, bool withRest) const {
  Turn turn;
  Value whole = nearest(x, 0.636619772367581343, turn.quarters);
  // pi / 2 in three parts; the product with the first one is exact.
  Value second = f32(4.37113882867379225e-08),
        third = f32(1.71512451000588e-15);
  Value first = fma(whole, f32(-1.57079637050628662109375), x);
  if (!withRest) {
    turn.r = fma(whole, third, fma(whole, second, first));
    return turn;
  }
  Value product = mul(whole, second);
  Value lost = fma(whole, second, sub(f32(0.0), product));
  turn.r = add(first, product);
  // What that sum rounds off, whichever of the two is larger.
  Value taken = sub(turn.r, first);
  Value rest = add(sub(first, sub(turn.r, taken)), sub(product, taken));
  turn.rest = add(rest, fma(whole, third, lost));
  return turn;
}

Value Float32::sineOfTurn(Value r, Value quarters) const {
  Value s = mul(r, r);
  Value sine =
      fma(mul(r, s),
          polynomial(s, {-0.1666666716337204, 0.008333329111337662,
                         -0.00019839232845697552, 2.717365759963286e-06}),
          r);
  Value cosine =
      fma(mul(s, s),
          polynomial(s, {0.0416666679084301, -0.0013888883404433727,
                         2.4799372113193385e-05, -2.719861811328883e-07}),
          fma(s, f32(-0.5), f32(1.0)));
  Value odd = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, loc, quarters, i32(1)), i32(0));
  Value y = select(odd, cosine, sine);
  Value sign = shl(arith::AndIOp::create(b, loc, quarters, i32(2)), 30);
  return float_(arith::XOrIOp::create(b, loc, bits(y), sign));
}

Value Float32::tangentOfTurn(const Turn &turn) const {
  Value s = mul(turn.r, turn.r);
  Value p = polynomial(s, {0.33333349227905273, 0.13332659006118774,
                           0.05406049266457558, 0.021279118955135345,
                           0.010844003409147263, 7.886152161518112e-05,
                           0.004381679464131594});
  // The tangent is r + rest; its slope is 1 + tan^2.
  Value rest = fma(mul(turn.r, s), p, turn.rest);
  Value about = add(turn.r, rest);
  rest = fma(turn.rest, mul(about, about), rest);
  Value t = add(turn.r, rest);
  rest = add(sub(turn.r, t), rest);
  // -1 / t, with one step of Newton's method for t and its rest.
  Value other = sub(f32(0.0), reciprocal(t));
  Value error = fma(other, rest, fma(other, t, f32(1.0)));
  other = fma(other, error, other);
  Value odd = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, loc, turn.quarters, i32(1)), i32(0));
  return select(odd, other, t);
}

Value Float32::trigonometric(Value x, int64_t quarter) const {
  Turn turn = quarterTurn(x);
  if (quarter)
    return sineOfTurn(turn.r, addi(turn.quarters, i32(quarter)));
  // The sine of zero keeps its sign, which the sum above loses.
  Value isZero = compare(CmpF::OEQ, x, f32(0.0));
  return select(isZero, x, sineOfTurn(turn.r, turn.quarters));
}

Value Float32::tan(Value x) const {
  Value isZero = compare(CmpF::OEQ, x, f32(0.0));
  return select(isZero, x, tangentOfTurn(quarterTurn(x, /*withRest=*/true)));
}
