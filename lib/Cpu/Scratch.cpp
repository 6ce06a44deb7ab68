//===- Scratch.cpp - Static allocation of per-thread scratch --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Scratch.h"
#include <algorithm>

using namespace kiln::cpu;

int64_t ScratchAllocator::allocate(int64_t bytes) {
  // Slack behind each buffer, so that whole vectors may be written at its end.
  bytes = (std::max<int64_t>(bytes, 1) + 64 + 63) / 64 * 64;
  int64_t offset = 0;
  for (const auto &[start, size] : used) {
    if (start - offset >= bytes)
      break;
    offset = start + size;
  }
  used[offset] = bytes;
  peak = std::max(peak, offset + bytes);
  return offset;
}

void ScratchAllocator::free(int64_t offset) { used.erase(offset); }
