//===- Warps.h - How many warps an instance has -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TILING_WARPS_H
#define KILN_TILING_WARPS_H

#include <cstdint>

namespace kiln::tiling {

/// Warps of an instance with a sum of m x n (usualWarps of the GPU family).
inline int64_t warpsOf(int64_t m, int64_t n) {
  constexpr int64_t kMostOfFour = 128 * 128;
  return m * n > kMostOfFour ? 8 : 4;
}

} // namespace kiln::tiling

#endif // KILN_TILING_WARPS_H
