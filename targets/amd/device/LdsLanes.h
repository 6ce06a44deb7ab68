// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What DS instructions share: addresses of lanes, results of exchanges.
#ifndef KILN_TARGETS_AMD_DEVICE_LDSLANES_H
#define KILN_TARGETS_AMD_DEVICE_LDSLANES_H

#include "Values.h"

namespace kiln::amd::sim {

/// The addresses of the lanes, in bytes.
inline void loadAddresses(Wave &wave, const Inst &inst, unsigned index,
                          uint32_t *out) {
  wave.sourceMask = ~uint64_t(0);
  alignas(64) uint32_t space[kMaxLanes];
  std::memcpy(out, words(wave, inst, inst.ops[index], 0, space, false),
              sizeof(Register));
  uint64_t unknown = wave.exec() & ~wave.sourceMask;
  if (wave.machine->checks && unknown)
    wave.fail("the LDS address of lane " +
              std::to_string(__builtin_ctzll(unknown)) +
              " comes from a register that was never written");
}

/// Writes what the lanes get of an exchange; `known`: those whose value was
/// defined.
inline void finishExchange(Wave &wave, const Inst &inst, const uint32_t *result,
                           uint64_t known) {
  unsigned to = inst.ops[0].reg;
  wave.sourceMask = known;
  writeWord(wave, to, result, wave.exec());
  wave.pendingV[to] = wave.issue(Counter::Lds);
}

} // namespace kiln::amd::sim

#endif
