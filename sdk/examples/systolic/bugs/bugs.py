#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts one mistake after the other into the compiler, and sees that kiln-conform finds each, by a case whose message names
the operation. Usage: bugs.py KILN-CONFORM PLUGIN [NAME...]"""
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

# Mistake -> the operation of the cases that are run, and what narrows them down.
BUGS = {
    "missing-wait": ("tile/arith.addf", "f32/flat/"),
    "missing-last-wait": ("tile/arith.mulf", "f32/flat/"),
    "edge-column-is-lost": ("tile/tile.store", "f32/assign/"),
    "padding-is-one": ("tile/tile.load", "f32/zero/"),
    "transfer-one-off": ("tile/tile.load", "f32/zero/"),
    "rows-too-near": ("tile/tile.dot", "f32/loop/"),
    "slot-full-too-early": ("tile/tile.dot", "f32/loop/"),
    "race-of-slots": ("tile/tile.dot", "f32/loop/"),
    "slot-never-freed": ("tile/tile.dot", "f32/loop/"),
    "freed-before-taken": ("tile/tile.dot", "f32/loop/"),
    "transposed-operand": ("tile/tile.dot", "f32/16x16x16"),
    "depth-one-short": ("tile/tile.dot", "bf16->f32/16x16x16"),
    "accumulator-not-cleared": ("tile/tile.dot", "f32/loop/"),
    "rows-of-the-other-matrix": ("tile/tile.dot", "f32/loop/"),
    "fold-takes-a-lane-twice": ("tile/tile.reduce", "f32/addf-"),
    "lanes-too-far-apart": ("tile/math.exp", "f32/flat/"),
    "last-lanes-not-stored": ("tile/tile.transpose", "f32/"),
    "counts-by-two": ("tile/tile.iota", "i32/"),
    "difference-swapped": ("tile/arith.subf", "f32/flat/"),
    "maximum-drops-nan": ("tile/arith.maximumf", "f32/flat/"),
}


def check(conform, plugin, name):
    operation, rest = BUGS[name]
    done = subprocess.run([conform, f"--target=systolic,bug={name}", f"--load-target={plugin}", "--jobs=1",
                           f"--filter=^{re.escape(operation)}/{re.escape(rest)}"], text=True, capture_output=True, check=False)
    word = operation.split("/")[1]
    lines = [line for line in done.stdout.splitlines() if line.startswith("FAILED") and f": {word}: " in line]
    if done.returncode == 1 and lines:
        return True, f"{name}: {lines[0][7:160]}"
    return False, f"{name}: MISSED, status {done.returncode}\n{done.stdout[-500:]}{done.stderr[-500:]}"


def main():
    conform, plugin = sys.argv[1:3]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda name: check(conform, plugin, name), sys.argv[3:] or BUGS))
    for _, text in results:
        print(text)
    found = sum(good for good, _ in results)
    print(f"{found} of {len(results)} mistakes found")
    return 0 if found == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
