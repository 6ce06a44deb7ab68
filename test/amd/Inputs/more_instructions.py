# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of instructions.py for instructions that compilers seldom use: text, and what each lane gets of a, b and c."""
import numpy as np

u32, i32, f32, f16, u64 = np.uint32, np.int32, np.float32, np.float16, np.uint64


def f(x):
    return x.view(f32)


def half(x):
    return (x & u32(0xffff)).astype(np.uint16).view(f16)


def high(x):
    return (x >> u32(16)).astype(np.uint16).view(f16)


def word(low, up=None):
    """Two halves as words."""
    bits = low.view(np.uint16).astype(u32)
    return bits if up is None else bits | (up.view(np.uint16).astype(u32) << u32(16))


def lanes(x):
    return np.arange(len(x))


def single(x):
    return x.astype(f32).view(u32)


def sad(x, y, masks=False):
    total = np.zeros_like(x)
    for at in range(0, 32, 8):
        a, b = (x >> u32(at)) & u32(255), (y >> u32(at)) & u32(255)
        total += np.where(masks & (b == 0), u32(0), np.maximum(a, b) - np.minimum(a, b))
    return total


def full(value):
    return lambda a, b, c: np.full_like(c, value)


def cut(x, low, high_):
    return np.clip(x.astype(np.int64), low, high_)


def sine(turns):
    """Of 2 pi x; whole and half turns give +0."""
    part = turns.astype(float) - np.rint(turns.astype(float))
    return np.sin(2 * np.pi * np.where(np.abs(part) > 0.25, np.copysign(0.5, part) - part, part))


COMMON = [
    # A literal that the disassembler marks, as in the upper half of an address.
    ("s_mov_b32 s20, 5\ns_add_i32 s20, s20, lit(0xffffffff)\nv_mov_b32 %d, s20", full(4)),
    ("v_sad_u8 %d, %a, %b, %c", lambda a, b, c: sad(a, b) + c),
    ("v_msad_u8 %d, %a, %b, %c", lambda a, b, c: sad(a, b, True) + c),
    ("v_sad_hi_u8 %d, %a, %b, %c", lambda a, b, c: (sad(a, b) << u32(16)) + c),
    ("v_lerp_u8 %d, %a, %b, %c", lambda a, b, c: sum(
        ((((a >> u32(s)) & u32(255)) + ((b >> u32(s)) & u32(255)) + ((c >> u32(s)) & u32(1))) >> u32(1)) << u32(s)
        for s in (0, 8, 16, 24))),
    ("v_mov_b32 v12, %a\nv_mov_b32 v13, %b\nv_mov_b32 v14, %c\nv_mov_b32 v15, 0\n"
     "v_qsad_pk_u16_u8 v[12:13], v[12:13], %c, v[14:15]\nv_and_b32 %d, 0xffff, v12",
     lambda a, b, c: (sad(a, c) + (c & u32(0xffff))) & u32(0xffff)),
    ("v_cubema_f32 %d, %a, %b, 0", lambda a, b, c: single(2 * np.where(np.abs(f(b)) >= np.abs(f(a)), f(b), f(a)))),
    ("v_cubeid_f32 %d, %a, %b, 0", lambda a, b, c: single(
        np.where(np.abs(f(b)) >= np.abs(f(a)), 2 + (f(b) < 0), 0 + (f(a) < 0)))),
    ("v_cvt_off_f32_i4 %d, %c", lambda a, b, c: single(((c << u32(28)).view(i32) >> 28) / 16)),
    ("v_cvt_pk_u8_f32 %d, |%b|, 2, %c", lambda a, b, c: (c & u32(0xff00ffff)) |
     (np.clip(np.trunc(np.abs(f(b))), 0, 255).astype(u32) << u32(16))),
    ("v_mov_b32 %d, 0\nv_sin_f16 %d, %b", lambda a, b, c: word(sine(half(b)).astype(f16))),
    ("v_trig_preop_f64 v[12:13], 1.0, 0\nv_mov_b32 %d, v13", full(0x3fe45f30)),
    ("v_trig_preop_f64 v[12:13], 1.0, 1\nv_mov_b32 %d, v12", full(0x9d5f47d4)),
    ("s_mov_b32 s20, 0xff00ff01\ns_bcnt0_i32_b32 s20, s20\nv_mov_b32 %d, s20", full(15)),
    ("s_mov_b32 s20, 0x01000f00\ns_wqm_b32 s20, s20\nv_mov_b32 %d, s20", full(0x0f000f00)),
    ("s_mov_b32 s20, 0x01000f00\ns_quadmask_b32 s20, s20\nv_mov_b32 %d, s20", full(0x44)),
    ("s_mov_b32 s22, 0x80000005\ns_bitreplicate_b64_b32 s[20:21], s22\nv_mov_b32 %d, s21", full(0xc0000000)),
    ("s_mov_b32 s22, 7\ns_mov_b32 m0, 2\ns_movrels_b32 s20, s20\nv_mov_b32 %d, s20", full(7)),
    ("s_mov_b32 m0, 2\ns_movreld_b32 s20, 9\nv_mov_b32 %d, s22", full(9)),
    ("v_mov_b32 v11, %a\nv_mov_b32 v12, %b\nv_swap_b32 v11, v12\nv_mov_b32 %d, v11", lambda a, b, c: b),
    # The mode rounds towards minus infinity, then as usual.
    ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2\nv_mov_b32 v11, 0x33000000\nv_add_f32 %d, 1.0, v11\n"
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0", full(0x3f800000)),
    ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\nv_mov_b32 v11, 0x33000000\nv_add_f32 %d, 1.0, v11\n"
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0", full(0x3f800001)),
    # LDS: each lane has a word of its own.
    ("ds_write_b32 v20, %a\nds_mskor_rtn_b32 v11, v20, %b, %c\nds_read_b32 %d, v20\nWAITLDS",
     lambda a, b, c: (a & ~b) | c),
    # A word of LDS counts the active lanes: 100, then as many more, then 100 again.
    ("v_mov_b32 v11, 0\nv_mov_b32 v12, 100\nds_write_b32 v11, v12 offset:8\nWAITLDS\ns_mov_b32 m0, 4\n"
     "ds_append %d offset:4\nds_consume v13 offset:4\nds_read_b32 v12, v11 offset:8\nWAITLDS\nv_lshlrev_b32 v13, 8, v13\nv_lshlrev_b32 v12, 16, v12\n"
     "v_or3_b32 %d, %d, v13, v12", lambda a, b, c: np.full_like(c, 100 | (100 + len(c)) << 8 | 100 << 16)),
    ("ds_swizzle_b32 %d, %c offset:0xc060\nWAITLDS", lambda a, b, c: c[(lanes(c) & 32) | ((lanes(c) + 3) & 31)]),
    ("ds_swizzle_b32 %d, %c offset:0xc4a0\nWAITLDS", lambda a, b, c: c[(lanes(c) & 32) | ((lanes(c) - 5) & 31)]),
    ("ds_swizzle_b32 %d, %c offset:0xe000\nWAITLDS",  # numbers of lanes reversed bit by bit
     lambda a, b, c: c[[l & 32 | int(f"{l & 31:05b}"[::-1], 2) for l in lanes(c)]]),
    ("ds_swizzle_b32 %d, %c offset:0xe003\nWAITLDS",
     lambda a, b, c: c[[l & 35 | int(f"{l & 31:05b}"[::-1], 2) >> 2 for l in lanes(c)]]),
    ("ds_write_b32 v20, %a\nds_rsub_u32 v20, %b\nds_read_b32 %d, v20\nWAITLDS", lambda a, b, c: b - a),
]
CDNA = [
    # The offset of a lane in scratch memory wraps around, here by the descriptor that gfx90a's kernels get.
    ("s_mov_b32 s20, 0\ns_mov_b32 s21, 0xffff\ns_mov_b32 s22, -1\ns_mov_b32 s23, 0x27000\nv_mov_b32 v11, -4\n"
     "v_mov_b32 v12, 4\nbuffer_store_dword %b, v11, s[20:23], 0 offen offset:8\n"
     "buffer_load_dword %d, v12, s[20:23], 0 offen\nWAITLOADS", lambda a, b, c: b),
    ("v_mov_b32 %d, 0\nv_mad_f16 %d, %b, %c, %c",
     lambda a, b, c: word((half(b) * half(c)).astype(f16) + half(c))),
    ("v_mov_b32 v11, %a\nv_mov_b32 v12, %b\nv_mov_b32 v13, %c\ns_mov_b32 s20, 2\n"
     "s_set_gpr_idx_on s20, gpr_idx(SRC0)\nv_mov_b32 %d, v11\ns_set_gpr_idx_off", lambda a, b, c: c),
    ("v_mov_b32 v12, 0\ns_mov_b32 s20, 1\ns_set_gpr_idx_on s20, gpr_idx(DST)\nv_mov_b32 v11, %a\ns_set_gpr_idx_off\n"
     "v_mov_b32 %d, v12", lambda a, b, c: a),
    ("s_mov_b32 s20, 0xfffffff7\ns_ff0_i32_b32 s20, s20\nv_mov_b32 %d, s20", full(3)),
    ("s_mov_b32 s20, 0xfff00000\ns_flbit_i32 s20, s20\nv_mov_b32 %d, s20", full(12)),
    ("ds_write_b32 v20, %a\nv_mov_b32 v15, 0\nWAITLDS\nds_wrxchg2_rtn_b32 v[12:13], v20, %b, %c offset0:0 offset1:64\n"
     "WAITLDS\nv_mov_b32 %d, v12", lambda a, b, c: a),
    ("v_sat_pk_u8_i16 %d, %c", lambda a, b, c: (
        cut((c << u32(16)).view(i32) >> 16, 0, 255) | (cut(c.view(i32) >> 16, 0, 255) << 8)).astype(u32)),
]
RDNA = [
    ("v_mov_b32 v13, %c\ns_mov_b32 m0, 2\nv_movrels_b32 %d, v11", lambda a, b, c: c),
    ("s_mov_b32 m0, 3\nv_movreld_b32 v11, %a\nv_mov_b32 %d, v14", lambda a, b, c: a),
    ("v_permlane64_b32 v11, %a\nv_mov_b32 %d, %a", lambda a, b, c: a),
    ("s_denorm_mode 12\nv_add_f32 %d, 0x400, 0x400\ns_denorm_mode 15", full(0)),
    ("v_mov_b32 %d, 0\nv_dot2_f16_f16 %d, %c, %b, %c", lambda a, b, c: word(
        ((half(c).astype(f32) + half(c).astype(f32) * half(b).astype(f32)).astype(f16).astype(f32) +
         high(c).astype(f32) * high(b).astype(f32)).astype(f16))),
    ("v_dot8_i32_iu4 %d, %a, %b, %c neg_lo:[1,0,0]", lambda a, b, c: (c.view(i32) + sum(
        ((a << u32(28 - s)).view(i32) >> 28) * ((b >> u32(s)) & u32(15)).view(i32) for s in range(0, 32, 4))).view(u32)),
]
RDNA4 = [
    ("s_mov_b32 s20, 4.0\ns_nop 4\nv_s_rsq_f32 s20, s20\ns_nop 4\nv_mov_b32 %d, s20", full(0x3f000000)),
    ("s_mov_b32 s20, 0x40600000\ns_mul_f32 s20, s20, 2.0\ns_cvt_f16_f32 s20, s20\ns_add_f16 s20, s20, 1.0\n"
     "v_mov_b32 %d, s20", full(0x4800)),
    ("s_mov_b32 s20, 0x7fc00000\ns_maximum_f32 s20, s20, 1.0\nv_mov_b32 %d, s20", full(0x7fc00000)),
    ("v_xor_b32 v11, 5, v0\nv_permlane16_var_b32 %d, %c, v11",
     lambda a, b, c: c[np.arange(len(c)) // 16 * 16 + (np.arange(len(c)) % 16 ^ 5)]),
    ("v_maximumminimum_f32 %d, %a, %b, 1.0", lambda a, b, c: single(np.minimum(np.maximum(f(a), f(b)), 1))),
    ("ds_store_b32 v20, %a\nds_cond_sub_rtn_u32 v11, v20, %b\nds_load_b32 %d, v20\nWAITLDS",
     lambda a, b, c: np.where(a >= b, a - b, a)),
    # The register of an address in scratch memory is signed.
    ("v_mov_b32 v11, -4\nscratch_store_b32 v11, %c, off offset:8\nscratch_load_b32 %d, off, off offset:4\nWAITLOADS",
     lambda a, b, c: c),
    # 1, 2, -1, 3 by 2, 4, 1, -1, and a half.
    ("v_mov_b32 v11, 0x44b84038\nv_mov_b32 v12, 0xbc3c4440\nv_dot4_f32_fp8_bf8 %d, v11, v12, 0.5", full(0x40d00000)),
    ("v_mov_b32 v11, 0x44b84038\nv_mov_b32 v12, 0xbc3c4440\nv_dot4_f32_bf8_fp8 %d, v12, v11, 0.5", full(0x40d00000)),
]

# Sizes of floats of 6 bits, with 3 or 2 bits of mantissa, by their codes.
E2M3 = np.array([(code & 7) / 8 if code < 8 else (1 + (code & 7) / 8) * 2.0 ** ((code >> 3) - 1) for code in range(32)])
E3M2 = np.array([(code & 3) / 16 if code < 4 else (1 + (code & 3) / 4) * 2.0 ** ((code >> 2) - 3) for code in range(32)])


def widened6(code, sizes, scale):
    return single(np.where(code & u32(32), -1, 1) * sizes[code & u32(31)] * scale)


def narrowed6(x, sizes):
    """The nearest code, of two that are as near the even one."""
    size = np.abs(x.astype(np.float64))
    middles = (sizes[1:] + sizes[:-1]) / 2
    below, above = np.searchsorted(middles, size, "left"), np.searchsorted(middles, size, "right")
    return np.where(below % 2 == 0, below, above).astype(u32) | np.where(np.signbit(x), u32(32), u32(0))


def second_of6(c):
    """The second word of 32 codes, of halves of c in turn, divided by 2: it begins with the upper bits of code 5."""
    even, odd = narrowed6(half(c).astype(f32) / 2, E3M2), narrowed6(high(c).astype(f32) / 2, E3M2)
    return (odd >> u32(2)) | (even << u32(4)) | (odd << u32(10)) | (even << u32(16)) | (odd << u32(22)) | (even << u32(28))


FROM6 = "v_mov_b32 v24, %a\nv_mov_b32 v25, %b\n" + "".join(f"v_mov_b32 v{at}, %c\n" for at in range(26, 30))
TO6 = "".join(f"v_mov_b32 v{at}, %c\n" for at in range(32, 48))
CDNA4 = [
    # Code 5 lies in the first two words, code 31 at the end of the last one.
    (FROM6 + "v_cvt_scalef32_pk32_f32_fp6 v[32:63], v[24:29], 2.0\nv_mov_b32 %d, v37",
     lambda a, b, c: widened6((a >> u32(30)) | ((b & u32(15)) << u32(2)), E2M3, 2)),
    (FROM6 + "v_cvt_scalef32_pk32_f32_bf6 v[32:63], v[24:29], 0.5\nv_mov_b32 %d, v63",
     lambda a, b, c: widened6(c >> u32(26), E3M2, 0.5)),
    (FROM6 + "v_cvt_scalef32_pk32_bf16_fp6 v[32:47], v[24:29], 2.0\nv_and_b32 %d, 0xffff0000, v47",
     lambda a, b, c: widened6(c >> u32(26), E2M3, 2)),
    (FROM6 + "v_cvt_scalef32_pk32_f16_bf6 v[32:47], v[24:29], 2.0\nv_cvt_f32_f16 %d, v32",
     lambda a, b, c: widened6(a & u32(63), E3M2, 2)),
    (TO6 + "v_cvt_scalef32_pk32_bf6_f16 v[24:29], v[32:47], 2.0\nv_mov_b32 %d, v25", lambda a, b, c: second_of6(c)),
    ("v_mov_b32 %d, 0\nv_cvt_scalef32_pk_fp8_f32 %d, 1.0, -2.0, 0x40000000", full(0xb830)),
    ("v_mov_b32 %d, 0\nv_cvt_scalef32_pk_fp4_f32 %d, 1.0, -4.0, 1.0 op_sel:[0,0,1,0]", full(0xe200)),
    ("v_mov_b32 v11, 0x37\nv_cvt_scalef32_pk_f32_fp4 v[12:13], v11, 2.0\nv_add_f32 %d, v12, v13",
     full(0x41700000)),
    ("v_prng_b32 %d, %a", lambda a, b, c: (a << u32(1)) ^ np.where(a >> u32(31), u32(197), u32(0))),
    # 16 columns, of which a lane gets one: lane l wrote 16 bits l.
    ("v_pack_b32_f16 v12, v0, v0\nv_mov_b32 v13, v12\nv_lshlrev_b32 v14, 3, v0\nds_write_b64 v14, v[12:13]\nWAITLDS\n"
     "ds_read_b64_tr_b16 v[12:13], v14\nWAITLDS\nv_mov_b32 %d, v13",
     lambda a, b, c: (np.arange(len(c)) // 16 * 16 + np.arange(len(c)) % 16 // 4 + 8).astype(u32) |
     ((np.arange(len(c)) // 16 * 16 + np.arange(len(c)) % 16 // 4 + 12).astype(u32) << u32(16))),
]
