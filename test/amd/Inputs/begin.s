// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel k(buffer) of gfx942: what a test puts between begin.s and end.s has the buffer's address in s[4:5], the
// thread's number in v0, and four times that in v1.
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.text
.globl k
.p2align 8
.type k,@function
k:
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_and_b32 v0, 0x3ff, v0
v_lshlrev_b32 v1, 2, v0
s_waitcnt lgkmcnt(0)
