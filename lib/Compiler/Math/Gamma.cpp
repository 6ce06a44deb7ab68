// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gamma function's derivatives, and sums of powers.
#include "kiln/Math/Special.h"
#include <iterator>
#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::functions;

static constexpr double kPi = 3.14159265358979323846;
static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

static Term floor(Term x) { return apply<math::FloorOp>(x); }
static Term power(Term x, Term y) { return apply<math::PowFOp>(x, y); }
static Term isWhole(Term x) { return floor(x) == x; }
/// -1 for odd numbers, 1 for even ones.
static Term alternating(Term x) {
  return select(isWhole(x * 0.5), 1.0, x.number(-1));
}

/// Beyond 10 the asymptotic series in 1 / x^2, below it by the recurrence;
/// negative numbers by reflection.
Term functions::digamma(Term x) {
  Term isNegative = x < 0.0;
  Term y = select(isNegative, 1.0 - x, x);
  Term sum = y.number(0);
  for (int i = 0; i < 10; ++i) {
    Term isBelow = y < 10.0;
    sum = select(isBelow, sum + 1.0 / y, sum);
    y = select(isBelow, y + 1, y);
  }
  // B(2k) / (2k).
  const double series[] = {1.0 / 12,   -1.0 / 120,     1.0 / 252,
                           -1.0 / 240, 1.0 / 132,      -691.0 / 32760,
                           1.0 / 12,   -3617.0 / 8160, 43867.0 / 14364};
  Term r = 1.0 / y;
  Term square = r * r;
  Term tail = r * 0.5 + polynomial(square, series) * square;
  Term result = apply<math::LogOp>(y) - (tail + sum);
  // An argument of the tangent in [-pi / 2, pi / 2]; whole numbers have none.
  Term rest = x - apply<math::RoundEvenOp>(x);
  Term angle = rest * kPi;
  Term reflected = result - kPi / apply<math::TanOp>(angle);
  reflected = select(rest == 0.0, kNan, reflected);
  result = select(isNegative, reflected, result);
  return select(x == 0.0, copysign(x.number(kInfinity), -x), result);
}

/// Of q > 0 and s > 1 by Euler's and Maclaurin's formula.
static Term zetaOfPositive(Term s, Term q) {
  constexpr int kTerms = 10;
  // (2k)! / B(2k).
  const double factors[] = {12.0,
                            -720.0,
                            30240.0,
                            -1209600.0,
                            47900160.0,
                            -1.8924375803183791606e9,
                            7.47242496e10,
                            -2.950130727918164224e12,
                            1.1646782814350067249e14,
                            -4.5979787224074726105e15,
                            1.8152105401943546773e17,
                            -7.1661652561756670113e18};
  Term sum = power(q, -s);
  for (int k = 1; k < kTerms; ++k)
    sum = sum + power(q + k, -s);
  Term w = q + kTerms;
  Term last = power(w, -s);
  Term tail = power(w, 1.0 - s) / (s - 1) + last * 0.5;
  Term rising = s, falling = last / w;
  for (int k = 0; k < int(std::size(factors)); ++k) {
    tail = tail + rising * falling / factors[k];
    rising = rising * (s + (2 * k + 1)) * (s + (2 * k + 2));
    falling = falling / (w * w);
  }
  // The sum is all there is where its terms fall so fast, and the tail's
  // factors may overflow.
  return sum + select((s > 500.0) | (w == kInfinity), 0.0, tail);
}

Term functions::zeta(Term s, Term q) {
  Term isPositive = q > 0.0;
  // Numbers from q on are those from its fraction on, and the negative ones in
  // between, whose powers have a sign.
  Term fraction = q - floor(q), gap = apply<math::CeilOp>(q) - q;
  Term up = zetaOfPositive(s, select(isPositive, q, fraction));
  Term down = zetaOfPositive(s, gap) - zetaOfPositive(s, 1.0 - q);
  Term below = up + alternating(s) * down;
  below = select(isWhole(s), below, kNan);
  below = select(isWhole(q), kInfinity, below);
  Term result = select(isPositive, up, below);
  result = select(s == 1.0, kInfinity, result);
  result = select(s < 1.0, kNan, result);
  return select(isNaN(s) | isNaN(q), s + q, result);
}

Term functions::polygamma(Term n, Term x) {
  Term next = n + 1;
  Term factorial = Term::callC("tgamma", {next}, next.getElement());
  Term higher = zeta(next, x) * factorial * -alternating(n);
  Term result = select(n == 0.0, digamma(x), higher);
  return select(isWhole(n) & (n >= 0.0), result, kNan);
}
