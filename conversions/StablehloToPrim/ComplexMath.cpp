// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers as pairs of real ones.
#include "Rules.h"

#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;

namespace kiln::stablehlo_to_prim {

static constexpr double kLog2 = 0.69314718055994530942;
static constexpr double kQuarter = 1.57079632679489661923; // of a turn

Complex complexOf(Value source, Translator &e) {
  Tensors parts = tensorsOf(source, e);
  if (parts.size() == 2)
    return {parts[0], parts[1]};
  return {parts[0], e.number(0, parts[0])};
}

Value ComplexMath::real(StringRef name, Value a, Value b) {
  if (!good)
    return a;
  Value result = call(op, name, b ? ValueRange{a, b} : ValueRange{a}, e);
  good = bool(result);
  return good ? result : a;
}

Value ComplexMath::number(double value, Complex like) {
  return e.number(value, like.re);
}

Complex ComplexMath::plus(Complex z, double value) {
  return {e.add(z.re, number(value, z)), z.im};
}

Complex ComplexMath::add(Complex a, Complex b) {
  return {e.add(a.re, b.re), e.add(a.im, b.im)};
}

Complex ComplexMath::sub(Complex a, Complex b) {
  return {e.sub(a.re, b.re), e.sub(a.im, b.im)};
}

Complex ComplexMath::mul(Complex a, Complex b) {
  return {e.sub(e.mul(a.re, b.re), e.mul(a.im, b.im)),
          e.add(e.mul(a.re, b.im), e.mul(a.im, b.re))};
}

Complex ComplexMath::scale(Complex a, Value by) {
  return {e.mul(a.re, by), e.mul(a.im, by)};
}

Complex ComplexMath::conj(Complex z) {
  return {z.re, e.unary<prim::NegOp>(z.im)};
}

Complex ComplexMath::turn(Complex z) {
  return {e.unary<prim::NegOp>(z.im), z.re};
}

Complex ComplexMath::turnBack(Complex z) {
  return {z.im, e.unary<prim::NegOp>(z.re)};
}

/// The divisor is brought to a length of about 1 first. Where that gives no
/// number at all, infinities and zeros have the meaning that C gives them:
/// what is infinite has a direction, and stays infinite unless both are.
Complex ComplexMath::div(Complex dividend, Complex divisor) {
  Scaled top = scaled(dividend), bottom = scaled(divisor);
  Complex a = top.z, b = bottom.z;
  Value infinity = number(std::numeric_limits<double>::infinity(), a);
  Value none = number(0, a), one = number(1, a);
  auto both = [&](Value x, Value y) {
    return e.binary<prim::BitwiseAndOp>(x, y);
  };
  auto largestOf = [&](Complex z) {
    return e.binary<prim::MaximumOp>(e.unary<prim::AbsOp>(z.re),
                                     e.unary<prim::AbsOp>(z.im));
  };
  auto hasInfinity = [&](Complex z) {
    return e.binary<prim::BitwiseOrOp>(isInfinite(z.re), isInfinite(z.im));
  };
  // 1 where a part is infinite, else 0, with its sign.
  auto direction = [&](Complex z) -> Complex {
    auto of = [&](Value x) {
      return real("copysign", e.where(isInfinite(x), one, none), x);
    };
    return {of(z.re), of(z.im)};
  };
  Value largest = largestOf(b),
        isFinite = e.compare<prim::LtOp>(largest, infinity);
  Value zero = e.compare<prim::EqOp>(largest, none);
  // Scaled by an infinity, all that is finite would be 0.
  Value by =
      e.where(both(isFinite, e.unary<prim::BitwiseNotOp>(zero)), largest, one);
  Complex unit{e.binary<prim::DivOp>(b.re, by),
               e.binary<prim::DivOp>(b.im, by)};
  Value square = e.add(e.mul(unit.re, unit.re), e.mul(unit.im, unit.im));
  Complex turned = mul(a, conj(unit));
  Value under = e.mul(square, by);
  auto part = [&](Value x) {
    Value quotient =
        e.mul(e.binary<prim::DivOp>(x, under), e.mul(top.root, top.root));
    return e.binary<prim::DivOp>(quotient, e.mul(bottom.root, bottom.root));
  };
  Complex result{part(turned.re), part(turned.im)};
  Value lost = both(e.isNan(result.re), e.isNan(result.im));
  auto instead = [&](Value where, Complex z) {
    where = both(lost, where);
    result = {e.where(where, z.re, result.re), e.where(where, z.im, result.im)};
  };
  // A finite dividend by an infinity, an infinite one by what is finite, and
  // what is a number at least in part by zero.
  Value dividendIsFinite = e.compare<prim::LtOp>(largestOf(a), infinity);
  instead(both(dividendIsFinite, hasInfinity(b)),
          scale(mul(a, conj(direction(b))), none));
  instead(both(isFinite, hasInfinity(a)),
          scale(mul(direction(a), conj(b)), infinity));
  instead(zero, scale(a, real("copysign", infinity, b.re)));
  return result;
}

Value ComplexMath::abs(Complex z) { return real("hypot", z.re, z.im); }

Value ComplexMath::isInfinite(Value x) {
  return e.compare<prim::EqOp>(
      e.unary<prim::AbsOp>(x),
      e.number(std::numeric_limits<double>::infinity(), x));
}

ComplexMath::Scaled ComplexMath::scaled(Complex z) {
  bool isDouble = e.elementOf(z.re).isF64();
  const int most = isDouble ? 1020 : 120, least = isDouble ? -960 : -100;
  const int down = 4, up = isDouble ? 108 : 48;
  Value large = e.binary<prim::MaximumOp>(e.unary<prim::AbsOp>(z.re),
                                          e.unary<prim::AbsOp>(z.im));
  Value isLarge =
      e.compare<prim::GtOp>(large, number(std::ldexp(1.0, most), z));
  Value isSmall =
      e.compare<prim::LtOp>(large, number(std::ldexp(1.0, least), z));
  auto choose = [&](double ofLarge, double ofSmall, double other) {
    return e.where(isLarge, number(ofLarge, z),
                   e.where(isSmall, number(ofSmall, z), number(other, z)));
  };
  return {scale(z, choose(std::ldexp(1.0, -down), std::ldexp(1.0, up), 1)),
          choose(std::ldexp(1.0, down / 2), std::ldexp(1.0, -up / 2), 1),
          choose(down * kLog2, -up * kLog2, 0)};
}

/// What is real stays so: infinity times zero is not a number. Where the
/// exponential is infinite, its product need not be; and 0 stays 0 in every
/// direction.
Complex ComplexMath::exp(Complex z) {
  Value zero = number(0, z), length = e.unary<prim::ExpOp>(z.re);
  Value half = e.unary<prim::ExpOp>(e.mul(z.re, number(0.5, z)));
  Value isReal = e.compare<prim::EqOp>(z.im, zero), isFar = isInfinite(length);
  Value isNone = e.compare<prim::EqOp>(
      z.re, number(-std::numeric_limits<double>::infinity(), z));
  auto times = [&](Value by) {
    Value far = e.mul(e.mul(half, by), half);
    Value product = e.where(isFar, far, e.mul(length, by));
    return e.where(e.binary<prim::BitwiseAndOp>(isNone, e.isNan(product)), zero,
                   product);
  };
  return {e.where(isReal, length, times(e.unary<prim::CosOp>(z.im))),
          e.where(isReal, z.im, times(e.unary<prim::SinOp>(z.im)))};
}

/// cos y - 1 = -2 sin(y/2)^2. Far from 0 the exponential itself is as exact,
/// and finite where that of the real part alone is not.
Complex ComplexMath::expm1(Complex z) {
  Value half = e.unary<prim::SinOp>(e.mul(z.im, number(0.5, z)));
  Value rest = e.mul(e.mul(half, half), number(-2, z));
  Value re = e.add(
      e.mul(e.unary<prim::Expm1Op>(z.re), e.unary<prim::CosOp>(z.im)), rest);
  Complex whole = exp(z);
  Value one = number(1, z);
  Value isFar = e.compare<prim::GtOp>(e.unary<prim::AbsOp>(z.re), one);
  return {e.where(isFar, e.sub(whole.re, one), re), whole.im};
}

/// `start + a^2 + b^2`, added in this order, where the sum may nearly vanish:
/// with the rounding errors of the squares.
static Value plusSquares(Value start, Value a, Value b, Translator &e) {
  auto errorOf = [&](Value x, Value square) -> Value {
    return prim::FmaOp::create(e.b, x, x, e.unary<prim::NegOp>(square));
  };
  Value first = e.mul(a, a), second = e.mul(b, b);
  return e.add(e.add(e.add(start, first), second),
               e.add(errorOf(a, first), errorOf(b, second)));
}

/// Near the unit circle from the difference of the square to 1.
Complex ComplexMath::log(Complex z) {
  Value a = e.unary<prim::AbsOp>(z.re), b = e.unary<prim::AbsOp>(z.im);
  Value large = e.binary<prim::MaximumOp>(a, b);
  Value small = e.binary<prim::MinimumOp>(a, b);
  Value excess = plusSquares(number(-1, z), large, small, e);
  Value near = e.mul(e.unary<prim::Log1pOp>(excess), number(0.5, z));
  Scaled other = scaled(z);
  Value far = e.add(e.unary<prim::LogOp>(abs(other.z)), other.power);
  Value isNear = e.binary<prim::BitwiseAndOp>(
      e.compare<prim::GtOp>(large, number(0.7, z)),
      e.compare<prim::LtOp>(large, number(1.5, z)));
  return {e.where(isNear, near, far), real("atan2", z.im, z.re)};
}

/// Left of -1/2 the sum 1 + z is exact.
Complex ComplexMath::log1p(Complex z) {
  Complex shifted = plus(z, 1);
  Complex far = log(shifted);
  // |1 + z|^2 - 1 = 2 x + y^2 + x^2
  Value excess = plusSquares(e.add(z.re, z.re), z.im, z.re, e);
  Value near = e.mul(e.unary<prim::Log1pOp>(excess), number(0.5, z));
  Value isNear = e.binary<prim::BitwiseAndOp>(
      e.compare<prim::LtOp>(e.unary<prim::AbsOp>(excess), number(0.5, z)),
      e.compare<prim::GtOp>(z.re, number(-0.5, z)));
  return {e.where(isNear, near, far.re), far.im};
}

/// An infinite imaginary part makes both parts of the root infinite.
Complex ComplexMath::sqrt(Complex given) {
  Scaled other = scaled(given);
  Complex z = other.z;
  Value length = abs(z), half = number(0.5, z), zero = number(0, z);
  Value t = e.unary<prim::SqrtOp>(
      e.add(e.mul(e.unary<prim::AbsOp>(z.re), half), e.mul(length, half)));
  Value isZero = e.compare<prim::EqOp>(t, zero);
  Value by = e.where(isZero, number(1, z), e.add(t, t));
  Value rest = e.binary<prim::DivOp>(z.im, by);
  Value right = e.compare<prim::GeOp>(z.re, zero);
  Complex result = scale({e.where(right, t, e.unary<prim::AbsOp>(rest)),
                          e.where(right, rest, real("copysign", t, z.im))},
                         other.root);
  Value isFar = isInfinite(z.im);
  return {e.where(isZero, zero,
                  e.where(isFar, e.unary<prim::AbsOp>(z.im), result.re)),
          e.where(e.binary<prim::BitwiseOrOp>(isZero, isFar), z.im, result.im)};
}

/// The square of the root's length is the length. Roots of what is infinite
/// become 0.
Complex ComplexMath::rsqrt(Complex given) {
  Scaled other = scaled(given);
  Complex z = other.z, top = conj(sqrt(z));
  Value length = abs(z), isFar = isInfinite(length), zero = number(0, z);
  auto part = [&](Value x) {
    Value quotient =
        e.binary<prim::DivOp>(e.binary<prim::DivOp>(x, length), other.root);
    return e.where(isFar, real("copysign", zero, x), quotient);
  };
  return {part(top.re), part(top.im)};
}

Complex ComplexMath::cbrt(Complex z) {
  Complex root = exp(scale(log(z), number(1.0 / 3, z)));
  Value zero = number(0, z);
  Value isZero = e.compare<prim::EqOp>(abs(z), zero);
  return {e.where(isZero, zero, root.re), e.where(isZero, zero, root.im)};
}

/// 0 to the 0 is 1, to another power 0. An exponential makes the error of a
/// large logarithm relative, so that numbers of 32 bits get a wider one.
Complex ComplexMath::pow(Complex a, Complex b) {
  Type element = e.elementOf(a.re), wide = e.b.getF64Type();
  if (element != wide) {
    for (Value *part : {&a.re, &a.im, &b.re, &b.im})
      *part = e.convert(*part, wide);
    Complex result = pow(a, b);
    return {e.convert(result.re, element), e.convert(result.im, element)};
  }
  Complex result = exp(mul(b, log(a)));
  Value zero = number(0, a), one = number(1, a);
  Value isZero = e.binary<prim::BitwiseAndOp>(
      e.compare<prim::EqOp>(a.re, zero), e.compare<prim::EqOp>(a.im, zero));
  Value none = e.binary<prim::BitwiseAndOp>(e.compare<prim::EqOp>(b.re, zero),
                                            e.compare<prim::EqOp>(b.im, zero));
  return {e.where(isZero, e.where(none, one, zero), result.re),
          e.where(isZero, zero, result.im)};
}

/// 1 / (1 + e^-z), left of 0 e^z / (1 + e^z): of the exponential that does not
/// overflow.
Complex ComplexMath::logistic(Complex z) {
  Value zero = number(0, z), isLeft = e.compare<prim::LtOp>(z.re, zero);
  auto left = [&](Value x) {
    return e.where(isLeft, x, e.unary<prim::NegOp>(x));
  };
  Complex small = exp({left(z.re), left(z.im)});
  Complex top{e.where(isLeft, small.re, number(1, z)),
              e.where(isLeft, small.im, zero)};
  return div(top, plus(small, 1));
}

Value ComplexMath::grown(StringRef name, Value x, Value by) {
  Value whole = real(name, x), size = e.unary<prim::AbsOp>(x);
  Value half = e.unary<prim::ExpOp>(e.mul(size, e.number(0.5, x)));
  Value far = e.mul(
      e.mul(half, e.mul(by, real("copysign", e.number(0.5, x), whole))), half);
  return e.where(isInfinite(whole), far, e.mul(whole, by));
}

/// What is real stays so, here and below: infinity times zero is not a number.
Complex ComplexMath::sinh(Complex z) {
  Value isReal = e.compare<prim::EqOp>(z.im, number(0, z));
  Value im = grown("cosh", z.re, e.unary<prim::SinOp>(z.im));
  return {grown("sinh", z.re, e.unary<prim::CosOp>(z.im)),
          e.where(isReal, z.im, im)};
}

Complex ComplexMath::cosh(Complex z) {
  Value isReal = e.compare<prim::EqOp>(z.im, number(0, z));
  Value im = grown("sinh", z.re, e.unary<prim::SinOp>(z.im));
  Value sign = real("copysign", number(1, z), z.re);
  return {grown("cosh", z.re, e.unary<prim::CosOp>(z.im)),
          e.where(isReal, e.mul(z.im, sign), im)};
}

Complex ComplexMath::sin(Complex z) { return turnBack(sinh(turn(z))); }

Complex ComplexMath::cos(Complex z) { return cosh(turn(z)); }

/// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y). Of a large x, which
/// would overflow, it is 1 + i sin y cos y (2 e^-x)^2.
Complex ComplexMath::tanh(Complex z) {
  Value far = number(e.elementOf(z.re).isF64() ? 40 : 20, z);
  Value x = e.binary<prim::MaximumOp>(e.binary<prim::MinimumOp>(z.re, far),
                                      e.unary<prim::NegOp>(far));
  Value sinhX = real("sinh", x), coshX = real("cosh", x);
  Value sinY = e.unary<prim::SinOp>(z.im), cosY = e.unary<prim::CosOp>(z.im);
  Value under = e.add(e.mul(sinhX, sinhX), e.mul(cosY, cosY));
  Value size = e.unary<prim::AbsOp>(z.re);
  Value shrunk =
      e.mul(e.unary<prim::ExpOp>(e.unary<prim::NegOp>(size)), number(2, z));
  Value im = e.where(e.compare<prim::GtOp>(size, far),
                     e.mul(e.mul(sinY, shrunk), e.mul(cosY, shrunk)),
                     e.binary<prim::DivOp>(e.mul(sinY, cosY), under));
  return {e.binary<prim::DivOp>(e.mul(sinhX, coshX), under), im};
}

Complex ComplexMath::asin(Complex z) {
  Complex minus{e.unary<prim::NegOp>(z.re), e.unary<prim::NegOp>(z.im)};
  Complex a = sqrt(plus(minus, 1)), b = sqrt(plus(z, 1));
  return {real("atan2", z.re, mul(a, b).re), real("asinh", mul(conj(a), b).im)};
}

Complex ComplexMath::acos(Complex z) {
  Complex minus{e.unary<prim::NegOp>(z.re), e.unary<prim::NegOp>(z.im)};
  Complex a = sqrt(plus(minus, 1)), b = sqrt(plus(z, 1));
  return {e.mul(real("atan2", a.re, b.re), number(2, z)),
          real("asinh", mul(conj(b), a).im)};
}

Complex ComplexMath::acosh(Complex z) {
  Complex a = sqrt(plus(z, -1)), b = sqrt(plus(z, 1));
  return {real("asinh", mul(conj(a), b).re),
          e.mul(real("atan2", a.im, b.re), number(2, z))};
}

/// The real part is odd in that of z, and computed right of 0, where the
/// logarithm is of more than 1. Close to 1, the square of the distance may be
/// below every number; the logarithm of the distance is not.
Complex ComplexMath::atanh(Complex z) {
  Value one = number(1, z), side = e.unary<prim::AbsOp>(z.re);
  Value left = e.sub(one, side), square = e.mul(z.im, z.im);
  Value under = e.add(e.mul(left, left), square);
  Value ratio = e.binary<prim::DivOp>(e.mul(side, number(4, z)), under);
  Value near = e.mul(
      e.sub(number(kLog2, z), e.unary<prim::LogOp>(real("hypot", left, z.im))),
      number(0.5, z));
  Value isNear = e.compare<prim::LtOp>(under, number(std::ldexp(1.0, -60), z));
  Value re = e.where(isNear, near,
                     e.mul(e.unary<prim::Log1pOp>(ratio), number(0.25, z)));
  Value x = e.sub(e.mul(left, e.add(one, side)), square);
  return {real("copysign", re, z.re),
          e.mul(real("atan2", e.add(z.im, z.im), x), number(0.5, z))};
}

std::optional<Complex> ComplexMath::named(StringRef name, Complex z) {
  // Inverse functions of numbers whose square may overflow: asin z is about
  // log 2|z| in its imaginary part, and a direction of z in its real part;
  // atanh z is about 1/z and a quarter of a turn.
  auto far = [&](StringRef name, Complex z, Complex near) -> Complex {
    bool isArea = name == "asin" || name == "acos" || name == "acosh";
    if (!isArea && name != "atanh")
      return near;
    Value isFar = e.compare<prim::GtOp>(
        e.binary<prim::MaximumOp>(e.unary<prim::AbsOp>(z.re),
                                  e.unary<prim::AbsOp>(z.im)),
        number(std::ldexp(1.0, 60), z));
    if (!isArea)
      return {
          e.where(isFar, div({number(1, z), number(0, z)}, z).re, near.re),
          e.where(isFar, real("copysign", number(kQuarter, z), z.im), near.im)};
    Value length = e.add(log(z).re, number(kLog2, z));
    if (name == "acosh")
      return {e.where(isFar, length, near.re),
              e.where(isFar, real("atan2", z.im, z.re), near.im)};
    bool isSine = name == "asin";
    Value side = e.unary<prim::AbsOp>(z.im);
    Value angle = real("atan2", isSine ? z.re : side, isSine ? side : z.re);
    Value sign = isSine ? z.im : e.unary<prim::NegOp>(z.im);
    return {e.where(isFar, angle, near.re),
            e.where(isFar, real("copysign", length, sign), near.im)};
  };
  using Method = Complex (ComplexMath::*)(Complex);
  Method method = llvm::StringSwitch<Method>(name)
                      .Case("exponential", &ComplexMath::exp)
                      .Case("exponential_minus_one", &ComplexMath::expm1)
                      .Case("log", &ComplexMath::log)
                      .Case("log_plus_one", &ComplexMath::log1p)
                      .Case("sqrt", &ComplexMath::sqrt)
                      .Case("rsqrt", &ComplexMath::rsqrt)
                      .Case("cbrt", &ComplexMath::cbrt)
                      .Case("logistic", &ComplexMath::logistic)
                      .Case("sine", &ComplexMath::sin)
                      .Case("cosine", &ComplexMath::cos)
                      .Case("tanh", &ComplexMath::tanh)
                      .Case("sinh", &ComplexMath::sinh)
                      .Case("cosh", &ComplexMath::cosh)
                      .Case("asin", &ComplexMath::asin)
                      .Case("acos", &ComplexMath::acos)
                      .Case("acosh", &ComplexMath::acosh)
                      .Case("atanh", &ComplexMath::atanh)
                      .Case("conj", &ComplexMath::conj)
                      .Default(nullptr);
  if (method)
    return far(name, z, (this->*method)(z));
  if (name == "tan")
    return turnBack(tanh(turn(z)));
  if (name == "atan")
    return turnBack(*named("atanh", turn(z)));
  if (name == "asinh")
    return turn(*named("asin", turnBack(z)));
  if (name == "square")
    return mul(z, z);
  return std::nullopt;
}

} // namespace kiln::stablehlo_to_prim
