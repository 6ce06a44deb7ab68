//===- Facts.h - What is known of a number ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intervals and divisors of whole numbers. The results of operations hold every
// exact result of numbers from the operands; what does not fit 64 bits makes an
// end unbounded. Divisors (second operands) are taken not to be 0.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INDEX_FACTS_H
#define KILN_INDEX_FACTS_H

#include "kiln/Index/Integer.h"

namespace kiln::index {

/// The whole numbers from `low` to `high`; an end that is missing is unbounded.
struct Interval {
  Integer low, high;

  static Interval all() { return {}; }
  static Interval exactly(int64_t n) { return {n, n}; }
  static Interval atLeast(int64_t n) { return {n, std::nullopt}; }
  static Interval between(int64_t low, int64_t high) { return {low, high}; }

  bool contains(int64_t n) const {
    return (!low || *low <= n) && (!high || n <= *high);
  }
  bool isNonNegative() const { return low && *low >= 0; }
  bool isPositive() const { return low && *low > 0; }
  bool operator==(const Interval &o) const {
    return low == o.low && high == o.high;
  }
};

/// Bounds of the result of an operation on numbers within the intervals.
Interval add(const Interval &a, const Interval &b);
Interval sub(const Interval &a, const Interval &b);
Interval mul(const Interval &a, const Interval &b);
Interval floorDiv(const Interval &a, const Interval &b);
Interval ceilDiv(const Interval &a, const Interval &b);
/// The quotient rounded towards 0, and what it leaves.
Interval truncDiv(const Interval &a, const Interval &b);
Interval truncRem(const Interval &a, const Interval &b);
Interval floorMod(const Interval &a, const Interval &b);
Interval min(const Interval &a, const Interval &b);
Interval max(const Interval &a, const Interval &b);
/// Numbers of either.
Interval join(const Interval &a, const Interval &b);
/// Numbers of both, if there are any.
Interval meet(const Interval &a, const Interval &b);

/// Interval and divisor of a number.
struct Facts {
  Interval range;
  /// Divides the number; 0 if the number is 0. Always at least 1 else.
  int64_t divisor = 1;

  static Facts exactly(int64_t n);
  bool isMultipleOf(int64_t n) const { return n != 0 && divisor % n == 0; }
  bool operator==(const Facts &o) const {
    return range == o.range && divisor == o.divisor;
  }
};

/// Facts about the result of an operation on numbers with these facts.
Facts add(const Facts &a, const Facts &b);
Facts sub(const Facts &a, const Facts &b);
Facts mul(const Facts &a, const Facts &b);
Facts floorDiv(const Facts &a, const Facts &b);
Facts ceilDiv(const Facts &a, const Facts &b);
Facts truncDiv(const Facts &a, const Facts &b);
Facts truncRem(const Facts &a, const Facts &b);
Facts floorMod(const Facts &a, const Facts &b);
Facts min(const Facts &a, const Facts &b);
Facts max(const Facts &a, const Facts &b);
Facts join(const Facts &a, const Facts &b);
/// Both hold of one number.
Facts meet(const Facts &a, const Facts &b);

} // namespace kiln::index

#endif // KILN_INDEX_FACTS_H
