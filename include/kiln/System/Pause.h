// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_SYSTEM_PAUSE_H
#define KILN_SYSTEM_PAUSE_H

namespace kiln {

/// Tells the processor that this thread waits in a loop: others that share its
/// core go on. The instruction takes a moment, and orders nothing.
inline void pauseProcessor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb"); // yield does nothing on most cores
#elif defined(__riscv)
  __asm__ volatile(".insn i 0x0F, 0, x0, x0, 0x010"); // pause, of Zihintpause
#endif
}

} // namespace kiln

#endif // KILN_SYSTEM_PAUSE_H
