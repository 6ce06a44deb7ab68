# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts of integer instructions with their results, for inline_asm_forms.py. The models compute on Python's
integers, one element at a time, as the instruction set's manual says."""
import numpy as np

ONES = 2**32 - 1


def signed(value, bits=32):
    value &= 2**bits - 1
    return value - 2**bits if value >> (bits - 1) else value


def bmsk(position, length, clamps):
    if not clamps:
        position, length = position & 31, length & 31
    return sum(1 << k for k in range(position, min(position + length, 32)))


def szext(value, length, is_signed, clamps):
    length = min(length, 32) if clamps else length & 31
    low = value & ((1 << length) - 1)
    return signed(low, length) if is_signed and length else low


def bfind(value, bits, is_signed, shifts):
    if is_signed and value >> (bits - 1):
        value = ~value & (2**bits - 1)
    return -1 if not value else bits - value.bit_length() if shifts else value.bit_length() - 1


def field(value, position, length, bits, is_signed):
    position, length, number = position & 255, length & 255, signed(value, bits) if is_signed else value
    last = bits - 1 if is_signed else 10**4
    digits = [number >> min(position + k, last) & 1 for k in range(min(length, bits))]
    result = sum(digit << k for k, digit in enumerate(digits))
    return result - (1 << len(digits)) if is_signed and digits and digits[-1] else result


def insert(a, b, position, length, bits):
    mask = ((1 << min(length & 255, bits)) - 1) << (position & 255)
    return b & ~mask | (a << (position & 255)) & mask


def dp2a(a, b, c, is_signed, high):
    extend = signed if is_signed else lambda value, bits: value & (2**bits - 1)
    return c + sum(extend(a >> 16 * k, 16) * extend(b >> 8 * (k + 2 * high), 8) for k in range(2))


def halves(function, a, b):
    return sum((function(a >> at & 65535, b >> at & 65535) & 65535) << at for at in (0, 16))


def integer_cases(arrays):
    """Text, constraints, pack, operands, result; the operands are names of `arrays`."""
    cases = []

    def add(text, constraints, operands, model):
        bits = [64 if arrays[name].dtype.itemsize == 8 else 32 for name in operands]
        columns = [[int(x) & (2**width - 1) for x in arrays[name]] for name, width in zip(operands, bits)]
        width = 64 if constraints.startswith("=l") else 32
        result = np.array([model(*row) & (2**width - 1) for row in zip(*columns)], np.uint64)
        result = result.view(np.int64) if width == 64 else result.astype(np.uint32).view(np.int32)
        cases.append((text, constraints, 1, operands, result))

    def add32(text, operands, model):
        add(text, ",".join(["=r"] + ["r"] * len(operands)), operands, model)

    add32("cnot.b32 $0, $1;", "J", lambda x: x == 0)
    add32("sad.s32 $0, $1, $2, 5;", "IJ", lambda x, y: abs(signed(x) - signed(y)) + 5)
    add32("sad.u32 $0, $1, $2, $1;", "IJ", lambda x, y: abs(x - y) + x)
    add32("slct.b32.s32 $0, $1, $2, $1;", "IJ", lambda x, y: y if x >> 31 else x)
    cases.append(("slct.s32.f32 $0, 1, 2, $1;", "=r,f", 1, "Z", np.where(arrays["Z"] >= 0, 1, 2).astype(np.int32)))
    for kind in "us":
        for shifts in ("", ".shiftamt"):
            add32(f"bfind{shifts}.{kind}32 $0, $1;", "J", lambda x, k=kind, s=shifts: bfind(x, 32, k == "s", s))
        add(f"bfind.{kind}64 $0, $1;", "=r,l", "L", lambda x, k=kind: bfind(x, 64, k == "s", False))
        add(f"bfe.{kind}64 $0, $1, $2, $3;", "=l,l,r,r", "LJK", lambda x, p, n, k=kind: field(x, p, n, 64, k == "s"))
        for mode in ("wrap", "clamp"):
            add32(f"szext.{mode}.{kind}32 $0, $1, $2;", "IK",
                  lambda x, n, k=kind, m=mode: szext(x, n, k == "s", m == "clamp"))
        for part in ("lo", "hi"):
            add32(f"dp2a.{part}.{kind}32.{kind}32 $0, $1, $2, $1;", "IJ",
                  lambda x, y, k=kind, p=part: dp2a(x, y, x, k == "s", p == "hi"))
            extend = (lambda x: signed(x, 24)) if kind == "s" else (lambda x: x & (2**24 - 1))
            add32(f"mad24.{part}.{kind}32 $0, $1, $2, 9;", "IJ",
                  lambda x, y, e=extend, p=part: (e(x) * e(y) >> (16 if p == "hi" else 0)) + 9)
    for mode in ("wrap", "clamp"):
        add32(f"bmsk.{mode}.b32 $0, $1, $2;", "JK", lambda p, n, m=mode: bmsk(p, n, m == "clamp"))
    add("bfi.b64 $0, $1, $2, $3, $4;", "=l,l,l,r,r", "LLJK", lambda a, b, p, n: insert(a, b, p, n, 64))
    add32("{ .reg .u32 l, h; add.cc.u32 l, $1, $2; addc.u32 h, $1, $1; xor.b32 $0, l, h; }", "IJ",
          lambda x, y: (x + y & ONES) ^ (2 * x + (x + y >> 32) & ONES))
    add32("{ .reg .u32 l, m, h; sub.cc.u32 l, $1, $2; subc.cc.u32 m, $2, $1; subc.u32 h, $1, 3; xor.b32 l, l, m; xor.b32 $0, l, h; }",
          "IJ", lambda x, y: (x - y & ONES) ^ (y - x - (x < y) & ONES) ^ (x - 3 - (y - x - (x < y) < 0) & ONES))
    add32("{ .reg .u32 l; mad.lo.cc.u32 l, $1, $2, $1; madc.hi.u32 $0, $1, $2, 0; }", "IJ", lambda x, y: x * y + x >> 32)
    add32("add.sat.s32 $0, $1, $2;", "IJ", lambda x, y: min(max(signed(x) + signed(y), -2**31), 2**31 - 1))
    add32("add.s16x2 $0, $1, $2;", "IJ", lambda x, y: halves(lambda a, b: a + b, x, y))
    add32("max.s16x2 $0, $1, $2;", "IJ", lambda x, y: halves(lambda a, b: max(signed(a, 16), signed(b, 16)), x, y))
    add32("min.u16x2 $0, $1, $2;", "IJ", lambda x, y: halves(min, x, y))
    pairs = arrays["P"].view(np.float32)
    cases.append(("fma.rn.f32x2 $0, $1, $1, $1;", "=l,l", 1, "P", (pairs * pairs + pairs).view(np.int64)))
    return cases
