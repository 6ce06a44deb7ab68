// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Special functions by series and iterations in numbers of 64 bits.
#include "Families.h"
#include "kiln/Eval/Perturb.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::eval {

namespace {

using Wide = long double;

constexpr Wide kPi = 3.14159265358979323846264338327950288L;
constexpr Wide kSqrtPi = 1.77245385090551602729816748334114518L;
constexpr Wide kInfinity = std::numeric_limits<Wide>::infinity();
constexpr Wide kNan = std::numeric_limits<Wide>::quiet_NaN();

//===----------------------------------------------------------------------===//
// The error function's relatives
//===----------------------------------------------------------------------===//

/// e^(x^2) erfc(x), beyond 50 by the asymptotic series.
Wide erfcx(Wide x) {
  if (!(x > 50))
    return x < -30 ? kInfinity : expl(x * x) * erfcl(x);
  Wide sum = 1, term = 1, r = 1 / (2 * x * x);
  for (int k = 1; k < 12; ++k)
    sum += term *= -(2 * k - 1) * r;
  return sum / (x * kSqrtPi);
}

/// The w >= 0 with erf(w) = s and erfc(w) = q, where s + q = 1.
Wide inverseErf(Wide s, Wide q) {
  if (!(q >= 0))
    return kNan;
  if (q == 0 || s == 0)
    return s == 0 ? 0 : kInfinity;
  // Winitzki's approximation, then Newton's steps.
  Wide logarithm = logl(q * (2 - q));
  Wide middle = 2 / (kPi * 0.147L) + logarithm / 2;
  Wide w =
      sqrtl(fmaxl(sqrtl(middle * middle - logarithm / 0.147L) - middle, 0));
  for (int i = 0; i < 6; ++i) {
    Wide slope = 2 / kSqrtPi * expl(-w * w);
    if (q < 0.5L)
      w += logl(erfcl(w) / q) * erfcl(w) / slope;
    else
      w -= (erfl(w) - s) / slope;
  }
  return w;
}

Wide erfinv(Wide x) {
  Wide s = fabsl(x);
  return copysignl(inverseErf(s, 1 - s), x);
}

Wide ndtri(Wide p) {
  Wide y = 2 * p, q = y > 1 ? 2 - y : y;
  Wide w = sqrtl(2) * inverseErf(1 - q, q);
  return y > 1 ? w : -w;
}

//===----------------------------------------------------------------------===//
// Bessel functions
//===----------------------------------------------------------------------===//

/// I0 or I1 as a value times e^|x|, if `scale`, or as it is.
Wide besselI(Wide x, int order, bool isScaled) {
  Wide a = fabsl(x), sum = 1, term = 1;
  if (std::isnan(a))
    return a;
  if (a <= 40) {
    for (int k = 1; term > sum * 1e-22L; ++k)
      sum += term *= a * a / 4 / k / (k + order);
    sum *= (order ? a / 2 : 1) * (isScaled ? expl(-a) : 1);
  } else {
    for (int k = 1; k < 60 && fabsl(term) > 1e-22L; ++k)
      sum += term *=
          (Wide(2 * k - 1) * (2 * k - 1) - 4 * order * order) / (8 * k * a);
    sum /= sqrtl(2 * kPi * a);
    sum = isScaled ? sum : a > 20000 ? kInfinity : sum * expl(a);
  }
  return order ? copysignl(sum, x) : sum;
}

Wide i0(Wide x) { return besselI(x, 0, false); }
Wide i0e(Wide x) { return besselI(x, 0, true); }
Wide i1(Wide x) { return besselI(x, 1, false); }
Wide i1e(Wide x) { return besselI(x, 1, true); }
Wide sphericalJ0(Wide x) {
  return x == 0 ? 1 : std::isinf(x) ? 0 : sinl(x) / x;
}

//===----------------------------------------------------------------------===//
// The gamma function and sums of powers
//===----------------------------------------------------------------------===//

/// Without the variable that lgamma writes.
Wide logGamma(Wide x) {
  int sign;
  return lgammal_r(x, &sign);
}

/// B(2k), k = 1, 2, ...
constexpr Wide kBernoulli[] = {1.0L / 6,        -1.0L / 30,     1.0L / 42,
                               -1.0L / 30,      5.0L / 66,      -691.0L / 2730,
                               7.0L / 6,        -3617.0L / 510, 43867.0L / 798,
                               -174611.0L / 330};

Wide digamma(Wide x) {
  if (x == 0)
    return copysignl(kInfinity, -x);
  Wide y = x < 0 ? 1 - x : x, sum = 0;
  for (; y < 30; ++y)
    sum -= 1 / y;
  sum += logl(y) - 1 / (2 * y);
  for (int k = 10; k > 0; --k)
    sum -= kBernoulli[k - 1] / (2 * k) * powl(y, -2 * k);
  if (!(x < 0))
    return sum;
  Wide rest = x - nearbyintl(x);
  return rest == 0 || std::isinf(x) ? kNan : sum - kPi / tanl(kPi * rest);
}

/// How large the terms are that cancel near zeros of the function: 1, and the
/// logarithm that reflection subtracts.
Wide digammaTerms(Wide x) {
  Wide value = digamma(x);
  if (!std::isfinite(value))
    return value;
  return fmaxl(fmaxl(fabsl(value), 1), x < 0 ? logl(1 - x) : 0);
}

/// Of s > 1 and q > 0 by Euler's and Maclaurin's formula.
Wide zetaOfPositive(Wide s, Wide q) {
  Wide sum = 0;
  for (int k = 0; k < 30; ++k, ++q)
    sum += powl(q, -s);
  if (s > 500 || std::isinf(q))
    return sum;
  Wide last = powl(q, -s), term = s / q;
  sum += last * (q / (s - 1) + 0.5L);
  for (int k = 1; k <= 10; ++k) {
    sum += last * term * kBernoulli[k - 1] / (2 * k) / (2 * k - 1);
    term *= (s + 2 * k - 1) * (s + 2 * k) / (2 * k) / (2 * k - 1) / (q * q);
  }
  return sum;
}

/// The sum of the terms, or that of their magnitudes.
Wide zetaOf(Wide s, Wide q, bool isMagnitude) {
  if (std::isnan(s) || std::isnan(q))
    return s + q;
  if (!(s > 1))
    return s == 1 ? kInfinity : kNan;
  if (q > 0)
    return zetaOfPositive(s, q);
  if (q == floorl(q))
    return kInfinity;
  if (s != floorl(s))
    return kNan;
  Wide fraction = q - floorl(q), sign = s / 2 == floorl(s / 2) ? 1 : -1;
  Wide down = zetaOfPositive(s, ceill(q) - q);
  if (isMagnitude)
    return zetaOfPositive(s, fraction) + down;
  Wide sum =
      zetaOfPositive(s, fraction) + sign * (down - zetaOfPositive(s, 1 - q));
  // Terms of both signs overflow.
  return std::isnan(sum) ? kInfinity : sum;
}
Wide zeta(Wide s, Wide q) { return zetaOf(s, q, false); }

Wide polygammaOf(Wide n, Wide x, bool isMagnitude) {
  if (!(n >= 0) || n != floorl(n))
    return kNan;
  if (n == 0)
    return isMagnitude ? digammaTerms(x) : digamma(x);
  // What is unspecified is anything.
  if (isMagnitude && n > 170)
    return kNan;
  Wide sign = n / 2 == floorl(n / 2) ? -1 : 1;
  Wide value = sign * tgammal(n + 1) * zetaOf(n + 1, x, isMagnitude);
  return n > 170 && std::isnan(value) && !std::isnan(x) ? kInfinity : value;
}
Wide polygamma(Wide n, Wide x) { return polygammaOf(n, x, false); }

//===----------------------------------------------------------------------===//
// Their errors
//===----------------------------------------------------------------------===//

template <Wide (*fn)(Wide)> constexpr WideFunction narrowed() {
  return {[](double x) { return static_cast<double>(fn(x)); }, fn};
}

/// How far a result at x may be off in f64, besides 16 units.
using Least = double (*)(double x);
double none(double) { return 0; }
/// Reflection subtracts numbers as large as the logarithm.
double ofLogarithm(double x) {
  return x < 0 ? std::ldexp(16, -52) * std::log(1 - x) : 0;
}

/// A function whose unit is that of 1 where it is smaller: near its zeros.
template <typename OpTy>
void addFunction(PrimTable &table, WideFunction fn, Least least) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> LogicalResult {
    const Value &a = frame.get(op.getOperand());
    Value out = Value::tensor(a.dtype(), a.shape());
    if (!perturbation().isOn()) {
      mapFunction(a, out, fn);
      return finish(op, frame, std::move(out));
    }
    Value exact = Value::tensor(DType::f64, a.shape());
    mapFunction(a, exact, fn);
    std::vector<double> sizes = toDoubles(a);
    for (double &size : sizes)
      size = least(size);
    storeUlpsOfOneWithin(exact, 16, out, sizes);
    return finish(op, frame, std::move(out));
  });
}

/// A function of two numbers, within 64 units of the sum of the magnitudes of
/// its terms.
template <typename OpTy, Wide (*fn)(Wide, Wide)>
void addSum(PrimTable &table, Wide (*magnitude)(Wide, Wide, bool)) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> LogicalResult {
    const Value &a = frame.get(op.getLhs()), &b = frame.get(op.getRhs());
    if (failed(sameShape(op, {a, b})))
      return failure();
    auto narrow = [](double x, double y) {
      return static_cast<double>(fn(x, y));
    };
    Value out = Value::tensor(a.dtype(), a.shape());
    if (!perturbation().isOn()) {
      mapFunction(a, b, out, narrow, fn);
      return finish(op, frame, std::move(out));
    }
    Value exact = Value::tensor(DType::f64, a.shape());
    mapFunction(a, b, exact, narrow, fn);
    std::vector<double> x = toDoubles(a), y = toDoubles(b), sizes(x.size());
    bool isF64 = out.dtype() == DType::f64;
    for (size_t i = 0; i < sizes.size(); ++i) {
      double size = std::fabs(double(magnitude(x[i], y[i], true)));
      // What is unspecified, or where terms of both signs overflow, is
      // anything.
      bool isOpen = std::isnan(size) ||
                    (std::isinf(size) && y[i] < 0 && y[i] != std::floor(y[i]));
      if (isOpen)
        exact.as<double>()[i] = kNan;
      sizes[i] = size * std::ldexp(64, isF64 ? -52 : -23) +
                 (isF64 ? std::ldexp(64, -1074) : 0);
    }
    storeWithin(exact, sizes, out);
    return finish(op, frame, std::move(out));
  });
}

} // namespace

void addPrimSpecial(PrimTable &table) {
  using namespace prim;
  addFunction<ErfcxOp>(table, narrowed<erfcx>(), none);
  addFunction<ErfinvOp>(table, narrowed<erfinv>(), none);
  addFunction<NdtriOp>(table, narrowed<ndtri>(), none);
  addFunction<DigammaOp>(table, narrowed<digamma>(), ofLogarithm);
  addFunction<LgammaOp>(table, narrowed<logGamma>(), none);
  addFunction<BesselI0Op>(table, narrowed<i0>(), none);
  addFunction<BesselI0eOp>(table, narrowed<i0e>(), none);
  addFunction<BesselI1Op>(table, narrowed<i1>(), none);
  addFunction<BesselI1eOp>(table, narrowed<i1e>(), none);
  addFunction<BesselJ0Op>(table, narrowed<j0l>(), besselError);
  addFunction<BesselJ1Op>(table, narrowed<j1l>(), besselError);
  addFunction<BesselY0Op>(table, narrowed<y0l>(), besselError);
  addFunction<BesselY1Op>(table, narrowed<y1l>(), besselError);
  addFunction<SphericalBesselJ0Op>(table, narrowed<sphericalJ0>(), none);
  addSum<ZetaOp, zeta>(table, zetaOf);
  addSum<PolygammaOp, polygamma>(table, polygammaOf);
}

} // namespace kiln::eval
