//===- AxisArith.cpp - Arithmetic on facts about neighbours ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AxisArith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;
using namespace kiln::tile::axis;

int64_t axis::powerIn(int64_t n) { return n ? std::min(kMost, n & -n) : kMost; }

static int64_t product(int64_t a, int64_t b) {
  return a >= kMost / b ? kMost : a * b;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

int64_t TileFacts::everyDivisor() const {
  int64_t best = 1;
  for (const AxisFacts &axis : axes)
    if (axis.contiguity == 1)
      best = std::max(best, axis.divisibility);
  return best;
}

void TileFacts::print(llvm::raw_ostream &os) const {
  auto list = [&](StringRef name, int64_t AxisFacts::*field) {
    os << name << " [";
    llvm::interleaveComma(axes, os,
                          [&](const AxisFacts &axis) { os << axis.*field; });
    os << "]";
  };
  list("contiguity", &AxisFacts::contiguity);
  list(" divisibility", &AxisFacts::divisibility);
  list(" constancy", &AxisFacts::constancy);
}

TileFacts axis::unknown(ArrayRef<int64_t> shape) {
  TileFacts facts;
  facts.axes.resize(shape.size());
  return facts;
}

int64_t axis::divisorAt(const AxisFacts &axis, int64_t count) {
  return count < axis.contiguity ? std::min(axis.divisibility, count)
                                 : axis.divisibility;
}

/// What holds of both.
static AxisFacts joinAxes(const AxisFacts &a, const AxisFacts &b) {
  AxisFacts both;
  both.contiguity = std::min(a.contiguity, b.contiguity);
  both.constancy = std::min(a.constancy, b.constancy);
  both.divisibility =
      std::min(divisorAt(a, both.contiguity), divisorAt(b, both.contiguity));
  return both;
}

TileFacts axis::join(const TileFacts &a, const TileFacts &b) {
  TileFacts both = a;
  for (auto [axis, other] : llvm::zip_equal(both.axes, b.axes))
    axis = joinAxes(axis, other);
  both.isNonNegative &= b.isNonNegative;
  return both;
}

//===----------------------------------------------------------------------===//
// Arithmetic along one dimension
//===----------------------------------------------------------------------===//

AxisFacts axis::addAxes(const AxisFacts &a, const AxisFacts &b, int64_t unit,
                        bool subtracts) {
  AxisFacts sum;
  sum.constancy = std::min(a.constancy, b.constancy);
  sum.contiguity = std::min(a.contiguity, b.constancy);
  if (!subtracts)
    sum.contiguity =
        std::max(sum.contiguity, std::min(a.constancy, b.contiguity));
  sum.divisibility = std::min(divisorAt(a, sum.contiguity),
                              product(divisorAt(b, sum.contiguity), unit));
  return sum;
}

/// Runs of a within which a has one quotient by b, where b is the same.
static int64_t withinOne(const AxisFacts &a, const AxisFacts &b) {
  return std::min({a.contiguity, a.divisibility, b.constancy, b.divisibility});
}

TileFacts axis::combine(
    const TileFacts &a, const TileFacts &b,
    llvm::function_ref<AxisFacts(const AxisFacts &, const AxisFacts &)> axis) {
  TileFacts facts;
  for (auto [x, y] : llvm::zip_equal(a.axes, b.axes))
    facts.axes.push_back(axis(x, y));
  facts.isNonNegative = a.isNonNegative && b.isNonNegative;
  return facts;
}

TileFacts axis::multiply(const TileFacts &a, const TileFacts &b) {
  int64_t every = product(a.everyDivisor(), b.everyDivisor());
  return combine(a, b, [&](const AxisFacts &x, const AxisFacts &y) {
    AxisFacts axis;
    axis.constancy = std::min(x.constancy, y.constancy);
    axis.divisibility = every;
    return axis;
  });
}

TileFacts axis::divide(const TileFacts &a, const TileFacts &b) {
  return combine(a, b, [](const AxisFacts &x, const AxisFacts &y) {
    AxisFacts axis;
    axis.constancy =
        std::max(std::min(x.constancy, y.constancy), withinOne(x, y));
    return axis;
  });
}

TileFacts axis::remainder(const TileFacts &a, const TileFacts &b) {
  return combine(a, b, [](const AxisFacts &x, const AxisFacts &y) {
    AxisFacts axis;
    axis.constancy = std::min(x.constancy, y.constancy);
    axis.contiguity = withinOne(x, y);
    axis.divisibility =
        std::min(divisorAt(x, axis.contiguity), divisorAt(y, axis.contiguity));
    return axis;
  });
}

TileFacts axis::compare(arith::CmpIPredicate predicate, const TileFacts &a,
                        const TileFacts &b) {
  using Pred = arith::CmpIPredicate;
  bool isUnsigned = predicate == Pred::ult || predicate == Pred::uge ||
                    predicate == Pred::ugt || predicate == Pred::ule;
  bool holds = !isUnsigned || (a.isNonNegative && b.isNonNegative);
  // run < bound and bound > run part between runs, run <= bound does not.
  bool firstRuns = llvm::is_contained(
      {Pred::slt, Pred::sge, Pred::ult, Pred::uge}, predicate);
  bool secondRuns = llvm::is_contained(
      {Pred::sgt, Pred::sle, Pred::ugt, Pred::ule}, predicate);
  TileFacts facts = combine(a, b, [&](const AxisFacts &x, const AxisFacts &y) {
    AxisFacts axis;
    axis.constancy = std::min(x.constancy, y.constancy);
    if (holds && firstRuns)
      axis.constancy = std::max(axis.constancy, withinOne(x, y));
    if (holds && secondRuns)
      axis.constancy = std::max(axis.constancy, withinOne(y, x));
    return axis;
  });
  facts.isNonNegative = false;
  return facts;
}
