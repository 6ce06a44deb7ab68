#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of Inputs on `reference` with several seeds, and compares them bit by bit with the same kernels at
the tile level. Operands of products are small integers, whose sums are exact. Usage: modules.py INPUTS EXAMPLES SCRATCH"""
import filecmp
import os
import subprocess
import sys

import numpy

inputs, examples, scratch = sys.argv[1:4]
SEEDS = (0, 1)
count = 0


def bf16(values):
    return (numpy.asarray(values, numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)


def run(kernel, seed, grid, args, result):
    path = os.path.join(scratch, f"out-{seed}.npy")
    command = ["kiln-run", kernel, f"--target=reference,seed={seed}", "--grid=" + ",".join(map(str, grid))]
    command += [f"--arg={arg}" for arg in args] + [f"--save={result}:{path}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return path


def same(tile, staged, args, grid, stagedGrid, rounds=False):
    """Both kernels write their last argument. `rounds`: sums may be in another order."""
    global count
    expected = os.path.join(scratch, "expected.npy")
    os.replace(run(tile, 0, grid, args, len(args) - 1), expected)
    for seed in SEEDS:
        found = run(staged, seed, stagedGrid, args, len(args) - 1)
        if rounds:
            equal = numpy.allclose(numpy.load(expected), numpy.load(found), rtol=1e-6, atol=0)
        else:
            equal = filecmp.cmp(expected, found, shallow=False)
        if not equal:
            sys.exit(f"{staged} differs from {tile} with seed {seed}, arguments {args}")
        count += 1


def blocks(size, block):
    return -(-size // block)


STEPS = "-stage-make-rings=depth={depth} -stage-schedule -stage-pipeline -verify-stage-form -stage-allocate=align=64"


def pipelined(kernel, depth):
    """The kernel through the passes that give it rings, with places."""
    path = os.path.join(scratch, f"{kernel}-{depth}.mlir")
    subprocess.run(["kiln-opt", f"{inputs}/{kernel}.mlir", *STEPS.format(depth=depth).split(), "-o", path], check=True)
    return path


for m, k, n in ((128, 128, 256), (100, 77, 150), (33, 129, 65), (1, 1, 1)):
    random = numpy.random.default_rng(m + k + n)
    for name, shape in (("a", (m, k)), ("b", (k, n))):
        numpy.save(os.path.join(scratch, name + ".npy"), bf16(random.integers(-4, 5, shape)))
    args = [os.path.join(scratch, "a.npy"), os.path.join(scratch, "b.npy"), f"zeros:bf16:{m}x{n}"]
    for tile, staged, rows, columns in (("product-panels-tile", "product-panels", 64, 128),
                                        ("product-tile", "product-scratchpad", 64, 64),
                                        ("product-tile", "product-ahead", 128, 256),
                                        ("product-tile", "product-held", 128, 256),
                                        ("product-tile", "scratchpad-simple", 64, 64)):
        tileBlocks = (64, 128) if tile.startswith("product-panels") else (128, 256)
        same(f"{inputs}/{tile}.mlir", f"{inputs}/{staged}.mlir", args,
             (blocks(m, tileBlocks[0]), blocks(n, tileBlocks[1])), (blocks(m, rows), blocks(n, columns)))
    for depth in (1, 2, 4):
        same(f"{inputs}/product-tile.mlir", pipelined("scratchpad-simple", depth), args,
             (blocks(m, 128), blocks(n, 256)), (blocks(m, 64), blocks(n, 64)))
for rows, columns in ((3, 4096), (2, 1001), (1, 1)):
    args = [f"random:1:f32:{rows}x{columns}", f"zeros:f32:{rows}x{columns}"]
    same(f"{examples}/fused_softmax.mlir", f"{inputs}/softmax.mlir", args, (rows,), (rows,),
         rounds=columns < 4096)
print(f"{count} runs, all the same")
