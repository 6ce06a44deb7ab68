// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// External functions with a rounding mode: the operation rounded to nearest in
// f64, what that took away, and a step to the neighbour where the mode asks
// for it.
#include "ExternFunctions.h"

using namespace mlir;

namespace kiln::triton_to_tile {

Inexact exactSum(Term a, Term b) {
  Term sum = a + b;
  Term first = abs(a) >= abs(b);
  Term large = select(first, a, b), small = select(first, b, a);
  // Exact. An overflow leaves an infinity of the other sign, which is the
  // direction of the true sum; infinite operands leave NaN.
  return {sum, small - (sum - large)};
}

Term roundTo(Inexact number, Type element, Mode mode) {
  Term wide = number.value, near = wide.extendTo(element);
  Term back = near.extendTo(wide.getElement());
  // Where the true number lies beside `near`.
  Term above = (wide > back) | ((wide == back) & (number.error > 0.0));
  Term below = (wide < back) | ((wide == back) & (number.error < 0.0));
  // Magnitudes are ordered like their encodings.
  Term code = near.bitcastTo(near.integer(near.getWidth()));
  Term negative = code < 0;
  Term out = code + 1, in = code - 1;
  Term result = code;
  if (mode == Mode::ru)
    result = select(above, select(negative, in, out), code);
  else if (mode == Mode::rd)
    result = select(below, select(negative, out, in), code);
  else
    result = select(
        (negative & above) | ((negative ^ negative.bits(1)) & below), in, code);
  return result.bitcastTo(element);
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Powers of two that keep the errors of f64 from underflow or overflow.
const double kTiny = std::ldexp(1.0, -900), kUp = std::ldexp(1.0, 300);

bool isNarrow(const ExternCall &call) { return !call.real.isF64(); }

/// Down, the sum of opposite numbers is -0.
Inexact withZero(Inexact sum, Term a, Term b, Mode mode) {
  if (mode != Mode::rd)
    return sum;
  Term zero = copysign(a.number(0), apply<arith::MinimumFOp>(a, b));
  Term isZero = (sum.value == 0.0) & (sum.error == 0.0);
  return {select(isZero, zero, sum.value), sum.error};
}

Term addRounded(const ExternCall &call) {
  if (call.mode == Mode::rn)
    return call[0] + call[1];
  Term a = call[0].extendTo(call[0].f64()), b = call[1].extendTo(a.f64());
  return roundTo(withZero(exactSum(a, b), a, b, call.mode), call.real,
                 call.mode);
}

Term subRounded(const ExternCall &call) {
  Term operands[] = {call[0], -call[1]};
  ExternCall sum = call;
  sum.operands = operands;
  return addRounded(sum);
}

Term mulRounded(const ExternCall &call) {
  if (call.mode == Mode::rn)
    return call[0] * call[1];
  Term a = call[0].extendTo(call[0].f64()), b = call[1].extendTo(a.f64());
  Term value = product(a, b), error = value.number(0);
  if (!isNarrow(call)) {
    // The smaller factor and the product times a power of two.
    Term first = abs(a) >= abs(b);
    Term scale = select(abs(value) < kTiny, value.number(kUp), 1.0);
    error =
        fma(select(first, a, b), select(first, b, a) * scale, -(value * scale));
    // All of it has underflowed.
    Term isZero = (a == 0.0) | (b == 0.0) | (value != 0.0);
    error = select(isZero, error, copysign(value.number(1), value));
  }
  return roundTo({value, error}, call.real, call.mode);
}

Term divRounded(Term a, Term b, const ExternCall &call) {
  Term value = a / b;
  Term rest = fma(-value, b, a);
  if (!isNarrow(call)) {
    // Where the dividend is tiny, the smaller of quotient and divisor can be
    // scaled with it.
    Term one = a.number(1), tiny = abs(a) < kTiny, small = abs(b) < 1.0;
    Term scale = select(tiny, a.number(kUp), one);
    Term divisor = b * select(small, scale, one);
    Term quotient = value * select(small, one, scale);
    rest = fma(-quotient, divisor, a * scale);
  }
  return roundTo({value, rest * copysign(b.number(1), b)}, call.real,
                 call.mode);
}

Term divRounded(const ExternCall &call) {
  if (call.mode == Mode::rn)
    return call[0] / call[1];
  Type f64 = call[0].f64();
  return divRounded(call[0].extendTo(f64), call[1].extendTo(f64), call);
}

Term reciprocalRounded(const ExternCall &call) {
  if (call.mode == Mode::rn)
    return 1.0 / call[0];
  Term x = call[0].extendTo(call[0].f64());
  return divRounded(x.number(1), x, call);
}

Term sqrtRounded(const ExternCall &call) {
  if (call.mode == Mode::rn)
    return sqrt(call[0]);
  Term x = call[0].extendTo(call[0].f64());
  Term value = sqrt(x);
  Term tiny = x < kTiny;
  Term root = value * select(tiny, value.number(std::ldexp(1.0, 150)), 1.0);
  Term rest = fma(-root, root, x * select(tiny, x.number(kUp), 1.0));
  return roundTo({value, rest}, call.real, call.mode);
}

/// Rounded to nearest only: f64 is far more precise than f32 comes close to
/// the middle of two numbers.
Term rsqrtRounded(const ExternCall &call) {
  return (1.0 / sqrt(call[0].extendTo(call[0].f64()))).extendTo(call.real);
}

/// Not less than `least` in magnitude, where it is not zero.
Term awayFromZero(Term x, Term isZero, double least) {
  return select((isZero ^ isZero.bits(1)) & (abs(x) < least),
                copysign(x.number(least), x), x);
}

/// The error of a fused product and sum in f64, after Boldo and Muller: all
/// steps are exact, except that numbers too small to matter become larger ones
/// of their sign.
Term fusedError(Term a, Term b, Term c, Term value) {
  const double small = std::ldexp(1.0, -916), large = std::ldexp(1.0, 1000);
  Term size = abs(a * b);
  Term isHuge = (size >= large) | (abs(c) >= large);
  Term isTiny = (size < small) & (abs(c) <= std::ldexp(1.0, -800));
  Term scale = select(isHuge, a.number(std::ldexp(1.0, -100)),
                      select(isTiny, a.number(std::ldexp(1.0, 700)), 1.0));
  Term first = abs(a) >= abs(b);
  Term factor = select(first, a, b), scaled = select(first, b, a) * scale;
  Term high = product(factor, scaled), low = fma(factor, scaled, -high);
  low = select(abs(high) < small, 0.0, low);
  high = awayFromZero(high, (a == 0.0) | (b == 0.0), small);
  Term addend = product(c, scale);
  addend = select(isHuge, awayFromZero(addend, c == 0.0, small), addend);

  Inexact lower = exactSum(addend, low);
  Inexact upper = exactSum(high, lower.value);
  return (upper.value - product(value, scale)) + upper.error + lower.error;
}

Term fmaRounded(const ExternCall &call) {
  if (call.mode == Mode::rn)
    return fma(call[0], call[1], call[2]);
  Type f64 = call[0].f64();
  Term a = call[0].extendTo(f64), b = call[1].extendTo(f64),
       c = call[2].extendTo(f64);
  if (isNarrow(call)) {
    // The product is exact.
    Term exact = product(a, b);
    return roundTo(withZero(exactSum(exact, c), exact, c, call.mode), call.real,
                   call.mode);
  }
  Term value = fma(a, b, c);
  Term error = fusedError(a, b, c, value);
  Term isFinite =
      (abs(a) < kInfinity) & (abs(b) < kInfinity) & (abs(c) < kInfinity);
  error = select(isFinite & (abs(value) == kInfinity), -value, error);
  return roundTo(withZero({value, error}, product(a, b), c, call.mode),
                 call.real, call.mode);
}

// clang-format off
constexpr ExternFunction functions[] = {
    {"add",   "rr>r",  Precision::same, addRounded,        true},
    {"sub",   "rr>r",  Precision::same, subRounded,        true},
    {"mul",   "rr>r",  Precision::same, mulRounded,        true},
    {"div",   "rr>r",  Precision::same, divRounded,        true},
    {"rcp",   "r>r",   Precision::same, reciprocalRounded, true},
    {"sqrt",  "r>r",   Precision::same, sqrtRounded,       true},
    {"rsqrt", "r>r",   Precision::same, rsqrtRounded,      true},
    {"fma",   "rrr>r", Precision::same, fmaRounded,        true},
};
// clang-format on

} // namespace

ArrayRef<ExternFunction> getRoundedFunctions() { return functions; }

} // namespace kiln::triton_to_tile
