// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of matrices, equations, eigenvalues of symmetric matrices and
// singular values by rotations.
#include "LinearAlgebra.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

namespace kiln::eval::linear {

static constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
static constexpr Real kUnit = std::numeric_limits<Real>::epsilon();
/// Rotations of all pairs; a few are enough.
static constexpr int kMaxSweeps = 60;

int64_t cholesky(Matrix &a) {
  int64_t n = a.rows, info = 0;
  for (int64_t j = 0; j < n && !info; ++j)
    for (int64_t i = j; i < n && !info; ++i) {
      Real sum = a(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= a(i, k) * a(j, k);
      if (i == j && !(sum > 0))
        info = j + 1;
      a(i, j) = i == j ? std::sqrt(sum) : sum / a(j, j);
    }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      a(i, j) = j > i ? 0 : info ? kNan : a(i, j);
  return info;
}

/// What pivots are compared by.
static Real sizeOf(Real x) { return std::fabs(x); }
static Real sizeOf(std::complex<Real> z) {
  return std::fabs(z.real()) + std::fabs(z.imag());
}

/// LU of real or complex numbers in place, with exchanges of rows.
template <typename M> static int64_t factorize(M &a, Numbers &pivots) {
  int64_t info = 0;
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    int64_t best = k;
    for (int64_t i = k + 1; i < a.rows; ++i)
      if (sizeOf(a(i, k)) > sizeOf(a(best, k)))
        best = i;
    pivots.push_back(best);
    for (int64_t j = 0; best != k && j < a.columns; ++j)
      std::swap(a(k, j), a(best, j));
    if (sizeOf(a(k, k)) == 0) {
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

int64_t lu(Matrix &a, Numbers &pivots) { return factorize(a, pivots); }

int64_t complexLu(ComplexMatrix &a, Numbers &pivots) {
  return factorize(a, pivots);
}

bool permute(const Numbers &pivots, Numbers &rows) {
  std::iota(rows.begin(), rows.end(), 0);
  auto size = static_cast<int64_t>(rows.size());
  for (size_t i = 0; i < pivots.size(); ++i) {
    if (pivots[i] < 0 || pivots[i] >= size || static_cast<int64_t>(i) >= size)
      return false;
    std::swap(rows[i], rows[static_cast<size_t>(pivots[i])]);
  }
  return true;
}

void triangularSolve(const Matrix &a, Matrix &b, bool lower, bool transpose,
                     bool unit) {
  bool downwards = lower != transpose;
  for (int64_t step = 0; step < a.rows; ++step) {
    int64_t i = downwards ? step : a.rows - 1 - step;
    for (int64_t j = 0; j < b.columns; ++j) {
      Real sum = b(i, j);
      for (int64_t k = downwards ? 0 : i + 1; k < (downwards ? i : a.rows); ++k)
        sum -= (transpose ? a(k, i) : a(i, k)) * b(k, j);
      b(i, j) = unit ? sum : sum / a(i, i);
    }
  }
}

void householderQr(Matrix &a, Matrix &scales) {
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    Real rest = 0;
    for (int64_t i = k + 1; i < a.rows; ++i)
      rest = std::hypot(rest, a(i, k));
    scales(0, k) = 0;
    if (rest == 0)
      continue;
    Real alpha = a(k, k), beta = -std::copysign(std::hypot(alpha, rest), alpha);
    scales(0, k) = (beta - alpha) / beta;
    for (int64_t i = k + 1; i < a.rows; ++i)
      a(i, k) /= alpha - beta;
    a(k, k) = beta;
    for (int64_t j = k + 1; j < a.columns; ++j) {
      Real dot = a(k, j);
      for (int64_t i = k + 1; i < a.rows; ++i)
        dot += a(i, k) * a(i, j);
      dot *= scales(0, k);
      a(k, j) -= dot;
      for (int64_t i = k + 1; i < a.rows; ++i)
        a(i, j) -= dot * a(i, k);
    }
  }
}

void householderProduct(Matrix &a, const Matrix &scales) {
  Matrix q = Matrix::identity(a.rows, a.columns);
  for (int64_t k = scales.columns - 1; k >= 0; --k)
    for (int64_t j = 0; j < q.columns; ++j) {
      Real dot = q(k, j);
      for (int64_t i = k + 1; i < a.rows; ++i)
        dot += a(i, k) * q(i, j);
      dot *= scales(0, k);
      q(k, j) -= dot;
      for (int64_t i = k + 1; i < a.rows; ++i)
        q(i, j) -= dot * a(i, k);
    }
  a = q;
}

namespace {
/// What makes two columns with these squares and this product orthogonal.
struct Rotation {
  Rotation(Real p, Real q, Real pq) {
    Real slope = (q - p) / (2 * pq);
    Real tangent =
        std::copysign(1 / (std::fabs(slope) + std::hypot(1, slope)), slope);
    c = 1 / std::hypot(1, tangent);
    s = tangent * c;
  }
  void columns(Matrix &a, int64_t p, int64_t q) const {
    for (int64_t i = 0; i < a.rows; ++i) {
      Real x = a(i, p), y = a(i, q);
      a(i, p) = c * x - s * y;
      a(i, q) = s * x + c * y;
    }
  }
  void rows(Matrix &a, int64_t p, int64_t q) const {
    for (int64_t j = 0; j < a.columns; ++j) {
      Real x = a(p, j), y = a(q, j);
      a(p, j) = c * x - s * y;
      a(q, j) = s * x + c * y;
    }
  }
  Real c, s;
};
} // namespace

/// The first element of at least half the largest magnitude is positive; -1
/// where that needs another sign.
static Real signOf(const Matrix &a, int64_t column) {
  Real most = 0;
  for (int64_t i = 0; i < a.rows; ++i)
    most = std::max(most, std::fabs(a(i, column)));
  for (int64_t i = 0; i < a.rows; ++i)
    if (std::fabs(a(i, column)) >= most / 2)
      return a(i, column) < 0 ? -1 : 1;
  return 1;
}

/// Columns in another order, each times a sign.
static Matrix picked(const Matrix &a, const Numbers &order,
                     const std::vector<Real> &signs) {
  Matrix made(a.rows, a.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j)
      made(i, j) = a(i, order[static_cast<size_t>(j)]) *
                   signs[static_cast<size_t>(order[static_cast<size_t>(j)])];
  return made;
}

static bool isFinite(const Matrix &a) {
  return std::all_of(a.elements.begin(), a.elements.end(),
                     [](Real x) { return std::isfinite(x); });
}

static void fillNan(Matrix &a) {
  std::fill(a.elements.begin(), a.elements.end(), kNan);
}

int64_t eigh(const Matrix &given, Matrix &values, Matrix &vectors) {
  int64_t n = given.rows;
  Matrix a(n, n), v = Matrix::identity(n, n);
  Real size = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      a(i, j) = given(std::max(i, j), std::min(i, j));
      size = std::hypot(size, a(i, j));
    }
  if (!isFinite(a)) {
    fillNan(values);
    fillNan(vectors);
    return 1;
  }
  for (int sweep = 0, turned = 1; turned && sweep < kMaxSweeps; ++sweep) {
    turned = 0;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        if (std::fabs(a(p, q)) <= kUnit * size)
          continue;
        Rotation turn(a(p, p), a(q, q), a(p, q));
        turn.columns(a, p, q);
        turn.rows(a, p, q);
        turn.columns(v, p, q);
        turned = 1;
      }
  }
  Numbers order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    return std::make_pair(a(i, i), i) < std::make_pair(a(j, j), j);
  });
  std::vector<Real> signs;
  for (int64_t j = 0; j < n; ++j)
    signs.push_back(signOf(v, j));
  vectors = picked(v, order, signs);
  for (int64_t j = 0; j < n; ++j) {
    int64_t from = order[static_cast<size_t>(j)];
    values(0, j) = a(from, from);
  }
  return 0;
}

/// Orthonormal columns from `first` on, orthogonal to those before.
static void complete(Matrix &u, int64_t first) {
  for (int64_t j = first, next = 0; j < u.columns && next < u.rows; ++next) {
    std::vector<Real> x(static_cast<size_t>(u.rows));
    x[static_cast<size_t>(next)] = 1;
    // Twice is enough.
    for (int again = 0; again < 2; ++again)
      for (int64_t k = 0; k < j; ++k) {
        Real dot = 0;
        for (int64_t i = 0; i < u.rows; ++i)
          dot += u(i, k) * x[static_cast<size_t>(i)];
        for (int64_t i = 0; i < u.rows; ++i)
          x[static_cast<size_t>(i)] -= dot * u(i, k);
      }
    Real length = 0;
    for (Real element : x)
      length = std::hypot(length, element);
    // One of those that are left has a part of this size outside.
    if (length * length * 2 * static_cast<Real>(u.rows) < 1)
      continue;
    for (int64_t i = 0; i < u.rows; ++i)
      u(i, j) = x[static_cast<size_t>(i)] / length;
    ++j;
  }
}

int64_t svd(const Matrix &a, bool full, Matrix &left, Matrix &values,
            Matrix &right) {
  if (!isFinite(a)) {
    fillNan(left);
    fillNan(values);
    fillNan(right);
    return 1;
  }
  bool isWide = a.columns > a.rows;
  Matrix w = isWide ? a.transposed() : a;
  int64_t m = w.rows, n = w.columns;
  Matrix v = Matrix::identity(n, n);
  for (int sweep = 0, turned = 1; turned && sweep < kMaxSweeps; ++sweep) {
    turned = 0;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        Real pp = 0, qq = 0, pq = 0;
        for (int64_t i = 0; i < m; ++i) {
          pp += w(i, p) * w(i, p);
          qq += w(i, q) * w(i, q);
          pq += w(i, p) * w(i, q);
        }
        if (std::fabs(pq) <= 4 * kUnit * std::sqrt(pp) * std::sqrt(qq))
          continue;
        Rotation turn(pp, qq, pq);
        turn.columns(w, p, q);
        turn.columns(v, p, q);
        turned = 1;
      }
  }
  std::vector<Real> lengths(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < m; ++i)
      lengths[static_cast<size_t>(j)] =
          std::hypot(lengths[static_cast<size_t>(j)], w(i, j));
  Numbers order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    auto key = [&](int64_t k) {
      return std::make_pair(-lengths[static_cast<size_t>(k)], k);
    };
    return key(i) < key(j);
  });
  std::vector<Real> ones(static_cast<size_t>(n), 1);
  w = picked(w, order, ones);
  v = picked(v, order, ones);
  Matrix u(m, full ? m : n);
  int64_t rank = 0;
  Real least = 0;
  for (int64_t j = 0; j < n; ++j) {
    Real length = lengths[static_cast<size_t>(order[static_cast<size_t>(j)])];
    least = j ? least : length * kUnit;
    values(0, j) = length;
    for (int64_t i = 0; length > least && i < m; ++i)
      u(i, j) = w(i, j) / length;
    rank += length > least;
  }
  complete(u, rank);
  Matrix &ofRows = isWide ? u : v; // whose columns are the rows of V^T
  for (int64_t j = 0; j < n; ++j) {
    Real sign = signOf(ofRows, j);
    for (int64_t i = 0; i < m; ++i)
      u(i, j) *= sign;
    for (int64_t i = 0; i < n; ++i)
      v(i, j) *= sign;
  }
  left = isWide ? v : u;
  right = isWide ? u.transposed() : v.transposed();
  return 0;
}

} // namespace kiln::eval::linear
