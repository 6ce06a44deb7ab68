// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that hardware approximates. They are rounded correctly here, and
// flush subnormal operands and results, as the manuals allow: code must not
// depend on more.
#ifndef KILN_TARGETS_AMD_DEVICE_APPROXIMATE_H
#define KILN_TARGETS_AMD_DEVICE_APPROXIMATE_H

#include "NearestEven.h"
#include <bit>
#include <cmath>
#include <cstdint>

namespace kiln::amd::sim {

inline float flush(float x) {
  return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
}
/// A function of f32 without subnormal operands and results.
template <double (*F)(double)> float approximate(float x) {
  return flush(float(F(double(flush(x)))));
}
inline double reciprocal(double x) { return 1.0 / x; }
inline double reciprocalRoot(double x) { return 1.0 / std::sqrt(x); }
/// sin(2 pi x). Whole turns are dropped exactly, so that zeros are exact.
inline double sineOfTurns(double x) {
  constexpr double kTurn = 6.283185307179586476925;
  double part = x - nearestEven(x);
  if (part == 0)
    return x == 0 ? x : 0.0;
  if (std::fabs(part) > 0.25)
    part = std::copysign(0.5, part) - part;
  return std::sin(part * kTurn);
}
/// cos(2 pi x), as the sine of what is left to a quarter of a turn.
inline double cosineOfTurns(double x) {
  return sineOfTurns(0.25 - std::fabs(x - nearestEven(x)));
}

/// Rounded towards zero.
inline _Float16 roundedDown(float x) {
  auto near = _Float16(x);
  if (x == x && std::fabs(float(near)) > std::fabs(x))
    near = std::bit_cast<_Float16>(uint16_t(std::bit_cast<uint16_t>(near) - 1));
  return near;
}

} // namespace kiln::amd::sim

#endif
