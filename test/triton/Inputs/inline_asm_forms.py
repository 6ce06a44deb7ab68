# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one kernel with many pieces of inline assembly, and compares each result with numpy.

Usage: inline_asm_forms.py TARGET FOLDER
"""
import subprocess
import sys

import numpy as np

from inline_asm_integers import integer_cases

np.seterr(all="ignore")
N = 64
rng = np.random.default_rng(11)
F = rng.uniform(-30, 30, N).astype(np.float32)
G = rng.uniform(-4, 4, N).astype(np.float32)
I = rng.integers(-2**31, 2**31, N).astype(np.int32)
J = np.concatenate([np.array([0, 1, 31, 32, 33, 63, 64, 255, -1], np.int32), rng.integers(0, 80, N - 9).astype(np.int32)])
K = np.concatenate([np.array([0, 32, 1, 8, 40, 255, 3, 16, 7], np.int32), rng.integers(0, 40, N - 9).astype(np.int32)])
H = rng.uniform(-8, 8, N).astype(np.float16)
B = rng.integers(-128, 128, N).astype(np.int8)
S = rng.integers(-2**15, 2**15, N).astype(np.int16)
ARRAYS = {"F": F, "G": G, "I": I, "J": J, "K": K, "H": H, "B": B, "S": S}
U = I.view(np.uint32).astype(np.uint64)


def i32(x):
    return np.asarray(x).astype(np.uint64).astype(np.uint32).view(np.int32)


def bf16(x):
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) & 0xffff


def pairs(high, low):
    return i32(high.astype(np.uint64) << 16 | low.astype(np.uint64))


def prmt(a, b, selector):
    result = []
    for x, y, s in zip(a.view(np.uint32), b.view(np.uint32), selector.view(np.uint32)):
        both, word = int(y) << 32 | int(x), 0
        for k in range(4):
            code = int(s) >> (4 * k) & 15
            byte = both >> (8 * (code & 7)) & 255
            word |= (255 * (byte >> 7) if code & 8 else byte) << (8 * k)
        result.append(word)
    return i32(np.array(result, np.uint64))


def funnel(low, high, amount, left):
    both = (high.view(np.uint32).astype(object) << 32) + low.view(np.uint32).astype(object)
    moved = [(int(v) << int(n) >> 32 if left else int(v) >> int(n)) & 0xffffffff for v, n in zip(both, amount)]
    return i32(np.array(moved, np.uint64))


def field(value, position, length, signed):
    result = []
    for v, p, n in zip(value, position, length):
        p, n, v = int(p) & 255, int(n) & 255, int(v)
        bits = [(v >> min(p + k, 31 if signed else 99)) & 1 if signed or p + k < 32 else 0 for k in range(min(n, 32))]
        word = sum(bit << k for k, bit in enumerate(bits))
        if signed and bits and bits[-1]:
            word |= -1 << len(bits)
        result.append(word & 0xffffffff)
    return i32(np.array(result, np.uint64))


def insert(a, b, position, length):
    result = []
    for x, y, p, n in zip(a.view(np.uint32), b.view(np.uint32), position, length):
        p, n = int(p) & 255, int(n) & 255
        mask = ((1 << min(n, 32)) - 1) << p & 0xffffffff
        result.append((int(y) & ~mask | (int(x) << p) & mask) & 0xffffffff)
    return i32(np.array(result, np.uint64))


def dp4a(a, b, c, kind):
    x = a.view(kind).reshape(-1, 4).astype(np.int64)
    return i32((x * b.view(kind).reshape(-1, 4)).sum(1) + c & 0xffffffff)


E4M3 = np.array([(-1.0 if c & 128 else 1.0) * ((8 + (c & 7)) * 2.0 ** ((c >> 3 & 15) - 10) if c >> 3 & 15 else (c & 7) * 2.0 ** -9)
                 for c in range(256)])
E4M3[[127, 255]] = np.nan


def e4m3(x):
    codes = np.delete(np.arange(256), [127, 128, 255])
    found = []
    for value in np.clip(x.astype(np.float64), -448, 448):
        distance = np.abs(E4M3[codes] - value)
        near = codes[distance == distance.min()]
        found.append(near[np.argmin(near & 1)])
    return np.array(found)


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
# Ties, neighbours of them, numbers without end, and what is none.
T = np.concatenate([np.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5, 0, 7, 1e30, np.inf, np.nan, 0.24, 0.26, 4.99, 5.01]),
                    rng.uniform(-7, 7, N - 32)]).astype(np.float32)
T = np.concatenate([T[:16], -T[:16], T[16:]])
ARRAYS["T"] = T


def e2m1(x):
    found = []
    for value in x.astype(np.float64):
        distance = np.abs(np.abs(value) - E2M1[:8]) if np.abs(value) < 6 else 7 - np.arange(8)
        near = np.flatnonzero(distance == distance.min())
        found.append(7 if np.isnan(value) else near[np.argmin(near & 1)] | (8 if np.signbit(value) else 0))
    return np.array(found, np.uint16)


softplus = np.where(F > 20, F, np.log1p(np.exp(F.astype(np.float64)))).astype(np.float32)
reversed32 = i32(np.array([int(f"{int(u):032b}"[::-1], 2) for u in U], np.uint64))
# Text, constraints, pack, operands, result.
CASES = [
    ("{ .reg .pred p; .reg .f32 t, e;\n mul.f32 t, $1, 0f3FB8AA3B; ex2.approx.ftz.f32 e, t; add.f32 e, e, 0f3F800000;\n"
     " lg2.approx.ftz.f32 e, e; mul.f32 e, e, 0f3F317218;\n setp.gt.f32 p, $1, 0f41A00000; mov.f32 $0, e; @p mov.f32 $0, $1; }",
     "=f,f", 1, "F", softplus),
    ("{ .reg .pred p; setp.lt.f32 p, $1, $2; @p mov.f32 $0, $1; @!p mov.f32 $0, $2; }", "=f,f,f", 1, "FG", np.minimum(F, G)),
    ("{ .reg .pred p, q, r; setp.lt.s32 p|q, $1, $2; setp.gt.and.s32 r, $1, 0, q; selp.b32 $0, 1, 0, r; }", "=r,r,r", 1,
     "IJ", ((I >= J) & (I > 0)).astype(np.int32)),
    ("{ .reg .pred p, q; setp.ne.s32 p, $1, 0; not.pred q, p; setp.eq.or.s32 p, $1, 7, !p; selp.b32 $0, 1, 0, p; }", "=r,r",
     1, "J", ((J == 7) | (J == 0)).astype(np.int32)),
    ("{ .reg .b32 t; mov.b32 t, $1; { .reg .b32 t; mov.b32 t, $2; add.s32 t, t, 1; } mov.b32 $0, t; }", "=r,r,r", 1, "IJ", I),
    (".reg .b32 t<3>; /* three */ mov.b32 t0, $1; add.s32 t2, t0, 5; mov.b32 $0, t2;", "=r,r", 1, "J", J + np.int32(5)),
    ("{ .reg .b16 a, b; mov.b32 {a, b}, $1; mov.b32 $0, {b, a}; }", "=r,r", 1, "I", i32((U << np.uint64(16) | U >> np.uint64(16)) & np.uint64(0xffffffff))),
    ("{ .reg .b32 a, b; mov.b64 {a, b}, $1; add.s32 $0, a, b; }", "=r,l", 1, "L", None),
    ("prmt.b32 $0, $1, 0, 0x0123;", "=r,r", 1, "I", I.byteswap()),
    ("prmt.b32 $0, $1, $2, $3;", "=r,r,r,r", 1, "IJI", prmt(I, J, I)),
    ("shf.l.wrap.b32 $0, $1, $2, $3;", "=r,r, r, r", 1, "IIJ", funnel(I, I, J & 31, True)),
    ("shf.r.clamp.b32 $0, $1, $2, $3;", "=r,r,r,r", 1, "IJJ", funnel(I, J, np.minimum(J.view(np.uint32), 32), False)),
    ("bfe.u32 $0, $1, $2, $3;", "=r,r,r,r", 1, "IJK", field(I.view(np.uint32), J, K, False)),
    ("bfe.s32 $0, $1, $2, $3;", "=r,r,r,r", 1, "IJK", field(I, J, K, True)),
    ("bfi.b32 $0, $1, $2, $3, $4;", "=r,r,r,r,r", 1, "IJJK", insert(I, J, J, K)),
    ("brev.b32 $0, $1;", "=r,r", 1, "I", reversed32),
    ("clz.b32 $0, $1;", "=r,r", 1, "J", np.array([32 - int(u).bit_length() for u in J.view(np.uint32)], np.int32)),
    ("dp4a.s32.s32 $0, $1, $2, $3;", "=r,r,r,r", 1, "IJJ", dp4a(I, J, J, np.int8)),
    ("dp4a.u32.u32 $0, $1, $2, $3;", "=r,r,r,r", 1, "IJJ", dp4a(I, J, J, np.uint8)),
    ("add.f16x2 $0, $1, $1;", "=r,r", 2, "H", H + H),
    ("{ .reg .b32 t; neg.f16x2 t, $1; max.NaN.f16x2 $0, t, $1; }", "=r,r", 2, "H", np.abs(H)),
    ("cvt.rn.f16x2.f32 $0, $1, $2;", "=r,f,f", 1, "FG", pairs(F.astype(np.float16).view(np.uint16), G.astype(np.float16).view(np.uint16))),
    ("cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f", 1, "FG", pairs(bf16(F), bf16(G))),
    ("{ .reg .b32 t; cvt.rn.bf16x2.f32 t, $1, $2; mul.bf16x2 $0, t, t; }", "=r,f,f", 1, "FG", None),
    ("cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f", 1, "FG", (e4m3(F) << 8 | e4m3(G)).astype(np.uint16).view(np.int16)),
    ("{ .reg .b16 t; cvt.rn.satfinite.e4m3x2.f32 t, $1, $2; cvt.rn.f16x2.e4m3x2 $0, t; }", "=r,f,f", 1, "FG",
     pairs(E4M3[e4m3(F)].astype(np.float16).view(np.uint16), E4M3[e4m3(G)].astype(np.float16).view(np.uint16))),
    ("{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, $1, $2; cvt.u32.u8 $0, t; }", "=r,f,f", 1, "TG",
     (e2m1(T) << 4 | e2m1(G)).astype(np.int32)),
    ("{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, $1, $2; cvt.rn.f16x2.e2m1x2 $0, t; }", "=r,f,f", 1, "TG",
     pairs(E2M1[e2m1(T)].astype(np.float16).view(np.uint16), E2M1[e2m1(G)].astype(np.float16).view(np.uint16))),
    ("cvt.sat.s8.s32 $0, $1;", "=r,r", 1, "J", np.clip(J, -128, 127)),
    ("cvt.rz.f16.f32 $0, $1;", "=h,f", 1, "F", None),
    ("rem.s32 $0, $1, 7;", "=r,r", 1, "I", (I - 7 * np.trunc(I / 7.0)).astype(np.int32)),
    ("mul24.lo.s32 $0, $1, $2;", "=r,r,r", 1, "JK", (J.astype(np.int64) * K).astype(np.int32)),
    ("and.b32 $0, $1, 0x0f0f0f0f;", "=r,r", 4, "B", B & np.int8(15)),
    ("not.b32 $0, $1; ", "=r,r", 2, "S", ~S),
    ("cvt.rn.relu.f16.f32 $0, $1;", "=h,f", 1, "F", np.maximum(F, 0).astype(np.float16)),
]


def toward_zero(x):
    near = x.astype(np.float16)
    over = np.abs(near.astype(np.float32)) > np.abs(x)
    return np.where(over, np.nextafter(near, np.float16(0)), near).astype(np.float16)


ARRAYS["L"] = rng.integers(-2**62, 2**62, N).astype(np.int64)
HALVES = ARRAYS["L"].view(np.uint32).reshape(-1, 2).astype(np.uint64)
SQUARES = [bf16((bf16(x).astype(np.uint32) << 16).view(np.float32) ** 2) for x in (F, G)]
LATE = {"=r,l": i32(HALVES.sum(1) & np.uint64(0xffffffff)), "=r,f,f": pairs(*SQUARES), "=h,f": toward_zero(F)}
CASES = [(t, c, p, o, LATE[c] if r is None else r) for t, c, p, o, r in CASES]
ARRAYS["Z"] = np.resize(np.array([0.0, -0.0, np.nan, np.inf, -np.inf, -1e-40, 2, -3], np.float32), N)
# Small whole numbers, whose products are exact.
ARRAYS["P"] = rng.integers(-99, 99, 2 * N).astype(np.float32).view(np.int64)
CASES += integer_cases(ARRAYS)
TYPES = {"float32": "f32", "int32": "i32", "int64": "i64", "float16": "f16", "int8": "i8", "int16": "i16"}


def main():
    target, folder = sys.argv[1:]
    lines, params, command = [], [], ["kiln-run", f"{folder}/k.ttir", f"--target={target}", "--grid=1"]

    def pointer(name, array):
        kind = TYPES[array.dtype.name]
        params.append(f"%p{name}: !tt.ptr<{kind}>")
        lines.append(f"%s{name} = tt.splat %p{name} : !tt.ptr<{kind}> -> tensor<{N}x!tt.ptr<{kind}>>")
        lines.append(f"%a{name} = tt.addptr %s{name}, %r : tensor<{N}x!tt.ptr<{kind}>>, tensor<{N}xi32>")
        np.save(f"{folder}/{name}.npy", array)
        command.append(f"--arg={folder}/{name}.npy")
        return kind

    for name, array in ARRAYS.items():
        kind = pointer(name, array)
        lines.append(f"%v{name} = tt.load %a{name} : tensor<{N}x!tt.ptr<{kind}>>")
    for k, (text, constraints, pack, operands, expected) in enumerate(CASES):
        kind = pointer(f"r{k}", np.zeros_like(expected))
        command.append(f"--save={len(ARRAYS) + k}:{folder}/out{k}.npy")
        written = text.replace("\n", "\\0A")
        given = ", ".join(f"%v{name}" for name in operands)
        types = ", ".join(f"tensor<{N}x{TYPES[ARRAYS[name].dtype.name]}>" for name in operands)
        lines.append(f'%x{k} = tt.elementwise_inline_asm "{written}" {{constraints = "{constraints}", packed_element = {pack} : i32, '
                     f'pure = {"false" if k % 2 else "true"}}} {given} : {types} -> tensor<{N}x{kind}>')
        lines.append(f"tt.store %ar{k}, %x{k} : tensor<{N}x!tt.ptr<{kind}>>")
    body = "\n  ".join(lines)
    with open(f"{folder}/k.ttir", "w", encoding="utf-8") as file:
        file.write(f"tt.func public @k({', '.join(params)}) {{\n"
                   f"  %r = tt.make_range {{end = {N} : i32, start = 0 : i32}} : tensor<{N}xi32>\n  {body}\n  tt.return\n}}\n")
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        print(run.stderr)
        return
    wrong = 0
    for k, (text, _, _, operands, expected) in enumerate(CASES):
        found = np.load(f"{folder}/out{k}.npy")
        if found.dtype.kind == "f":
            same = np.isclose(found, expected, rtol=1e-5 if found.dtype == np.float32 else 0, atol=1e-6 if found.dtype == np.float32 else 0, equal_nan=True)
        else:
            same = found == expected
        if not same.all():
            at = np.flatnonzero(~same)[:4]
            print(f"{text}: {[ARRAYS[name][at] for name in operands]} found {found[at]}, expected {expected[at]}")
            wrong += 1
    print(f"{len(CASES)} texts, {wrong} wrong")


main()
