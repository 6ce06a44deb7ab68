// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions, against the numbers that they stand for.
#include "Check.h"
#include "kiln/Index/Math.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>

using namespace kiln::index;

namespace {

std::string text(const Expr &expr) {
  std::string result;
  llvm::raw_string_ostream os(result);
  expr.print(os);
  return result;
}

/// Values of s0, s1, s2 and d0, d1.
struct Point {
  int64_t symbols[3], dims[2];
};

/// An expression and the function that it is.
struct Sample {
  Expr expr;
  std::function<__int128(const Point &)> at;
};

Sample leaf() {
  int64_t kind = pick(0, 7);
  if (kind < 3)
    return {Expr::symbol(kind),
            [=](const Point &p) { return p.symbols[kind]; }};
  if (kind < 5)
    return {Expr::dim(kind - 3),
            [=](const Point &p) { return p.dims[kind - 3]; }};
  int64_t n = pick(-3, 5);
  return {n, [=](const Point &) { return n; }};
}

Sample sample(int depth) {
  if (depth == 0)
    return leaf();
  Sample a = sample(depth - 1), b = sample(depth - 1);
  switch (pick(0, 2)) {
  case 0:
    return {a.expr + b.expr, [=](const Point &p) { return a.at(p) + b.at(p); }};
  case 1:
    return {a.expr - b.expr, [=](const Point &p) { return a.at(p) - b.at(p); }};
  default:
    return {a.expr * b.expr, [=](const Point &p) { return a.at(p) * b.at(p); }};
  }
}

Integer at(const Expr &expr, const Point &p) {
  return expr.evaluate([&](unsigned s) { return Integer(p.symbols[s]); },
                       [&](int d) { return Integer(p.dims[d]); });
}

/// Canonical order, no empty terms, no equal products.
bool isCanonical(const Expr &expr) {
  auto terms = expr.getTerms();
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].coefficient == 0 || !llvm::is_sorted(terms[i].factors) ||
        (terms[i].dim < 0 && terms[i].factors.empty()))
      return false;
    if (i &&
        (terms[i].dim < terms[i - 1].dim || terms[i].sameProduct(terms[i - 1])))
      return false;
  }
  return true;
}

void checkRandom(mlir::MLIRContext &context) {
  int equal = 0;
  for (int round = 0; round < 3000; ++round) {
    Sample a = sample(3), b = sample(2);
    if (!a.expr.isKnown())
      continue;
    CHECK_THAT(isCanonical(a.expr), text(a.expr));
    CHECK(fromAffine(toAffine(a.expr, &context)) == a.expr);
    bool differs = false;
    for (int i = 0; i < 8; ++i) {
      Point p;
      for (int64_t &s : p.symbols)
        s = pick(-5, 7);
      for (int64_t &d : p.dims)
        d = pick(-5, 7);
      CHECK_THAT(at(a.expr, p) == Integer(a.at(p)), text(a.expr));
      differs |= a.at(p) != b.at(p);
      // The parts make the whole.
      Integer sum = at(a.expr.offset(), p);
      for (int d : a.expr.dims())
        sum = add(*sum, *at(a.expr.coefficient(d), p) * p.dims[d]);
      CHECK_THAT(sum == Integer(a.at(p)), text(a.expr));
      if (int64_t content = contentOf(a.expr))
        CHECK(int64_t(a.at(p)) % content == 0);
      if (b.expr.isKnown() && !b.expr.hasDims() && b.at(p) != 0)
        if (auto quotient = a.expr.exactDiv(b.expr))
          CHECK_THAT(Integer(*at(*quotient, p) * int64_t(b.at(p))) ==
                         Integer(a.at(p)),
                     text(a.expr) + " / " + text(b.expr));
    }
    if (b.expr.isKnown() && a.expr.same(b.expr)) {
      CHECK(!differs);
      ++equal;
    }
    // The same computed otherwise is the same.
    if (b.expr.isKnown()) {
      CHECK((a.expr - b.expr) + b.expr == a.expr);
      Expr c = Expr::symbol(0) - 2;
      CHECK(a.expr * c == a.expr * Expr::symbol(0) - a.expr * 2);
    }
  }
  CHECK(equal > 0);
}

} // namespace

void checkExprs() {
  mlir::MLIRContext context;
  checkRandom(context);
  Expr s0 = Expr::symbol(0), s1 = Expr::symbol(1), d0 = Expr::dim(0);
  CHECK(text(d0 * 4 + s1 * s0 * 3 + 7) == "4*d0 + 3*s0*s1 + 7");
  CHECK((s0 * s1).same(s1 * s0));
  CHECK(!Expr::unknown().same(Expr::unknown()));
  CHECK((s0 - s0).is(0) && !(s0 + Expr::unknown()).isKnown());
  // Linear in dimensions, or nothing.
  CHECK(!(d0 * Expr::dim(1)).isKnown() && !(d0 * d0).isKnown());
  CHECK((d0 * s0).isKnown() && !isLinear(d0 * s0));
  CHECK((d0 * s0).coefficient(0).same(s0) && (d0 + 1).asDim() == -1);
  // Powers of sums, which would have ever more terms, are unknown in time.
  Expr power = s0 + s1 + 1, sum = s0;
  for (int i = 0; i < 60; ++i)
    power = power * power + s0;
  for (int i = 0; i < 1000; ++i)
    sum = sum + Expr::symbol(i);
  CHECK(!power.isKnown() && !sum.isKnown());
  // Nothing wraps: upstream makes (d0 * 2^62) * 4 to 0.
  int64_t big = int64_t(1) << 62;
  CHECK(!(d0 * big * 4).isKnown());
  CHECK(!(d0 * big + d0 * big).isKnown() && !(Expr(kMost) + 1).isKnown());
  CHECK((d0 * -big - d0 * big).coefficient(0).is(kLeast));
  CHECK(!(Expr(0) - Expr(kLeast)).isKnown());
  CHECK(!(s0 * kLeast * -1).isKnown());
  CHECK(contentOf(s0 * kLeast) == big &&
        contentOf(s0 * 3 * (big / 2)) == 3 * (big / 2));
  CHECK(!(s0 * kLeast).exactDiv(-1) &&
        (s0 * kLeast).exactDiv(big)->same(s0 * -2));
  CHECK(!s0.evaluate([](unsigned) { return Integer(); }));
  CHECK(!(s0 * s1).evaluate([&](unsigned) { return Integer(big); }));
  // Substitution keeps the rest.
  Expr replaced = (d0 * s0 + s1).substitute([&](unsigned s) {
    return s == 0 ? s1 + 1 : Expr::symbol(s);
  });
  CHECK(replaced.same(d0 * s1 + d0 + s1));
}

void checkMath() {
  Math math;
  int keys[2] = {};
  Expr a = math.symbols.of(&keys[0], 0), b = math.symbols.of(&keys[0], 1);
  CHECK(!a.same(b) && a.same(math.symbols.of(&keys[0], 0)));
  // What is computed alike is the same; what folds exactly is folded.
  CHECK(math.ceilDiv(a, 64).same(math.ceilDiv(a, 64)));
  CHECK(!math.ceilDiv(a, 64).same(math.floorDiv(a, 64)));
  CHECK(math.min(a, b).same(math.min(b, a)) &&
        !math.min(a, b).same(math.max(a, b)));
  CHECK(math.floorDiv(a * b, b).same(a) && math.ceilDiv(a * 8, 4).same(a * 2));
  CHECK(math.min(a + 1, a).same(a) && math.max(a + 1, a).same(a + 1));
  CHECK(math.floorDiv(-7, 2).is(-4) && math.ceilDiv(-7, 2).is(-3));
  CHECK(!math.floorDiv(7, 0).isStatic() && math.product({3, a, 2}).same(a * 6));
  CHECK(!math.failed());
  CHECK(!math.mul(kMost, 2).isKnown() && math.failed());
  for (int64_t x = -9; x <= 9; ++x)
    for (int64_t y = 1; y <= 5; ++y) {
      CHECK(math.floorDiv(x, y).is(*floorDiv(x, y)));
      CHECK(math.ceilDiv(x, y).is(*ceilDiv(x, y)));
      CHECK(math.min(x, y).is(std::min(x, y)) &&
            math.max(x, y).is(std::max(x, y)));
    }
}
