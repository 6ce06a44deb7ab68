#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every function of the device libraries on a target and compares it with its meaning.

Usage: extern.py --target=SPEC [--filter=REGEX] [--list] [--worst]
"""
import argparse
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np

from extern_functions import FUNCTIONS, INF, NAN, single
from extern_reals import ROWS

LANES = 128
STORAGE = {"f32": np.float32, "f64": np.float64, "i16": np.int16, "i32": np.int32, "i64": np.int64}


def pool(kind, generator):
    """Numbers of a type: the special ones and some of all sizes."""
    if kind[0] == "i":
        bits = int(kind[1:])
        low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        special = [0, 1, -1, 2, 3, -5, low, low + 1, high, high - 1, 0x7654, -0x7654]
        return special + [generator.randint(low, high) >> generator.randint(0, bits - 1)
                          for _ in range(60)]
    widest, digits = (126, 24) if kind == "f32" else (1022, 53)
    special = [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 3.0, 2.0 ** 31, 2.0 ** 63,
               -2.0 ** 31, -2.0 ** 63, 2.0 ** 32, 2.0 ** 64, 2.0 ** -widest, 2.0 ** widest * 1.75,
               math.ldexp(1.0, -widest - digits + 1), math.ldexp(5.0, -widest - digits + 1)]

    def number(scale):
        mantissa = 1 + generator.getrandbits(digits - 1) / 2.0 ** (digits - 1)
        return generator.choice((-1, 1)) * math.ldexp(mantissa, generator.randint(-scale, scale))
    return special + [number(widest) for _ in range(40)] + [number(3) for _ in range(60)] + \
        [number(40) for _ in range(30)]


def arguments(symbol, generator):
    """One tuple of operands for each lane."""
    if symbol in ROWS:
        rows = ROWS[symbol]
        return [rows[i % len(rows)] for i in range(LANES)]
    operands = FUNCTIONS[symbol][0]
    pools = [pool(kind, generator) for kind in operands]
    if len(operands) == 1:
        generator.shuffle(pools[0])
        return [(pools[0][i % len(pools[0])],) for i in range(LANES)]
    rows = [tuple(generator.choice(numbers) for numbers in pools) for _ in range(LANES)]
    if operands[0][0] == "f" and operands[-1] == operands[0]:
        # Sums that nearly vanish, and products that are close to a number.
        for i in range(0, LANES, 4):
            near = -rows[i][0] if len(operands) == 2 else -(rows[i][0] * rows[i][1])
            near = single(near) if operands[0] == "f32" else near
            rows[i] = rows[i][:-1] + (near,)
    if symbol.endswith(("powif", "powi", "pown_f32", "pown_f64")):
        rows = [(x, n % 41 - 20) for x, n in rows]
    if re.search("ldexp|scalbn", symbol):
        rows = [(x, n if i % 8 == 0 else n % 301 - 150) for i, (x, n) in enumerate(rows)]
    return rows


def kernel(symbols):
    """A kernel that runs functions of one signature, each on a row of its own."""
    operands, result = FUNCTIONS[symbols[0]][:2]

    def tile(kind):
        return f"tensor<{LANES}x{kind}>"
    kinds = operands + [result]
    lines = ["tt.func public @all(" +
             ", ".join(f"%p{k}: !tt.ptr<{kind}>" for k, kind in enumerate(kinds)) + ") {",
             f"  %i = tt.make_range {{end = {LANES} : i32, start = 0 : i32}} : {tile('i32')}"]
    for k, kind in enumerate(kinds):
        lines.append(f"  %s{k} = tt.splat %p{k} : !tt.ptr<{kind}> -> {tile(f'!tt.ptr<{kind}>')}")
    for row, symbol in enumerate(symbols):
        lines.append(f"  %o{row} = arith.constant dense<{row * LANES}> : {tile('i32')}")
        lines.append(f"  %j{row} = arith.addi %i, %o{row} : {tile('i32')}")
        for k, kind in enumerate(kinds):
            pointers = tile(f"!tt.ptr<{kind}>")
            lines.append(f"  %a{k}_{row} = tt.addptr %s{k}, %j{row} : {pointers}, {tile('i32')}")
            if k < len(operands):
                lines.append(f"  %x{k}_{row} = tt.load %a{k}_{row} : {pointers}")
        sources = ", ".join(f"%x{k}_{row}" for k in range(len(operands)))
        lines.append(f"  %y{row} = tt.extern_elementwise {sources} {{libname = \"\", libpath = \"\", "
                     f"pure = true, symbol = \"{symbol}\"}} : "
                     f"({', '.join(map(tile, operands))}) -> {tile(result)}")
        lines.append(f"  tt.store %a{len(operands)}_{row}, %y{row} : {tile(f'!tt.ptr<{result}>')}")
    return "\n".join(lines + ["  tt.return", "}", ""])


def ulps(found, expected, kind):
    """How far two numbers are apart."""
    if found == expected or (found != found and expected != expected):
        return 0.0
    if not (math.isfinite(found) and math.isfinite(expected)):
        return INF
    largest = max(abs(expected), 2.0 ** (-126 if kind == "f32" else -1022))
    unit = math.ldexp(1.0, math.frexp(largest)[1] - (24 if kind == "f32" else 53))
    return abs(found - expected) / unit


def identical(found, expected):
    if found != found or expected != expected:
        return found != found and expected != expected
    return found == expected and math.copysign(1, found) == math.copysign(1, expected)


def run(symbols, target, seed):
    """Runs functions of one signature; the arguments and results of each."""
    operands, result = FUNCTIONS[symbols[0]][:2]
    generator = random.Random(seed)
    rows = [arguments(symbol, generator) for symbol in symbols]
    with tempfile.TemporaryDirectory() as scratch:
        source = os.path.join(scratch, "all.ttir")
        with open(source, "w", encoding="utf-8") as file:
            file.write(kernel(symbols))
        command = ["kiln-run", source, "--target=" + target, "--grid=1"]
        for k, kind in enumerate(operands):
            values = [row[k] for part in rows for row in part]
            name = os.path.join(scratch, f"{k}.npy")
            np.save(name, np.array(values, dtype=STORAGE[kind]))
            command.append("--arg=" + name)
        saved = os.path.join(scratch, "out.npy")
        command += [f"--arg=zeros:{result}:{len(symbols) * LANES}",
                    f"--save={len(operands)}:{saved}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print((done.stderr + done.stdout)[-3000:])
            return None
        out = np.load(saved).reshape(len(symbols), LANES)
    return [(symbol, part, [value.item() for value in line])
            for symbol, part, line in zip(symbols, rows, out)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--filter", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--worst", action="store_true", help="print the largest errors")
    options = parser.parse_args()
    groups = {}
    for symbol, (operands, result, _, _) in FUNCTIONS.items():
        if re.search(options.filter, symbol):
            groups.setdefault((tuple(operands), result), []).append(symbol)
    if options.list:
        print("\n".join(symbol for group in groups.values() for symbol in group))
        return 0
    wrong, count = 0, 0
    for symbols in groups.values():
        for begin in range(0, len(symbols), 24):
            done = run(symbols[begin:begin + 24], options.target, options.seed)
            if done is None:
                wrong += 1
                continue
            for symbol, rows, results in done:
                count += 1
                _, kind, function, tolerance = FUNCTIONS[symbol]
                worst = (0.0, None)
                for row, found in zip(rows, results):
                    expected = function(*row)
                    exact = tolerance == 0
                    error = ulps(found, expected, kind) if not exact else \
                        0.0 if identical(found, expected) else INF
                    if error > worst[0] or (error == INF and worst[1] is None):
                        worst = (error, (row, found, expected))
                if worst[0] > tolerance:
                    wrong += 1
                    row, found, expected = worst[1]
                    print(f"{symbol}{row}: {found!r}, expected {expected!r} "
                          f"(off by {worst[0]:.3g} ulp, allowed {tolerance})")
                elif options.worst:
                    print(f"{symbol}: {worst[0]:.3g}")
    print(f"{options.target}: {count} functions, {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
