# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the functions and conversions of the target nvidia on the host: their LLVM IR, with host-intrinsics.c for the
instructions of GPUs. Functions have to keep the bounds of docs/numerics.md, conversions have to be exact.
Usage: functions.py NUMERICS.md HOST-INTRINSICS.c CLANG FOLDER [COUNT]"""
import ctypes
import math
import os
import re
import subprocess
import sys

import numpy as np

page, intrinsics, clang, folder = sys.argv[1:5]
count = int(sys.argv[5]) if len(sys.argv) > 5 else 1 << 17
FUNCTIONS = {"exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
             "log1p": np.log1p, "tanh": np.tanh, "sin": np.sin, "cos": np.cos, "tan": np.tan,
             "erf": np.vectorize(math.erf), "rsqrt": lambda x: 1 / np.sqrt(x)}
FLOAT8 = {"f8E4M3FN": (3, 7), "f8E5M2": (2, 15)}
TYPES = {"f32": np.float32, "f64": np.float64, "bf16": np.uint16, "i32": np.int32, "i64": np.int64, "i8": np.uint8}
failures = 0


def loop(name, source, target, body):
    """A kernel of one thread that does `body` with every element."""
    return f"""llvm.func @{name}(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: i64) attributes {{nvvm.kernel, nvvm.reqntid = array<i32: 32>}} {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^step, ^done
^step:
  %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, {source}
  %a = llvm.load %px : !llvm.ptr<1> -> {source}
{body}
  %py = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, {target}
  llvm.store %r, %py : {target}, !llvm.ptr<1>
  %next = llvm.add %i, %one : i64
  llvm.br ^head(%next : i64)
^done:
  llvm.return
}}
"""


def compiled():
    """The library of all kernels."""
    text = "".join(loop(f, "f32", "f32", f"  %r = math.{f} %a : f32") for f in FUNCTIONS)
    for t in FLOAT8:
        text += loop("from_" + t, "i8", "f32", f"  %b = arith.bitcast %a : i8 to {t}\n  %r = arith.extf %b : {t} to f32")
        for s in ("f32", "f64"):
            text += loop(f"{s}_to_{t}", s, "i8", f"  %b = arith.truncf %a : {s} to {t}\n  %r = arith.bitcast %b : {t} to i8")
    for s, op in (("i32", "sitofp"), ("i32", "uitofp"), ("i64", "sitofp"), ("i64", "uitofp"), ("f64", "truncf")):
        text += loop(f"{op}_{s}", s, "i16", f"  %b = arith.{op} %a : {s} to bf16\n  %r = llvm.bitcast %b : bf16 to i16")
    for op in ("sitofp", "uitofp"):
        text += loop(f"half_{op}", "i32", "i16", f"  %b = arith.{op} %a : i32 to f16\n  %r = llvm.bitcast %b : f16 to i16")
    text += loop("nearest", "f32", "f32", "  %r = math.round %a : f32")
    text += loop("power", "i32", "i32", "  %e = arith.constant 15 : i32\n  %s = arith.andi %a, %e : i32\n"
                 "  %two = arith.constant 2 : i32\n  %t = arith.subi %s, %two : i32\n  %r = math.ipowi %a, %t : i32")
    path = os.path.join(folder, "functions.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    code = subprocess.run(["kiln-opt", path, "--kiln-set-target=spec=nvidia:sm_80,ptxas=none", "--nvidia-tail",
                           "--nvidia-serialize=emit=llvm", "-o", os.devnull], check=True, text=True, capture_output=True).stdout
    code = re.sub(r"^(target .*|!llvm\.dbg.*|.*Debug Info Version.*)$", "", code, flags=re.MULTILINE)
    code = re.sub(r" addrspace\(\d\)|, !dbg !\d+| !dbg !\d+|ptx_kernel ", "", code)
    code = re.sub(r"@llvm\.nvvm\.([\w.]+)", lambda m: "@nvvm_" + m.group(1).replace(".", "_"), code)
    code = re.sub(r"^!.*$", "", code, flags=re.MULTILINE)
    path = os.path.join(folder, "functions.ll")
    with open(path, "w", encoding="utf-8") as file:
        file.write(code)
    library = os.path.join(folder, "functions.so")
    subprocess.run([clang, "-O1", "-mfma", "-fPIC", "-shared", "-Wno-override-module", "-ffp-contract=off", "-o", library, path,
                    intrinsics, "-lm"], check=True)
    return ctypes.CDLL(library)


def run(library, name, values, result):
    values = np.ascontiguousarray(values)
    out = np.zeros(len(values), result)
    getattr(library, name)(values.ctypes.data_as(ctypes.c_void_p), out.ctypes.data_as(ctypes.c_void_p),
                           ctypes.c_int64(len(values)))
    return out


def check(name, good, values):
    global failures
    wrong = np.flatnonzero(~good)
    print(f"{name}: {len(wrong)} of {len(values)} wrong" + (f", the first for {values[wrong[0]]!r}" if len(wrong) else ""))
    failures += len(wrong) > 0


def ulps(found, exact):
    """Distances in units in the last place of f32; 0 for NaN and infinities that agree."""
    nearest = exact.astype(np.float32)
    unit = np.spacing(np.maximum(np.abs(nearest.astype(np.float64)), 2.0 ** -126).astype(np.float32)).astype(np.float64)
    unit = np.where(np.isfinite(unit), unit, 2.0 ** 104)
    distance = np.abs(np.where(np.isfinite(found), found.astype(np.float64), np.sign(found) * 2.0 ** 128) -
                      np.where(np.isfinite(exact), np.clip(exact, -2.0 ** 128, 2.0 ** 128), np.sign(exact) * 2.0 ** 128)) / unit
    return np.where(np.isnan(exact) | np.isnan(found), np.where(np.isnan(exact) == np.isnan(found), 0, np.inf), distance)


def bounds():
    with open(page, encoding="utf-8") as file:
        table = file.read().split("## math")[1].split("## ")[0]
    for names, near, power, far in re.findall(r"^\| (`.*?`) \| (\d+) ulp(?: for .*?2\^(\d+), (\d+) ulp beyond)?", table, re.MULTILINE):
        for name in re.findall(r"`(\w+)`", names):
            if name in FUNCTIONS:
                yield name, int(near), 2.0 ** int(power) if power else np.inf, int(far or near)


def functions(library, random):
    bits = random.integers(0, 1 << 32, count, dtype=np.uint32).view(np.float32)
    whole = np.arange(-128, 128, 0.25, dtype=np.float32)
    quarters = (np.arange(1, 4096) * (np.pi / 2)).astype(np.float32)
    special = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, -3.4e38, 1e-38], np.float32)
    values = np.concatenate([bits, random.normal(scale=8, size=count).astype(np.float32), special, whole, quarters, 4096 * quarters])
    with np.errstate(all="ignore"):
        values = np.concatenate([values, np.nextafter(values, np.float32(np.inf)), np.nextafter(values, np.float32(-np.inf))])
    seen = set()
    for name, near, limit, far in bounds():
        seen.add(name)
        with np.errstate(all="ignore"):
            exact = FUNCTIONS[name](values.astype(np.float64))
            found = run(library, name, values, np.float32)
            error = ulps(found, exact)
            zeros = (exact != 0) | (np.signbit(found) == np.signbit(exact))
        good = (error <= np.where(np.abs(values) <= limit, near, far)) & zeros
        finite = error[np.isfinite(error)]
        check(f"{name} (at most {finite.max():.2f} ulp)", good, values)
    assert seen == set(FUNCTIONS), seen


def decoded(t):
    """The numbers of a format of 8 bits."""
    mantissa, bias = FLOAT8[t]
    codes = np.arange(128)
    exponent, rest = codes >> mantissa, codes & ((1 << mantissa) - 1)
    value = np.where(exponent == 0, rest * 2.0 ** (1 - bias - mantissa),
                     (1 + rest / 2.0 ** mantissa) * 2.0 ** (exponent - bias.__float__()))
    if t == "f8E4M3FN":
        value[127] = np.nan
    else:
        value[124], value[125:] = np.inf, np.nan
    return value


def same(x, y):
    return (x == y) | (np.isnan(x) & np.isnan(y))


def float8(library, random):
    codes = np.arange(256, dtype=np.uint8)
    for t in FLOAT8:
        table = decoded(t)
        all_values = np.concatenate([table, -table])
        found = run(library, "from_" + t, codes, np.float32)
        check("from " + t, same(found, all_values) & (np.isnan(found) | (np.signbit(found) == (codes > 127))), codes)
        finite = np.flatnonzero(np.isfinite(table))
        # What lies halfway goes to the even code; the next code above the largest counts as a number here.
        step = table[finite[-1]] - table[finite[-2]]
        points = np.append(table[finite], table[finite[-1]] + step)
        middle = (points[1:] + points[:-1]) / 2
        for s in ("f32", "f64"):
            kind = TYPES[s]
            values = np.concatenate([middle, points, random.normal(size=count) * 2.0 ** random.integers(-20, 20, count)]).astype(kind)
            values = np.concatenate([values, np.nextafter(values, kind(np.inf)), np.nextafter(values, kind(0)),
                                     np.array([np.inf, np.nan, 0, 1e-30, 3e38], kind)])
            values = np.concatenate([values, -values])
            size = np.abs(values.astype(np.float64))
            index = np.searchsorted(middle, size)
            tie = (index < len(middle)) & (middle[np.minimum(index, len(middle) - 1)] == size)
            index = np.where(tie, index + (index & 1), index)
            expected = np.where(index >= len(finite), np.nan if t == "f8E4M3FN" else np.inf, points[index])
            expected = np.where(np.isnan(size), np.nan, expected)
            found = run(library, f"{s}_to_{t}", values, np.uint8)
            check(f"{s} to {t}", same(np.append(table, -table)[found], np.where(np.signbit(values), -expected, expected)), values)


def rounded(value):
    """An integer or a float as bf16, by exact arithmetic."""
    if isinstance(value, float) and (value == 0 or not math.isfinite(value)):
        return value
    numerator, denominator = abs(value).as_integer_ratio()
    exponent = max(numerator.bit_length() - denominator.bit_length() - 8, -133)
    while True:
        up, down = (denominator << max(exponent, 0)), numerator << max(-exponent, 0)
        quotient, rest = divmod(down, up)
        if quotient < 256:
            break
        exponent += 1
    quotient += 2 * rest > up or (2 * rest == up and quotient & 1)
    try:
        size = math.ldexp(quotient, exponent)
    except OverflowError:
        size = math.inf
    return math.copysign(size if size < 2.0 ** 128 else math.inf, value)


def bf16(library, random):
    for s, op in (("i32", "sitofp"), ("i32", "uitofp"), ("i64", "sitofp"), ("i64", "uitofp"), ("f64", "truncf")):
        kind = TYPES[s]
        if s == "f64":
            values = random.normal(size=20000) * 2.0 ** random.integers(-140, 130, 20000)
            halves = 1 + np.arange(1, 256, 2) / 256
            values = np.concatenate([values, halves, halves + 2.0 ** -40, halves - 2.0 ** -40, [0.0, np.inf, 3.4e38, 1e300]])
            exact = [rounded(float(x)) for x in values]
        else:
            width = np.iinfo(kind).bits
            values = random.integers(np.iinfo(kind).min, np.iinfo(kind).max, 20000, dtype=kind) >> random.integers(0, width - 1, 20000).astype(kind)
            ties = (np.int64(257) << np.arange(1, width - 10)).astype(kind)
            values = np.concatenate([values, ties, ties + 1, ties - 1])
            exact = [rounded(int(x) % (1 << width) if op == "uitofp" else int(x)) for x in values]
        found = (run(library, f"{op}_{s}", values, np.uint16).astype(np.uint32) << 16).view(np.float32)
        check(f"{op} of {s} to bf16", found == np.array(exact), values)


def half_floats(library, random):
    values = random.integers(-2 ** 31, 2 ** 31, 40000).astype(np.int32) >> random.integers(0, 31, 40000).astype(np.int32)
    values = np.concatenate([values, np.arange(-65600, 65600, dtype=np.int32), np.arange(-9, 9, dtype=np.int32) + 2 ** 24])
    values = values.astype(np.int32)
    for op, kind in (("sitofp", np.int32), ("uitofp", np.uint32)):
        with np.errstate(over="ignore"):
            exact = values.view(kind).astype(np.float64).astype(np.float16)
        check(f"{op} of i32 to f16", run(library, f"half_{op}", values, np.uint16).view(np.float16) == exact, values)


def nearest(library):
    points = (np.arange(-4096, 4096) / 2).astype(np.float32)
    points = np.concatenate([points, np.nextafter(points, np.float32(0)), points * 2 ** 12, [0.0, -0.0, np.inf, -np.inf]])
    points = points.astype(np.float32)
    exact = np.copysign(np.floor(np.abs(points.astype(np.float64)) + 0.5), points).astype(np.float32)
    check("round of f32", run(library, "nearest", points, np.float32).view(np.int32) == exact.view(np.int32), points)


def powers(library):
    values = np.arange(-4096, 4096, dtype=np.int32)

    def power(x):
        n = (x & 15) - 2
        if n < 0:
            return x ** (-n) if abs(x) == 1 else 0
        return x ** n
    exact = np.array([(power(int(x)) + (1 << 31)) % (1 << 32) - (1 << 31) for x in values])
    check("ipowi", run(library, "power", values, np.int32) == exact, values)


kernels = compiled()
generator = np.random.default_rng(1)
functions(kernels, generator)
float8(kernels, generator)
bf16(kernels, generator)
half_floats(kernels, generator)
nearest(kernels)
powers(kernels)
print(f"{failures} wrong")
sys.exit(failures > 0)
