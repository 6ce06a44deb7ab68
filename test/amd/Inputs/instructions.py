#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs single instructions on the simulated device and compares each lane with numpy.

Usage: instructions.py CHIP FOLDER

One kernel per chip loads three words for every lane, runs each instruction of the table and
stores its result. Prints what differs, and how many instructions were right."""
import os
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import atomic_instructions as atomic  # noqa: E402
import modified_instructions as modified  # noqa: E402
import more_instructions as more  # noqa: E402
from more_instructions import f, f16, f32, half, high, i32, single, u32, u64, word  # noqa: E402

np.seterr(all="ignore")


def i(x):
    return x.view(i32)


def lanes_of(x):
    return np.arange(len(x))


def fma(x, y, z):
    """Rounded once: products of f32 are exact in f64, sums nearly always (the inputs are chosen so)."""
    return (x.astype(np.longdouble) * y.astype(np.longdouble) + z.astype(np.longdouble)).astype(f32)


def mask_bits(condition):
    return sum(1 << l for l, bit in enumerate(condition) if bit)


# Text with %d for the result, and %a, %b, %c for three registers of inputs; what each lane gets.
COMMON = [
    ("v_add_f32 %d, %a, %b", lambda a, b, c: single(f(a) + f(b))),
    ("v_mul_f32 %d, %a, %b", lambda a, b, c: single(f(a) * f(b))),
    ("v_sub_f32 %d, %a, %b", lambda a, b, c: single(f(a) - f(b))),
    ("v_add_f32_e64 %d, |%a|, -%b", lambda a, b, c: single(np.abs(f(a)) - f(b))),
    ("v_add_f32_e64 %d, %a, %b clamp", lambda a, b, c: single(np.clip(f(a) + f(b), 0, 1))),
    ("v_mul_f32_e64 %d, %a, %b mul:4", lambda a, b, c: single(f(a) * f(b) * 4)),
    ("v_fma_f32 %d, %a, %b, %c", lambda a, b, c: single(fma(f(a), f(b), f(c)))),
    ("v_fma_f32 %d, %a, %b, 1.0", lambda a, b, c: single(fma(f(a), f(b), np.ones_like(f(c))))),
    ("v_max_f32 %d, %a, %b", lambda a, b, c: single(np.fmax(f(a), f(b)))),
    ("v_min_f32 %d, %a, %b", lambda a, b, c: single(np.fmin(f(a), f(b)))),
    ("v_med3_f32 %d, %a, %b, %c", lambda a, b, c: single(np.median(np.stack([f(a), f(b), f(c)]), axis=0))),
    ("v_rcp_f32 %d, %a", lambda a, b, c: single(1 / f(a).astype(float))),
    ("v_sqrt_f32 %d, |%a|", lambda a, b, c: single(np.sqrt(np.abs(f(a)).astype(float)))),
    ("v_exp_f32 %d, %b", lambda a, b, c: single(np.exp2(f(b).astype(float)))),
    ("v_log_f32 %d, |%a|", lambda a, b, c: single(np.log2(np.abs(f(a)).astype(float)))),
    ("v_rndne_f32 %d, %a", lambda a, b, c: single(np.rint(f(a)))),
    ("v_floor_f32 %d, %a", lambda a, b, c: single(np.floor(f(a)))),
    ("v_fract_f32 %d, %a", lambda a, b, c: single(f(a) - np.floor(f(a)))),
    ("v_ldexp_f32 %d, %a, 3", lambda a, b, c: single(np.ldexp(f(a), 3))),
    ("v_cvt_i32_f32 %d, %a", lambda a, b, c: np.trunc(f(a)).astype(i32).view(u32)),
    ("v_cvt_f32_i32 %d, %c", lambda a, b, c: single(i(c).astype(f32))),
    ("v_mov_b32 %d, 0\nv_cvt_f16_f32 %d, %a", lambda a, b, c: word(f(a).astype(f16))),
    ("v_cvt_f32_f16 %d, %c", lambda a, b, c: single(half(c).astype(f32))),
    ("v_cvt_f32_ubyte2 %d, %c", lambda a, b, c: single(((c >> u32(16)) & u32(255)).astype(f32))),
    ("v_and_b32 %d, %a, %b", lambda a, b, c: a & b),
    ("v_xor_b32 %d, %a, %b", lambda a, b, c: a ^ b),
    ("v_lshlrev_b32 %d, 5, %c", lambda a, b, c: c << u32(5)),
    ("v_ashrrev_i32 %d, 7, %c", lambda a, b, c: (i(c) >> 7).view(u32)),
    ("v_mul_lo_u32 %d, %a, %c", lambda a, b, c: a * c),
    ("v_mul_hi_u32 %d, %a, %c", lambda a, b, c: ((a.astype(u64) * c.astype(u64)) >> u64(32)).astype(u32)),
    ("v_mul_u32_u24 %d, %a, %c", lambda a, b, c: (a & u32(0xffffff)) * (c & u32(0xffffff))),
    ("v_bfe_u32 %d, %c, 4, 9", lambda a, b, c: (c >> u32(4)) & u32(511)),
    ("v_bfe_i32 %d, %c, 4, 9", lambda a, b, c: ((c << u32(19)).view(i32) >> 23).view(u32)),
    # A field that reaches beyond the word ends with its sign.
    ("v_bfe_i32 %d, %c, 25, 13", lambda a, b, c: (i(c) >> 25).view(u32)),
    ("v_bfi_b32 %d, %a, %b, %c", lambda a, b, c: (a & b) | (~a & c)),
    ("v_alignbit_b32 %d, %a, %b, 12", lambda a, b, c: (a << u32(20)) | (b >> u32(12))),
    ("v_perm_b32 %d, %a, %b, 4", lambda a, b, c: (a & u32(255)) | ((b & u32(255)) * u32(0x01010100))),
    ("v_lshl_add_u32 %d, %a, 3, %c", lambda a, b, c: (a << u32(3)) + c),
    ("v_and_or_b32 %d, %a, %b, %c", lambda a, b, c: (a & b) | c),
    ("v_bcnt_u32_b32 %d, %c, 2",
     lambda a, b, c: np.array([bin(int(x)).count("1") + 2 for x in c], dtype=u32)),
    ("v_pk_add_f16 %d, %c, %b", lambda a, b, c: word(half(c) + half(b), high(c) + high(b))),
    ("v_pk_mul_f16 %d, %c, %b op_sel:[1,0] op_sel_hi:[0,1]",
     lambda a, b, c: word(high(c) * half(b), half(c) * high(b))),
    ("v_pk_add_u16 %d, %a, %c",
     lambda a, b, c: ((a + c) & u32(0xffff)) | (((a >> u32(16)) + (c >> u32(16))) << u32(16))),
    ("v_fma_mix_f32 %d, %c, %b, %a op_sel:[1,0,0] op_sel_hi:[1,1,0]",
     lambda a, b, c: single(fma(high(c).astype(f32), half(b).astype(f32), f(a)))),
    ("v_mov_b32_dpp %d, %c quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf bound_ctrl:1",
     lambda a, b, c: c[lanes_of(c) ^ 1]),
    ("v_mov_b32_dpp %d, %c row_mirror row_mask:0xf bank_mask:0xf bound_ctrl:1",
     lambda a, b, c: c[lanes_of(c) ^ 15]),
    ("v_mov_b32_dpp %d, %c row_shr:3 row_mask:0xf bank_mask:0xf bound_ctrl:1",
     lambda a, b, c: np.where(lanes_of(c) % 16 >= 3, c[lanes_of(c) - 3], u32(0))),
    ("v_cmp_lt_f32 vcc, %a, %b\nv_cndmask_b32 %d, %a, %b, vcc",
     lambda a, b, c: np.where(f(a) < f(b), b, a)),
    ("v_mov_b32 v11, 0x180\nv_cmp_class_f32 vcc, %a, v11\nv_cndmask_b32 %d, 0, 1, vcc",
     lambda a, b, c: (f(a) > 0).astype(u32)),
    ("v_cmp_lt_f32 vcc, %a, %b\nv_cndmask_b32_e64 %d, %a, -%a, vcc",
     lambda a, b, c: np.where(f(a) < f(b), a ^ u32(0x80000000), a)),
    ("s_mov_b32 s20, -2000\ns_cmp_lt_i32 s20, 0xfffffc06\ns_cselect_b32 s20, 1, 2\nv_mov_b32 %d, s20",
     lambda a, b, c: np.full_like(c, 1)),
    ("ds_swizzle_b32 %d, %c offset:swizzle(SWAP,8)\nWAITLDS", lambda a, b, c: c[lanes_of(c) ^ 8]),
    ("v_xor_b32 %d, 12, v20\nds_bpermute_b32 %d, %d, %c\nWAITLDS", lambda a, b, c: c[lanes_of(c) ^ 3]),
    ("v_readlane_b32 s20, %c, 5\nv_mov_b32 %d, s20", lambda a, b, c: np.full_like(c, c[5])),
    ("v_readfirstlane_b32 s20, %c\nv_mov_b32 %d, s20", lambda a, b, c: np.full_like(c, c[0])),
    ("ds_write_b32 v20, %c\nWAITLDS\ns_barrier\nds_read_b32 %d, v20\nWAITLDS", lambda a, b, c: c),
    ("s_mov_b32 s20, 0x12345678\ns_bfe_u32 s20, s20, 0x80008\nv_mov_b32 %d, s20",
     lambda a, b, c: np.full_like(c, 0x56)),
    ("s_mov_b64 s[20:21], -1\ns_bcnt1_i32_b64 s20, s[20:21]\nv_mov_b32 %d, s20",
     lambda a, b, c: np.full_like(c, 64)),
    # Division as compilers write it is exact to the last bit.
    ("v_div_scale_f32 v11, vcc, %b, %b, %a\nv_rcp_f32 v12, v11\nv_fma_f32 v13, -v11, v12, 1.0\n"
     "v_fma_f32 v12, v13, v12, v12\nv_div_scale_f32 v13, vcc, %a, %b, %a\nv_mul_f32 v14, v13, v12\n"
     "v_fma_f32 v15, -v11, v14, v13\nv_fma_f32 v14, v15, v12, v14\nv_fma_f32 v11, -v11, v14, v13\n"
     "v_div_fmas_f32 v11, v11, v12, v14\nv_div_fixup_f32 %d, v11, %b, %a",
     lambda a, b, c: single(f(a) / f(b))),
    # A quotient that became NaN on the way: of finite operands it is one that is too large.
    ("v_mov_b32 v11, 0x7fc00000\nv_div_fixup_f32 %d, v11, -1.0, 1.0", more.full(0xff800000)),
    ("v_mov_b32 v12, 0\nv_mov_b32 v13, 0x7ff80000\nv_div_fixup_f64 v[12:13], v[12:13], 1.0, 1.0\nv_mov_b32 %d, v13",
     more.full(0x7ff00000)),
    # A scaled quotient is rounded once: the sum is 2^-71 above the middle of two numbers.
    ("v_mov_b32 v11, 0xb37ffffe\nv_mov_b32 v12, 0x3f000001\ns_mov_b32 vcc_lo, -1\ns_mov_b32 vcc_hi, -1\n"
     "v_div_fmas_f32 %d, v11, v12, v12", more.full(0x1f000001)),
    # A quotient below the normal numbers is rounded once: what is lost in the sum decides a tie.
    ("v_mov_b32 v12, 0\nv_mov_b32 v13, 0xbff00000\nv_mov_b32 v14, 0\nv_mov_b32 v15, 0x01700000\n"
     "v_mov_b32 v16, -1\nv_mov_b32 v17, 0x080fffff\ns_mov_b32 vcc_lo, -1\ns_mov_b32 vcc_hi, -1\n"
     "v_div_fmas_f64 v[12:13], v[12:13], v[14:15], v[16:17]\nv_mov_b32 %d, v13", more.full(0x000fffff)),
]
CDNA = [
    ("v_add_u32 %d, %a, %c", lambda a, b, c: a + c),
    ("v_add_co_u32 v11, vcc, %a, %c\nv_addc_co_u32 %d, vcc, 0, 0, vcc",
     lambda a, b, c: (a + c < a).astype(u32)),
    ("v_mad_u64_u32 v[12:13], vcc, %a, %c, 0\nv_mov_b32 %d, v13",
     lambda a, b, c: ((a.astype(u64) * c.astype(u64)) >> u64(32)).astype(u32)),
    ("s_mov_b32 s20, 0\ns_cmpk_lt_i32 s20, 0xfc06\ns_cselect_b32 s20, 1, 2\nv_mov_b32 %d, s20",
     lambda a, b, c: np.full_like(c, 2)),
    ("s_getreg_b32 s20, hwreg(HW_REG_HW_ID, 8, 4)\ns_getreg_b32 s21, hwreg(HW_REG_XCC_ID, 0, 4)\n"
     "s_or_b32 s20, s20, s21\nv_mov_b32 %d, s20", more.full(0)),
    ("v_accvgpr_write_b32 a3, %c\nv_accvgpr_read_b32 %d, a3", lambda a, b, c: c),
    ("v_mov_b32_dpp %d, %c row_bcast:15 row_mask:0xf bank_mask:0xf bound_ctrl:1",
     lambda a, b, c: np.where(lanes_of(c) < 16, u32(0), c[np.maximum(lanes_of(c) // 16 * 16 - 1, 0)])),
]
RDNA = [
    ("v_add_nc_u32 %d, %a, %c", lambda a, b, c: a + c),
    ("v_add_co_u32 v11, vcc_lo, %a, %c\nv_add_co_ci_u32 %d, vcc_lo, 0, 0, vcc_lo",
     lambda a, b, c: (a + c < a).astype(u32)),
    ("v_mov_b32_dpp %d, %c row_xmask:5 row_mask:0xf bank_mask:0xf bound_ctrl:1",
     lambda a, b, c: c[lanes_of(c) ^ 5]),
    ("s_mov_b32 s20, 0x76543210\ns_mov_b32 s21, 0xfedcba98\nv_permlanex16_b32 %d, %c, s20, s21",
     lambda a, b, c: c[lanes_of(c) ^ 16]),
    ("v_dual_mov_b32 v12, %a :: v_dual_mov_b32 v13, %b\nv_sub_nc_u32 %d, v12, v13", lambda a, b, c: a - b),
    # The clock counts instructions; all waves run in one place.
    ("s_getreg_b32 s20, hwreg(29, 0, 20)\ns_getreg_b32 s21, hwreg(29, 0, 20)\ns_sub_i32 s20, s21, s20\n"
     "s_getreg_b32 s21, hwreg(HW_REG_HW_ID1, 10, 4)\ns_add_i32 s20, s20, s21\nv_mov_b32 %d, s20", more.full(1)),
    # Lane l reads word l behind the scalar address: b is behind 32 words of a.
    ("global_load_addtid_b32 %d, s[4:5] offset:128\nWAITLOADS", lambda a, b, c: b),
    # What is stored by the numbers of lanes is read back by addresses, before the row's own store.
    ("global_store_addtid_b32 %b, s[6:7]\nglobal_load_b32 %d, v20, s[6:7]\nWAITLOADS\nv_xor_b32 %d, %d, %a",
     lambda a, b, c: a ^ b),
]

CDNA4 = [
    ("v_bitop3_b32 %d, %a, %b, %c bitop3:0x78", lambda a, b, c: a ^ (b & c)),
    ("v_cvt_pk_bf16_f32 %d, %a, %a\nv_and_b32 %d, 0xffff0000, %d",
     lambda a, b, c: (a + u32(0x7fff) + ((a >> u32(16)) & u32(1))) & u32(0xffff0000)),
]

RENAMED_12 = [("v_max_f32", "v_max_num_f32"), ("v_min_f32", "v_min_num_f32"), ("v_med3_f32", "v_med3_num_f32"),
              ("s_max_f32", "s_max_num_f32"), ("s_min_f32", "s_min_num_f32"), ("s_max_f16", "s_max_num_f16"),
              ("s_min_f16", "s_min_num_f16")]


def source(chip, lanes, rows):
    is_cdna = chip.startswith("gfx9")
    is_12 = chip.startswith("gfx12")
    wait_loads = "s_waitcnt vmcnt(0)" if not is_12 else "s_wait_loadcnt 0x0"
    wait_lds = "s_waitcnt lgkmcnt(0)" if not is_12 else "s_wait_dscnt 0x0"
    wait_scalar = "s_waitcnt lgkmcnt(0)" if not is_12 else "s_wait_kmcnt 0x0"
    load = "global_load_dword" if is_cdna else "global_load_b32"
    store = "global_store_dword" if is_cdna else "global_store_b32"
    lines = [f'.amdgcn_target "amdgcn-amd-amdhsa--{chip}"', ".text", ".globl k", ".p2align 8", ".type k,@function",
             "k:", ("s_load_dwordx4" if is_cdna else "s_load_b128") + " s[4:7], s[0:1], 0x0",
             "v_and_b32 v0, 0x3ff, v0", "v_lshlrev_b32 v20, 2, v0", wait_scalar]
    for index in range(3):
        lines.append(f"{load} v{index + 1}, v20, s[4:5] offset:{index * 4 * lanes}")
    lines.append(wait_loads)
    for text, _ in rows:
        for from_, to in (("%d", "v10"), ("%a", "v1"), ("%b", "v2"), ("%c", "v3"), ("WAITLDS", wait_lds),
                          ("WAITLOADS", wait_loads)):
            text = text.replace(from_, to)
        if not is_cdna:
            text = text.replace("vcc,", "vcc_lo,").replace(", vcc\n", ", vcc_lo\n")
            text = text[:-3] + "vcc_lo" if text.endswith("vcc") else text
            text = text.replace("ds_write_b32", "ds_store_b32").replace("ds_read_b32", "ds_load_b32")
        if is_12:
            text = text.replace("s_barrier", "s_barrier_signal -1\ns_barrier_wait -1")
            for from_, to in RENAMED_12:
                text = text.replace(from_ + " ", to + " ")
        lines += text.split("\n")
        add, carry = ("s_add_u32", "s_addc_u32") if not is_12 else ("s_add_co_u32", "s_add_co_ci_u32")
        lines += [f"{store} v20, v10, s[6:7]", f"{add} s6, s6, {4 * lanes}", f"{carry} s7, s7, 0"]
    lines += ["s_endpgm", ".Lend:", ".size k, .Lend-k", ".rodata", ".p2align 6", ".amdhsa_kernel k",
              ".amdhsa_next_free_vgpr 72", ".amdhsa_next_free_sgpr 32", ".amdhsa_user_sgpr_kernarg_segment_ptr 1",
              ".amdhsa_group_segment_fixed_size 1024", ".amdhsa_private_segment_fixed_size 16",
              ".amdhsa_float_denorm_mode_32 3", ".amdhsa_kernarg_size 16"]
    if is_cdna:
        lines.append(".amdhsa_accum_offset 64")
    else:
        lines.append(".amdhsa_wavefront_size32 1")
    lines += [".end_amdhsa_kernel", ".amdgpu_metadata", "---", "amdhsa.version: [1, 2]", "amdhsa.kernels:",
              "  - .name: k", "    .symbol: k.kd", "    .kernarg_segment_size: 16", "    .kernarg_segment_align: 8",
              "    .group_segment_fixed_size: 1024", "    .private_segment_fixed_size: 16",
              f"    .wavefront_size: {lanes}", "    .sgpr_count: 32", "    .vgpr_count: 72",
              f"    .max_flat_workgroup_size: {lanes}", "    .args:",
              "      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}",
              "      - {.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}",
              "...", ".end_amdgpu_metadata"]
    return "\n".join(lines) + "\n"


def inputs(lanes):
    random = np.random.default_rng(5)
    a = (random.normal(size=lanes) * 40).astype(f32).view(u32)
    b = (random.normal(size=lanes) * 3 + 0.25).astype(f32).view(u32)
    halves = (random.normal(size=2 * lanes) * 9).astype(f16)
    return a, b, word(halves[:lanes], halves[lanes:])


def main():
    chip, folder = sys.argv[1:]
    lanes = 64 if chip.startswith("gfx9") else 32
    rows = COMMON + more.COMMON + (CDNA + more.CDNA if lanes == 64 else RDNA + more.RDNA)
    rows += modified.COMMON + (modified.CDNA if lanes == 64 else modified.RDNA)
    rows += CDNA4 + more.CDNA4 if chip == "gfx950" else more.RDNA4 + modified.RDNA4 if chip.startswith("gfx12") else []
    rows += modified.RDNA3 if chip.startswith("gfx11") else []
    rows += modified.SCALAR_FLOATS if chip.startswith(("gfx115", "gfx12")) else []
    rows = list(atomic.rows(chip)) + rows
    stem = os.path.join(folder, chip)
    with open(stem + ".s", "w", encoding="utf-8") as file:
        file.write(source(chip, lanes, rows))
    subprocess.run(["llvm-mc", "-triple=amdgcn-amd-amdhsa", f"-mcpu={chip}", "-filetype=obj", stem + ".s", "-o",
                    stem + ".o"], check=True)
    subprocess.run(["ld.lld", "-shared", "--no-undefined", stem + ".o", "-o", stem + ".hsaco"], check=True)
    words = inputs(lanes)
    np.concatenate(words).tofile(stem + ".in")
    np.zeros(len(rows) * lanes, dtype=u32).tofile(stem + ".out")
    subprocess.run(["kiln-amd-sim", stem + ".hsaco", f"--threads={lanes}", f"--arg=file:{stem}.in",
                    f"--arg=file:{stem}.out"], check=True)
    results = np.fromfile(stem + ".out", dtype=u32).reshape(len(rows), lanes)
    right = 0
    for (text, expected), found in zip(rows, results):
        wanted = np.asarray(expected(*words)).astype(u32)
        if np.array_equal(wanted, found):
            right += 1
            continue
        lane = int(np.flatnonzero(wanted != found)[0])
        print(f"{text!r}: lane {lane} of {list(hex(int(w[lane])) for w in words)} gives {found[lane]:08x}, "
              f"expected {wanted[lane]:08x}")
    print(f"{chip}: {right} of {len(rows)} right")


main()
