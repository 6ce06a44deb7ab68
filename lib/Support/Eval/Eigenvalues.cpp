// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eigenvalues of any matrix: steps of Q R with shifts make it triangular.
#include "LinearAlgebra.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace kiln::eval::linear {

namespace {

using Complex = std::complex<Real>;

constexpr Real kUnit = std::numeric_limits<Real>::epsilon();
constexpr int kMaxSteps = 200; ///< for each eigenvalue

/// Unitary; makes the second of two numbers 0.
struct Turn {
  Turn(Complex x, Complex y) {
    Real size = std::hypot(std::abs(x), std::abs(y));
    c = size == 0 ? Complex(1) : x / size;
    s = size == 0 ? Complex(0) : y / size;
  }
  void rows(ComplexMatrix &a, int64_t p, int64_t q) const {
    for (int64_t j = 0; j < a.columns; ++j) {
      Complex x = a(p, j), y = a(q, j);
      a(p, j) = std::conj(c) * x + std::conj(s) * y;
      a(q, j) = -s * x + c * y;
    }
  }
  void columns(ComplexMatrix &a, int64_t p, int64_t q) const {
    for (int64_t i = 0; i < a.rows; ++i) {
      Complex x = a(i, p), y = a(i, q);
      a(i, p) = x * c + y * s;
      a(i, q) = -x * std::conj(s) + y * std::conj(c);
    }
  }
  Complex c, s;
};

/// The eigenvalue of the last two rows that is closer to the last element.
Complex shiftOf(const ComplexMatrix &t, int64_t last) {
  Complex a = t(last - 1, last - 1), b = t(last - 1, last),
          c = t(last, last - 1), d = t(last, last);
  Complex mean = (a + d) / Real(2), half = (a - d) / Real(2);
  Complex root = std::sqrt(half * half + b * c);
  Complex x = mean + root, y = mean - root;
  return std::abs(x - d) < std::abs(y - d) ? x : y;
}

/// A = Z T Z^H; false where T does not become triangular.
bool makeTriangular(ComplexMatrix &t, ComplexMatrix &z) {
  int64_t n = t.rows;
  // Zeros below the first diagonal under the main one.
  for (int64_t k = 0; k + 2 < n; ++k)
    for (int64_t i = n - 1; i > k + 1; --i) {
      Turn turn(t(i - 1, k), t(i, k));
      turn.rows(t, i - 1, i);
      turn.columns(t, i - 1, i);
      turn.columns(z, i - 1, i);
    }
  int steps = 0;
  for (int64_t last = n - 1; last > 0;) {
    int64_t first = last;
    while (first > 0) {
      Real near = std::abs(t(first, first)) + std::abs(t(first - 1, first - 1));
      if (std::abs(t(first, first - 1)) <= kUnit * near)
        break;
      --first;
    }
    if (first == last) {
      t(last, last - 1) = 0;
      --last;
      steps = 0;
      continue;
    }
    if (++steps > kMaxSteps)
      return false;
    Complex shift = steps % 11 == 10
                        ? t(last, last) + std::abs(t(last, last - 1))
                        : shiftOf(t, last);
    // One step of the method on the rows from first to last.
    Complex x = t(first, first) - shift, y = t(first + 1, first);
    for (int64_t k = first; k < last; ++k) {
      Turn turn(x, y);
      turn.rows(t, k, k + 1);
      turn.columns(t, k, k + 1);
      turn.columns(z, k, k + 1);
      if (k + 1 < last) {
        x = t(k + 1, k);
        y = t(k + 2, k);
      }
    }
  }
  return true;
}

/// Real numbers first, then each with a positive imaginary part before the
/// nearest to its conjugate.
template <typename IsReal>
Numbers pairedOrder(const ComplexMatrix &t, IsReal isReal) {
  Numbers order, above, below;
  for (int64_t i = 0; i < t.rows; ++i)
    (isReal(i) ? order : t(i, i).imag() > 0 ? above : below).push_back(i);
  for (int64_t i : above) {
    order.push_back(i);
    auto nearer = [&](int64_t j, int64_t k) {
      return std::abs(t(j, j) - std::conj(t(i, i))) <
             std::abs(t(k, k) - std::conj(t(i, i)));
    };
    auto found = std::min_element(below.begin(), below.end(), nearer);
    if (found == below.end())
      continue;
    order.push_back(*found);
    below.erase(found);
  }
  order.insert(order.end(), below.begin(), below.end());
  return order;
}

} // namespace

int64_t eig(const Matrix &a, ComplexMatrix &values, ComplexMatrix &vectors) {
  int64_t n = a.rows;
  ComplexMatrix t(n, n), z = ComplexMatrix::identity(n, n);
  Real size = 0;
  bool isFinite = true;
  for (size_t i = 0; i < a.elements.size(); ++i) {
    t.elements[i] = a.elements[i];
    isFinite &= std::isfinite(a.elements[i]);
    size = std::max(size, std::fabs(a.elements[i]));
  }
  if (!isFinite || !makeTriangular(t, z)) {
    Complex nan(std::numeric_limits<Real>::quiet_NaN(),
                std::numeric_limits<Real>::quiet_NaN());
    std::fill(values.elements.begin(), values.elements.end(), nan);
    std::fill(vectors.elements.begin(), vectors.elements.end(), nan);
    return 1;
  }
  auto isReal = [&](int64_t i) {
    return std::fabs(t(i, i).imag()) <= 1e3L * kUnit * size;
  };
  Numbers order = pairedOrder(t, isReal);
  for (int64_t at = 0; at < n; ++at) {
    int64_t k = order[static_cast<size_t>(at)];
    Complex value = t(k, k);
    // Back from row k: (T - value) x = 0 with x[k] = 1.
    std::vector<Complex> x(static_cast<size_t>(n));
    x[static_cast<size_t>(k)] = 1;
    for (int64_t i = k - 1; i >= 0; --i) {
      Complex sum = 0, slope = t(i, i) - value;
      for (int64_t j = i + 1; j <= k; ++j)
        sum -= t(i, j) * x[static_cast<size_t>(j)];
      if (std::abs(slope) < kUnit * size)
        slope = kUnit * size;
      x[static_cast<size_t>(i)] = sum / slope;
    }
    Real length = 0;
    Complex largest = 0;
    for (int64_t i = 0; i < n; ++i) {
      Complex sum = 0;
      for (int64_t j = 0; j <= k; ++j)
        sum += z(i, j) * x[static_cast<size_t>(j)];
      vectors(i, at) = sum;
      length = std::hypot(length, std::abs(sum));
      if (std::abs(sum) > std::abs(largest))
        largest = sum;
    }
    // The factor of length 1 that makes the largest element real.
    Complex factor = std::conj(largest) / std::abs(largest) / length;
    for (int64_t i = 0; i < n; ++i) {
      vectors(i, at) *= factor;
      if (isReal(k))
        vectors(i, at) = vectors(i, at).real();
    }
    values(0, at) = isReal(k) ? Complex(value.real()) : value;
  }
  return 0;
}

} // namespace kiln::eval::linear
