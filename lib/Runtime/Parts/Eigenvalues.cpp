// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eigenvalues and singular values by LAPACK, with signs that do not depend on
// the library.
#include "Lapack.h"
#include "LinearAlgebra.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace kiln::runtime;

using Int = LapackInt;

template <typename T> static bool isFinite(const T *data, int64_t count) {
  return std::all_of(data, data + count, [](T x) { return std::isfinite(x); });
}

template <typename T> static void fillNan(T *data, int64_t count) {
  std::fill(data, data + count, std::numeric_limits<T>::quiet_NaN());
}

/// -1 where the first element of at least half the largest magnitude, of
/// `count` elements that lie `step` apart, is negative.
template <typename T>
static T signOf(const T *data, int64_t count, int64_t step) {
  T most = 0;
  for (int64_t i = 0; i < count; ++i)
    most = std::max(most, std::fabs(data[i * step]));
  for (int64_t i = 0; i < count; ++i)
    if (std::fabs(data[i * step]) >= most / 2)
      return data[i * step] < 0 ? T(-1) : T(1);
  return 1;
}

template <typename T> static Error eigh(HostCall &call) {
  auto syevd = LapackFunction<T, const char *, const char *, const Int *, T *,
                              const Int *, T *, T *, const Int *, Int *,
                              const Int *, Int *>::find("syevd");
  if (!syevd)
    return syevd.takeError();
  int64_t n = call.sources[0].last(0);
  Expected<Int> size = lapackInt(n);
  if (!size)
    return size.takeError();
  Int width = std::max<Int>(*size, 1), info = 0, room = -1, integers = -1;
  std::vector<T> a(size_t(n * n) + 1), work(1);
  std::vector<Int> iwork(1);
  auto run = [&](T *values) {
    (*syevd)("V", "U", &*size, a.data(), &width, values, work.data(), &room,
             iwork.data(), &integers, &info);
  };
  run(call.targets[0].as<T>());
  room = workspaceOf(work[0]);
  integers = iwork[0];
  work.resize(size_t(room));
  iwork.resize(size_t(integers));
  for (int64_t k = 0; k < call.sources[0].batch(2); ++k) {
    const T *from = call.sources[0].as<T>() + k * n * n;
    T *values = call.targets[0].as<T>() + k * n;
    T *vectors = call.targets[1].as<T>() + k * n * n;
    std::memcpy(a.data(), from, sizeof(T) * size_t(n * n));
    // The upper triangle is not read.
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i + 1; j < n; ++j)
        a[size_t(i * n + j)] = 0;
    info = 1;
    if (isFinite(a.data(), n * n))
      run(values);
    if (info < 0)
      return lapackRefused("syevd", info);
    call.targets[2].as<Int>()[k] = info;
    if (info) {
      fillNan(values, n);
      fillNan(vectors, n * n);
      continue;
    }
    for (int64_t j = 0; j < n; ++j) {
      T sign = signOf(a.data() + j * n, n, 1);
      for (int64_t i = 0; i < n; ++i)
        vectors[i * n + j] = sign * a[size_t(j * n + i)];
    }
  }
  return Error::success();
}

template <typename T> static Error eig(HostCall &call) {
  auto geev =
      LapackFunction<T, const char *, const char *, const Int *, T *,
                     const Int *, T *, T *, T *, const Int *, T *, const Int *,
                     T *, const Int *, Int *>::find("geev");
  if (!geev)
    return geev.takeError();
  int64_t n = call.sources[0].last(0);
  Expected<Int> size = lapackInt(n);
  if (!size)
    return size.takeError();
  Int width = std::max<Int>(*size, 1), info = 0, room = -1;
  std::vector<T> a(size_t(n * n) + 1), v(size_t(n * n) + 1), work(1);
  auto run = [&](T *re, T *im) {
    (*geev)("N", "V", &*size, a.data(), &width, re, im, nullptr, &width,
            v.data(), &width, work.data(), &room, &info);
  };
  run(call.targets[0].as<T>(), call.targets[1].as<T>());
  room = workspaceOf(work[0]);
  work.resize(size_t(room));
  for (int64_t k = 0; k < call.sources[0].batch(2); ++k) {
    T *re = call.targets[0].as<T>() + k * n;
    T *im = call.targets[1].as<T>() + k * n;
    T *vre = call.targets[2].as<T>() + k * n * n;
    T *vim = call.targets[3].as<T>() + k * n * n;
    const T *from = call.sources[0].as<T>() + k * n * n;
    transposeInto(a.data(), from, n, n);
    info = 1;
    if (isFinite(from, n * n))
      run(re, im);
    if (info < 0)
      return lapackRefused("geev", info);
    call.targets[4].as<Int>()[k] = info;
    if (info) {
      for (T *values : {re, im})
        fillNan(values, n);
      for (T *vectors : {vre, vim})
        fillNan(vectors, n * n);
      continue;
    }
    // Of two that are conjugate the columns are real and imaginary part.
    for (int64_t j = 0; j < n; ++j) {
      bool isSecond = j && im[j] < 0;
      int64_t column = isSecond ? j - 1 : j;
      for (int64_t i = 0; i < n; ++i) {
        vre[i * n + j] = v[size_t(column * n + i)];
        T part = im[j] == 0 ? T(0) : v[size_t((column + 1) * n + i)];
        vim[i * n + j] = isSecond ? -part : part;
      }
    }
  }
  return Error::success();
}

/// The row-major A is A^T there, whose U is right^T and whose V^T is left^T:
/// both are in their places.
template <typename T> static Error svd(HostCall &call) {
  auto gesdd =
      LapackFunction<T, const char *, const Int *, const Int *, T *,
                     const Int *, T *, T *, const Int *, T *, const Int *, T *,
                     const Int *, Int *, Int *>::find("gesdd");
  if (!gesdd)
    return gesdd.takeError();
  int64_t m = call.sources[0].last(1), n = call.sources[0].last(0);
  int64_t count = std::min(m, n);
  bool full = call.has("full");
  int64_t lefts = full ? m : count, rights = full ? n : count;
  if (call.targets[0].last(0) != lefts || call.targets[2].last(1) != rights)
    return Error("svd of " + std::to_string(m) + "x" + std::to_string(n) +
                 " into " + std::to_string(call.targets[0].last(0)) + " and " +
                 std::to_string(call.targets[2].last(1)) + " vectors");
  Expected<Int> rows = lapackInt(n), columns = lapackInt(m);
  if (!rows || !columns)
    return rows ? columns.takeError() : rows.takeError();
  Int height = std::max<Int>(*rows, 1);
  Int leading = std::max<Int>(Int(lefts), 1), info = 0, room = -1;
  std::vector<T> a(size_t(m * n) + 1), work(1);
  std::vector<Int> iwork(size_t(8 * count) + 1);
  auto run = [&](T *right, T *values, T *left) {
    (*gesdd)(full ? "A" : "S", &*rows, &*columns, a.data(), &height, values,
             right, &height, left, &leading, work.data(), &room, iwork.data(),
             &info);
  };
  run(call.targets[2].as<T>(), call.targets[1].as<T>(),
      call.targets[0].as<T>());
  room = workspaceOf(work[0]);
  work.resize(size_t(room));
  for (int64_t k = 0; k < call.sources[0].batch(2); ++k) {
    T *left = call.targets[0].as<T>() + k * m * lefts;
    T *values = call.targets[1].as<T>() + k * count;
    T *right = call.targets[2].as<T>() + k * rights * n;
    std::memcpy(a.data(), call.sources[0].as<T>() + k * m * n,
                sizeof(T) * size_t(m * n));
    info = 1;
    if (!count) {
      // Nothing is written then: any orthonormal vectors will do.
      for (int64_t i = 0; i < m * lefts; ++i)
        left[i] = i % (lefts + 1) == 0;
      for (int64_t i = 0; i < rights * n; ++i)
        right[i] = i % (n + 1) == 0;
      info = 0;
    } else if (isFinite(a.data(), m * n)) {
      run(right, values, left);
    }
    if (info < 0)
      return lapackRefused("gesdd", info);
    call.targets[3].as<Int>()[k] = info;
    if (info) {
      fillNan(left, m * lefts);
      fillNan(values, count);
      fillNan(right, rights * n);
      continue;
    }
    for (int64_t j = 0; j < count; ++j) {
      T sign = signOf(right + j * n, n, 1);
      for (int64_t i = 0; i < n; ++i)
        right[j * n + i] *= sign;
      for (int64_t i = 0; i < m; ++i)
        left[i * lefts + j] *= sign;
    }
  }
  return Error::success();
}

Error kiln::runtime::runEigh(HostCall &call) {
  return call.sources[0].dtype == DType::f32 ? eigh<float>(call)
                                             : eigh<double>(call);
}

Error kiln::runtime::runEig(HostCall &call) {
  return call.sources[0].dtype == DType::f32 ? eig<float>(call)
                                             : eig<double>(call);
}

Error kiln::runtime::runSvd(HostCall &call) {
  return call.sources[0].dtype == DType::f32 ? svd<float>(call)
                                             : svd<double>(call);
}
