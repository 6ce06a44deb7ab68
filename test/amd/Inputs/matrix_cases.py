# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of wide_instructions.py for MFMA: all shapes and types, with blocks that take the rows of another one, columns
that take those of other lanes, sums that are constants, and f64 with other signs."""
import numpy as np

u32 = np.uint32
LANES = 64

# Rows, columns, depth, blocks, and the names of the types.
SHAPES = {
    "f32": [(32, 1, 2), (16, 1, 4), (4, 1, 16), (32, 2, 1), (16, 4, 1)],
    "f16": [(32, 4, 2), (16, 4, 4), (4, 4, 16), (32, 8, 1), (16, 16, 1)],
    "bf16": [(32, 4, 2), (16, 4, 4), (4, 4, 16), (32, 8, 1), (16, 16, 1)],
    "i8": [(32, 4, 2), (16, 4, 4), (4, 4, 16), (32, 16, 1), (16, 32, 1)],
    "xf32": [(16, 8, 1), (32, 4, 1)],
    "fp8": [(16, 32, 1), (32, 16, 1)],
    "f64": [(16, 4, 1), (4, 4, 4)],
}
DEEP = {"f16": [(32, 16, 1), (16, 32, 1)], "bf16": [(32, 16, 1), (16, 32, 1)], "i8": [(32, 32, 1), (16, 64, 1)]}
BITS = {"f32": 32, "xf32": 32, "f64": 64, "f16": 16, "bf16": 16, "i8": 8, "fp8": 8, "bf8": 8}


def eighth(code, mantissa, fnuz):
    """Values of 8-bit floats that are neither zero nor special."""
    exponent_bits = 7 - mantissa
    bias = (1 << (exponent_bits - 1)) - (0 if fnuz else 1)
    field, rest = (code >> mantissa) & ((1 << exponent_bits) - 1), code & ((1 << mantissa) - 1)
    return np.where(code & 128, -1.0, 1.0) * np.ldexp(1 + rest / (1 << mantissa), field - bias)


def draw(random, kind, shape, chip):
    """Values that give exact sums, and their words: elements[elements, lanes] as registers[registers, lanes]."""
    if kind in ("fp8", "bf8"):
        mantissa, one = (3, 0x38) if kind == "fp8" else (2, 0x3c)
        codes = one + random.integers(-8, 9, size=shape) | random.integers(0, 2, size=shape) << 7
        values, bits = eighth(codes, mantissa, chip == "gfx942"), codes.astype(np.uint64)
    else:
        values = random.integers(-9, 10, size=shape).astype(float)
        if kind in ("f32", "xf32"):
            bits = values.astype(np.float32).view(u32).astype(np.uint64)
        elif kind == "f64":
            bits = values.view(np.uint64)
        elif kind == "f16":
            bits = values.astype(np.float16).view(np.uint16).astype(np.uint64)
        elif kind == "bf16":
            bits = (values.astype(np.float32).view(u32) >> u32(16)).astype(np.uint64)
        else:
            bits = (values.astype(np.int64) & 255).astype(np.uint64)
    size = BITS[kind]
    words = np.zeros((max(1, shape[0] * size // 32), shape[1]), dtype=u32)
    for e, row in enumerate(bits):
        for part in range(max(1, size // 32)):
            piece = (row >> np.uint64(32 * part)) & np.uint64(0xffffffff)
            at = e * size + 32 * part
            words[at // 32] |= (piece << np.uint64(at % 32)).astype(u32)
    return values, words


def place(kind, rows, blocks, block, i, j):
    """Lane and number of an element of the result among those of the lane."""
    if kind == "f64":
        return (i * 16 + block * 4 + j, 0) if rows == 4 else (i % 4 * 16 + j, i // 4)
    if rows == 4:
        return block * 4 + j, i
    if rows == 16:
        return i // 4 * 16 + j, block * 4 + i % 4
    return i // 4 % 2 * 32 + j, block * 16 + i // 8 * 4 + i % 4


def case(make, random, chip, kinds, shape, modifiers="", constant=None, old=False):
    rows, depth, blocks = shape
    kind = kinds[0]
    each = rows * depth * blocks // LANES
    values, words = zip(*(draw(random, k, (each, LANES), chip) for k in kinds))
    full = [np.zeros((blocks, rows, depth)) for _ in kinds]
    for lane in range(LANES):
        block, group = (lane // rows % blocks, lane // (rows * blocks))
        for matrix, value in zip(full, values):
            matrix[block, lane % rows, group * each:(group + 1) * each] = value[:, lane]
    lhs, rhs = full
    parts = dict(word.split(":") for word in modifiers.split())
    spread, chosen, swap = (int(parts.get(name, "0")) for name in ("cbsz", "abid", "blgp"))
    if spread:  # 2^spread blocks take the rows of one of them
        group = 1 << spread
        lhs = np.stack([lhs[b // group * group + chosen] for b in range(blocks)])
    if "neg" in modifiers:
        signs = [int(x) for x in parts["neg"][1:-1].split(",")]
        lhs, rhs = lhs * (-1) ** signs[0], rhs * (-1) ** signs[1]
    elif swap and kind != "f64":
        order = {1: lambda l: l % 32, 2: lambda l: 32 + l % 32, 3: lambda l: (l + 16) % 64,
                 4: lambda l: l % 16, 5: lambda l: 16 + l % 16, 6: lambda l: 32 + l % 16, 7: lambda l: 48 + l % 16}[swap]
        rhs = np.zeros_like(rhs)
        for lane in range(LANES):
            block, group = (lane // rows % blocks, lane // (rows * blocks))
            rhs[block, lane % rows, group * each:(group + 1) * each] = values[1][:, order(lane)]
    start = random.integers(-99, 100, size=(blocks, rows, rows)).astype(float)
    if constant is not None:
        start = np.full_like(start, constant)
    sign = (-1) ** int(parts["neg"][1:-1].split(",")[2]) if "neg" in modifiers else 1
    sums = np.einsum("bik,bjk->bij", lhs, rhs) + sign * start
    count = blocks * rows * rows // LANES
    wide = 2 if kind == "f64" else 1

    def spread_out(matrix):
        result = np.zeros((count * wide, LANES), dtype=u32)
        for block in range(blocks):
            for i in range(rows):
                for j in range(rows):
                    lane, number = place(kind, rows, blocks, block, i, j)
                    value = matrix[block, i, j]
                    if kind == "i8":
                        result[number, lane] = u32(int(value) & 0xffffffff)
                    elif kind == "f64":
                        bits = int(np.float64(value).view(np.uint64))
                        result[2 * number:2 * number + 2, lane] = bits & 0xffffffff, bits >> 32
                    else:
                        result[number, lane] = np.float32(value).view(u32)
        return result
    inputs = {32: spread_out(start), 80: words[0], 96: words[1]}
    operand = {first: f"v[{first}:{first + len(x) - 1}]" if len(x) > 1 else f"v{first}" for first, x in inputs.items()}
    to = {"i8": "i32", "f64": "f64"}.get(kind, "f32")
    name = f"v_mfma_{to}_{rows}x{rows}x{depth}"
    if old:
        name += {"bf16": "bf16_1k"}.get(kind, kind)
    else:
        name += (f"_{blocks}b" if blocks > 1 else "") + "_" + ("_".join(kinds) if BITS[kind] == 8 and kind != "i8" else kind)
    last = operand[32] if constant is None else (str(constant) if kind in ("i8",) else f"{constant:.1f}")
    text = f"{name} {operand[32]}, {operand[80]}, {operand[96]}, {last} {modifiers}".rstrip()
    return make(text, LANES, inputs, 32, spread_out(sums))


def cases(make, chip):
    random = np.random.default_rng(21)
    old = chip == "gfx90a"
    for kind, shapes in SHAPES.items():
        if (kind == "xf32" and chip != "gfx942") or (kind == "fp8" and old):
            continue
        for rows, depth, blocks in shapes:
            if kind == "i8" and old and blocks == 1:
                depth //= 2
            shape = (rows, depth, blocks)
            pairs = [(a, b) for a in ("fp8", "bf8") for b in ("fp8", "bf8")] if kind == "fp8" else [(kind, kind)]
            for kinds in pairs:
                yield case(make, random, chip, kinds, shape, old=old)
            yield case(make, random, chip, (kind, kind), shape, constant=2, old=old)
            if kind == "f64":
                for signs in () if old else ("neg:[1,0,0]", "neg:[0,1,0]", "neg:[1,0,1]", "neg:[0,0,1]"):
                    yield case(make, random, chip, (kind, kind), shape, signs)
                continue
            if blocks > 1 and kind != "fp8":
                for spread in range(1, blocks.bit_length()):
                    yield case(make, random, chip, (kind, kind), shape, f"cbsz:{spread} abid:{(1 << spread) - 1}", old=old)
            if blocks > 1:
                for swap in (1, 2, 3, 4, 5, 6, 7):
                    yield case(make, random, chip, (kind, kind), shape, f"blgp:{swap}", old=old)
    for kind, shapes in DEEP.items() if chip == "gfx950" else ():
        for shape in shapes:
            yield case(make, random, chip, (kind, kind), shape)
            yield case(make, random, chip, (kind, kind), shape, constant=-4)
