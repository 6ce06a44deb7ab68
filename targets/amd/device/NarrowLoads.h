// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What loads of fewer bits than a register has leave in it.
#ifndef KILN_TARGETS_AMD_DEVICE_NARROWLOADS_H
#define KILN_TARGETS_AMD_DEVICE_NARROWLOADS_H

#include "Machine.h"

namespace kiln::amd::sim {

/// The register after a load of `bytes` bytes, which are the low ones of
/// `word`; it had `before`. Signed integers are extended. With `isHigh`, or for
/// instructions that keep a half, the other 16 bits stay (the `d16` forms of
/// the instruction set manuals). Words of four bytes replace the register.
inline uint32_t loadedRegister(const Inst &inst, bool isHigh, unsigned bytes,
                               uint32_t word, uint32_t before) {
  if (inst.isSigned)
    word = bytes == 1 ? uint32_t(int8_t(word)) : uint32_t(int16_t(word));
  if (isHigh)
    return (before & 0xffff) | word << 16;
  if (inst.keepsHalf)
    return (before & 0xffff0000) | (word & 0xffff);
  return word;
}

} // namespace kiln::amd::sim

#endif // KILN_TARGETS_AMD_DEVICE_NARROWLOADS_H
