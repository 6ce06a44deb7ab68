//===- WaitCounts.h - Operands of s_waitcnt ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_WAITCOUNTS_H
#define KILN_TARGETS_AMD_WAITCOUNTS_H

#include <algorithm>
#include <cstdint>

namespace kiln::amd {

/// As many as there may be in flight: none is waited for.
constexpr int64_t kAny = 63;

/// Operand of s_waitcnt on CDNA that waits until at most so many loads, and
/// accesses to LDS, are in flight ("AMD Instinct MI300" manual, S_WAITCNT).
inline int32_t waitFor(int64_t loads, int64_t local) {
  constexpr int64_t kMostLoads = 63, kMostLocal = 15, kNoExports = 7;
  loads = std::min(loads, kMostLoads);
  local = std::min(local, kMostLocal);
  return int32_t((loads & 15) | kNoExports << 4 | local << 8 |
                 loads >> 4 << 14);
}

/// The same on RDNA3 for no access to LDS in flight, and any number of others
/// ("RDNA3" manual, S_WAITCNT: lgkmcnt is bits 4 to 9).
constexpr int32_t kNoSharedOnRdna3 = 0xfc07;

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_WAITCOUNTS_H
