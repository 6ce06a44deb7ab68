// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 16 and 32 bits that conversions to and from narrow ones have on
// their wide side.
#ifndef KILN_TARGETS_AMD_DEVICE_WIDEFLOATS_H
#define KILN_TARGETS_AMD_DEVICE_WIDEFLOATS_H

#include "Values.h"

namespace kiln::amd::sim {

/// The type of the wide side of a conversion.
enum class Wide : uint8_t { F32, F16, BF16 };

template <Wide wide> constexpr unsigned bitsOf() {
  return wide == Wide::F32 ? 32 : 16;
}
template <Wide wide> float fromBits(uint32_t bits) {
  if (wide == Wide::F32)
    return std::bit_cast<float>(bits);
  return wide == Wide::F16 ? float(std::bit_cast<Half>(uint16_t(bits)))
                           : toFloat(Bf16{uint16_t(bits)});
}
template <Wide wide> uint32_t toBits(float value) {
  if (wide == Wide::F32)
    return std::bit_cast<uint32_t>(value);
  return wide == Wide::F16 ? std::bit_cast<uint16_t>(Half(value))
                           : toBf16(value).bits;
}
/// Bits of the mantissa, without the one that is not stored.
template <Wide wide> constexpr unsigned mantissaOf() {
  return wide == Wide::F32 ? 23 : wide == Wide::F16 ? 10 : 7;
}

} // namespace kiln::amd::sim

#endif
