//===- WriteBessel.cpp - Bessel functions of any order --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// J(n + 1) = 2n / x J(n) - J(n - 1). From J(0) and J(1) upwards this is stable
// while n < x. Above x errors grow as Y(n) does, and the recurrence goes down
// from the ratio J(n) / J(n - 1), which a continued fraction gives; the larger
// one of J(0) and J(1) then gives the factor.
//
//===----------------------------------------------------------------------===//

#include "kiln/Gpu/Functions.h"
#include "kiln/Math/Term.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::functions;

namespace {
using Terms = SmallVector<Term>;

/// Writes one call. Numbers are f64; `x` is not negative, and `n` is at least
/// 2 where loops run.
class BesselWriter {
public:
  BesselWriter(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Term write(Term order, Term argument);

private:
  Term term(Value value) { return {b, loc, value}; }
  SmallVector<Value> values(ArrayRef<Term> terms) {
    return llvm::map_to_vector(terms, [](Term t) { return t.getValue(); });
  }
  Terms terms(ValueRange list) {
    return llvm::map_to_vector(list, [&](Value value) { return term(value); });
  }
  /// Repeats `step` while `goesOn` holds; gives what is carried in the end.
  Terms repeat(ArrayRef<Term> start, function_ref<Term(ArrayRef<Term>)> goesOn,
               function_ref<Terms(ArrayRef<Term>)> step);
  /// What one of two functions gives, of which only that one runs.
  Term choose(Term condition, function_ref<Term()> yes,
              function_ref<Term()> no);
  Term upwards(Term n, Term x, Term j0, Term j1);
  Term ratio(Term n, Term x);
  Term downwards(Term n, Term x, Term j0, Term j1);

  OpBuilder &b;
  Location loc;
};
} // namespace

Terms BesselWriter::repeat(ArrayRef<Term> start,
                           function_ref<Term(ArrayRef<Term>)> goesOn,
                           function_ref<Terms(ArrayRef<Term>)> step) {
  SmallVector<Value> inits = values(start);
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange(ValueRange(inits)), inits,
      [&](OpBuilder &, Location, ValueRange carried) {
        Term condition = goesOn(terms(carried));
        scf::ConditionOp::create(b, loc, condition.getValue(), carried);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        scf::YieldOp::create(b, loc, values(step(terms(carried))));
      });
  return terms(loop.getResults());
}

Term BesselWriter::choose(Term condition, function_ref<Term()> yes,
                          function_ref<Term()> no) {
  auto write = [&](function_ref<Term()> side) {
    return [this, side](OpBuilder &, Location) {
      Value value = side().getValue();
      scf::YieldOp::create(b, loc, value);
    };
  };
  auto choice =
      scf::IfOp::create(b, loc, condition.getValue(), write(yes), write(no));
  return term(choice.getResult(0));
}

Term BesselWriter::upwards(Term n, Term x, Term j0, Term j1) {
  // Where 2n / x does not reach the last place, J(n + 2) is -J(n).
  Term isFar = x > n * n * 0x1p60;
  Term last = n - apply<math::FloorOp>(n * 0.25) * 4.0;
  Terms ends = repeat(
      {n.number(1), j0, j1},
      [&](ArrayRef<Term> at) { return at[0] < select(isFar, last, n); },
      [&](ArrayRef<Term> at) -> Terms {
        Term next = at[2] * (at[0] * 2 / x) - at[1];
        return {at[0] + 1, at[2], next};
      });
  return select(isFar & (last == 0.0), ends[1], ends[2]);
}

Term BesselWriter::ratio(Term n, Term x) {
  // The denominators of the fraction's beginnings tell how far to go.
  Term step = 2.0 / x, first = n * 2 / x, second = first + step;
  Terms ends = repeat(
      {n, second, first, first * second - 1},
      [](ArrayRef<Term> at) { return at[3] < 1e9; },
      [&](ArrayRef<Term> at) -> Terms {
        Term factor = at[1] + step;
        return {at[0] + 1, factor, at[3], factor * at[3] - at[2]};
      });
  Terms fraction = repeat(
      {ends[0] + 1, n.number(0)}, [&](ArrayRef<Term> at) { return at[0] >= n; },
      [&](ArrayRef<Term> at) -> Terms {
        return {at[0] - 1, 1.0 / (at[0] * 2 / x - at[1])};
      });
  return fraction[1];
}

Term BesselWriter::downwards(Term n, Term x, Term j0, Term j1) {
  // Numbers that grow too far are divided, and the result with them.
  constexpr double kLarge = 1e100;
  Term start = ratio(n, x);
  Terms ends = repeat(
      {n - 1, start, n.number(1), start},
      [](ArrayRef<Term> at) { return at[0] > 0.0; },
      [&](ArrayRef<Term> at) -> Terms {
        Term next = at[2] * (at[0] * 2 / x) - at[1];
        Term divisor = select(abs(next) > kLarge, next, next.number(1));
        return {at[0] - 1, at[2] / divisor, next / divisor, at[3] / divisor};
      });
  return select(abs(j0) >= abs(j1), ends[3] * (j0 / ends[2]),
                ends[3] * (j1 / ends[1]));
}

Term BesselWriter::write(Term order, Term argument) {
  Type f64 = order.f64();
  Term signedX = argument.extendTo(f64), x = abs(signedX);
  Term n = abs(order.signedTo(f64));
  Term isOdd = apply<math::FloorOp>(n * 0.5) * 2.0 != n;
  Term j0 = Term::callC("j0", {x}, f64), j1 = Term::callC("j1", {x}, f64);
  // |J(n)| <= (e x / 2n)^n.
  Term size = n * apply<math::Log2Op>(n * (2 / 2.71828182845904523536) / x);
  Term isNothing = (size > 1100.0) | (x == 0.0) |
                   (x == std::numeric_limits<double>::infinity());
  Term isFirst = n < 2.0, isBelow = n < x;
  Term result = choose(
      isFirst | isNothing | isNaN(x),
      [&] { return select(n == 0.0, j0, select(n == 1.0, j1, x * 0.0)); },
      [&] {
        return choose(
            isBelow, [&] { return upwards(n, x, j0, j1); },
            [&] { return downwards(n, x, j0, j1); });
      });
  result = select(isNothing & (n >= 2.0), 0.0, result);
  Term isTurned = isOdd & (isNegative(signedX) ^ (order < 0.0));
  return select(isTurned, -result, result).extendTo(argument.getElement());
}

Value simt::writeBesselJ(OpBuilder &b, Location loc, Value order,
                         Value argument) {
  return BesselWriter(b, loc)
      .write({b, loc, order}, {b, loc, argument})
      .getValue();
}
