//===- ComplexTiles.cpp - Arithmetic of tiles of complex numbers ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ComplexTiles.h"
#include "kiln/Interfaces/Fourier.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

Complex ComplexBuilder::mul(const Complex &x, const Complex &y) {
  Value square = times(x.im, y.im);
  return {timesPlus(x.re, y.re, negate(square)),
          timesPlus(x.im, y.re, times(x.re, y.im))};
}

Complex ComplexBuilder::mulRoot(const Complex &x, int64_t number,
                                int64_t period) {
  std::complex<double> root = transformRoot(number, period, isInverse);
  if (root == std::complex<double>(1, 0))
    return x;
  if (root == std::complex<double>(0, 1))
    return {negate(x.im), x.re};
  if (root == std::complex<double>(0, -1))
    return {x.im, negate(x.re)};
  Value cosine = constant(x.re, root.real());
  return {timesPlus(x.re, cosine,
                    x.im ? times(x.im, constant(x.re, -root.imag())) : Value()),
          timesPlus(x.im, cosine, times(x.re, constant(x.re, root.imag())))};
}

ComplexLine ComplexBuilder::transform(const ComplexLine &line) {
  int64_t count = line.size();
  if (count == 1)
    return line;
  ComplexLine parts[2];
  for (auto [i, x] : llvm::enumerate(line))
    parts[i % 2].push_back(x);
  ComplexLine even = transform(parts[0]), odd = transform(parts[1]),
              result(count);
  for (int64_t k = 0; k < count / 2; ++k) {
    Complex other = mulRoot(odd[k], k, count);
    result[k] = add(even[k], other);
    result[k + count / 2] = sub(even[k], other);
  }
  return result;
}
