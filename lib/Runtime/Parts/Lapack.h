// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with LAPACK's interface, found when the first program needs it.
#ifndef KILN_LIB_RUNTIME_LAPACK_H
#define KILN_LIB_RUNTIME_LAPACK_H

#include "kiln/System/Error.h"
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kiln::runtime {

/// The library, with integers of 32 bits: what KILN_LAPACK names, else what
/// KILN_LAPACK_PREFERRED names if that can be loaded, else the first of those
/// that systems have. Loaded once.
class Lapack {
public:
  static Expected<const Lapack *> get();

  /// A function by its name in Fortran, "dpotrf".
  Expected<void *> find(const std::string &name) const;

  /// Another function of it, by its name in C; null if it has none.
  void *findOther(const std::string &name) const;

private:
  void *handle = nullptr;
  std::string path;
};

/// The integers of the interface.
using LapackInt = int32_t;

/// What a size may be.
Expected<LapackInt> lapackInt(int64_t size);

/// What names of functions begin with.
template <typename T> constexpr const char *lapackPrefix = "d";
template <> inline constexpr const char *lapackPrefix<float> = "s";
template <>
inline constexpr const char *lapackPrefix<std::complex<float>> = "c";
template <>
inline constexpr const char *lapackPrefix<std::complex<double>> = "z";

/// A function of LAPACK or BLAS for real or complex numbers: `Args` are what it
/// takes, by address, and a length for each character is passed behind them.
template <typename T, typename... Args> class LapackFunction {
public:
  static Expected<LapackFunction> find(const char *name) {
    Expected<const Lapack *> library = Lapack::get();
    if (!library)
      return library.takeError();
    Expected<void *> found =
        (*library)->find(lapackPrefix<T> + std::string(name));
    if (!found)
      return found.takeError();
    LapackFunction function;
    function.pointer = reinterpret_cast<Pointer>(*found);
    return function;
  }
  void operator()(Args... args) const { pointer(args..., 1, 1, 1, 1); }

private:
  using Pointer = void (*)(Args..., size_t, size_t, size_t, size_t);
  Pointer pointer = nullptr;
};

/// Reports an argument that LAPACK refused, which only a mistake here does.
Error lapackRefused(const char *name, LapackInt info);

/// How much of a workspace was asked for by a number that may be rounded.
template <typename T> LapackInt workspaceOf(T asked) {
  return LapackInt(double(asked) * (1 + 1e-6)) + 1;
}

/// rows x columns, row-major, as columns x rows.
template <typename T>
void transposeInto(T *to, const T *from, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      to[j * rows + i] = from[i * columns + j];
}

} // namespace kiln::runtime

#endif
