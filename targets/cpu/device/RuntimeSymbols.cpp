// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that kernels may call, and those that no system library has.
#include "CpuDevice.h"
#include "kiln/Runtime/HostSymbols.h"
#include <cstring>

bool kiln::cpu_target::isRuntimeSymbol(const std::string &symbol) {
  return runtime::isHostSymbol(symbol);
}

#if defined(__clang__) && defined(__x86_64__)
// The system's libgcc does not have these; generated code calls them on chips
// without bf16 instructions.
namespace {

/// Round to nearest even; NaNs stay NaNs.
__bf16 roundToBf16(uint32_t bits) {
  bool isNan = (bits & 0x7fffffffu) > 0x7f800000u;
  uint32_t rounded =
      isNan ? bits | 0x00400000u : bits + 0x7fffu + ((bits >> 16) & 1);
  return __builtin_bit_cast(__bf16, uint16_t(rounded >> 16));
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) __bf16 __truncsfbf2(float value) {
  return roundToBf16(__builtin_bit_cast(uint32_t, value));
}

__attribute__((visibility("default"))) __bf16 __truncdfbf2(double value) {
  // Rounding to odd on the way keeps the second rounding exact.
  float narrow = float(value);
  uint32_t bits = __builtin_bit_cast(uint32_t, narrow);
  double back = double(narrow);
  if (back != value && value == value) {
    bool isAway = (value < 0 ? back < value : back > value);
    if (isAway)
      --bits;
    bits |= 1;
  }
  return roundToBf16(bits);
}

__attribute__((visibility("default"))) float __extendbfsf2(__bf16 value) {
  return __builtin_bit_cast(float, uint32_t(__builtin_bit_cast(uint16_t, value))
                                       << 16);
}
}
#endif
