// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error function's relatives and Bessel functions.
#include "kiln/Math/Special.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::functions;

static constexpr double kPi = 3.14159265358979323846;
static constexpr double kSqrtPi = 1.77245385090551602730;

//===----------------------------------------------------------------------===//
// The error function's relatives
//===----------------------------------------------------------------------===//

/// e^(x^2) erfc(x) from kFar on: the asymptotic series in 1/x^2.
static constexpr double kFar = 12.0;
static Term erfcxFar(Term x) {
  double coefficients[12] = {1.0};
  for (int k = 1; k < 12; ++k)
    coefficients[k] = coefficients[k - 1] * -(2 * k - 1) / 2;
  Term r = 1.0 / x;
  return polynomial(r * r, coefficients) * r / kSqrtPi;
}

/// e^(x^2) erfc(x): the product with the square in two parts, then the series.
Term functions::erfcx(Term x) {
  // Below this the result is infinity.
  Term y = select(x < -30.0, -30.0, x);
  Term square = product(y, y);
  Term rest = fma(y, y, -square);
  Term near = exp(square) * apply<math::ErfcOp>(y) * (rest + 1.0);
  return select(x >= kFar, erfcxFar(x), near);
}

/// The w >= 0 with erf(w) = s and erfc(w) = q, where s + q = 1. Winitzki's
/// approximation, then Halley's steps on erf and, where q is the smaller,
/// Newton's on the logarithm of erfc.
static Term inverseErfOf(Term s, Term q, bool isNarrow) {
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

Term functions::inverseErf(Term x, bool isNarrow) {
  Term s = abs(x);
  return copysign(inverseErfOf(s, 1.0 - s, isNarrow), x);
}

Term functions::inverseErfc(Term y, bool isNarrow) {
  Term isAbove = y > 1.0;
  Term q = select(isAbove, 2.0 - y, y);
  Term w = inverseErfOf(1.0 - q, q, isNarrow);
  return select(isAbove, -w, w);
}

Term functions::inverseNormal(Term p, bool isNarrow) {
  return inverseErfc(p * 2, isNarrow) * -1.41421356237309504880;
}

//===----------------------------------------------------------------------===//
// Bessel functions
//===----------------------------------------------------------------------===//

/// Up to 20 the power series, whose terms are all positive, beyond it Hankel's
/// asymptotic series.
Term functions::besselI(Term x, int order, bool isScaled) {
  // e^1500 is infinity, which times 0 would not be.
  Term a = isScaled ? abs(x) : select(abs(x) > 1500.0, 1500.0, abs(x));

  double power[36] = {1.0};
  for (int k = 1; k < 36; ++k)
    power[k] = power[k - 1] / k / (k + order);
  Term half = a * 0.5;
  Term near = polynomial(half * half, power);
  if (order)
    near = near * half;
  if (isScaled)
    near = near * exp(-a);

  double hankel[30] = {1.0};
  for (int k = 1; k < 30; ++k)
    hankel[k] = hankel[k - 1] *
                ((2.0 * k - 1) * (2.0 * k - 1) - 4.0 * order * order) /
                (8.0 * k);
  Term far = polynomial(1.0 / a, hankel) / (sqrt(a) * std::sqrt(2 * kPi));
  if (!isScaled) {
    Term root = exp(half);
    far = root * far * root;
  }
  Term result = select(a <= 20.0, near, far);
  return order ? copysign(result, x) : result;
}

Term functions::sphericalBesselJ0(Term x) {
  Term quotient = apply<math::SinOp>(x) / x;
  Term isInfinite = abs(x) == std::numeric_limits<double>::infinity();
  return select(x == 0.0, 1.0, select(isInfinite, 0.0, quotient));
}
