# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of instructions.py for modifiers: integers that saturate, halves that are chosen and negated, lanes that move."""
import numpy as np

from more_instructions import cut, f, f16, full, half, high, i32, sad, single, u32, word

i64, u64 = np.int64, np.uint64


def wide(x):
    return x.view(i32).astype(i64)


def unsigned(x):
    return x.astype(i64)


def short(x, at, signed):
    part = (x >> u32(at)) & u32(0xffff)
    return part.astype(np.uint16).view(np.int16).astype(i64) if signed else unsigned(part)


def signed32(x):
    return np.clip(x, -2**31, 2**31 - 1).astype(i64).astype(u32)


def unsigned32(x):
    return np.clip(x, 0, 2**32 - 1).astype(i64).astype(u32)


def pairs(function, signed, which="abc"):
    """Both halves of a word, saturated, of those inputs."""
    low, top = (-2**15, 2**15 - 1) if signed else (0, 2**16 - 1)

    def both(*inputs):
        words = [inputs["abc".index(name)] for name in which]
        parts = [np.clip(function(*(short(w, at, signed) for w in words)), low, top).astype(i64).astype(u32) & u32(0xffff)
                 for at in (0, 16)]
        return parts[0] | parts[1] << u32(16)
    return both


def dot(x, y, bits, signed):
    def part(w, at, is_signed):
        field = unsigned((w >> u32(at)) & u32((1 << bits) - 1))
        return np.where(field >> (bits - 1), field - (1 << bits), field) if is_signed else field
    return sum(part(x, at, signed[0]) * part(y, at, signed[1]) for at in range(0, 32, bits))


def halves_dot(x, y, z):
    """Products of chosen halves, which are given, in pairs."""
    return single(z.astype(np.float64) + sum(p.astype(np.float64) * q.astype(np.float64) for p, q in zip(x, y)))


def low24(x, signed):
    return wide(x << u32(8)) >> 8 if signed else unsigned(x & u32(0xffffff))


def moved(x, lane):
    return x[np.array([lane(l) for l in range(len(x))])]


def before(mask, lanes):
    count = np.arange(lanes)
    return np.array([bin(int(m) & ((1 << min(int(l), 32)) - 1)).count("1") for m, l in zip(mask, count)], dtype=u32)


COMMON = [
    # Numbers are rounded to whole ones alike, and 0 stays 0, where sums are rounded down.
    ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 10\nv_rndne_f32 %d, %a\n"
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0", lambda a, b, c: single(np.rint(f(a)))),
    ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5\nv_cvt_f64_f32 v[12:13], %a\nv_rndne_f64 v[12:13], v[12:13]\n"
     "v_cvt_f32_f64 %d, v[12:13]\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0",
     lambda a, b, c: single(np.rint(f(a)))),
    ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 10\nv_mov_b32 v11, 0\nv_cvt_f32_u32 %d, v11\n"
     "v_cvt_f64_u32 v[12:13], v11\nv_or_b32 %d, %d, v13\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0", full(0)),
    # Maxima and minima drop subnormal numbers where the mode says so, and keep their signs.
    ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\nv_mov_b32 v11, 0x807fffff\nv_max_f32 v12, v11, v11\n"
     "v_min_f32 v13, 0, v11\nv_med3_f32 %d, v11, 1.0, -1.0\nv_or_b32 v12, v12, v13\nv_or_b32 %d, v12, %d\n"
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3", full(0x80000000)),
    ("v_mov_b32 v11, 0x807fffff\nv_max_f32 v12, v11, v11\nv_med3_f32 %d, v11, 1.0, -1.0\nv_and_b32 %d, v12, %d",
     full(0x807fffff)),
    # Quarters of turns are exact.
    ("v_cos_f32 %d, 0.5\nv_mov_b32 v11, 0x40500000\nv_cos_f32 v11, v11\nv_sin_f32 v12, 4.0\nv_or_b32 v11, v11, v12\n"
     "v_or_b32 %d, %d, v11", full(0xbf800000)),
    # A constant of 64 bits is a float of 64 bits.
    ("s_cmp_eq_u32 0, 1\ns_cselect_b64 s[20:21], 1.0, 2.0\nv_mov_b32 %d, s21", full(0x40000000)),
    ("s_mov_b64 s[20:21], 0\ns_cmp_eq_u32 0, 0\ns_cmov_b64 s[20:21], 1.0\nv_mov_b32 %d, s21", full(0x3ff00000)),
    # The mode cuts f16 and f64 off, and rounds f32: three quarters of the last place of each.
    ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 3\nv_mov_b32 v11, 0x33c00000\nv_add_f32 %d, 1.0, v11\n"
     "v_mov_b32 v12, 0\nv_mov_b32 v11, 0x3f801800\nv_cvt_f16_f32 v12, v11\nv_lshl_add_u32 %d, v12, 1, %d\n"
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0", full(0x3f800001 + 2 * 0x3c00)),
    # The mode flushes subnormal numbers of f32 only.
    ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 12\nv_mov_b32 v12, 3\nv_mov_b32 v13, 0\nv_mov_b32 v11, 0x400\n"
     "v_add_f64 v[12:13], v[12:13], v[12:13]\nv_add_f32 v11, v11, v11\nv_or_b32 %d, v11, v12\n"
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15", full(6)),
    # The examples of the manual: a difference that wraps around is positive.
    ("s_mov_b32 s20, 0x80000000\ns_absdiff_i32 s20, s20, 1\nv_mov_b32 %d, s20", full(0x7fffffff)),
    ("s_mov_b32 s20, 2\ns_absdiff_i32 s20, s20, 5\nv_mov_b32 %d, s20", full(3)),
    # The count of a shift is either half of its register.
    ("v_alignbit_b32 %d, %a, %b, %c op_sel:[0,0,1,0]", lambda a, b, c: (
        (a.astype(u64) << u64(32) | b.astype(u64)) >> (c >> u32(16) & u32(31)).astype(u64)).astype(u32)),
    ("v_alignbyte_b32 %d, %a, %b, %c op_sel:[0,0,1,0]", lambda a, b, c: (
        (a.astype(u64) << u64(32) | b.astype(u64)) >> (u32(8) * (c >> u32(16) & u32(3))).astype(u64)).astype(u32)),
    ("v_mad_u32_u24 %d, %a, %b, %c clamp", lambda a, b, c: unsigned32(low24(a, False) * low24(b, False) + unsigned(c))),
    ("v_mad_i32_i24 %d, %a, %b, %c clamp", lambda a, b, c: signed32(low24(a, True) * low24(b, True) + wide(c))),
    ("v_mad_u32_u16 %d, %a, %b, %c clamp", lambda a, b, c: unsigned32(
        short(a, 0, False) * short(b, 0, False) + unsigned(c))),
    ("v_mad_i32_i16 %d, %a, %b, %c clamp", lambda a, b, c: signed32(short(a, 0, True) * short(b, 0, True) + wide(c))),
    ("v_pk_add_i16 %d, %a, %c clamp", pairs(lambda x, y: x + y, True, "ac")),
    ("v_pk_sub_i16 %d, %c, %c op_sel:[1,0] op_sel_hi:[0,1] clamp", lambda a, b, c: pairs(
        lambda x, y: x - y, True, "ac")(c >> u32(16) | c << u32(16), b, c)),
    ("v_pk_add_u16 %d, %a, %c clamp", pairs(lambda x, y: x + y, False, "ac")),
    ("v_pk_sub_u16 %d, %a, %c clamp", pairs(lambda x, y: x - y, False, "ac")),
    ("v_pk_mad_i16 %d, %a, %b, %c clamp", pairs(lambda x, y, z: x * y + z, True)),
    ("v_pk_mad_u16 %d, %a, %b, %c clamp", pairs(lambda x, y, z: x * y + z, False)),
    ("v_sad_u8 %d, %a, %b, -16 clamp", lambda a, b, c: unsigned32(unsigned(sad(a, b)) + 2**32 - 16)),
    ("v_sad_u32 %d, %a, %b, %c clamp", lambda a, b, c: unsigned32(np.abs(unsigned(a) - unsigned(b)) + unsigned(c))),
    ("v_dot4_u32_u8 %d, %a, %b, %c clamp", lambda a, b, c: unsigned32(dot(a, b, 8, (False, False)) + unsigned(c))),
    ("v_dot8_u32_u4 %d, %a, %b, -9 clamp", lambda a, b, c: unsigned32(dot(a, b, 4, (False, False)) + 2**32 - 9)),
    ("v_mov_b32 v11, 0x80000009\nv_dot8_u32_u4 %d, %a, %b, v11 clamp", lambda a, b, c: unsigned32(
        dot(a, b, 4, (False, False)) + 2**31 + 9)),
    ("v_dot2_f32_f16 %d, %c, %c, 1.0 neg_lo:[1,0,0] neg_hi:[1,0,0]", lambda a, b, c: halves_dot(
        (-half(c), -high(c)), (half(c), high(c)), np.ones(len(c)))),
    ("v_dot2_f32_f16 %d, %c, %c, %b neg_lo:[0,0,1] neg_hi:[0,0,1] clamp", lambda a, b, c: single(np.clip(
        halves_dot((half(c), high(c)), (half(c), high(c)), -f(b)).view(np.float32), 0, 1))),
]
CDNA = [
    ("v_add_co_u32_e64 %d, vcc, %a, %c clamp", lambda a, b, c: unsigned32(unsigned(a) + unsigned(c))),
    ("v_sub_co_u32_e64 %d, s[20:21], %a, %c clamp", lambda a, b, c: unsigned32(unsigned(a) - unsigned(c))),
    ("v_mov_b32 %d, 0\nv_mad_i16 %d, %a, %b, %c clamp", lambda a, b, c: cut(
        short(a, 0, True) * short(b, 0, True) + short(c, 0, True), -2**15, 2**15 - 1).astype(u32) & u32(0xffff)),
    ("v_mov_b32 v14, -1\nv_mov_b32 v15, -1\nv_mad_u64_u32 v[12:13], vcc, %a, %b, v[14:15] clamp\nv_mov_b32 %d, v13",
     full(0xffffffff)),
    ("v_dot4_i32_i8 %d, %a, %b, %c clamp", lambda a, b, c: signed32(dot(a, b, 8, (True, True)) + wide(c))),
    ("v_bfrev_b32 v11, -2\nv_dot8_i32_i4 %d, %a, %b, v11 clamp", lambda a, b, c: signed32(
        dot(a, b, 4, (True, True)) + 2**31 - 1)),
    ("v_bfrev_b32 v11, -2\nv_dot2_i32_i16 %d, %a, %b, v11 clamp", lambda a, b, c: signed32(
        dot(a, b, 16, (True, True)) + 2**31 - 1)),
    ("v_dot2_u32_u16 %d, %a, %b, -1 clamp", full(0xffffffff)),
    ("v_mov_b32 %d, 0\nv_pk_fmac_f16_dpp %d, %c, %c quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", lambda a, b, c: word(
        (half(moved(c, lambda l: l ^ 1)) * half(c)).astype(f16), (high(moved(c, lambda l: l ^ 1)) * high(c)).astype(f16))),
    # A carry stands between the result and the sources, of which parts are taken.
    ("v_add_co_u32_sdwa %d, vcc, %a, %c dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_1",
     lambda a, b, c: ((a >> u32(8)) & u32(255)) + (c >> u32(16))),
    ("v_sub_co_u32_sdwa v11, vcc, %a, %c dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_1\n"
     "v_subb_co_u32_sdwa %d, vcc, %b, sext(%a), vcc dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:WORD_1",
     lambda a, b, c: (((b >> u32(16)) & u32(255)) - short(a, 16, True).astype(u32) -
                      ((a & u32(0xffff)) < (c >> u32(16))).astype(u32))),
    ("v_cvt_pkrtz_f16_f32 %d, 0.5, 4.0 clamp", full(0x3c003800)),
    ("v_cvt_pkrtz_f16_f32 %d, 0.5, -4.0 mul:2", full(0xc8003c00)),
    ("v_mov_b32 v11, 0x4048\nv_cvt_pk_f32_fp8_e64 v[12:13], v11 clamp\nv_mov_b32 %d, v12", full(0x3f800000)),
]
RDNA = [
    # Comparisons that write VCC or EXEC have DPP without a suffix.
    ("v_cmp_lt_f32_dpp vcc, -%a, |%b| row_mirror row_mask:0xf bank_mask:0xf\nv_cndmask_b32_e64 %d, 0, 1, vcc",
     lambda a, b, c: (-f(moved(a, lambda l: l ^ 15)) < np.abs(f(b))).astype(u32)),
    ("v_mov_b32 %d, 0\nv_cmpx_lt_u32_dpp %a, %b dpp8:[7,6,5,4,3,2,1,0]\nv_mov_b32 %d, 1\ns_mov_b32 exec_lo, -1",
     lambda a, b, c: (moved(a, lambda l: l ^ 7) < b).astype(u32)),
    ("v_cmp_class_f16_dpp vcc, %c, %b quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n"
     "v_cndmask_b32_e64 %d, 0, 1, vcc\nv_cmp_class_f16 vcc, %c, %b\nv_cndmask_b32_e64 v11, 0, 1, vcc\n"
     "v_mov_b32_dpp v12, %b quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\nv_cmp_class_f16 vcc, %c, v12\n"
     "v_cndmask_b32_e64 v11, 0, 1, vcc\nv_mov_b32_dpp v12, v11 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n"
     "v_xor_b32 %d, %d, v12", full(0)),
    # The classes are a number of 32 bits, behind a float of 64: positive normal ones and infinity.
    ("v_mov_b32 v12, %a\nv_mov_b32 v13, %b\nv_mov_b32 %d, 0\nv_cmpx_class_f64 v[12:13], 0x300\nv_mov_b32 %d, 1\n"
     "s_mov_b32 exec_lo, -1", lambda a, b, c: (f(b) > 0).astype(u32)),
    ("v_dot2_f32_f16 %d, %c, %c, %b op_sel:[1,0,0] op_sel_hi:[0,1,1] neg_hi:[0,1,0]", lambda a, b, c: halves_dot(
        (high(c), half(c)), (half(c), -high(c)), f(b))),
    ("v_dot2_f32_f16 %d, %c, 2.0, 1.0 op_sel_hi:[1,0,1]", lambda a, b, c: halves_dot(
        (half(c), high(c)), (np.full(len(c), 2.0),) * 2, np.ones(len(c)))),
    ("v_add_co_u32 %d, vcc_lo, %a, %c clamp", lambda a, b, c: unsigned32(unsigned(a) + unsigned(c))),
    ("v_dot4_i32_iu8 %d, %a, %b, %c neg_lo:[1,0,0] clamp", lambda a, b, c: signed32(dot(a, b, 8, (True, False)) + wide(c))),
    ("v_bfrev_b32 v11, 1\nv_dot8_i32_iu4 %d, %a, %b, v11 neg_lo:[1,1,0] clamp", lambda a, b, c: signed32(
        dot(a, b, 4, (True, True)) - 2**31)),
    ("v_cvt_pk_rtz_f16_f32_e64 %d, 0.5, 4.0 clamp", full(0x3c003800)),
    ("v_mov_b32 v11, 0\nv_mbcnt_lo_u32_b32_e64_dpp %d, %a, v11 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
     lambda a, b, c: before(moved(a, lambda l: l ^ 1), len(a))),
    ("v_fma_mix_f32_e64_dpp %d, %b, %b, %c op_sel_hi:[0,0,1] row_mirror row_mask:0xf bank_mask:0xf", lambda a, b, c: single(
        f(moved(b, lambda l: l ^ 15)).astype(np.float64) * f(b) + half(c))),
    ("v_dot2_f32_f16_e64_dpp %d, %c, %c, %b dpp8:[7,6,5,4,3,2,1,0]", lambda a, b, c: halves_dot(
        (half(moved(c, lambda l: l ^ 7)), high(moved(c, lambda l: l ^ 7))), (half(c), high(c)), f(b))),
]
RDNA3 = [
    # Classes in the upper half of a register.
    ("v_mov_b32 v11, 0x03000000\nv_cmp_class_f16_e64 s20, %c.l, v11.h\nv_cndmask_b32 %d, 0, 1, s20",
     lambda a, b, c: (half(c) > 0).astype(u32)),
]
# Floats in scalar registers, which RDNA has since gfx11.5. 3 and a half, and 2; a number wins over NaN.
HALVES = "s_mov_b32 s20, 0x4300\ns_mov_b32 s21, 0x4000\n"
SCALAR_FLOATS = [
    (HALVES + "s_min_f16 s20, s20, s21\nv_mov_b32 %d, s20", full(0x4000)),
    (HALVES + "s_max_f16 s20, s20, s21\nv_mov_b32 %d, s20", full(0x4300)),
    # Zeros have an order.
    ("s_mov_b32 s20, 0x8000\ns_min_f16 s21, s20, 0\ns_max_f16 s20, s20, 0\ns_pack_ll_b32_b16 s20, s20, s21\n"
     "v_mov_b32 %d, s20", full(0x80000000)),
    ("s_brev_b32 s20, 1\ns_min_f32 s21, 0, s20\ns_max_f32 s20, 0, s20\ns_or_b32 s20, s20, s21\n"
     "s_min_f32 s22, s21, 0\ns_and_b32 s20, s20, s22\nv_mov_b32 %d, s20", full(0x80000000)),
    ("s_mov_b32 s20, 0x7e00\ns_max_f16 s20, s20, -1.0\nv_mov_b32 %d, s20", full(0xbc00)),
    ("s_mov_b32 s20, 0xc0600000\ns_max_f32 s21, s20, 2.0\ns_min_f32 s20, s20, 2.0\ns_sub_f32 s20, s21, s20\nv_mov_b32 %d, s20",
     full(0x40b00000)),
    (HALVES + "s_fmac_f16 s20, s21, s21\ns_cvt_f32_f16 s20, s20\nv_mov_b32 %d, s20", full(0x40f00000)),
]
# 1, 2, -1, 3 by 2, 4, 1, -1.
FACTORS = "v_mov_b32 v11, 0x44b84038\nv_mov_b32 v12, 0xbc3c4440\n"
RDNA4 = [
    (FACTORS + "v_dot4_f32_fp8_bf8 %d, v11, v12, %b neg_lo:[0,0,1]", lambda a, b, c: single(6 - f(b).astype(np.float64))),
    (FACTORS + "v_dot4_f32_fp8_bf8 %d, v11, v12, %b neg_hi:[0,0,1]", lambda a, b, c: single(
        6 + np.abs(f(b).astype(np.float64)))),
    (FACTORS + "v_dot4_f32_fp8_bf8 %d, v11, v12, %b neg_lo:[0,0,1] neg_hi:[0,0,1]", lambda a, b, c: single(
        6 - np.abs(f(b).astype(np.float64)))),
]
