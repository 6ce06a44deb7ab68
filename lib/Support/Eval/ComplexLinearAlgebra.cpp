// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factorisations and triangular equations of complex matrices.
#include "LinearAlgebra.h"

#include <cmath>
#include <limits>

namespace kiln::eval::linear {

using Complex = std::complex<Real>;

int64_t complexCholesky(ComplexMatrix &a) {
  int64_t n = a.rows, info = 0;
  for (int64_t j = 0; j < n && !info; ++j)
    for (int64_t i = j; i < n && !info; ++i) {
      Complex sum = i == j ? a(i, j).real() : a(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= a(i, k) * std::conj(a(j, k));
      if (i == j && !(sum.real() > 0))
        info = j + 1;
      a(i, j) = i == j ? Complex(std::sqrt(sum.real())) : sum / a(j, j).real();
    }
  Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      a(i, j) = j > i ? Complex() : info ? Complex(nan, nan) : a(i, j);
  return info;
}

void complexTriangularSolve(const ComplexMatrix &a, ComplexMatrix &b,
                            bool lower, bool transpose, bool unit) {
  bool downwards = lower != transpose;
  for (int64_t step = 0; step < a.rows; ++step) {
    int64_t i = downwards ? step : a.rows - 1 - step;
    int64_t first = downwards ? 0 : i + 1, last = downwards ? i : a.rows;
    for (int64_t j = 0; j < b.columns; ++j) {
      Complex sum = b(i, j);
      for (int64_t k = first; k < last; ++k)
        sum -= (transpose ? a(k, i) : a(i, k)) * b(k, j);
      b(i, j) = unit ? sum : sum / a(i, i);
    }
  }
}

} // namespace kiln::eval::linear
