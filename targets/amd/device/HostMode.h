//===- HostMode.h - How this processor rounds and flushes -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control register of floats of the processor that the simulated device
// runs on: MXCSR (Intel's manual, volume 1, section 10.2.3) or FPCR (Arm's
// manual for the A profile, section C5.2.8).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGETS_AMD_DEVICE_HOSTMODE_H
#define KILN_TARGETS_AMD_DEVICE_HOSTMODE_H

#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kiln::amd::sim {

/// A state of the register, of the thread that reads or sets it.
class HostMode {
public:
  /// Whether this processor has such a register that is known.
#if defined(__x86_64__) || defined(__aarch64__)
  static constexpr bool kIsKnown = true;
#else
  static constexpr bool kIsKnown = false;
#endif

  static HostMode current() {
    HostMode mode;
#if defined(__x86_64__)
    mode.bits = _mm_getcsr();
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(mode.bits));
#endif
    return mode;
  }

  void set() const {
#if defined(__x86_64__)
    _mm_setcsr(static_cast<unsigned>(bits));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(bits));
#endif
  }

  /// The state with another rounding, numbered as S_SETREG does: to nearest,
  /// up, down, to zero. `flushes`: subnormal numbers are taken for zero.
  HostMode with(unsigned rounding, bool flushes) const {
    HostMode mode = *this;
#if defined(__x86_64__)
    constexpr uint64_t kFlush = 0x8040, kRounding = 0x6000;
    constexpr uint64_t kModes[] = {0x0000, 0x4000, 0x2000, 0x6000};
    mode.bits = (bits & ~(kFlush | kRounding)) | kModes[rounding & 3];
#elif defined(__aarch64__)
    constexpr uint64_t kFlush = uint64_t(1) << 24;
    constexpr unsigned kRounding = 22; // of two bits, in the same order
    mode.bits = (bits & ~(kFlush | uint64_t(3) << kRounding)) |
                uint64_t(rounding & 3) << kRounding;
#else
    constexpr uint64_t kFlush = 0;
    (void)rounding;
#endif
    mode.bits |= flushes ? kFlush : 0;
    return mode;
  }

private:
  uint64_t bits = 0;
};

} // namespace kiln::amd::sim

#endif // KILN_TARGETS_AMD_DEVICE_HOSTMODE_H
