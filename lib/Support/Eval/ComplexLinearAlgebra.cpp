// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factorisations and triangular equations of complex matrices.
#include "LinearAlgebra.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kiln::eval::linear {

using Complex = std::complex<Real>;

/// What pivots are compared by.
static Real sizeOf(Complex z) {
  return std::fabs(z.real()) + std::fabs(z.imag());
}

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

int64_t complexLu(ComplexMatrix &a, Numbers &pivots) {
  int64_t info = 0;
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    int64_t best = k;
    for (int64_t i = k + 1; i < a.rows; ++i)
      if (sizeOf(a(i, k)) > sizeOf(a(best, k)))
        best = i;
    pivots.push_back(best);
    for (int64_t j = 0; best != k && j < a.columns; ++j)
      std::swap(a(k, j), a(best, j));
    if (a(k, k) == Complex()) {
      info = info ? info : k + 1;
      continue;
    }
    for (int64_t i = k + 1; i < a.rows; ++i) {
      a(i, k) /= a(k, k);
      for (int64_t j = k + 1; j < a.columns; ++j)
        a(i, j) -= a(i, k) * a(k, j);
    }
  }
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
