// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of matrices, equations, eigenvalues of symmetric and Hermitian
// matrices and singular values by rotations.
#include "LinearAlgebra.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

namespace kiln::eval::linear {

using Complex = std::complex<Real>;

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

static Real conjugate(Real x) { return x; }
static Complex conjugate(Complex z) { return std::conj(z); }

template <typename T> static MatrixOf<T> adjoint(const MatrixOf<T> &a) {
  MatrixOf<T> made(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j)
      made(j, i) = conjugate(a(i, j));
  return made;
}

/// Applies I - scale v v^H to columns from `first` on, where v is column k of
/// `from` below a 1 at element k.
template <typename T>
static void reflect(MatrixOf<T> &to, const MatrixOf<T> &from, int64_t k,
                    int64_t first, T scale) {
  for (int64_t j = first; j < to.columns; ++j) {
    T dot = to(k, j);
    for (int64_t i = k + 1; i < to.rows; ++i)
      dot += conjugate(from(i, k)) * to(i, j);
    dot *= scale;
    to(k, j) -= dot;
    for (int64_t i = k + 1; i < to.rows; ++i)
      to(i, j) -= dot * from(i, k);
  }
}

template <typename T> void householderQr(MatrixOf<T> &a, MatrixOf<T> &scales) {
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    Real rest = 0;
    for (int64_t i = k + 1; i < a.rows; ++i)
      rest = std::hypot(rest, std::abs(a(i, k)));
    T alpha = a(k, k);
    scales(0, k) = 0;
    if (rest == 0 && std::imag(alpha) == 0)
      continue;
    Real beta =
        -std::copysign(std::hypot(std::abs(alpha), rest), std::real(alpha));
    scales(0, k) = (beta - alpha) / beta;
    for (int64_t i = k + 1; i < a.rows; ++i)
      a(i, k) /= alpha - beta;
    reflect(a, a, k, k + 1, conjugate(scales(0, k)));
    a(k, k) = beta;
  }
}

template <typename T>
void householderProduct(MatrixOf<T> &a, const MatrixOf<T> &scales) {
  MatrixOf<T> q = MatrixOf<T>::identity(a.rows, a.columns);
  for (int64_t k = scales.columns; k-- > 0;)
    reflect(q, a, k, 0, T(scales(0, k)));
  a = q;
}

namespace {
/// What makes two columns with these squares and this product orthogonal.
template <typename T> struct Rotation {
  Rotation(Real p, Real q, T pq) {
    Real size = std::abs(pq), slope = (q - p) / (2 * size);
    Real tangent =
        std::copysign(1 / (std::fabs(slope) + std::hypot(1, slope)), slope);
    c = 1 / std::hypot(1, tangent);
    s = tangent * c * (pq / size);
  }
  void columns(MatrixOf<T> &a, int64_t p, int64_t q) const {
    for (int64_t i = 0; i < a.rows; ++i) {
      T x = a(i, p), y = a(i, q);
      a(i, p) = c * x - conjugate(s) * y;
      a(i, q) = s * x + c * y;
    }
  }
  /// The adjoint from the left.
  void rows(MatrixOf<T> &a, int64_t p, int64_t q) const {
    for (int64_t j = 0; j < a.columns; ++j) {
      T x = a(p, j), y = a(q, j);
      a(p, j) = c * x - s * y;
      a(q, j) = conjugate(s) * x + c * y;
    }
  }
  Real c;
  T s;
};
} // namespace

/// What makes the first element of at least half the largest magnitude real
/// and positive.
template <typename T> static T phaseOf(const MatrixOf<T> &a, int64_t column) {
  Real most = 0;
  for (int64_t i = 0; i < a.rows; ++i)
    most = std::max(most, std::abs(a(i, column)));
  for (int64_t i = 0; i < a.rows; ++i)
    if (Real size = std::abs(a(i, column)); size >= most / 2)
      return size == 0 ? T(1) : conjugate(a(i, column)) / size;
  return 1;
}

/// Columns in another order, each times a number.
template <typename T>
static MatrixOf<T> picked(const MatrixOf<T> &a, const Numbers &order,
                          const std::vector<T> &by) {
  MatrixOf<T> made(a.rows, a.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) {
      auto from = order[static_cast<size_t>(j)];
      made(i, j) = a(i, from) * by[static_cast<size_t>(from)];
    }
  return made;
}

template <typename T> static bool isFinite(const MatrixOf<T> &a) {
  return std::all_of(a.elements.begin(), a.elements.end(), [](T x) {
    return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
  });
}

static void fillNan(Matrix &a) {
  std::fill(a.elements.begin(), a.elements.end(), kNan);
}
static void fillNan(ComplexMatrix &a) {
  std::fill(a.elements.begin(), a.elements.end(), Complex(kNan, kNan));
}

template <typename T>
int64_t eigh(const MatrixOf<T> &given, Matrix &values, MatrixOf<T> &vectors) {
  int64_t n = given.rows;
  MatrixOf<T> a(n, n), v = MatrixOf<T>::identity(n, n);
  Real size = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      a(i, j) = i == j ? T(std::real(given(i, j))) : given(i, j);
      a(j, i) = conjugate(a(i, j));
      size = std::hypot(size,
                        (i == j ? 1 : std::sqrt(Real(2))) * std::abs(a(i, j)));
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
        if (std::abs(a(p, q)) <= kUnit * size)
          continue;
        Rotation<T> turn(std::real(a(p, p)), std::real(a(q, q)), a(p, q));
        turn.columns(a, p, q);
        turn.rows(a, p, q);
        turn.columns(v, p, q);
        turned = 1;
      }
  }
  Numbers order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    return std::make_pair(std::real(a(i, i)), i) <
           std::make_pair(std::real(a(j, j)), j);
  });
  std::vector<T> phases;
  for (int64_t j = 0; j < n; ++j)
    phases.push_back(phaseOf(v, j));
  vectors = picked(v, order, phases);
  for (int64_t j = 0; j < n; ++j) {
    int64_t from = order[static_cast<size_t>(j)];
    values(0, j) = std::real(a(from, from));
  }
  return 0;
}

/// Orthonormal columns from `first` on, orthogonal to those before.
template <typename T> static void complete(MatrixOf<T> &u, int64_t first) {
  for (int64_t j = first, next = 0; j < u.columns && next < u.rows; ++next) {
    std::vector<T> x(static_cast<size_t>(u.rows));
    x[static_cast<size_t>(next)] = 1;
    // Twice is enough.
    for (int again = 0; again < 2; ++again)
      for (int64_t k = 0; k < j; ++k) {
        T dot = 0;
        for (int64_t i = 0; i < u.rows; ++i)
          dot += conjugate(u(i, k)) * x[static_cast<size_t>(i)];
        for (int64_t i = 0; i < u.rows; ++i)
          x[static_cast<size_t>(i)] -= dot * u(i, k);
      }
    Real length = 0;
    for (T element : x)
      length = std::hypot(length, std::abs(element));
    // One of those that are left has a part of this size outside.
    if (length * length * 2 * static_cast<Real>(u.rows) < 1)
      continue;
    for (int64_t i = 0; i < u.rows; ++i)
      u(i, j) = x[static_cast<size_t>(i)] / length;
    ++j;
  }
}

/// Turns columns of `w`, and those of `v` as well, until they are orthogonal.
template <typename T> static void turnColumns(MatrixOf<T> &w, MatrixOf<T> &v) {
  for (int sweep = 0, turned = 1; turned && sweep < kMaxSweeps; ++sweep) {
    turned = 0;
    for (int64_t p = 0; p < w.columns; ++p)
      for (int64_t q = p + 1; q < w.columns; ++q) {
        Real pp = 0, qq = 0;
        T pq = 0;
        for (int64_t i = 0; i < w.rows; ++i) {
          pp += std::norm(w(i, p));
          qq += std::norm(w(i, q));
          pq += conjugate(w(i, p)) * w(i, q);
        }
        if (std::abs(pq) <= 4 * kUnit * std::sqrt(pp) * std::sqrt(qq))
          continue;
        Rotation<T> turn(pp, qq, pq);
        turn.columns(w, p, q);
        turn.columns(v, p, q);
        turned = 1;
      }
  }
}

template <typename T>
int64_t svd(const MatrixOf<T> &a, bool full, MatrixOf<T> &left, Matrix &values,
            MatrixOf<T> &right) {
  if (!isFinite(a)) {
    fillNan(left);
    fillNan(values);
    fillNan(right);
    return 1;
  }
  bool isWide = a.columns > a.rows;
  MatrixOf<T> w = isWide ? adjoint(a) : a;
  int64_t m = w.rows, n = w.columns;
  MatrixOf<T> v = MatrixOf<T>::identity(n, n);
  turnColumns(w, v);
  std::vector<Real> lengths(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < m; ++i)
      lengths[static_cast<size_t>(j)] =
          std::hypot(lengths[static_cast<size_t>(j)], std::abs(w(i, j)));
  Numbers order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    auto key = [&](int64_t k) {
      return std::make_pair(-lengths[static_cast<size_t>(k)], k);
    };
    return key(i) < key(j);
  });
  std::vector<T> ones(static_cast<size_t>(n), T(1));
  w = picked(w, order, ones);
  v = picked(v, order, ones);
  MatrixOf<T> u(m, full ? m : n);
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
  MatrixOf<T> &ofRows = isWide ? u : v; // whose columns are the rows of V^H
  for (int64_t j = 0; j < n; ++j) {
    T phase = phaseOf(ofRows, j);
    for (int64_t i = 0; i < m; ++i)
      u(i, j) *= phase;
    for (int64_t i = 0; i < n; ++i)
      v(i, j) *= phase;
  }
  left = isWide ? v : u;
  right = adjoint(isWide ? u : v);
  return 0;
}

template void householderQr(Matrix &, Matrix &);
template void householderQr(ComplexMatrix &, ComplexMatrix &);
template void householderProduct(Matrix &, const Matrix &);
template void householderProduct(ComplexMatrix &, const ComplexMatrix &);
template int64_t eigh(const Matrix &, Matrix &, Matrix &);
template int64_t eigh(const ComplexMatrix &, Matrix &, ComplexMatrix &);
template int64_t svd(const Matrix &, bool, Matrix &, Matrix &, Matrix &);
template int64_t svd(const ComplexMatrix &, bool, ComplexMatrix &, Matrix &,
                     ComplexMatrix &);

} // namespace kiln::eval::linear
