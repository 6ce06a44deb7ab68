//===- LaunchArithmetic.cpp - Arithmetic on bounds of a launch ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaunchBounds.h"

using namespace mlir;
using namespace kiln::tile;

/// What conditions compute stays below 2^62.
static constexpr unsigned kMostBits = 62;
/// More conditions cost a launch too much.
static constexpr size_t kMostConditions = 64;

static unsigned bitsOf(int64_t number) {
  return number < 0 ? 64 - llvm::countl_one(uint64_t(number))
                    : 64 - llvm::countl_zero(uint64_t(number));
}

AffineExpr LaunchBounds::constant(int64_t number) {
  return getAffineConstantExpr(number, context);
}

LaunchBound LaunchBounds::between(int64_t low, int64_t high) {
  LaunchBound bound;
  bound.low = constant(low);
  bound.high = constant(high);
  bound.bits = std::max(bitsOf(low), bitsOf(high));
  return bound;
}

LaunchBound LaunchBounds::ofType(Type type) {
  if (!isNarrow(type))
    return {};
  unsigned width = type.getIntOrFloatBitWidth();
  return between(llvm::minIntN(width), llvm::maxIntN(width));
}

/// Whether an end leaves its parameters room within a type of `width` bits.
/// The range of a type that nothing else bounds (a number that the kernel
/// reads) does not: beside its ends only 0 fits, and only 1 as a factor.
static bool leavesRoom(AffineExpr end, unsigned width) {
  auto both = dyn_cast<AffineBinaryOpExpr>(end);
  if (!both)
    return true;
  // A factor leaves what it multiplies 3/8 of the bits: 12 of 32.
  unsigned most = width - 2;
  if (end.getKind() == AffineExprKind::Mul)
    most = width - 1 - width * 3 / 8;
  auto number = numberOf(both.getRHS());
  bool isNear = !number || end.getKind() == AffineExprKind::FloorDiv ||
                end.getKind() == AffineExprKind::CeilDiv ||
                end.getKind() == AffineExprKind::Mod || bitsOf(*number) <= most;
  return isNear && leavesRoom(both.getLHS(), width) &&
         leavesRoom(both.getRHS(), width);
}

/// Adds `expr` >= 0 to what a bound needs; false where it does not hold, or
/// nothing may be assumed.
bool LaunchBounds::need(LaunchBound &bound, AffineExpr expr) {
  return leavesRoom(expr, kLaunchBits + 1) && assume(bound, expr);
}

/// The same for a condition of which the ends are known to leave room.
bool LaunchBounds::assume(LaunchBound &bound, AffineExpr expr) {
  if (auto number = numberOf(expr))
    return *number >= 0;
  if (!assumes || bound.needs.size() >= kMostConditions)
    return false;
  bound.needs.insert(expr);
  return true;
}

void LaunchBounds::merge(LaunchBound &result, const LaunchBound &other) {
  result.needs.insert(other.needs.begin(), other.needs.end());
}

LaunchBound LaunchBounds::add(const LaunchBound &a, const LaunchBound &b,
                              bool negate) {
  LaunchBound result;
  unsigned bits = std::max(a.bits, b.bits) + 1;
  if (bits > kMostBits)
    return result;
  merge(result, a);
  merge(result, b);
  AffineExpr low = negate ? b.high : b.low, high = negate ? b.low : b.high;
  if (a.low && low)
    result.low = negate ? a.low - low : a.low + low;
  if (a.high && high)
    result.high = negate ? a.high - high : a.high + high;
  result.bits = bits;
  return result;
}

LaunchBound LaunchBounds::mul(const LaunchBound &a, const LaunchBound &b) {
  LaunchBound result;
  if (!a.low || !a.high || !b.low || !b.high || a.bits + b.bits > kMostBits)
    return result;
  merge(result, a);
  merge(result, b);
  result.bits = a.bits + b.bits;
  if (a.isExact() && b.isExact()) {
    result.low = result.high = a.low * b.low;
    return result;
  }
  // One that is not negative, and the other one between two numbers.
  auto scale = [&](const LaunchBound &x, const LaunchBound &factor) {
    auto low = numberOf(x.low), high = numberOf(x.high);
    if (!need(result, factor.low) || (!low && !need(result, x.low)) ||
        (!high && low.value_or(0) < 0 && !need(result, x.high)))
      return false;
    result.low = low && *low < 0 ? x.low * factor.high : x.low * factor.low;
    result.high =
        high && *high < 0 ? x.high * factor.low : x.high * factor.high;
    return true;
  };
  for (auto [factor, x] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (auto number =
            factor->isExact() ? numberOf(factor->low) : std::nullopt) {
      result.low = (*number < 0 ? x->high : x->low) * *number;
      result.high = (*number < 0 ? x->low : x->high) * *number;
      return result;
    }
  auto isNegative = [](const LaunchBound &x) {
    auto low = numberOf(x.low);
    return low && *low < 0;
  };
  return (isNegative(b) ? scale(b, a) : scale(a, b)) ? result : LaunchBound();
}

/// The least divisor that has a quotient: none has by 0. Null where one may be
/// negative.
AffineExpr LaunchBounds::leastDivisor(const LaunchBound &divisor,
                                      LaunchBound &result) {
  if (auto number = numberOf(divisor.low))
    return *number >= 0 ? constant(std::max<int64_t>(*number, 1))
                        : AffineExpr();
  return need(result, divisor.low - 1) ? divisor.low : AffineExpr();
}

/// Of a quotient of what is not negative by what is positive.
LaunchBound LaunchBounds::quotient(const LaunchBound &a, const LaunchBound &b,
                                   bool up) {
  LaunchBound result;
  if (!a.low || !a.high || !b.low || !b.high)
    return result;
  merge(result, a);
  merge(result, b);
  AffineExpr least = leastDivisor(b, result);
  if (!least || !need(result, a.low))
    return {};
  result.bits = a.bits;
  result.high = up ? a.high.ceilDiv(least) : a.high.floorDiv(least);
  result.low = a.isExact() && b.isExact() ? result.high : constant(0);
  return result;
}

/// Of the remainder of a quotient that is rounded towards 0.
LaunchBound LaunchBounds::remainder(const LaunchBound &a,
                                    const LaunchBound &b) {
  LaunchBound result;
  if (b.low && b.high && leastDivisor(b, result)) {
    merge(result, b);
    result.bits = b.bits;
    result.high = b.high - 1;
    result.low = constant(1) - b.high;
  }
  LaunchBound positive = result;
  merge(positive, a);
  if (!a.low || !need(positive, a.low))
    return result;
  positive.low = constant(0);
  if (!positive.high) {
    positive.high = a.high;
    positive.bits = a.bits;
  } else if (a.isExact() && b.isExact()) {
    positive.low = positive.high = a.low % b.low;
  }
  return positive;
}

/// What is at least both, or null.
AffineExpr LaunchBounds::upper(AffineExpr a, AffineExpr b,
                               LaunchBound &result) {
  if (!a || !b || a == b)
    return a && b ? a : AffineExpr();
  auto x = numberOf(a), y = numberOf(b);
  if (x && y)
    return constant(std::max(*x, *y));
  if (x && need(result, b - a))
    return b;
  if (y && need(result, a - b))
    return a;
  if (result.bits < kMostBits && need(result, a) && need(result, b)) {
    ++result.bits;
    return a + b;
  }
  return {};
}

/// What is at most both, or null.
AffineExpr LaunchBounds::lower(AffineExpr a, AffineExpr b,
                               LaunchBound &result) {
  if (!a || !b || a == b)
    return a && b ? a : AffineExpr();
  auto x = numberOf(a), y = numberOf(b);
  if (x && y)
    return constant(std::min(*x, *y));
  int64_t number = std::min<int64_t>(x ? *x : y ? *y : 0, 0);
  AffineExpr least = constant(number);
  if ((x || need(result, a - least)) && (y || need(result, b - least)))
    return least;
  return {};
}

LaunchBound LaunchBounds::join(const LaunchBound &a, const LaunchBound &b) {
  LaunchBound result;
  merge(result, a);
  merge(result, b);
  result.bits = std::max(a.bits, b.bits);
  result.high = upper(a.high, b.high, result);
  result.low = lower(a.low, b.low, result);
  return result;
}

LaunchBound LaunchBounds::choose(const LaunchBound &a, const LaunchBound &b,
                                 bool isLeast) {
  LaunchBound result;
  merge(result, a);
  merge(result, b);
  result.bits = std::max(a.bits, b.bits);
  // Either bounds the smaller one from above: a number costs nothing.
  auto either = [](AffineExpr x, AffineExpr y) {
    return !x || (y && numberOf(y)) ? y : x;
  };
  if (isLeast) {
    result.high = either(a.high, b.high);
    result.low = lower(a.low, b.low, result);
  } else {
    result.low = either(a.low, b.low);
    result.high = upper(a.high, b.high, result);
  }
  return result;
}

/// Whether a whole number within the bound is one of the type; what that needs
/// becomes part of the bound.
bool LaunchBounds::fits(LaunchBound &bound, Type type) {
  if (!isNarrow(type))
    return true;
  unsigned width = type.getIntOrFloatBitWidth();
  if (bound.low && bound.high && bound.bits < width)
    return true;
  return bound.low && bound.high && leavesRoom(bound.low, width) &&
         leavesRoom(bound.high, width) &&
         assume(bound, bound.low - llvm::minIntN(width)) &&
         assume(bound, constant(llvm::maxIntN(width)) - bound.high);
}

/// A result that is within the bound, or else anything that its type holds.
LaunchBound LaunchBounds::fit(LaunchBound bound, Type type) {
  if (!fits(bound, type))
    return ofType(type);
  if (isNarrow(type))
    bound.bits = std::min(bound.bits, type.getIntOrFloatBitWidth() - 1);
  return bound;
}
