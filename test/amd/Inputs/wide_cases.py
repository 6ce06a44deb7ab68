# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of wide_instructions.py: text, what registers hold before it, and what those of its result hold behind it."""
import dataclasses

import numpy as np

u32 = np.uint32


@dataclasses.dataclass
class Case:
    text: str
    lanes: int
    inputs: dict  # register: words[registers, lanes]
    result: int  # the first register
    wanted: np.ndarray


# ---------------------------------------------------------------------------
# Elements in registers
# ---------------------------------------------------------------------------


def pack(codes, bits):
    """Codes[elements, lanes] as words[registers, lanes]."""
    words = np.zeros((len(codes) * bits // 32, codes.shape[1]), dtype=np.uint64)
    for e, row in enumerate(codes.astype(np.uint64)):
        at = e * bits
        words[at // 32] |= (row << np.uint64(at % 32)) & np.uint64(0xffffffff)
        if at % 32 + bits > 32:
            words[at // 32 + 1] |= row >> np.uint64(32 - at % 32)
    return words.astype(u32)


def small_value(code, exponent_bits, mantissa_bits, bias):
    mantissa, field = code & ((1 << mantissa_bits) - 1), (code >> mantissa_bits) & ((1 << exponent_bits) - 1)
    size = np.where(field > 0, np.ldexp((1 << mantissa_bits) + mantissa, field - bias - mantissa_bits),
                    np.ldexp(mantissa * 1.0, 1 - bias - mantissa_bits))
    return np.where((code >> (exponent_bits + mantissa_bits)) & 1, -size, size)


FLOATS = {"fp8": (4, 3, 7), "bf8": (5, 2, 15), "fp6": (2, 3, 1), "bf6": (3, 2, 3), "fp4": (2, 1, 1)}


def draw(random, kind, shape):
    """Codes of small numbers, their bits, and their values."""
    if kind in ("f16", "bf16"):
        values = random.integers(-8, 9, size=shape).astype(np.float32)
        codes = values.astype(np.float16).view(np.uint16) if kind == "f16" else (values.view(u32) >> u32(16))
        return codes, 16, values
    if kind in ("fp8", "bf8"):
        codes = random.integers(0x20, 0x48, size=shape) | random.integers(0, 2, size=shape) << 7
        return codes, 8, small_value(codes, *FLOATS[kind])
    bits = int(kind[1:])
    codes = random.integers(0, 1 << bits, size=shape)
    return codes, bits, np.where(codes >> (bits - 1), codes - (1 << bits), codes) if kind[0] == "i" else codes


# ---------------------------------------------------------------------------
# Products
# ---------------------------------------------------------------------------


def place(lanes, is_old, i, j, narrow):
    """Lane, register and half of element (i, j) of the results of WMMA."""
    groups = lanes // 16
    if is_old:
        return i % groups * 16 + j, i // groups, 0
    group = i // 8 + (i // 4 % 2 * 2 if groups == 4 else 0)
    at = i % (16 // groups)
    return group * 16 + j, at // 2 if narrow else at, at % 2


def nearest_bf16(x):
    bits = int(np.float32(x).view(u32))
    return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16


def results(sums, kind, lanes, is_old, before=None):
    narrow = kind in ("f16", "bf16")
    count = 16 // (lanes // 16) // (2 if narrow and not is_old else 1)
    words = np.zeros((count, lanes), dtype=u32) if before is None else before.copy()
    for i in range(16):
        for j in range(16):
            lane, register, half = place(lanes, is_old, i, j, narrow)
            if kind == "i32":
                words[register, lane] = u32(int(sums[i, j]) & 0xffffffff)
            elif kind == "f32":
                words[register, lane] = np.float32(sums[i, j]).view(u32)
            else:
                bits = np.float16(sums[i, j]).view(np.uint16) if kind == "f16" else nearest_bf16(sums[i, j])
                words[register, lane] = (int(words[register, lane]) & ~(0xffff << 16 * half)) | int(bits) << 16 * half
    return words


def signs_text(unsigned):
    return "" if unsigned == (True, True) else f" neg_lo:[{int(not unsigned[0])},{int(not unsigned[1])},0]"


def sparse(random, name, kinds, result, depth, key, lanes=32):
    """v_swmmac: a lane has a part of a row, two of each four elements, and of a column. The second 32 of 64 lanes have no
    part of a row of 32 elements of 4 bits."""
    is_integer = result == "i32"
    dense = depth * 16 // lanes
    holders = 32 if kinds[0][1:] == "4" and depth == 32 else lanes
    each = depth * 8 // holders
    lhs, lhs_bits, lhs_values = draw(random, kinds[0], (each, lanes))
    rhs, rhs_bits, rhs_values = draw(random, kinds[1], (dense, lanes))
    # Two different ones of each four, in order.
    pairs = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])[random.integers(0, 6, size=(each // 2, lanes))]
    chosen = pairs.transpose(0, 2, 1).reshape(each, lanes)
    index = sum(chosen[e].astype(np.uint64) << np.uint64(2 * e) for e in range(each)) << np.uint64(2 * each * key)
    ours = np.uint64(((1 << 2 * each) - 1) << 2 * each * key)
    index |= random.integers(0, 1 << 32, size=lanes).astype(np.uint64) & ~ours & np.uint64(0xffffffff)
    full_lhs, full_rhs = np.zeros((16, depth)), np.zeros((depth, 16))
    for lane in range(holders):
        first = lane // 16 * 2 * each
        for e in range(each):
            full_lhs[lane % 16, first + e // 2 * 4 + chosen[e, lane]] = lhs_values[e, lane]
    for lane in range(lanes):
        first = lane % holders // 16 * 2 * each + lane // holders * dense
        full_rhs[first:first + dense, lane % 16] = rhs_values[:, lane]
    start = random.integers(-9, 10, size=(16, 16)).astype(float)
    sums = full_lhs @ full_rhs + start
    before, wanted = results(start, result, lanes, False), results(sums, result, lanes, False)
    words = {32: before, 64: pack(lhs, lhs_bits), 80: pack(rhs, rhs_bits), 100: index.astype(u32).reshape(1, lanes)}
    operands = [f"v[{first}:{first + len(rows) - 1}]" if len(rows) > 1 else f"v{first}" for first, rows in words.items()]
    text = f"{name} {', '.join(operands)}{f' index_key:{key}' if key else ''}"
    if is_integer:
        text += signs_text((kinds[0][0] == "u", kinds[1][0] == "u"))
    return Case(text, lanes, words, 32, wanted)


def wmma(random, chip, name, kinds, result, depth, lanes, negates=False):
    """v_wmma: the elements of a row in all groups of 16 lanes (RDNA3), or parts of it in each (RDNA4)."""
    is_old = chip.startswith("gfx11")
    bits = draw(random, kinds[0], (1, 1))[1]
    holders = 16 if is_old else lanes // 2 if bits * depth < 2 * lanes else lanes
    each = depth // (holders // 16)
    codes, values = [], []
    for kind in kinds:
        code, bits, value = draw(random, kind, (each, lanes))
        if is_old:
            code, value = (np.tile(x[:, :16], (1, lanes // 16)) for x in (code, value))
        codes.append(pack(code, bits))
        values.append(value)
    full = [np.zeros((16, depth)) for _ in kinds]
    for lane in range(holders):
        first = 0 if is_old else lane // 16 * each
        for matrix, value in zip(full, values):
            matrix[lane % 16, first:first + each] = value[:, lane]
    start = random.integers(-9, 10, size=(16, 16)).astype(float)
    if negates:
        # neg_lo of the first operand: its even elements; of the sum: all, of which neg_hi takes the sizes first.
        signs = np.where(np.arange(depth) % 2, 1, -1)
        sums = (full[0] * signs) @ full[1].T - np.abs(start)
    else:
        sums = full[0] @ full[1].T + start
    old = np.full((16 // (lanes // 16), lanes), 0x12345678, dtype=u32) if is_old and result in ("f16", "bf16") else None
    before, wanted = results(start, result, lanes, is_old, old), results(sums, result, lanes, is_old, old)
    words = {32: before, 64: codes[0], 80: codes[1]}
    parts = {first: f"v[{first}:{first + len(rows) - 1}]" if len(rows) > 1 else f"v{first}"
             for first, rows in words.items()}
    text = f"{name} {parts[32]}, {parts[64]}, {parts[80]}, {parts[32]}"
    if result == "i32":
        text += signs_text((kinds[0][0] == "u", kinds[1][0] == "u"))
    elif negates:
        text += " neg_lo:[1,0,1] neg_hi:[0,0,1]"
    return Case(text, lanes, words, 32, wanted)


def transposed_load(random, chip, bits):
    """Eight lanes read eight elements each; a lane gets one of each."""
    registers = bits // 4
    data = random.integers(0, 1 << bits, size=(32, 8)).astype(np.uint16 if bits == 16 else np.uint8)
    memory = np.frombuffer(data.tobytes(), dtype=u32).reshape(registers, 32)
    got = np.ascontiguousarray(data.reshape(4, 8, 8).transpose(0, 2, 1).reshape(32, 8))
    wanted = np.frombuffer(got.tobytes(), dtype=u32).reshape(32, registers).T
    # The addresses count from the words that v32 and those behind it were loaded from.
    text = (f"v_mul_u32_u24 v30, {registers * 4}, v0\ns_sub_co_u32 s4, s4, {registers * 128}\n"
            f"s_sub_co_ci_u32 s5, s5, 0\nglobal_load_tr_b{registers * 32} v[32:{31 + registers}], v30, s[4:5]\nWAIT")
    return Case(text, 32, {32: memory}, 32, np.ascontiguousarray(wanted))


# ---------------------------------------------------------------------------
# Conversions
# ---------------------------------------------------------------------------


def narrow_by_bits(x, kind, mantissa, random_bits):
    """The code of x: bits below those that are kept are added to, and cut off."""
    exponent_bits, kept, bias = FLOATS[kind]
    size, least, cut = abs(float(x)), 1 - bias, mantissa - kept
    exponent = max(int(np.floor(np.log2(size))) if size else least, least)
    units = int(np.ldexp(size, kept - exponent + cut))
    code = ((units + (int(random_bits) >> (32 - cut))) >> cut) + ((exponent - least) << kept)
    top = (1 << (exponent_bits + kept)) - 1
    return min(code, top) | int(x < 0) << (exponent_bits + kept)


def nearest_code(x, kind):
    """The nearest number, to even codes in the middle."""
    exponent_bits, kept, bias = FLOATS[kind]
    codes = np.arange(1 << (exponent_bits + kept))
    distance = np.abs(small_value(codes, *FLOATS[kind]) - abs(float(x)))
    best = np.flatnonzero(distance == distance.min())
    code = int(best[best % 2 == 0][0] if len(best) > 1 else best[0])
    return code | int(np.signbit(x)) << (exponent_bits + kept)


def next_random(x):
    return ((x << 1) ^ (197 if x >> 31 else 0)) & 0xffffffff


def two_halves(random, kind):
    halves = (random.normal(size=(2, 16, 64)) * 2).astype(np.float32)
    codes = np.array([[nearest_code(halves[e % 2, e // 2, lane] / 2, kind) for lane in range(64)] for e in range(32)])
    scale = np.full((1, 64), 0x40000000, dtype=u32)
    text = f"v_cvt_scalef32_2xpk16_{kind}_f32 v[24:29], v[32:47], v[48:63], v64"
    return Case(text, 64, {32: halves[0].view(u32), 48: halves[1].view(u32), 64: scale}, 24, pack(codes, 6))


def many_by_bits(random, kind):
    x = (random.normal(size=(32, 64)) * 2).astype(np.float16)
    seeds, scale = random.integers(0, 1 << 32, size=(1, 64), dtype=u32), np.full((1, 64), 0x40000000, dtype=u32)
    codes = np.zeros((32, 64), dtype=np.int64)
    for lane in range(64):
        bits = int(seeds[0, lane])
        for e in range(32):
            codes[e, lane] = narrow_by_bits(x[e, lane] / np.float16(2), kind, 10, bits)
            bits = next_random(bits)
    text = f"v_cvt_scalef32_sr_pk32_{kind}_f16 v[24:29], v[32:47], v48, v49"
    return Case(text, 64, {32: pack(x.view(np.uint16), 16), 48: seeds, 49: scale}, 24, pack(codes, 6))


def byte_by_bits(random, kind):
    x = (random.normal(size=(1, 64)) * 9).astype(np.float32)
    seeds, scale = random.integers(0, 1 << 32, size=(1, 64), dtype=u32), np.full((1, 64), 0x40000000, dtype=u32)
    old = random.integers(0, 1 << 32, size=(1, 64), dtype=u32)
    codes = np.array([[narrow_by_bits(value / 2, kind, 23, bits) for value, bits in zip(x[0], seeds[0])]], dtype=u32)
    wanted = (old & u32(0xff00ffff)) | codes << u32(16)
    text = f"v_cvt_scalef32_sr_{kind}_f32 v24, v32, v33, v34 op_sel:[0,0,0,1]"
    return Case(text, 64, {24: old, 32: x.view(u32), 33: seeds, 34: scale}, 24, wanted)


def pair_by_bits(random):
    x = (random.normal(size=(2, 64)) * 3).astype(np.float32)
    seeds, scale = random.integers(0, 1 << 32, size=(1, 64), dtype=u32), np.full((1, 64), 0x3f800000, dtype=u32)
    old = random.integers(0, 1 << 32, size=(1, 64), dtype=u32)
    codes = [narrow_by_bits(x[0, lane], "fp4", 23, seeds[0, lane]) |
             narrow_by_bits(x[1, lane], "fp4", 23, next_random(int(seeds[0, lane]))) << 4 for lane in range(64)]
    wanted = (old & u32(0xffffff00)) | np.array([codes], dtype=u32)
    text = "v_cvt_scalef32_sr_pk_fp4_f32 v24, v[32:33], v34, v35"
    return Case(text, 64, {24: old, 32: x.view(u32), 34: seeds, 35: scale}, 24, wanted)


def half_by_bits(random):
    x = (random.normal(size=(1, 64)) * 9).astype(np.float32)
    seeds = random.integers(0, 1 << 32, size=(1, 64), dtype=u32)
    old = random.integers(0, 1 << 32, size=(1, 64), dtype=u32)
    wanted = (old & u32(0xffff)) | ((x.view(u32) + (seeds >> u32(16))) & u32(0xffff0000))
    return Case("v_cvt_sr_bf16_f32 v24, v32, v33 op_sel:[0,0,1]", 64, {24: old, 32: x.view(u32), 33: seeds}, 24, wanted)


# ---------------------------------------------------------------------------
# All cases
# ---------------------------------------------------------------------------


def cases_of_rdna4(random):
    for lanes, keys in ((32, (0, 1)), (64, (0, 1, 2, 3))):
        for key in keys:
            for kind in ("f16", "bf16"):
                yield sparse(random, f"v_swmmac_f32_16x16x32_{kind}", (kind, kind), "f32", 32, key, lanes)
            yield sparse(random, "v_swmmac_f32_16x16x32_fp8_bf8", ("fp8", "bf8"), "f32", 32, key, lanes)
        for kind in ("f16", "bf16"):
            yield sparse(random, f"v_swmmac_{kind}_16x16x32_{kind}", (kind, kind), kind, 32, 1, lanes)
        for kinds in (("i8", "i8"), ("u8", "i8"), ("i8", "u8")):
            yield sparse(random, "v_swmmac_i32_16x16x32_iu8", kinds, "i32", 32, 1, lanes)
        for key in (0, 1):
            yield sparse(random, "v_swmmac_i32_16x16x32_iu4", ("i4", "u4"), "i32", 32, key, lanes)
            if lanes == 64 or key == 0:
                yield sparse(random, "v_swmmac_i32_16x16x64_iu4", ("i4", "i4"), "i32", 64, key, lanes)
        for kinds in (("fp8", "fp8"), ("bf8", "fp8"), ("bf8", "bf8")):
            yield sparse(random, f"v_swmmac_f32_16x16x32_{kinds[0]}_{kinds[1]}", kinds, "f32", 32, 1, lanes)
    yield transposed_load(random, "gfx1201", 16)
    yield transposed_load(random, "gfx1201", 8)
    for lanes in (32, 64):
        yield wmma(random, "gfx1201", "v_wmma_i32_16x16x32_iu4", ("i4", "i4"), "i32", 32, lanes)
        yield wmma(random, "gfx1201", "v_wmma_f32_16x16x16_fp8_bf8", ("fp8", "bf8"), "f32", 16, lanes)


def cases_of_rdna(random, chip):
    for lanes in (32, 64):
        for kind in ("f16", "bf16"):
            yield wmma(random, chip, f"v_wmma_f32_16x16x16_{kind}", (kind, kind), "f32", 16, lanes)
            yield wmma(random, chip, f"v_wmma_{kind}_16x16x16_{kind}", (kind, kind), kind, 16, lanes)
        yield wmma(random, chip, "v_wmma_f32_16x16x16_f16", ("f16", "f16"), "f32", 16, lanes, negates=True)
        yield wmma(random, chip, "v_wmma_i32_16x16x16_iu8", ("i8", "u8"), "i32", 16, lanes)
        yield wmma(random, chip, "v_wmma_i32_16x16x16_iu4", ("u4", "i4"), "i32", 16, lanes)


def cases(chip):
    random = np.random.default_rng(11)
    if chip == "gfx950":
        for kind in ("fp6", "bf6"):
            yield two_halves(random, kind)
            yield many_by_bits(random, kind)
        yield byte_by_bits(random, "fp8")
        yield byte_by_bits(random, "bf8")
        yield pair_by_bits(random)
        yield half_by_bits(random)
    if chip.startswith("gfx9"):
        return
    yield from cases_of_rdna(random, chip)
    if chip.startswith("gfx12"):
        yield from cases_of_rdna4(random)
