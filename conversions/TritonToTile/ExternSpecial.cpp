// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// External functions that are expanded to series and iterations. All are
// computed in f64, where each is right to a few units in the last place.
#include "ExternFunctions.h"
#include "kiln/Math/Special.h"

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

Term erfcxOf(const ExternCall &call) { return erfcx(call[0]); }

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

bool isNarrow(const ExternCall &call) { return !call.real.isF64(); }

Term erfinv(const ExternCall &call) {
  return inverseErf(call[0], isNarrow(call));
}
Term erfcinv(const ExternCall &call) {
  return inverseErfc(call[0], isNarrow(call));
}
Term normcdfinv(const ExternCall &call) {
  return inverseNormal(call[0], isNarrow(call));
}

//===----------------------------------------------------------------------===//
// Modified Bessel functions of the first kind
//===----------------------------------------------------------------------===//

template <int order> Term bessel(const ExternCall &call) {
  return besselI(call[0], order, /*isScaled=*/false);
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
    {"erfcx",   "r>r",    wide, erfcxOf},
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
