// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eigenvalues of Hermitian matrices and singular values of complex ones by
// LAPACK, with phases that do not depend on the library.
#include "Lapack.h"
#include "LinearAlgebra.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

using namespace kiln::runtime;

using Int = LapackInt;

/// What turns the first element of at least half the largest magnitude, of
/// `count` ones, to a real and positive one; `place` is its number.
template <typename T>
static std::complex<T> phaseOf(const std::complex<T> *data, int64_t count,
                               int64_t &place) {
  T most = 0;
  for (int64_t i = 0; i < count; ++i)
    most = std::max(most, std::abs(data[i]));
  for (place = 0; place < count; ++place)
    if (std::abs(data[place]) >= most / 2)
      break;
  bool isNone = place == count || data[place] == std::complex<T>();
  return isNone ? 1 : std::conj(data[place]) / std::abs(data[place]);
}

/// LAPACK sees the transpose, which is the conjugate: so are its vectors, in
/// columns of its own.
template <typename T> static Error complexEigh(HostCall &call) {
  using Complex = std::complex<T>;
  auto heevd =
      LapackFunction<Complex, const char *, const char *, const Int *,
                     Complex *, const Int *, T *, Complex *, const Int *, T *,
                     const Int *, Int *, const Int *, Int *>::find("heevd");
  if (!heevd)
    return heevd.takeError();
  int64_t n = call.sources[0].last(1);
  Expected<Int> size = lapackInt(n);
  if (!size)
    return size.takeError();
  Int width = std::max<Int>(*size, 1), info = 0;
  Int room = -1, reals = -1, integers = -1;
  std::vector<Complex> a(size_t(n * n) + 1), work(1);
  std::vector<T> rwork(1);
  std::vector<Int> iwork(1);
  auto run = [&](T *values) {
    (*heevd)("V", "U", &*size, a.data(), &width, values, work.data(), &room,
             rwork.data(), &reals, iwork.data(), &integers, &info);
  };
  run(call.targets[0].as<T>());
  room = workspaceOf(work[0].real());
  reals = workspaceOf(rwork[0]);
  integers = iwork[0];
  work.resize(size_t(room));
  rwork.resize(size_t(reals));
  iwork.resize(size_t(integers));
  for (int64_t k = 0; k < call.sources[0].batch(2); ++k) {
    const Complex *from = call.sources[0].as<Complex>() + k * n * n;
    T *values = call.targets[0].as<T>() + k * n;
    Complex *vectors = call.targets[1].as<Complex>() + k * n * n;
    bool isFinite = true;
    // The upper triangle is not read, and the diagonal is real.
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        Complex z = j > i ? Complex() : from[i * n + j];
        z = i == j ? Complex(z.real()) : z;
        isFinite &= std::isfinite(z.real()) && std::isfinite(z.imag());
        a[size_t(i * n + j)] = z;
      }
    info = 1;
    if (isFinite)
      run(values);
    if (info < 0)
      return lapackRefused("heevd", info);
    call.targets[2].as<Int>()[k] = info;
    if (info) {
      T nan = std::numeric_limits<T>::quiet_NaN();
      std::fill(values, values + n, nan);
      std::fill(vectors, vectors + n * n, Complex(nan, nan));
      continue;
    }
    for (int64_t j = 0; j < n; ++j) {
      const Complex *column = a.data() + j * n;
      int64_t place = 0;
      Complex phase = phaseOf(column, n, place);
      for (int64_t i = 0; i < n; ++i)
        vectors[i * n + j] = std::conj(column[i] * phase);
      if (place < n)
        vectors[place * n + j] = std::abs(column[place]);
    }
  }
  return Error::success();
}

/// Makes the element real and positive that phaseOf found in a row of V^H, and
/// turns the column of U by the same angle.
template <typename T>
static void turn(std::complex<T> *row, int64_t columns, std::complex<T> *column,
                 int64_t rows, int64_t step) {
  int64_t place = 0;
  std::complex<T> phase = phaseOf(row, columns, place);
  T size = place < columns ? std::abs(row[place]) : T(0);
  for (int64_t i = 0; i < columns; ++i)
    row[i] *= phase;
  for (int64_t i = 0; i < rows; ++i)
    column[i * step] *= std::conj(phase);
  if (place < columns)
    row[place] = size;
}

/// Ones on the diagonal of a matrix of `columns` columns.
template <typename T>
static void fillIdentity(T *data, int64_t count, int64_t columns) {
  for (int64_t i = 0; i < count; ++i)
    data[i] = T(i % (columns + 1) == 0);
}

/// The row-major A is A^T there, whose U is right^T and whose V^H is left^T:
/// both are in their places.
template <typename T> static Error complexSvd(HostCall &call) {
  using Complex = std::complex<T>;
  auto gesdd = LapackFunction<Complex, const char *, const Int *, const Int *,
                              Complex *, const Int *, T *, Complex *,
                              const Int *, Complex *, const Int *, Complex *,
                              const Int *, T *, Int *, Int *>::find("gesdd");
  if (!gesdd)
    return gesdd.takeError();
  int64_t m = call.sources[0].last(1), n = call.sources[0].last(0) / 2;
  int64_t count = std::min(m, n), most = std::max(m, n);
  bool full = call.has("full");
  int64_t lefts = full ? m : count, rights = full ? n : count;
  if (call.targets[0].last(0) != 2 * lefts || call.targets[2].last(1) != rights)
    return Error("complex_svd of " + std::to_string(m) + "x" +
                 std::to_string(n) + " into other numbers of vectors");
  Expected<Int> rows = lapackInt(n), columns = lapackInt(m);
  if (!rows || !columns)
    return rows ? columns.takeError() : rows.takeError();
  Int height = std::max<Int>(*rows, 1);
  Int leading = std::max<Int>(Int(lefts), 1), info = 0, room = -1;
  std::vector<Complex> a(size_t(m * n) + 1), work(1);
  std::vector<T> rwork(
      size_t(count * std::max(5 * count + 5, 2 * most + 2 * count + 1)) + 1);
  std::vector<Int> iwork(size_t(8 * count) + 1);
  auto run = [&](Complex *right, T *values, Complex *left) {
    (*gesdd)(full ? "A" : "S", &*rows, &*columns, a.data(), &height, values,
             right, &height, left, &leading, work.data(), &room, rwork.data(),
             iwork.data(), &info);
  };
  run(call.targets[2].as<Complex>(), call.targets[1].as<T>(),
      call.targets[0].as<Complex>());
  room = workspaceOf(work[0].real());
  work.resize(size_t(room));
  for (int64_t k = 0; k < call.sources[0].batch(2); ++k) {
    Complex *left = call.targets[0].as<Complex>() + k * m * lefts;
    T *values = call.targets[1].as<T>() + k * count;
    Complex *right = call.targets[2].as<Complex>() + k * rights * n;
    const Complex *from = call.sources[0].as<Complex>() + k * m * n;
    std::copy(from, from + m * n, a.data());
    bool isFinite = std::all_of(from, from + m * n, [](Complex z) {
      return std::isfinite(z.real()) && std::isfinite(z.imag());
    });
    info = count && !isFinite;
    if (!count) {
      // Nothing is written then: any orthonormal vectors will do.
      fillIdentity(left, m * lefts, lefts);
      fillIdentity(right, rights * n, n);
    } else if (isFinite) {
      run(right, values, left);
    }
    if (info < 0)
      return lapackRefused("gesdd", info);
    call.targets[3].as<Int>()[k] = info;
    if (info) {
      T nan = std::numeric_limits<T>::quiet_NaN();
      std::fill(left, left + m * lefts, Complex(nan, nan));
      std::fill(values, values + count, nan);
      std::fill(right, right + rights * n, Complex(nan, nan));
      continue;
    }
    for (int64_t j = 0; j < count; ++j)
      turn(right + j * n, n, left + j, m, lefts);
  }
  return Error::success();
}

Error kiln::runtime::runComplexEigh(HostCall &call) {
  return call.sources[0].dtype == DType::f32 ? complexEigh<float>(call)
                                             : complexEigh<double>(call);
}

Error kiln::runtime::runComplexSvd(HostCall &call) {
  return call.sources[0].dtype == DType::f32 ? complexSvd<float>(call)
                                             : complexSvd<double>(call);
}
