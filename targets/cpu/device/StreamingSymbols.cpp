// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What code in the streaming mode of AArch64 calls: functions that save the
// array ZA of the caller that left it dormant, and those that move memory by
// general registers only, as other vector instructions do not exist in that
// mode (Procedure Call Standard for the Arm 64-bit Architecture, "SME support
// routines"). Systems' libraries have them from GCC 14 on.
#if defined(__aarch64__)

__asm__(R"(
  .arch_extension sme
  .text

  // Saves ZA where the thread's block says, if it names one. Registers but
  // x14 to x17 keep their values.
  .globl __arm_tpidr2_save
  .type __arm_tpidr2_save, %function
__arm_tpidr2_save:
  mrs x14, S3_3_C13_C0_5
  cbz x14, 3f
  ldrh w15, [x14, #10]
  ldr w16, [x14, #12]
  orr w15, w15, w16
  cbnz w15, 4f
  ldr x16, [x14]
  cbz x16, 3f
  ldrh w17, [x14, #8]
  mov w15, wzr
  rdsvl x14, #1
1:
  cmp w15, w17
  b.hs 3f
  str za[w15, 0], [x16]
  add x16, x16, x14
  add w15, w15, #1
  b 1b
3:
  ret
4:
  udf #0
  .size __arm_tpidr2_save, . - __arm_tpidr2_save

  // Loads ZA from the block at x0, if it names a place. The block of the thread
  // is none.
  .globl __arm_tpidr2_restore
  .type __arm_tpidr2_restore, %function
__arm_tpidr2_restore:
  mrs x14, S3_3_C13_C0_5
  cbnz x14, 4f
  ldrh w15, [x0, #10]
  ldr w16, [x0, #12]
  orr w15, w15, w16
  cbnz w15, 4f
  ldr x16, [x0]
  cbz x16, 3f
  ldrh w17, [x0, #8]
  mov w15, wzr
  rdsvl x14, #1
1:
  cmp w15, w17
  b.hs 3f
  ldr za[w15, 0], [x16]
  add x16, x16, x14
  add w15, w15, #1
  b 1b
3:
  ret
4:
  udf #0
  .size __arm_tpidr2_restore, . - __arm_tpidr2_restore

  .globl __arm_sc_memset
  .type __arm_sc_memset, %function
__arm_sc_memset:
  mov x3, x0
  and x1, x1, #255
  mov x4, #0x0101010101010101
  mul x1, x1, x4
1:
  cmp x2, #8
  b.lo 2f
  str x1, [x3], #8
  sub x2, x2, #8
  b 1b
2:
  cbz x2, 3f
  strb w1, [x3], #1
  sub x2, x2, #1
  b 2b
3:
  ret
  .size __arm_sc_memset, . - __arm_sc_memset

  // From the end where the destination begins within the source.
  .globl __arm_sc_memcpy
  .type __arm_sc_memcpy, %function
  .globl __arm_sc_memmove
  .type __arm_sc_memmove, %function
__arm_sc_memcpy:
__arm_sc_memmove:
  sub x3, x0, x1
  cmp x3, x2
  b.lo 4f
  mov x3, x0
1:
  cmp x2, #8
  b.lo 2f
  ldr x4, [x1], #8
  str x4, [x3], #8
  sub x2, x2, #8
  b 1b
2:
  cbz x2, 3f
  ldrb w4, [x1], #1
  strb w4, [x3], #1
  sub x2, x2, #1
  b 2b
3:
  ret
4:
  cmp x2, #8
  b.lo 5f
  sub x2, x2, #8
  ldr x4, [x1, x2]
  str x4, [x0, x2]
  b 4b
5:
  cbz x2, 3b
  sub x2, x2, #1
  ldrb w4, [x1, x2]
  strb w4, [x0, x2]
  b 5b
  .size __arm_sc_memcpy, . - __arm_sc_memcpy
  .size __arm_sc_memmove, . - __arm_sc_memmove
)");

#endif // aarch64
