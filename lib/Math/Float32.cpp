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
  Value p = polynomial(r, {0.4999999403953552, 0.16666515171527863,
                           0.04166845977306366, 0.008369426243007183,
                           0.0013813064433634281});
  return add(fma(mul(r, r), p, r), f32(1.0));
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

Float32::LogParts Float32::logParts(Value x) const {
  Value tiny = less(x, f32(1.17549435e-38));
  Value scaled = select(tiny, mul(x, f32(8388608.0)), x);
  Value raw = bits(scaled);
  // Mantissa in [sqrt(1/2), sqrt(2)), exponent in e.
  Value e = sar(subi(raw, i32(0x3f3504f3)), 23);
  Value f = sub(float_(subi(raw, shl(e, 23))), f32(1.0));
  e = subi(e, select(tiny, i32(23), i32(0)));
  Value k = arith::SIToFPOp::create(b, loc, type(b.getF32Type()), e);
  Value p = polynomial(f, {0.3333333134651184, -0.250008225440979,
                           0.2000121772289276, -0.16623321175575256,
                           0.14201951026916504, -0.13160714507102966,
                           0.12760421633720398, -0.07631657272577286});
  return {f, k, mul(fma(f, p, f32(-0.5)), mul(f, f))};
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

Value Float32::twoOver(Value x) const {
  return arith::DivFOp::create(b, loc, f32(2.0), x);
}

Value Float32::tanh(Value x) const {
  Value a = abs(x), s = mul(x, x);
  Value p = polynomial(s, {-0.33333247900009155, 0.1333054006099701,
                           -0.05366479605436325, 0.020397305488586426,
                           -0.005438837688416243});
  Value small = fma(mul(x, s), p, x);
  Value e = exp(add(a, a));
  Value large = sub(f32(1.0), twoOver(add(e, f32(1.0))));
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

Value Float32::quarterTurn(Value x, Value &quarters) const {
  Value whole = nearest(x, 0.636619772367581343, quarters);
  Value r = fma(whole, f32(-1.57079637050628662109375), x);
  r = fma(whole, f32(4.37113882867379225e-08), r);
  return fma(whole, f32(1.71512451000588e-15), r);
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

Value Float32::trigonometric(Value x, int64_t quarter) const {
  Value n;
  Value r = quarterTurn(x, n);
  if (quarter)
    return sineOfTurn(r, addi(n, i32(quarter)));
  // The sine of zero keeps its sign, which the sum above loses.
  Value isZero = compare(CmpF::OEQ, x, f32(0.0));
  return select(isZero, x, sineOfTurn(r, n));
}
