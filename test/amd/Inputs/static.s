	.text
k:
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	v_mov_b32_e32 v1, 0
.LBB0_1:
	s_waitcnt vmcnt(1)
	ds_write_b128 v1, v[2:5]
	s_waitcnt vmcnt(0)
	ds_write_b128 v1, v[6:9]
	s_barrier
	buffer_load_dwordx4 v[2:5], v1, s[4:7], 0 offen
	v_mfma_f32_16x16x16_f16 a[0:3], v[10:11], v[12:13], a[0:3]
	global_load_dwordx4 v[6:9], v[14:15], off
	v_mfma_f32_16x16x16_f16 a[4:7], v[10:11], v[12:13], a[4:7]
	v_mfma_f32_32x32x8_f16 a[8:23], v[10:11], v[12:13], a[8:23]
	s_nop 1
	s_cbranch_scc1 .LBB0_1
	v_add_f32_dpp v1, v1, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	ds_bpermute_b32 v1, v2, v1
	s_endpgm
	.section	.rodata
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     24
    .args:
      - .offset:         0
        .name:           x
    .group_segment_fixed_size: 2048
    .max_flat_workgroup_size: 256
    .name:           k
    .private_segment_fixed_size: 0
    .vgpr_count:     48
    .vgpr_spill_count: 0
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
...
