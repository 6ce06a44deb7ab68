// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix factorisations and triangular solves by LAPACK. LAPACK's
// matrices are column-major: it reads a row-major matrix as its transpose.
#include "LinearAlgebra.h"
#include "Lapack.h"
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

using namespace kiln::runtime;

using Int = LapackInt;

/// Calls `fn` with a null pointer whose type is that of the elements, f32 or
/// f64.
template <typename Fn> static Error byType(const HostArray &array, Fn fn) {
  return array.dtype == DType::f32 ? fn(static_cast<float *>(nullptr))
                                   : fn(static_cast<double *>(nullptr));
}

/// The same with the type of complex elements.
template <typename Fn>
static Error byComplexType(const HostArray &array, Fn fn) {
  return array.dtype == DType::f32
             ? fn(static_cast<std::complex<float> *>(nullptr))
             : fn(static_cast<std::complex<double> *>(nullptr));
}

/// How many elements a row of a matrix has: complex ones are two columns each.
template <typename T> static int64_t columnsOf(const HostArray &array) {
  return array.last(0) / (std::is_floating_point_v<T> ? 1 : 2);
}

/// The address of matrix `number` of a batch; each has `size` elements.
template <typename T>
static T *part(const HostArray &array, int64_t number, int64_t size) {
  return array.as<T>() + number * size;
}

/// The first step of n, from 1 on, whose pivot is not positive, or `info` if
/// that is an earlier one: libraries differ in whether NaN is positive.
template <typename T>
static Int firstFailure(const T *factor, int64_t n, Int info) {
  for (int64_t k = 0; k < (info ? info - 1 : n); ++k)
    if (!(std::real(factor[k * n + k]) > 0))
      return Int(k + 1);
  return info;
}

template <typename T> static T notANumber() {
  if constexpr (std::is_floating_point_v<T>) {
    return std::numeric_limits<T>::quiet_NaN();
  } else {
    auto part = std::numeric_limits<typename T::value_type>::quiet_NaN();
    return T(part, part);
  }
}

template <typename T> static Error cholesky(HostCall &call) {
  auto potrf = LapackFunction<T, const char *, const Int *, T *, const Int *,
                              Int *>::find("potrf");
  if (!potrf)
    return potrf.takeError();
  int64_t n = columnsOf<T>(call.sources[0]);
  Expected<Int> size = lapackInt(n);
  if (!size)
    return size.takeError();
  Int width = std::max<Int>(*size, 1);
  for (int64_t k = 0; k < call.sources[0].batch(2); ++k) {
    T *a = part<T>(call.targets[0], k, n * n);
    std::memcpy(a, part<T>(call.sources[0], k, n * n),
                sizeof(T) * size_t(n * n));
    Int info = 0;
    (*potrf)("U", &*size, a, &width, &info);
    if (info < 0)
      return lapackRefused("potrf", info);
    info = firstFailure(a, n, info);
    T nan = notANumber<T>();
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        a[i * n + j] = j > i ? T() : info ? nan : a[i * n + j];
    call.targets[1].as<Int>()[k] = info;
  }
  return Error::success();
}

/// Writes the permutation of rows that LAPACK's row exchanges (`pivots`, from
/// 0) amount to: rows[i] is the original row at place i.
static Error permute(const Int *pivots, int64_t count, Int *rows,
                     int64_t numRows) {
  for (int64_t i = 0; i < numRows; ++i)
    rows[i] = Int(i);
  for (int64_t i = 0; i < count; ++i) {
    if (pivots[i] < 0 || pivots[i] >= numRows || i >= numRows)
      return Error("the pivot " + std::to_string(pivots[i]) +
                   " is outside of " + std::to_string(numRows) + " rows");
    std::swap(rows[i], rows[pivots[i]]);
  }
  return Error::success();
}

template <typename T> static Error lu(HostCall &call) {
  auto getrf = LapackFunction<T, const Int *, const Int *, T *, const Int *,
                              Int *, Int *>::find("getrf");
  if (!getrf)
    return getrf.takeError();
  int64_t m = call.sources[0].last(1), n = columnsOf<T>(call.sources[0]);
  Expected<Int> rows = lapackInt(m), columns = lapackInt(n);
  if (!rows || !columns)
    return rows ? columns.takeError() : rows.takeError();
  Int height = std::max<Int>(*rows, 1);
  int64_t steps = std::min(m, n);
  std::vector<T> a(size_t(m * n) + 1);
  for (int64_t k = 0; k < call.sources[0].batch(2); ++k) {
    transposeInto(a.data(), part<T>(call.sources[0], k, m * n), m, n);
    Int *pivots = part<Int>(call.targets[1], k, steps), info = 0;
    (*getrf)(&*rows, &*columns, a.data(), &height, pivots, &info);
    if (info < 0)
      return lapackRefused("getrf", info);
    transposeInto(part<T>(call.targets[0], k, m * n), a.data(), n, m);
    for (int64_t i = 0; i < steps; ++i)
      --pivots[i];
    if (Error error =
            permute(pivots, steps, part<Int>(call.targets[2], k, m), m))
      return error;
    call.targets[3].as<Int>()[k] = info;
  }
  return Error::success();
}

/// Solves op(A) X = B as X^T op(A^T) = B^T, because LAPACK sees the row-major
/// tensors transposed.
template <typename T> static Error triangularSolve(HostCall &call) {
  auto trsm =
      LapackFunction<T, const char *, const char *, const char *, const char *,
                     const Int *, const Int *, const T *, const T *,
                     const Int *, T *, const Int *>::find("trsm");
  if (!trsm)
    return trsm.takeError();
  int64_t n = call.sources[1].last(1), m = columnsOf<T>(call.sources[1]);
  Expected<Int> size = lapackInt(n), columns = lapackInt(m);
  if (!size || !columns)
    return size ? columns.takeError() : size.takeError();
  Int width = std::max<Int>(*size, 1), height = std::max<Int>(*columns, 1);
  const T one = 1;
  for (int64_t k = 0; k < call.sources[1].batch(2); ++k) {
    T *x = part<T>(call.targets[0], k, n * m);
    std::memcpy(x, part<T>(call.sources[1], k, n * m),
                sizeof(T) * size_t(n * m));
    (*trsm)("R", call.has("lower") ? "U" : "L",
            call.has("transpose") ? "T" : "N", call.has("unit") ? "U" : "N",
            &*columns, &*size, &one, part<T>(call.sources[0], k, n * n), &width,
            x, &height);
  }
  return Error::success();
}

template <typename T> static Error householderQr(HostCall &call) {
  auto geqrf = LapackFunction<T, const Int *, const Int *, T *, const Int *,
                              T *, T *, const Int *, Int *>::find("geqrf");
  if (!geqrf)
    return geqrf.takeError();
  int64_t m = call.sources[0].last(1), n = columnsOf<T>(call.sources[0]);
  Expected<Int> rows = lapackInt(m), columns = lapackInt(n);
  if (!rows || !columns)
    return rows ? columns.takeError() : rows.takeError();
  Int height = std::max<Int>(*rows, 1), info = 0, room = -1;
  std::vector<T> a(size_t(m * n) + 1), work(1);
  auto run = [&](T *scales) {
    (*geqrf)(&*rows, &*columns, a.data(), &height, scales, work.data(), &room,
             &info);
  };
  run(call.targets[1].as<T>());
  room = std::max(workspaceOf(std::real(work[0])), std::max<Int>(*columns, 1));
  work.resize(size_t(room));
  for (int64_t k = 0; k < call.sources[0].batch(2); ++k) {
    transposeInto(a.data(), part<T>(call.sources[0], k, m * n), m, n);
    run(part<T>(call.targets[1], k, std::min(m, n)));
    if (info < 0)
      return lapackRefused("geqrf", info);
    transposeInto(part<T>(call.targets[0], k, m * n), a.data(), n, m);
  }
  return Error::success();
}

template <typename T> static Error householderProduct(HostCall &call) {
  auto orgqr =
      LapackFunction<T, const Int *, const Int *, const Int *, T *, const Int *,
                     const T *, T *, const Int *,
                     Int *>::find(std::is_floating_point_v<T> ? "orgqr"
                                                              : "ungqr");
  if (!orgqr)
    return orgqr.takeError();
  int64_t m = call.sources[0].last(1), n = columnsOf<T>(call.sources[0]);
  int64_t count = columnsOf<T>(call.sources[1]);
  if (n > m || count > n)
    return Error("householder_product of " + std::to_string(m) + " rows, " +
                 std::to_string(n) + " columns and " + std::to_string(count) +
                 " scales");
  Expected<Int> rows = lapackInt(m), columns = lapackInt(n),
                scales = lapackInt(count);
  if (!rows || !columns || !scales)
    return rows ? columns ? scales.takeError() : columns.takeError()
                : rows.takeError();
  Int height = std::max<Int>(*rows, 1), info = 0, room = -1;
  std::vector<T> a(size_t(m * n) + 1), work(1);
  auto run = [&](int64_t k) {
    (*orgqr)(&*rows, &*columns, &*scales, a.data(), &height,
             part<T>(call.sources[1], k, count), work.data(), &room, &info);
  };
  run(0);
  room = std::max(workspaceOf(std::real(work[0])), std::max<Int>(*columns, 1));
  work.resize(size_t(room));
  for (int64_t k = 0; k < call.sources[0].batch(2); ++k) {
    transposeInto(a.data(), part<T>(call.sources[0], k, m * n), m, n);
    run(k);
    if (info < 0)
      return lapackRefused("orgqr", info);
    transposeInto(part<T>(call.targets[0], k, m * n), a.data(), n, m);
  }
  return Error::success();
}

Error kiln::runtime::runCholesky(HostCall &call) {
  return byType(call.sources[0], [&](auto *type) {
    return cholesky<std::remove_pointer_t<decltype(type)>>(call);
  });
}

Error kiln::runtime::runLu(HostCall &call) {
  return byType(call.sources[0], [&](auto *type) {
    return lu<std::remove_pointer_t<decltype(type)>>(call);
  });
}

Error kiln::runtime::runPivotsToPermutation(HostCall &call) {
  int64_t count = call.sources[0].last(0), rows = call.targets[0].last(0);
  for (int64_t k = 0; k < call.sources[0].batch(1); ++k)
    if (Error error = permute(part<Int>(call.sources[0], k, count), count,
                              part<Int>(call.targets[0], k, rows), rows))
      return error;
  return Error::success();
}

Error kiln::runtime::runTriangularSolve(HostCall &call) {
  return byType(call.sources[0], [&](auto *type) {
    return triangularSolve<std::remove_pointer_t<decltype(type)>>(call);
  });
}

Error kiln::runtime::runComplexCholesky(HostCall &call) {
  return byComplexType(call.sources[0], [&](auto *type) {
    return cholesky<std::remove_pointer_t<decltype(type)>>(call);
  });
}

Error kiln::runtime::runComplexLu(HostCall &call) {
  return byComplexType(call.sources[0], [&](auto *type) {
    return lu<std::remove_pointer_t<decltype(type)>>(call);
  });
}

Error kiln::runtime::runComplexTriangularSolve(HostCall &call) {
  return byComplexType(call.sources[0], [&](auto *type) {
    return triangularSolve<std::remove_pointer_t<decltype(type)>>(call);
  });
}

Error kiln::runtime::runHouseholderQr(HostCall &call) {
  return byType(call.sources[0], [&](auto *type) {
    return householderQr<std::remove_pointer_t<decltype(type)>>(call);
  });
}

Error kiln::runtime::runHouseholderProduct(HostCall &call) {
  return byType(call.sources[0], [&](auto *type) {
    return householderProduct<std::remove_pointer_t<decltype(type)>>(call);
  });
}

Error kiln::runtime::runComplexHouseholderQr(HostCall &call) {
  return byComplexType(call.sources[0], [&](auto *type) {
    return householderQr<std::remove_pointer_t<decltype(type)>>(call);
  });
}

Error kiln::runtime::runComplexHouseholderProduct(HostCall &call) {
  return byComplexType(call.sources[0], [&](auto *type) {
    return householderProduct<std::remove_pointer_t<decltype(type)>>(call);
  });
}
