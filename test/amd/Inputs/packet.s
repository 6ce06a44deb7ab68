// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel k(x: i32*) of gfx942 that stores words of the dispatch packet: dimensions above the type, sizes of a
// workgroup, sizes of the grid, and bytes of LDS; then the hidden number of dimensions, and whether the packet has the
// address of the arguments.
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.text
.globl k
.p2align 8
.type k,@function
k:
s_load_dwordx2 s[4:5], s[2:3], 0x0
s_load_dwordx8 s[8:15], s[0:1], 0x0
s_load_dwordx2 s[16:17], s[0:1], 0x28
s_load_dword s18, s[2:3], 0x8
s_waitcnt lgkmcnt(0)
v_mov_b32 v1, 0
s_and_b32 s18, s18, 0xffff
s_cmp_eq_u64 s[16:17], s[2:3]
s_cselect_b32 s19, 1, 0
v_mov_b32 v2, s8
v_mov_b32 v3, s9
v_mov_b32 v4, s10
v_mov_b32 v5, s11
global_store_dwordx4 v1, v[2:5], s[4:5]
v_mov_b32 v2, s12
v_mov_b32 v3, s13
v_mov_b32 v4, s15
v_mov_b32 v5, s18
global_store_dwordx4 v1, v[2:5], s[4:5] offset:16
v_mov_b32 v2, s19
global_store_dword v1, v2, s[4:5] offset:32
s_endpgm
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 24
.amdhsa_user_sgpr_dispatch_ptr 1
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_group_segment_fixed_size 256
.amdhsa_kernarg_size 16
.amdhsa_accum_offset 8
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 128
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 8, .size: 2, .value_kind: hidden_grid_dims}
...
.end_amdgpu_metadata
