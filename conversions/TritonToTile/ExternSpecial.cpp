// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// External functions that are expanded to series and iterations. All are
// computed in f64, where each is right to a few units in the last place.
#include "ExternFunctions.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

constexpr Precision wide = Precision::wide;
constexpr double kPi = 3.14159265358979323846;
constexpr double kSqrtPi = 1.77245385090551602730;

//===----------------------------------------------------------------------===//
// Roots, norms and powers
//===----------------------------------------------------------------------===//

Term hypot(Term a, Term b) {
  return Term::callC("hypot", {a, b}, a.getElement());
}

Term rcbrt(const ExternCall &call) {
  return 1.0 / apply<math::CbrtOp>(call[0]);
}
/// The length of a vector of any size.
Term norm(const ExternCall &call) {
  Term sum = call[0];
  for (Term x : call.operands.drop_front())
    sum = hypot(sum, x);
  return sum;
}
Term rnorm(const ExternCall &call) { return 1.0 / norm(call); }
Term exp10(const ExternCall &call) {
  return apply<math::PowFOp>(call[0].number(10), call[0]);
}

//===----------------------------------------------------------------------===//
// Circular functions of multiples of pi
//===----------------------------------------------------------------------===//

struct SineAndCosine {
  Term sine, cosine;
};

/// sin and cos of pi * x; where they are 0 or 1 they are so exactly.
SineAndCosine circular(Term x) {
  // All of these are exact: x in [-1, 1], then r in [-1/4, 1/4].
  Term turn = fma(apply<math::RoundEvenOp>(x * 0.5), x.number(-2), x);
  Term quarters = apply<math::RoundEvenOp>(turn * 2);
  Term r = fma(quarters, x.number(-0.5), turn) * kPi;
  Term s = apply<math::SinOp>(r), c = apply<math::CosOp>(r);
  Term half = abs(quarters) == 2.0, odd = abs(quarters) == 1.0;
  Term sine = select(odd, copysign(c, quarters), select(half, -s, s));
  Term cosine = select(odd, -copysign(s, s * quarters), select(half, -c, c));
  return {select(sine == 0.0, copysign(sine, x), sine),
          select(cosine == 0.0, 0.0, cosine)};
}

Term sinpi(const ExternCall &call) { return circular(call[0]).sine; }
Term cospi(const ExternCall &call) { return circular(call[0]).cosine; }
Term tanpi(const ExternCall &call) {
  SineAndCosine both = circular(call[0]);
  return both.sine / both.cosine;
}
template <typename OpTy> Term overPi(const ExternCall &call) {
  return operation<OpTy>(call) / kPi;
}

//===----------------------------------------------------------------------===//
// The error function's relatives
//===----------------------------------------------------------------------===//

/// e^(x^2) erfc(x) from kFar on: the asymptotic series in 1/x^2.
constexpr double kFar = 12.0;
Term erfcxFar(Term x) {
  double coefficients[12] = {1.0};
  for (int k = 1; k < 12; ++k)
    coefficients[k] = coefficients[k - 1] * -(2 * k - 1) / 2;
  Term r = 1.0 / x;
  return polynomial(r * r, coefficients) * r / kSqrtPi;
}

/// e^(x^2) erfc(x): the product with the square in two parts, then the series.
Term erfcx(const ExternCall &call) {
  Term x = call[0];
  // Below this the result is infinity.
  Term y = select(x < -30.0, -30.0, x);
  Term square = product(y, y);
  Term rest = fma(y, y, -square);
  Term near = exp(square) * apply<math::ErfcOp>(y) * (rest + 1.0);
  return select(x >= kFar, erfcxFar(x), near);
}

/// erfc(-x / sqrt(2)) / 2, corrected for what rounding the argument took away.
Term normcdf(const ExternCall &call) {
  Term x = call[0];
  const double high = -0.70710678118654757, low = 4.8336466567264567e-17;
  Term t = product(x, x.number(high));
  Term rest = fma(x, x.number(high), -t) + x * low;
  rest = select(abs(x) < 40.0, rest, 0.0);
  Term density = exp(-(t * t)) / kSqrtPi;
  return apply<math::ErfcOp>(t) * 0.5 - density * rest;
}

/// The w >= 0 with erf(w) = s and erfc(w) = q, where s + q = 1. Winitzki's
/// approximation, then Halley's steps on erf and, where q is the smaller,
/// Newton's on the logarithm of erfc.
Term inverseErf(Term s, Term q, bool isNarrow) {
  auto log = [](Term x) { return apply<math::LogOp>(x); };
  Term isTail = q < 0.5;
  Term logarithm = log(q * (2.0 - q)); // of 1 - s^2
  const double a = 0.147;
  Term middle = logarithm * 0.5 + 2 / (kPi * a);
  Term root = sqrt(middle * middle - logarithm / a) - middle;
  Term w = sqrt(select(root < 0.0, 0.0, root));
  for (int i = 0; i < (isNarrow ? 2 : 3); ++i) {
    Term square = w * w;
    Term slope = exp(-square) * (2 / kSqrtPi);
    Term error = (apply<math::ErfOp>(w) - s) / slope;
    Term near = w - error / (w * error + 1.0);
    Term rest = apply<math::ErfcOp>(w);
    Term ratio = log(rest / q), inverse = rest / slope;
    if (!isNarrow) {
      // Where erfc may underflow.
      Term isFar = w >= kFar, scaled = erfcxFar(w);
      ratio = select(isFar, log(scaled) - square - log(q), ratio);
      inverse = select(isFar, scaled * (kSqrtPi / 2), inverse);
    }
    w = select(isTail, w + ratio * inverse, near);
  }
  return select(q == 0.0, std::numeric_limits<double>::infinity(), w);
}

bool isNarrow(const ExternCall &call) { return !call.real.isF64(); }

Term erfinv(const ExternCall &call) {
  Term s = abs(call[0]);
  return copysign(inverseErf(s, 1.0 - s, isNarrow(call)), call[0]);
}

Term inverseErfc(Term y, const ExternCall &call) {
  Term isAbove = y > 1.0;
  Term q = select(isAbove, 2.0 - y, y);
  Term w = inverseErf(1.0 - q, q, isNarrow(call));
  return select(isAbove, -w, w);
}
Term erfcinv(const ExternCall &call) { return inverseErfc(call[0], call); }
Term normcdfinv(const ExternCall &call) {
  return inverseErfc(call[0] * 2, call) * -1.41421356237309504880;
}

//===----------------------------------------------------------------------===//
// Modified Bessel functions of the first kind
//===----------------------------------------------------------------------===//

/// I0 and I1: up to 20 the power series, whose terms are all positive, beyond
/// it Hankel's asymptotic series.
template <int order> Term bessel(const ExternCall &call) {
  Term x = call[0];
  // e^1500 is infinity, which times 0 would not be.
  Term a = select(abs(x) > 1500.0, 1500.0, abs(x));

  double power[36] = {1.0};
  for (int k = 1; k < 36; ++k)
    power[k] = power[k - 1] / k / (k + order);
  Term half = a * 0.5;
  Term near = polynomial(half * half, power);
  if (order)
    near = near * half;

  double hankel[30] = {1.0};
  for (int k = 1; k < 30; ++k)
    hankel[k] = hankel[k - 1] *
                ((2.0 * k - 1) * (2.0 * k - 1) - 4.0 * order * order) /
                (8.0 * k);
  Term root = exp(half);
  Term far = root * polynomial(1.0 / a, hankel) / sqrt(a * (2 * kPi)) * root;

  Term result = select(a <= 20.0, near, far);
  return order ? copysign(result, x) : result;
}

// clang-format off
constexpr ExternFunction functions[] = {
    {"rcbrt",   "r>r",    wide, rcbrt},
    {"norm3d",  "rrr>r",  wide, norm},
    {"norm4d",  "rrrr>r", wide, norm},
    {"rhypot",  "rr>r",   wide, rnorm},
    {"rnorm3d", "rrr>r",  wide, rnorm},
    {"rnorm4d", "rrrr>r", wide, rnorm},
    {"exp10",   "r>r",    wide, exp10},
    {"sinpi",   "r>r",    wide, sinpi},
    {"cospi",   "r>r",    wide, cospi},
    {"tanpi",   "r>r",    wide, tanpi},
    {"asinpi",  "r>r",    wide, overPi<math::AsinOp>},
    {"acospi",  "r>r",    wide, overPi<math::AcosOp>},
    {"atanpi",  "r>r",    wide, overPi<math::AtanOp>},
    {"erfcx",   "r>r",    wide, erfcx},
    {"erfinv",  "r>r",    wide, erfinv},
    {"erfcinv", "r>r",    wide, erfcinv},
    {"normcdf",    "r>r", wide, normcdf},
    {"normcdfinv", "r>r", wide, normcdfinv},
    {"cyl_bessel_i0", "r>r", wide, bessel<0>},
    {"cyl_bessel_i1", "r>r", wide, bessel<1>},
};
// clang-format on

} // namespace

ArrayRef<ExternFunction> getSpecialFunctions() { return functions; }

} // namespace kiln::triton_to_tile
