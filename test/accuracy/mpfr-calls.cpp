// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpfr-calls.h"
#include <cmath>
#include <cstdlib>
#include <map>

extern "C" {
using Of1 = int(MpfrNumber *, const MpfrNumber *, int);
using Of2 = int(MpfrNumber *, const MpfrNumber *, const MpfrNumber *, int);
void mpfr_init2(MpfrNumber *, long);
void mpfr_clear(MpfrNumber *);
int mpfr_set_d(MpfrNumber *, double, int);
int mpfr_set4(MpfrNumber *, const MpfrNumber *, int, int);
int mpfr_set_si_2exp(MpfrNumber *, long, long, int);
int mpfr_const_pi(MpfrNumber *, int);
double mpfr_get_d(const MpfrNumber *, int);
int mpfr_cmp3(const MpfrNumber *, const MpfrNumber *, int);
int mpfr_nan_p(const MpfrNumber *), mpfr_inf_p(const MpfrNumber *),
    mpfr_zero_p(const MpfrNumber *), mpfr_signbit(const MpfrNumber *);
long mpfr_get_exp(const MpfrNumber *);
int mpfr_lgamma(MpfrNumber *, int *, const MpfrNumber *, int);
int mpfr_abs(MpfrNumber *, const MpfrNumber *, int);
Of1 mpfr_exp, mpfr_exp2, mpfr_expm1, mpfr_log, mpfr_log2, mpfr_log10,
    mpfr_log1p, mpfr_sin, mpfr_cos, mpfr_tan, mpfr_asin, mpfr_acos, mpfr_atan,
    mpfr_sinh, mpfr_cosh, mpfr_tanh, mpfr_asinh, mpfr_acosh, mpfr_atanh,
    mpfr_erf, mpfr_erfc, mpfr_digamma, mpfr_j0, mpfr_j1, mpfr_y0, mpfr_y1,
    mpfr_cbrt, mpfr_sqrt;
Of2 mpfr_add, mpfr_sub, mpfr_mul, mpfr_div, mpfr_pow, mpfr_atan2, mpfr_hypot;
}

static constexpr int kNearest = 0;
static constexpr long kPrecision = 160;

Number::Number(double value) {
  mpfr_init2(&held, kPrecision);
  mpfr_set_d(&held, value, kNearest);
}
Number::Number(const Number &other) : Number() { *this = other; }
Number &Number::operator=(const Number &other) {
  if (this != &other)
    mpfr_set4(&held, &other.held, kNearest, other.isNegative() ? -1 : 1);
  return *this;
}
Number::~Number() { mpfr_clear(&held); }

Number Number::power(long exponent, bool isNegative) {
  Number made;
  mpfr_set_si_2exp(&made.held, isNegative ? -1 : 1, exponent, kNearest);
  return made;
}
Number Number::pi() {
  Number made;
  mpfr_const_pi(&made.held, kNearest);
  return made;
}
bool Number::isZero() const { return mpfr_zero_p(&held); }
bool Number::isNaN() const { return mpfr_nan_p(&held); }
bool Number::isInfinite() const { return mpfr_inf_p(&held); }
bool Number::isNegative() const { return mpfr_signbit(&held); }
long Number::exponent() const { return mpfr_get_exp(&held); }
double Number::rounded() const { return mpfr_get_d(&held, kNearest); }

namespace {

Number call(Of1 *function, const Number &a) {
  Number made;
  function(&made.held, &a.held, kNearest);
  return made;
}
Number call(Of2 *function, const Number &a, const Number &b) {
  Number made;
  function(&made.held, &a.held, &b.held, kNearest);
  return made;
}
Number exp(const Number &a) { return call(mpfr_exp, a); }
Number log(const Number &a) { return call(mpfr_log, a); }
Number sqrt(const Number &a) { return call(mpfr_sqrt, a); }
Number pow(const Number &a, const Number &b) { return call(mpfr_pow, a, b); }
Number negative(const Number &a) { return Number(0) - a; }
Number infinity(bool isNegative = false) {
  return Number(isNegative ? -INFINITY : INFINITY);
}
Number nan() { return Number(NAN); }

/// Adds terms of a series until they do not count, or grow again.
template <typename Term> Number series(Number term, Term next) {
  Number sum = term;
  for (int k = 1; k < 4000 && !term.isZero(); ++k) {
    Number following = next(k, term);
    if (k > 8 && abs(term) < abs(following) &&
        abs(following) < abs(sum) * Number::power(-60))
      break;
    term = following;
    sum = sum + term;
    if (!term.isZero() && term.exponent() < sum.exponent() - kPrecision)
      break;
  }
  return sum;
}

/// exp(-|x|) times the modified Bessel function of order 0 or 1, for x >= 0.
Number besselScaled(int order, const Number &x) {
  double mu = 4.0 * order * order;
  if (x.rounded() > 300) {
    Number sum = series(Number(1), [&](int k, const Number &term) {
      double odd = 2.0 * k - 1;
      return negative(term * Number(mu - odd * odd) / (Number(8.0 * k) * x));
    });
    return sum / sqrt(Number(2) * Number::pi() * x);
  }
  Number square = x * x / Number(4);
  Number sum =
      series(order ? x / Number(2) : Number(1), [&](int k, const Number &term) {
        return term * square / (Number(k) * Number(k + order));
      });
  return sum * exp(negative(x));
}

Number besselI(int order, double a, bool isScaled) {
  if (std::isnan(a))
    return nan();
  if (std::isinf(a))
    return isScaled ? Number(0) : infinity(order && a < 0);
  Number size(std::fabs(a));
  Number value = besselScaled(order, size);
  if (!isScaled)
    value = value * exp(size);
  return order && a < 0 ? negative(value) : value;
}

/// The w >= 0 with erfc(w) = y in (0, 1]: the logarithm is nearly a parabola,
/// and Newton's way down it does not leave it.
Number inverseErfc(const Number &y) {
  double start = std::sqrt(std::max(0.0, -log(y).rounded()));
  Number w(start * 0.8), two = Number(2) / sqrt(Number::pi());
  for (int i = 0; i < 60; ++i) {
    Number at = call(mpfr_erfc, w);
    Number slope = two * exp(negative(w * w)) / at;
    Number step = (log(at) - log(y)) / slope;
    w = w + step;
    if (step.isZero() ||
        (!w.isZero() && step.exponent() < w.exponent() - kPrecision / 2))
      break;
  }
  return w;
}

Number inverseErf(double a) {
  if (std::isnan(a) || std::fabs(a) > 1)
    return nan();
  if (std::fabs(a) == 1)
    return infinity(a < 0);
  if (std::fabs(a) < 0.5) { // no cancellation in 1 - a
    Number w = Number(a) * sqrt(Number::pi()) / Number(2);
    Number two = Number(2) / sqrt(Number::pi());
    for (int i = 0; i < 12; ++i)
      w = w - (call(mpfr_erf, w) - Number(a)) / (two * exp(negative(w * w)));
    return w;
  }
  Number w = inverseErfc(Number(1) - Number(std::fabs(a)));
  return a < 0 ? negative(w) : w;
}

Number quantile(double a) {
  if (std::isnan(a) || a < 0 || a > 1)
    return nan();
  if (a == 0 || a == 1)
    return infinity(a == 0);
  bool isLow = a < 0.5;
  Number tail = isLow ? Number(a) : Number(1) - Number(a);
  Number w = inverseErfc(Number(2) * tail) * sqrt(Number(2));
  return isLow ? negative(w) : w;
}

Number scaledErfc(double a) {
  if (a > 1000) { // exp(a * a) may leave the range of MPFR
    Number square = Number(a) * Number(a);
    Number sum = series(Number(1), [&](int k, const Number &term) {
      return negative(term * Number(2.0 * k - 1) / (Number(2) * square));
    });
    return sum / (Number(a) * sqrt(Number::pi()));
  }
  if (a < -1000)
    return infinity();
  return exp(Number(a) * Number(a)) * call(mpfr_erfc, Number(a));
}

/// Bernoulli's number B(2j) over (2j)!.
Number bernoulliOverFactorial(int j) {
  static constexpr double parts[][2] = {
      {1, 6},       {-1, 30},       {1, 42},       {-1, 30},
      {5, 66},      {-691, 2730},   {7, 6},        {-3617, 510},
      {43867, 798}, {-174611, 330}, {854513, 138}, {-236364091, 2730}};
  Number value = Number(parts[j - 1][0]) / Number(parts[j - 1][1]);
  for (int k = 2; k <= 2 * j; ++k)
    value = value / Number(k);
  return value;
}

/// Hurwitz's zeta for a > 1, and the sum of the terms' magnitudes.
Exact hurwitz(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return {nan()};
  if (a == 1)
    return {infinity()};
  if (a < 1)
    return {nan()};
  bool isWhole = std::floor(a) == a;
  if (b <= 0 && std::floor(b) == b)
    return {infinity()};
  if (b < 0 && !isWhole)
    return {nan()};
  if (std::isinf(a) || std::isinf(b) || b < -2000)
    return {Number(0), Number(0), false};
  constexpr int kTerms = 60, kCorrections = 12;
  Number sum(0), magnitude(0), s(a), x(b);
  int count = kTerms + int(std::max(0.0, std::ceil(-b)));
  for (int k = 0; k < count; ++k) {
    Number term = pow(x, negative(s));
    sum = sum + term;
    magnitude = magnitude + abs(term);
    x = x + Number(1);
  }
  Number last = pow(x, negative(s));
  Number rest = last * x / (s - Number(1)) + last / Number(2);
  static const std::map<int, Number> known = [] {
    std::map<int, Number> made;
    for (int j = 1; j <= kCorrections; ++j)
      made[j] = bernoulliOverFactorial(j);
    return made;
  }();
  Number rising = s, power = last / x;
  for (int j = 1; j <= kCorrections; ++j) {
    rest = rest + known.at(j) * rising * power;
    rising = rising * (s + Number(2.0 * j - 1)) * (s + Number(2.0 * j));
    power = power / (x * x);
  }
  return {sum + rest, magnitude + abs(rest)};
}

Exact polygamma(double n, double b) {
  if (std::isnan(n) || std::isnan(b))
    return {nan()};
  if (n < 0 || std::floor(n) != n)
    return {nan()};
  if (n == 0)
    return evaluate("digamma", b, 0);
  if (n > 170 || std::isinf(b))
    return {Number(0), Number(0), false};
  Exact made = hurwitz(n + 1, b);
  if (!made.isKnown || made.value.isInfinite() || made.value.isNaN())
    return {made.value, Number(0), false};
  Number factor(1);
  for (int k = 2; k <= int(n); ++k)
    factor = factor * Number(k);
  if (int(n) % 2 == 0)
    factor = negative(factor);
  // Where the terms leave f64 nothing is said.
  bool isKnown = abs(made.scale) < Number::power(900);
  return {made.value * factor, abs(made.scale * factor), isKnown};
}

const std::map<std::string, Of1 *> &unary() {
  static const std::map<std::string, Of1 *> known = {
      {"exp", mpfr_exp},      {"exp2", mpfr_exp2},    {"expm1", mpfr_expm1},
      {"log", mpfr_log},      {"log2", mpfr_log2},    {"log10", mpfr_log10},
      {"log1p", mpfr_log1p},  {"sin", mpfr_sin},      {"cos", mpfr_cos},
      {"tan", mpfr_tan},      {"asin", mpfr_asin},    {"acos", mpfr_acos},
      {"atan", mpfr_atan},    {"sinh", mpfr_sinh},    {"cosh", mpfr_cosh},
      {"tanh", mpfr_tanh},    {"asinh", mpfr_asinh},  {"acosh", mpfr_acosh},
      {"atanh", mpfr_atanh},  {"erf", mpfr_erf},      {"erfc", mpfr_erfc},
      {"cbrt", mpfr_cbrt},    {"bessel_j0", mpfr_j0}, {"bessel_j1", mpfr_j1},
      {"bessel_y0", mpfr_y0}, {"bessel_y1", mpfr_y1}};
  return known;
}

} // namespace

Number operator+(const Number &a, const Number &b) {
  return call(mpfr_add, a, b);
}
Number operator-(const Number &a, const Number &b) {
  return call(mpfr_sub, a, b);
}
Number operator*(const Number &a, const Number &b) {
  return call(mpfr_mul, a, b);
}
Number operator/(const Number &a, const Number &b) {
  return call(mpfr_div, a, b);
}
bool operator<(const Number &a, const Number &b) {
  return mpfr_cmp3(&a.held, &b.held, 1) < 0;
}
Number abs(const Number &a) {
  Number made;
  mpfr_set4(&made.held, &a.held, kNearest, 1);
  return made;
}

Exact evaluate(const std::string &name, double a, double b) {
  auto found = unary().find(name);
  if (found != unary().end())
    return {call(found->second, Number(a))};
  if (name == "rsqrt")
    return {a == 0 ? infinity(std::signbit(a)) : Number(1) / sqrt(Number(a))};
  if (name == "lgamma") {
    Number made, of(a);
    int sign;
    if (std::isinf(a))
      return {infinity()};
    mpfr_lgamma(&made.held, &sign, &of.held, kNearest);
    return {made};
  }
  if (name == "digamma") {
    if (std::isinf(a))
      return {Number(0), Number(0), false};
    if (a == 0)
      return {infinity(!std::signbit(a))};
    return {call(mpfr_digamma, Number(a))};
  }
  if (name == "erfcx")
    return {scaledErfc(a)};
  if (name == "erfinv")
    return {inverseErf(a)};
  if (name == "ndtri")
    return {quantile(a)};
  if (name == "spherical_bessel_j0")
    return {std::isinf(a) ? Number(0)
            : a == 0      ? Number(1)
                          : call(mpfr_sin, Number(a)) / Number(a)};
  if (name.rfind("bessel_i", 0) == 0)
    return {besselI(name[8] - '0', a, name.size() == 10)};
  if (name == "atan2")
    return {call(mpfr_atan2, Number(a), Number(b))};
  if (name == "hypot")
    return {call(mpfr_hypot, Number(a), Number(b))};
  if (name == "pow")
    return {pow(Number(a), Number(b))};
  if (name == "zeta")
    return hurwitz(a, b);
  if (name == "polygamma")
    return polygamma(a, b);
  std::abort();
}
