//===- FourierRegisters.cpp - Short transforms in registers ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FourierRegisters.h"
#include "kiln/Interfaces/Fourier.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// Products and sums may become one instruction, which rounds once.
static constexpr arith::FastMathFlags kContract =
    arith::FastMathFlags::contract;

Value Butterflies::add(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AddFOp::create(b, loc, x, y, kContract);
}

Value Butterflies::sub(Value x, Value y) {
  if (!y)
    return x;
  if (!x)
    return negate(y);
  return arith::SubFOp::create(b, loc, x, y, kContract);
}

Value Butterflies::mul(Value x, Value y) {
  if (!x || !y)
    return {};
  return arith::MulFOp::create(b, loc, x, y, kContract);
}

Value Butterflies::negate(Value x) {
  if (!x)
    return {};
  return arith::NegFOp::create(b, loc, x);
}

Value Butterflies::product(Value x, double by) {
  Type type = x.getType();
  TypedAttr number = b.getFloatAttr(getElementTypeOrSelf(type), by);
  if (auto vector = dyn_cast<VectorType>(type))
    number = DenseElementsAttr::get(vector, static_cast<Attribute>(number));
  return mul(x, arith::ConstantOp::create(b, loc, number));
}

Value Butterflies::scale(Value x, double by) {
  if (!x || by == 1)
    return x;
  return by == -1 ? negate(x) : product(x, by);
}

Complex Butterflies::spread(Complex x) {
  return {add(x.re, product(x.im, 0)), add(x.im, product(x.re, 0))};
}

Complex Butterflies::scale(Complex x, double by) {
  return {scale(x.re, by), scale(x.im, by)};
}

Complex Butterflies::mul(Complex x, Complex y) {
  return {sub(mul(x.re, y.re), mul(x.im, y.im)),
          add(mul(x.re, y.im), mul(x.im, y.re))};
}

Complex Butterflies::turn(Complex x, int64_t number, int64_t period) {
  std::complex<double> w = transformRoot(number, period, isInverse);
  double c = w.real(), s = w.imag();
  if (s == 0)
    return scale(x, c);
  if (c == 0)
    return {scale(negate(x.im), s), scale(x.re, s)};
  if (std::abs(c) == std::abs(s)) {
    // An eighth: sums first, and one product for each part.
    bool isSame = (c > 0) == (s > 0);
    Value re = isSame ? sub(x.re, x.im) : add(x.re, x.im);
    Value im = isSame ? add(x.re, x.im) : sub(x.im, x.re);
    return {scale(re, c), scale(im, c)};
  }
  return {sub(scale(x.re, c), scale(x.im, s)),
          add(scale(x.re, s), scale(x.im, c))};
}

/// Elements i and -i have the same cosine and opposite sines.
Butterflies::List Butterflies::odd(ArrayRef<Complex> x) {
  int64_t size = x.size(), half = size / 2;
  List sums, differences, result(size);
  result[0] = x[0];
  for (int64_t j = 1; j <= half; ++j) {
    sums.push_back(add(x[j], x[size - j]));
    differences.push_back(sub(x[j], x[size - j]));
    result[0] = add(result[0], sums.back());
  }
  for (int64_t k = 1; k <= half; ++k) {
    Complex even = x[0], turned;
    for (int64_t j = 1; j <= half; ++j) {
      std::complex<double> w = rootOfUnity(j * k, size);
      even = add(even, scale(sums[j - 1], w.real()));
      turned = add(turned,
                   scale(differences[j - 1], isInverse ? -w.imag() : w.imag()));
    }
    // Minus i times the sines.
    Complex rest{turned.im, negate(turned.re)};
    result[k] = add(even, rest);
    result[size - k] = sub(even, rest);
  }
  return result;
}

Butterflies::List Butterflies::factored(ArrayRef<Complex> x, int64_t parts) {
  int64_t size = x.size(), length = size / parts;
  std::vector<List> made;
  for (int64_t part = 0; part < parts; ++part) {
    List own;
    for (int64_t i = 0; i < length; ++i)
      own.push_back(x[part + parts * i]);
    made.push_back(transform(own));
  }
  List result(size);
  for (int64_t k = 0; k < length; ++k) {
    List column;
    for (int64_t part = 0; part < parts; ++part)
      column.push_back(turn(made[part][k], part * k, size));
    column = transform(column);
    for (int64_t part = 0; part < parts; ++part)
      result[k + length * part] = column[part];
  }
  return result;
}

Butterflies::List Butterflies::transform(ArrayRef<Complex> x) {
  int64_t size = x.size();
  if (size == 1)
    return List(x);
  if (size == 2)
    return {add(x[0], x[1]), sub(x[0], x[1])};
  if (size == 4) {
    Complex a = add(x[0], x[2]), c = sub(x[0], x[2]), d = add(x[1], x[3]),
            f = turn(sub(x[1], x[3]), 1, 4);
    return {add(a, d), add(c, f), sub(a, d), sub(c, f)};
  }
  if (size % 4 == 0)
    return factored(x, 4);
  for (int64_t part : {2, 3, 5, 7})
    if (size % part == 0 && size > part)
      return factored(x, part);
  return odd(x);
}
