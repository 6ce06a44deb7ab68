//===- LaunchConditions.cpp - Fewer conditions that say as much -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch computes all of its conditions. Most follow from others: an offset
// that fits has parts that fit. What implies another is the larger expression,
// so that nothing is left out for what is left out for it.
//
//===----------------------------------------------------------------------===//

#include "LaunchBounds.h"
#include <cmath>

using namespace mlir;
using namespace kiln::tile;

namespace {
/// Leaves out conditions that others imply.
class Pruner {
public:
  Pruner(const LaunchConditions &all, unsigned firstExtent)
      : all(all), firstExtent(firstExtent) {
    for (AffineExpr condition : all)
      // What may leave 64 bits needs the conditions on its parts.
      if (auto limit = limitOf(condition);
          limit && magnitude(limit->first) < 0x1p62)
        limits.push_back({condition, *limit});
  }

  SmallVector<AffineExpr> run() {
    SmallVector<AffineExpr> kept;
    for (AffineExpr condition : all)
      if (!isImplied(condition))
        kept.push_back(condition);
    return kept;
  }

private:
  /// The expression and the number of `expr <= number`.
  using Limit = std::pair<AffineExpr, int64_t>;

  static AffineBinaryOpExpr binary(AffineExpr expr, AffineExprKind kind) {
    return expr.getKind() == kind ? cast<AffineBinaryOpExpr>(expr)
                                  : AffineBinaryOpExpr(nullptr);
  }
  /// The terms of a sum without its number, and that.
  static std::pair<AffineExpr, int64_t> split(AffineExpr expr) {
    if (auto sum = binary(expr, AffineExprKind::Add))
      if (auto number = numberOf(sum.getRHS()))
        return {sum.getLHS(), *number};
    return {expr, 0};
  }

  static std::optional<Limit> limitOf(AffineExpr condition) {
    auto [terms, number] = split(condition);
    auto product = binary(terms, AffineExprKind::Mul);
    auto factor =
        product ? numberOf(product.getRHS()) : std::optional<int64_t>();
    if (!factor || *factor >= 0 || number <= 0)
      return std::nullopt;
    return Limit(product.getLHS() * -*factor, number);
  }

  /// How far from 0 a launch of any parameters computes an expression.
  static double magnitude(AffineExpr expr) {
    if (auto number = numberOf(expr))
      return std::abs(double(*number));
    auto both = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!both)
      return double(int64_t(1) << 31);
    double lhs = magnitude(both.getLHS()), rhs = magnitude(both.getRHS());
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return lhs + rhs;
    case AffineExprKind::Mul:
      return lhs * rhs;
    default:
      return std::max(lhs, rhs);
    }
  }

  /// Whether an expression is at least 0 by its parts.
  bool isNonNegative(AffineExpr expr, bool byItself = false) const {
    if (auto number = numberOf(expr))
      return *number >= 0;
    if (!byItself && all.contains(expr))
      return true;
    // A launch without instances may run anything.
    auto [terms, number] = split(expr);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(terms))
      if (symbol.getPosition() >= firstExtent && number >= -1)
        return true;
    auto both = dyn_cast<AffineBinaryOpExpr>(expr);
    return both && isNonNegative(both.getLHS()) && isNonNegative(both.getRHS());
  }

  /// Whether `large` <= number implies `small` <= number, for numbers that are
  /// not negative.
  bool bounds(AffineExpr large, AffineExpr small) const {
    if (large == small)
      return true;
    auto both = dyn_cast<AffineBinaryOpExpr>(large);
    if (!both)
      return false;
    auto number = numberOf(both.getRHS());
    if (large.getKind() == AffineExprKind::Mul)
      return number && *number >= 1 && bounds(both.getLHS(), small);
    if (large.getKind() != AffineExprKind::Add)
      return false;
    return (isNonNegative(both.getRHS()) && bounds(both.getLHS(), small)) ||
           (isNonNegative(both.getLHS()) && bounds(both.getRHS(), small));
  }

  bool isImplied(AffineExpr condition) const {
    if (auto limit = limitOf(condition))
      return llvm::any_of(limits, [&, at = *limit](const auto &other) {
        const auto &[by, stronger] = other;
        if (by == condition || stronger.second > at.second)
          return false;
        if (bounds(stronger.first, at.first))
          return true;
        // A quotient is at most what is divided.
        auto quotient = binary(at.first, AffineExprKind::FloorDiv);
        return quotient && isNonNegative(quotient.getLHS()) &&
               bounds(stronger.first, quotient.getLHS());
      });
    auto [terms, number] = split(condition);
    if (number > 0 && isNonNegative(terms))
      return true;
    // A smaller number beside the same terms.
    for (AffineExpr other : all) {
      auto [otherTerms, otherNumber] = split(other);
      if (other != condition && otherTerms == terms && otherNumber < number)
        return true;
    }
    return isNonNegative(condition, /*byItself=*/true);
  }

  const LaunchConditions &all;
  unsigned firstExtent;
  SmallVector<std::pair<AffineExpr, Limit>> limits;
};
} // namespace

SmallVector<AffineExpr> kiln::tile::prune(const LaunchConditions &conditions,
                                          unsigned firstExtent) {
  return Pruner(conditions, firstExtent).run();
}
