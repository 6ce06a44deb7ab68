// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What atomic instructions do to a word, by the rest of their name.
#ifndef KILN_TARGETS_AMD_DEVICE_ATOMICS_H
#define KILN_TARGETS_AMD_DEVICE_ATOMICS_H

#include <cstdint>

namespace kiln::amd::sim {

/// The new word from the old one, the operand and, for compare and swap, the
/// value to compare with.
using Update = uint64_t (*)(uint64_t old, uint64_t operand, uint64_t compare);

struct AtomicRow {
  const char *names[3]; ///< global, global since gfx11, LDS; null: none
  Update update;
  uint8_t bytes;
  bool compares;
};

/// All of them. `count` gets how many.
const AtomicRow *atomicRows(unsigned &count);

} // namespace kiln::amd::sim

#endif
