//===- Facts.cpp - What is known of a number ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Index/Facts.h"
#include <initializer_list>
#include <numeric>

using namespace kiln::index;

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {

/// A number that may be beyond 64 bits, or an infinity. Sums and products of
/// two 64-bit numbers fit.
struct Wide {
  static constexpr __int128 kInfinity = (__int128(1) << 126);
  __int128 n;
  bool isInfinite() const { return n == kInfinity || n == -kInfinity; }
};

Wide lowOf(const Interval &r) { return {r.low ? *r.low : -Wide::kInfinity}; }
Wide highOf(const Interval &r) { return {r.high ? *r.high : Wide::kInfinity}; }

Integer narrow(Wide w) {
  if (w.n < std::numeric_limits<int64_t>::min() ||
      w.n > std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return static_cast<int64_t>(w.n);
}

/// The range from the least to the greatest of some numbers.
Interval hull(std::initializer_list<Wide> numbers) {
  Wide low = *numbers.begin(), high = low;
  for (Wide w : numbers) {
    low.n = std::min(low.n, w.n);
    high.n = std::max(high.n, w.n);
  }
  // What lies beyond 64 bits on the wrong side bounds nothing.
  Interval result{narrow(low), narrow(high)};
  if (low.n > std::numeric_limits<int64_t>::max())
    result.low = std::numeric_limits<int64_t>::max();
  if (high.n < std::numeric_limits<int64_t>::min())
    result.high = std::numeric_limits<int64_t>::min();
  return result;
}

Wide times(Wide a, Wide b) {
  if (a.n == 0 || b.n == 0)
    return {0};
  if (a.isInfinite() || b.isInfinite())
    return {(a.n < 0) != (b.n < 0) ? -Wide::kInfinity : Wide::kInfinity};
  return {a.n * b.n};
}

enum class Rounding { Down, Up, Zero };

/// For b > 0.
Wide over(Wide a, Wide b, Rounding rounding) {
  if (b.isInfinite()) {
    if (a.isInfinite()) // anything of the sign of a
      return a;
    return {rounding == Rounding::Down && a.n < 0 ? -1
            : rounding == Rounding::Up && a.n > 0 ? 1
                                                  : 0};
  }
  if (a.isInfinite())
    return a;
  __int128 q = a.n / b.n, rest = a.n % b.n;
  if (rounding == Rounding::Down)
    q -= rest < 0;
  else if (rounding == Rounding::Up)
    q += rest > 0;
  return {q};
}

/// Quotients by positive numbers are monotonic in both operands, at a fixed
/// sign of the first.
Interval divide(const Interval &a, Interval b, Rounding rounding) {
  if (!b.low || *b.low < 0)
    return Interval::all();
  Wide least{std::max<int64_t>(*b.low, 1)}, most = highOf(b);
  if (most.n < least.n) // only 0 is left, which cannot be
    most = least;
  return hull({over(lowOf(a), least, rounding), over(lowOf(a), most, rounding),
               over(highOf(a), least, rounding),
               over(highOf(a), most, rounding)});
}

} // namespace

Interval kiln::index::add(const Interval &a, const Interval &b) {
  Wide low{lowOf(a).isInfinite() || lowOf(b).isInfinite()
               ? -Wide::kInfinity
               : lowOf(a).n + lowOf(b).n};
  Wide high{highOf(a).isInfinite() || highOf(b).isInfinite()
                ? Wide::kInfinity
                : highOf(a).n + highOf(b).n};
  return hull({low, high});
}

Interval kiln::index::sub(const Interval &a, const Interval &b) {
  Wide low{lowOf(a).isInfinite() || highOf(b).isInfinite()
               ? -Wide::kInfinity
               : lowOf(a).n - highOf(b).n};
  Wide high{highOf(a).isInfinite() || lowOf(b).isInfinite()
                ? Wide::kInfinity
                : highOf(a).n - lowOf(b).n};
  return hull({low, high});
}

Interval kiln::index::mul(const Interval &a, const Interval &b) {
  return hull({times(lowOf(a), lowOf(b)), times(lowOf(a), highOf(b)),
               times(highOf(a), lowOf(b)), times(highOf(a), highOf(b))});
}

Interval kiln::index::floorDiv(const Interval &a, const Interval &b) {
  return divide(a, b, Rounding::Down);
}

Interval kiln::index::ceilDiv(const Interval &a, const Interval &b) {
  return divide(a, b, Rounding::Up);
}

Interval kiln::index::truncDiv(const Interval &a, const Interval &b) {
  return divide(a, b, Rounding::Zero);
}

Interval kiln::index::truncRem(const Interval &a, const Interval &b) {
  // Smaller than the divisor, no larger than the number, of its sign.
  Interval result = Interval::all();
  if (b.low && b.high && *b.low > std::numeric_limits<int64_t>::min()) {
    int64_t most = std::max<int64_t>(std::max(*b.high, -*b.low) - 1, 0);
    result = Interval::between(-most, most);
  }
  if (a.low)
    result.low =
        std::max(result.low.value_or(*a.low), std::min<int64_t>(*a.low, 0));
  if (a.high)
    result.high = std::min(result.high.value_or(std::max<int64_t>(*a.high, 0)),
                           std::max<int64_t>(*a.high, 0));
  if (a.isNonNegative())
    result.low = 0;
  return result;
}

Interval kiln::index::floorMod(const Interval &a, const Interval &b) {
  if (!b.low || *b.low < 0)
    return Interval::all();
  Interval result = Interval::atLeast(0);
  if (b.high)
    result.high = std::max<int64_t>(*b.high - 1, 0);
  if (a.isNonNegative() && a.high)
    result.high = std::min(result.high.value_or(*a.high), *a.high);
  // Smaller than every divisor: the number itself.
  if (a.isNonNegative() && a.high && *a.high < *b.low)
    return a;
  return result;
}

Interval kiln::index::min(const Interval &a, const Interval &b) {
  Interval result;
  if (a.low && b.low)
    result.low = std::min(*a.low, *b.low);
  if (a.high || b.high)
    result.high =
        std::min(a.high.value_or(std::numeric_limits<int64_t>::max()),
                 b.high.value_or(std::numeric_limits<int64_t>::max()));
  return result;
}

Interval kiln::index::max(const Interval &a, const Interval &b) {
  Interval result;
  if (a.low || b.low)
    result.low = std::max(a.low.value_or(std::numeric_limits<int64_t>::min()),
                          b.low.value_or(std::numeric_limits<int64_t>::min()));
  if (a.high && b.high)
    result.high = std::max(*a.high, *b.high);
  return result;
}

Interval kiln::index::join(const Interval &a, const Interval &b) {
  Interval result;
  if (a.low && b.low)
    result.low = std::min(*a.low, *b.low);
  if (a.high && b.high)
    result.high = std::max(*a.high, *b.high);
  return result;
}

Interval kiln::index::meet(const Interval &a, const Interval &b) {
  Interval result = a;
  if (b.low)
    result.low = a.low ? std::max(*a.low, *b.low) : *b.low;
  if (b.high)
    result.high = a.high ? std::min(*a.high, *b.high) : *b.high;
  // Contradictions are about code that does not run.
  return result.low && result.high && *result.low > *result.high ? a : result;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static Facts withRange(Interval range, int64_t divisor) {
  if (range.low && range.low == range.high)
    return Facts::exactly(*range.low);
  return {range, divisor};
}

Facts Facts::exactly(int64_t n) {
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  return {Interval::exactly(n), n == least ? int64_t(1) << 62 : std::abs(n)};
}

Facts kiln::index::add(const Facts &a, const Facts &b) {
  return withRange(add(a.range, b.range), std::gcd(a.divisor, b.divisor));
}

Facts kiln::index::sub(const Facts &a, const Facts &b) {
  return withRange(sub(a.range, b.range), std::gcd(a.divisor, b.divisor));
}

Facts kiln::index::mul(const Facts &a, const Facts &b) {
  // Either divides the product alone, too.
  Integer divisor = mul(a.divisor, b.divisor);
  return withRange(mul(a.range, b.range),
                   divisor.value_or(std::max(a.divisor, b.divisor)));
}

/// The divisor of an exact quotient by a number; 1 where it is not exact.
static int64_t quotientDivisor(const Facts &a, const Facts &b) {
  if (a.divisor == 0)
    return 0;
  if (!b.range.low || b.range.low != b.range.high || *b.range.low <= 0 ||
      a.divisor % *b.range.low != 0)
    return 1;
  return a.divisor / *b.range.low;
}

Facts kiln::index::floorDiv(const Facts &a, const Facts &b) {
  return withRange(floorDiv(a.range, b.range), quotientDivisor(a, b));
}

Facts kiln::index::ceilDiv(const Facts &a, const Facts &b) {
  return withRange(ceilDiv(a.range, b.range), quotientDivisor(a, b));
}

Facts kiln::index::truncDiv(const Facts &a, const Facts &b) {
  return withRange(truncDiv(a.range, b.range), quotientDivisor(a, b));
}

Facts kiln::index::truncRem(const Facts &a, const Facts &b) {
  return withRange(truncRem(a.range, b.range), std::gcd(a.divisor, b.divisor));
}

Facts kiln::index::floorMod(const Facts &a, const Facts &b) {
  return withRange(floorMod(a.range, b.range), std::gcd(a.divisor, b.divisor));
}

Facts kiln::index::min(const Facts &a, const Facts &b) {
  return withRange(min(a.range, b.range), std::gcd(a.divisor, b.divisor));
}

Facts kiln::index::max(const Facts &a, const Facts &b) {
  return withRange(max(a.range, b.range), std::gcd(a.divisor, b.divisor));
}

Facts kiln::index::join(const Facts &a, const Facts &b) {
  return withRange(join(a.range, b.range), std::gcd(a.divisor, b.divisor));
}

Facts kiln::index::meet(const Facts &a, const Facts &b) {
  // The least common multiple, where it fits.
  int64_t divisor = std::max(a.divisor, b.divisor);
  if (a.divisor == 0 || b.divisor == 0)
    divisor = 0;
  else if (Integer both =
               mul(a.divisor / std::gcd(a.divisor, b.divisor), b.divisor))
    divisor = *both;
  return withRange(meet(a.range, b.range), divisor);
}
