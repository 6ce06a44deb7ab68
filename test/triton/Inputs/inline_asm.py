# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes and runs one kernel for each piece of inline assembly, and compares with numpy or expects the error.

Usage: inline_asm.py TARGET FOLDER
"""
import subprocess
import sys

import numpy as np

np.seterr(all="ignore")
N = 64
rng = np.random.default_rng(7)
SPECIAL = np.array([0.0, -0.0, 1.0, -1.5, 2.5, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 3e9, -3e9,
                    5e9, 0.5, 1.5, -0.5], np.float32)
F = np.concatenate([SPECIAL, rng.uniform(-4, 4, N - SPECIAL.size).astype(np.float32)])
G = np.concatenate([SPECIAL[::-1], rng.uniform(-4, 4, N - SPECIAL.size).astype(np.float32)])
I = np.concatenate([np.array([0, 1, -1, 31, 32, 33, 40, -2**31, 2**31 - 1], np.int32),
                    rng.integers(-2**31, 2**31, N - 9).astype(np.int32)])
J = np.concatenate([np.array([1, 40, 31, 32, 33, -1, 0, 5, 7], np.int32),
                    rng.integers(-100, 100, N - 9).astype(np.int32)])
H = F.astype(np.float16)
ONE, U = np.float32(1), I.view(np.uint32)
LOW = np.uint64(0xffffffff)


def flush(x):
    return np.where(np.abs(x) < np.float32(2.0**-126), np.copysign(np.float32(0), x), x)


def to_int(x, low, high):
    whole = np.clip(np.nan_to_num(np.rint(x.astype(np.float64)), nan=0, posinf=high, neginf=low), low, high)
    return whole.astype(np.int64).astype(np.uint64).astype(np.uint32).view(np.int32)


def shift(value, amount, left):
    wide = value.view(np.uint32).astype(np.uint64)
    by = np.minimum(amount.view(np.uint32), 63).astype(np.uint64)
    return ((wide << by if left else wide >> by) & LOW).astype(np.uint32).view(np.int32)


def tf32(x):
    bits = (x.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xffffe000)
    return bits.view(np.int32)


def fma(a, b, c):
    return (a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)).astype(np.float32)


# Text, constraints, operands, result.
CASES = [
    ("tanh.approx.f32 $0, $1;", "=f,f", [F], np.tanh(F)),
    ("ex2.approx.ftz.f32 $0, $1;", "=f,f", [F], flush(np.exp2(flush(F)))),
    ("lg2.approx.f32 $0, $1;", "=f,f", [F], np.log2(F)),
    ("rcp.approx.ftz.f32 $0, $1;", "=f,f", [F], flush(ONE / flush(F))),
    ("rcp.rn.f32 $0, $1;", "=f,f", [F], ONE / F),
    ("rsqrt.approx.f32 $0, $1;", "=f,f", [F], ONE / np.sqrt(F)),
    ("sqrt.rn.f32 $0, $1;", "=f,f", [F], np.sqrt(F)),
    ("sin.approx.f32 $0, $1;", "=f,f", [F[16:].repeat(2)[:N]], np.sin(F[16:].repeat(2)[:N])),
    ("cos.approx.f32 $0, $1;", "=f,f", [F[16:].repeat(2)[:N]], np.cos(F[16:].repeat(2)[:N])),
    ("fma.rn.f32 $0, $1, $2, 0f3F800000;", "=f,f,f", [F, G], fma(F, G, np.ones(N))),
    ("add.sat.f32 $0, $1, $2;", "=f,f,f", [F, G], np.nan_to_num(np.clip(F + G, 0, 1), nan=0)),
    ("min.f32 $0, $1, $2;", "=f,f,f", [F, G], np.fmin(F, G)),
    ("max.NaN.f32 $0, $1, $2;", "=f,f,f", [F, G], np.maximum(F, G)),
    ("abs.f32 $0, $1;", "=f,f", [F], np.abs(F)),
    ("copysign.f32 $0, $1, $2;", "=f,f,f", [F[8:].repeat(2)[:N], np.abs(G)],
     np.copysign(np.abs(G), F[8:].repeat(2)[:N])),
    ("mul.hi.u32 $0, $1, $2;", "=r,r,r", [I, J],
     ((U.astype(np.uint64) * J.view(np.uint32)) >> np.uint64(32)).astype(np.uint32).view(np.int32)),
    ("mul.hi.s32 $0, $1, $2;", "=r,r,r", [I, J], ((I.astype(np.int64) * J) >> 32).astype(np.int32)),
    ("mul.wide.s32 $0, $1, $2;", "=l,r,r", [I, J], I.astype(np.int64) * J),
    ("mad.lo.s32 $0, $1, $2, 7;", "=r,r,r", [I, J], (I * J + np.int32(7)).astype(np.int32)),
    ("shl.b32 $0, $1, 3;", "=r,r", [I], (I << 3).astype(np.int32)),
    ("shl.b32 $0, $1, $2;", "=r,r,r", [I, J], shift(I, J, True)),
    ("shr.u32 $0, $1, $2;", "=r,r,r", [I, J], shift(I, J, False)),
    ("shr.s32 $0, $1, $2;", "=r,r,r", [I, J], I >> np.minimum(J.view(np.uint32), 31).astype(np.int32)),
    ("lop3.b32 $0, $1, $2, $1, 0x96;", "=r,r,r", [I, J], I ^ J ^ I),
    ("lop3.b32 $0, $1, $2, 0xff00, 0xE8;", "=r,r,r", [I, J], (I & J) | (I & 0xff00) | (J & 0xff00)),
    ("not.b32 $0, $1;", "=r,r", [I], ~I),
    ("popc.b32 $0, $1;", "=r,r", [I], np.array([bin(u).count("1") for u in U], np.int32)),
    ("mov.b32 $0, $1;", "=r,f", [F], F.view(np.int32)),
    ("cvt.rni.s32.f32 $0, $1;", "=r,f", [F], to_int(F, -2**31, 2**31 - 1)),
    ("cvt.rni.u32.f32 $0, $1;", "=r,f", [F], to_int(F, 0, 2**32 - 1)),
    ("cvt.rni.s8.f32 $0, $1;", "=r,f", [F], to_int(F, -128, 127)),
    ("cvt.rn.f32.s32 $0, $1;", "=f,r", [I], I.astype(np.float32)),
    ("cvt.rn.f32.u32 $0, $1;", "=f,r", [I], U.astype(np.float32)),
    ("cvt.s32.s8 $0, $1;", "=r,r", [I], I.astype(np.int8).astype(np.int32)),
    ("cvt.rn.f16.f32 $0, $1;", "=h,f", [F], F.astype(np.float16)),
    ("cvt.f32.f16 $0, $1;", "=f,h", [H], H.astype(np.float32)),
    ("cvt.rmi.f32.f32 $0, $1;", "=f,f", [F], np.floor(F)),
    ("cvt.rna.tf32.f32 $0, $1;", "=r,f", [F[16:].repeat(2)[:N]], tf32(F[16:].repeat(2)[:N])),
    ("{ .reg .b32 t; // a name\n  .reg .pred p;\n  add.s32 t, $1, -1;\n  setp.lt.s32 p, t, $2;\n"
     "  selp.b32 $0, t, $2, p; }", "=r,r,r", [I, J], np.minimum(I - np.int32(1), J)),
    ("add.s32 $0, $0, 1;", "=r,0", [I], I + np.int32(1)),
]
# Texts that stay assembly of another machine: all are f32 to f32.
UNKNOWN = [
    "", ";", ".", "frobnicate.f32 $0, $1;", "mov.f32 $0, %laneid;", "add.f32.s32 $0, $1, $1;",
    "add.rz.f32 $0, $1, $1;", "mov.f32 $0;", "mov.f32 $7, $1;", "fma.rn.f8 $0, $1, $1, $1;",
    "not.f32 $0, $1;", "copysign.b32 $0, $1, $1;", "cvt.f32 $0, $1;", "cvt.b32.f32 $0, $1;",
    "cvt.pred.f32 p, $1; mov.f32 $0, $1;", "cvt.s32.f32 $0, $1;", "@p mov.f32 $0, $1;",
    "mov.b32 {a, b}, $1; mov.f32 $0, $1;", "lop3.b32 $0, $1, $1, $1, 256;", "add.f32 $0, $1, 1;",
    "add.f32 $0, $1, 0d3ff0000000000000;", "shl.f32 $0, $1, 1;", "mul.wide.s64 $0, $1, $1;",
    "tanh.approx.f32 $0, $1, $1;", "ld.global.f32 $0, [$1];", "mov.b64 $0, $1;", "selp.f32 $0, $1, $1;",
    "setp.lt.f32 $0, $1, $1;", "add.s32 $0, $1, 99999999999999999999999999;", "rcp.s32 $0, $1;",
]
TYPES = {np.dtype(np.float32): "f32", np.dtype(np.int32): "i32", np.dtype(np.int64): "i64",
         np.dtype(np.float16): "f16"}


def kernel(text, constraints, operands, result):
    lines, values, params = [], [], []
    types = [TYPES[a.dtype] for a in operands] + [TYPES[result.dtype]]
    for k, t in enumerate(types):
        params.append(f"%p{k}: !tt.ptr<{t}>")
        lines.append(f"%s{k} = tt.splat %p{k} : !tt.ptr<{t}> -> tensor<{N}x!tt.ptr<{t}>>")
        lines.append(f"%a{k} = tt.addptr %s{k}, %r : tensor<{N}x!tt.ptr<{t}>>, tensor<{N}xi32>")
    for k, t in enumerate(types[:-1]):
        lines.append(f"%v{k} = tt.load %a{k} : tensor<{N}x!tt.ptr<{t}>>")
        values.append(f"%v{k}")
    last = len(types) - 1
    written = text.replace("\n", "\\0A")
    args = ", ".join(f"tensor<{N}x{t}>" for t in types[:-1])
    lines.append(f'%v = tt.elementwise_inline_asm "{written}" {{constraints = "{constraints}", packed_element = '
                 f'1 : i32, pure = true}} {", ".join(values)} : {args} -> tensor<{N}x{types[-1]}>')
    lines.append(f"tt.store %a{last}, %v : tensor<{N}x!tt.ptr<{types[-1]}>>")
    body = "\n  ".join(lines)
    return (f"tt.func public @k({', '.join(params)}) {{\n"
            f"  %r = tt.make_range {{end = {N} : i32, start = 0 : i32}} : tensor<{N}xi32>\n  {body}\n  tt.return\n}}\n")


def main():
    target, folder = sys.argv[1:]
    wrong = 0
    for text, constraints, operands, expected in CASES:
        with open(f"{folder}/k.ttir", "w", encoding="utf-8") as file:
            file.write(kernel(text, constraints, operands, expected))
        command = ["kiln-run", f"{folder}/k.ttir", f"--target={target}", "--grid=1", f"--save={len(operands)}:{folder}/out.npy"]
        for k, array in enumerate(operands + [np.zeros_like(expected)]):
            np.save(f"{folder}/{k}.npy", array)
            command.append(f"--arg={folder}/{k}.npy")
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            print(f"{text}: {run.stderr}")
            wrong += 1
            continue
        found = np.load(f"{folder}/out.npy")
        if expected.dtype.kind == "f":
            same = np.allclose(found, expected, rtol=2e-6 if expected.dtype == np.float32 else 1e-3, atol=2e-7, equal_nan=True)
        else:
            same = np.array_equal(found, expected)
        if not same:
            where = np.flatnonzero(~np.isclose(found, expected, rtol=2e-6, atol=2e-7, equal_nan=True))[:5]
            print(f"{text}: {[(o[where]) for o in operands]} found {found[where]}, expected {expected[where]}")
            wrong += 1
    for text in UNKNOWN:
        with open(f"{folder}/k.ttir", "w", encoding="utf-8") as file:
            file.write(kernel(text, "=f,f", [F], F))
        np.save(f"{folder}/0.npy", F)
        run = subprocess.run(["kiln-run", f"{folder}/k.ttir", f"--target={target}", "--grid=1"] +
                             [f"--arg={folder}/0.npy"] * 2,
                             capture_output=True, text=True, check=False)
        if run.returncode != 1 or "k.ttir:8:8: " not in run.stderr or "unsupported: " not in run.stderr:
            print(f"{text}: {run.returncode} {run.stderr}")
            wrong += 1
    print(f"{len(CASES)} + {len(UNKNOWN)} texts, {wrong} wrong")


main()
