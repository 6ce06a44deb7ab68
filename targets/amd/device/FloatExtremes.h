// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smaller and the larger one of two floats, as all units compare them.
#ifndef KILN_TARGETS_AMD_DEVICE_FLOATEXTREMES_H
#define KILN_TARGETS_AMD_DEVICE_FLOATEXTREMES_H

#include <cmath>

namespace kiln::amd::sim {

/// A signalling NaN as a quiet one.
template <typename T> T quiet(T x) { return x + x; }

/// The larger one; a number wins over NaN, +0 over -0.
template <typename T> T maxNumber(T x, T y) {
  if (x != x)
    return y != y ? quiet(x) : y;
  if (y != y)
    return x;
  if (x == y)
    return std::signbit(float(x)) ? y : x;
  return x > y ? x : y;
}
/// The smaller one; a number wins over NaN, -0 over +0.
template <typename T> T minNumber(T x, T y) {
  if (x != x)
    return y != y ? quiet(x) : y;
  if (y != y)
    return x;
  if (x == y)
    return std::signbit(float(x)) ? x : y;
  return x < y ? x : y;
}

/// A result of a comparison. Where the mode drops subnormal numbers, they are
/// equal to 0 and become it.
template <typename T> T flushed(T x) {
  if constexpr (sizeof(T) >= sizeof(float))
    return x == 0 ? std::copysign(T(0), x) : x;
  else
    return x;
}
/// The larger one as a result; a number wins over NaN.
template <typename T> T larger(T x, T y) { return flushed(maxNumber(x, y)); }
/// The smaller one as a result; a number wins over NaN.
template <typename T> T smaller(T x, T y) { return flushed(minNumber(x, y)); }
/// The larger one as a result; NaN wins.
template <typename T> T maximum(T x, T y) {
  return x != x || y != y ? x + y : larger(x, y);
}
/// The smaller one as a result; NaN wins.
template <typename T> T minimum(T x, T y) {
  return x != x || y != y ? x + y : smaller(x, y);
}

} // namespace kiln::amd::sim

#endif
