// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two kernels of gfx942, as other compilers lay them out: arguments of their own, hidden ones behind them.
// scale(x: f32*, y: f32*, {i32 n, f32 factor, i64 offset}): y[i + offset] = x[i] * factor for i < n.
// count(x: i32*): adds the number of workgroups, a hidden argument, to x[0].
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.text
.globl scale
.p2align 8
.type scale,@function
scale:
s_load_dwordx8 s[4:11], s[0:1], 0x0
s_waitcnt lgkmcnt(0)
s_lshl_b32 s3, s2, 6
v_and_b32 v0, 0x3ff, v0
v_add_u32 v0, s3, v0
v_cmp_gt_i32 vcc, s8, v0
s_and_saveexec_b64 s[12:13], vcc
s_lshl_b64 s[10:11], s[10:11], 2
s_add_u32 s6, s6, s10
s_addc_u32 s7, s7, s11
v_lshlrev_b32 v1, 2, v0
global_load_dword v2, v1, s[4:5]
s_waitcnt vmcnt(0)
v_mul_f32 v2, s9, v2
global_store_dword v1, v2, s[6:7]
s_endpgm
.Lscale:
.size scale, .Lscale-scale
.globl count
.p2align 8
.type count,@function
count:
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_load_dword s6, s[0:1], 0x8
s_waitcnt lgkmcnt(0)
v_mov_b32 v1, 0
v_mov_b32 v2, s6
s_mov_b64 exec, 1
global_atomic_add v1, v2, s[4:5]
s_endpgm
.Lcount:
.size count, .Lcount-count
.rodata
.p2align 6
.amdhsa_kernel scale
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 16
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_kernarg_size 32
.amdhsa_accum_offset 8
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel count
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 16
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_kernarg_size 264
.amdhsa_accum_offset 8
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: scale
    .symbol: scale.kd
    .kernarg_segment_size: 32
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .reqd_workgroup_size: [64, 1, 1]
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 16, .size: 16, .value_kind: by_value}
  - .name: count
    .symbol: count.kd
    .kernarg_segment_size: 264
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 8, .size: 4, .value_kind: hidden_block_count_x}
...
.end_amdgpu_metadata
