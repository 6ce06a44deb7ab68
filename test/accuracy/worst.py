# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The worst error of prim's functions against MPFR: f16 and bf16 at every number, f32 at some of each binade and sign.

worst.py EXACT FOLDER [--target=SPEC] [--step=N] [--samples=N] [--only=NAME,...] [--table=FILE] [--write]

EXACT is the program that knows the answers. With --step only every so many numbers of 16 bits are taken, with
--samples so many of each binade of f32 (and sign). An error is in units of the last place of the type. Exit status 1
if one is beyond what docs/numerics.md allows. --table names the page with the table of them, which has to be true:
no function may be missing in it, or be farther off than it says; --write writes it (of the target cpu)."""
import argparse
import ctypes
import os
import random
import re
import struct
import subprocess
import sys

import kiln

#: Units of f32 that a function may be off, and whether near its zeros it may be by as many units of 1.
UNARY = {"rsqrt": (2, False), "cbrt": (4, False), "exp": (2, False), "exp2": (2, False), "expm1": (2, False),
         "log": (2, False), "log2": (2, False), "log10": (2, False), "log1p": (2, False),
         "sin": (4, False), "cos": (4, False), "tan": (4, False), "asin": (4, False), "acos": (4, False), "atan": (4, False),
         "sinh": (4, False), "cosh": (4, False), "tanh": (4, False), "asinh": (4, False), "acosh": (4, False), "atanh": (4, False),
         "erf": (4, False), "erfc": (4, False), "lgamma": (16, True), "erfcx": (16, True), "erfinv": (16, True),
         "ndtri": (16, True), "bessel_i0": (16, True), "bessel_i0e": (16, True), "bessel_i1": (16, True),
         "bessel_i1e": (16, True), "bessel_j0": (16, True), "bessel_j1": (16, True), "bessel_y0": (16, True),
         "bessel_y1": (16, True), "spherical_bessel_j0": (16, True), "digamma": (16, True)}
BINARY = {"pow": (16, False), "atan2": (4, False), "hypot": (2, False), "zeta": (64, False), "polygamma": (64, False)}
#: Where a bound is a lesser one: the operands up to here.
NARROWER = {name: (2.0 ** 15, 2) for name in ("sin", "cos", "tan")}
TYPES = ("f32", "f16", "bf16")
SPECIAL = [0.0, 0.5, 1.0, 2.0, 3.0, 10.0, 100.0, 0.1, 1e-3, float("inf")] + [float(k) for k in range(4, 40)] + \
    [k * 1.5707963267948966 for k in (1, 2, 3, 4, 5, 6, 100, 10000)]


def packed(dtype, bits):
    return struct.pack(f"<{len(bits)}{'I' if dtype == 'f32' else 'H'}", *bits)


def single(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def float_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def numbers(dtype, options):
    """The operands of functions of one, as bits."""
    if dtype != "f32":
        return list(range(0, 1 << 16, options.step))
    chosen = {single(sign * value) + near for value in SPECIAL for sign in (1, -1) for near in (-1, 0, 1)
              if not (value == float("inf") and near) and not (value == 0 and near < 0)}
    source = random.Random(1)
    for binade in range(512):
        chosen.update((binade << 23) + source.randrange(1 << 23) for _ in range(options.samples) if binade % 256 != 255)
    return sorted(chosen)


def pairs(name, dtype, options):
    """The operands of functions of two."""
    source = random.Random(name + dtype)
    count = 40 * options.samples * (8 if dtype == "f32" else 2)
    value = {"zeta": lambda: (1 + 2.0 ** source.uniform(-6, 6) if source.random() < 0.7 else float(source.randrange(1, 30)),
                              source.uniform(-20, 60) if source.random() < 0.5 else 2.0 ** source.uniform(-20, 60)),
             "polygamma": lambda: (float(source.randrange(0, 20)),
                                   source.uniform(-10, 40) if source.random() < 0.5 else 2.0 ** source.uniform(-12, 40)),
             "pow": lambda: (2.0 ** source.uniform(-30, 30) * source.choice((1, 1, 1, -1)),
                             source.uniform(-12, 12) if source.random() < 0.7 else float(source.randrange(-20, 20)))}
    draw = value.get(name, lambda: tuple(2.0 ** source.uniform(-126 if dtype != "f16" else -20, 127 if dtype != "f16" else 15)
                                         * source.choice((1, -1)) for _ in range(2)))
    made = [draw() for _ in range(count)] + [(a * s, b) for a in (0.0, 1.0, float("inf")) for b in (0.0, 1.0, 2.0, float("inf"))
                                             for s in (1, -1)]
    def half(v):
        return struct.unpack("<H", struct.pack("<e", v if abs(v) < 65520 else v * float("inf")))[0]

    form = {"f32": lambda v: single(v), "bf16": lambda v: single(v) >> 16,
            "f16": half}[dtype]
    return [form(a) for a, _ in made], [form(b) for _, b in made]


def program(options):
    """A function for each operation and type, compiled."""
    text = []
    for dtype in TYPES:
        one = f"tensor<?x{dtype}>"
        for name in options.names:
            two = name in BINARY
            text.append(f"func.func @{name}_{dtype}(%a: {one}{f', %b: {one}' if two else ''}) -> {one} {{\n"
                        f"  %0 = prim.{name} %a{', %b' if two else ''} : {one}\n  return %0 : {one}\n}}\n")
    source, package = os.path.join(options.folder, "functions.mlir"), os.path.join(options.folder, "functions.kiln")
    with open(source, "w", encoding="utf-8") as file:
        file.write("".join(text))
    subprocess.run(["kiln-compile", source, f"--target={options.target}", "-o", package], check=True)
    return kiln.load(package)


def bytes_of(tensor):
    about = tensor.__array_interface__
    size = int(about["typestr"][2:])
    for n in about["shape"]:
        size *= n
    return ctypes.string_at(about["data"][0], size)


def measure(run, name, dtype, operands, options):
    """(worst, against f32's units, the same with units of 1, where)"""
    count = len(operands[0])
    given = [packed(dtype, bits) for bits in operands]
    made = run[f"{name}_{dtype}"](*(kiln.Tensor(dtype, (count,), data) for data in given))
    paths = []
    for label, data in (("results", bytes_of(made)), *((f"operand{i}", data) for i, data in enumerate(given))):
        paths.append(os.path.join(options.folder, label))
        with open(paths[-1], "wb") as file:
            file.write(data)
    done = subprocess.run([options.exact, name, dtype, str(count), *paths], stdout=subprocess.PIPE, text=True, check=True)
    fields = done.stdout.split()
    where = f"at {fields[3]}{', ' + fields[4] if name in BINARY else ''}: {fields[5]} for {fields[6]}"
    return float(fields[0]), float(fields[1]), float(fields[2]), int(fields[7]), where


def judged(run, name, dtype, options):
    """(worst error, [what is beyond the bound])"""
    bound, near = {**UNARY, **BINARY}[name]
    parts = [(bound, pairs(name, dtype, options) if name in BINARY else [numbers(dtype, options)])]
    if name in NARROWER and dtype == "f32":
        limit, less = NARROWER[name]
        bits = parts[0][1][0]
        parts = [(less, [[b for b in bits if abs(float_of(b)) <= limit]]), (bound, [[b for b in bits if not abs(float_of(b)) <= limit]])]
    worst, problems = 0.0, []
    for allowed, operands in parts:
        ulps, off, absolute, wrong, where = measure(run, name, dtype, operands, options)
        if ulps > worst:
            worst = ulps
        if wrong:
            problems.append(f"{name} {dtype}: {wrong} results are NaN or infinite, or not, and should not be so: {where}")
        elif min(off, absolute if near else off) > allowed:
            problems.append(f"{name} {dtype}: {absolute if near else off:.1f} units of f32, allowed {allowed}; {ulps:.2f} ulp {where}")
        if options.verbose:
            print(f"{name} {dtype}: {ulps:.2f} ulp, {off:.2f} and {absolute:.2f} of f32 {where}", flush=True)
    return worst, problems


#: A row of the table.
ROW = re.compile(r"^\| `(\w+)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|", re.M)


def check_table(path, found, write):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    said = {row[1]: tuple(map(float, row.groups()[1:])) for row in ROW.finditer(text)}
    rows = [f"| `{name}` | " + " | ".join(f"{found[name, dtype]:.2f}" for dtype in TYPES) + " |"
            for name in dict.fromkeys(name for name, _ in found)]
    if write:
        head, _, rest = text.partition("|---|---|---|---|\n")
        rest = re.sub(r"\A(\|.*\n)*", "", rest)
        with open(path, "w", encoding="utf-8") as file:
            file.write(head + "|---|---|---|---|\n" + "\n".join(rows) + "\n" + rest)
        return []
    problems = [f"{path}: no row for {name}" for name in {name for name, _ in found} - set(said)]
    for (name, dtype), worst in found.items():
        if name in said and worst > said[name][TYPES.index(dtype)] + 0.25:
            problems.append(f"{path}: {name} of {dtype} is {worst:.2f} ulp off, the table says {said[name][TYPES.index(dtype)]}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exact")
    parser.add_argument("folder")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--only", default="")
    parser.add_argument("--table")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.names = [name for name in (*UNARY, *BINARY) if not options.only or name in options.only.split(",")]
    os.makedirs(options.folder, exist_ok=True)
    run = program(options)
    found, problems = {}, []
    for name in options.names:
        for dtype in TYPES:
            found[name, dtype], more = judged(run, name, dtype, options)
            problems += more
    if options.table:
        problems += check_table(options.table, found, options.write)
    for problem in problems:
        print(problem)
    print(f"{len(found)} functions and types, {len(problems)} beyond their bounds")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
