#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeds bugs into the kernels of Inputs, and expects `reference` to find each with every order of events: an error at the
operation at fault. Usage: bugs.py INPUTS SCRATCH"""
import os
import re
import subprocess
import sys

inputs, scratch = sys.argv[1:3]
SEEDS = range(5)
PRODUCT = ["random:1:bf16:100x77", "random:2:bf16:77x90", "zeros:bf16:100x90"]
X = os.path.join(scratch, "x.npy")

# name, kernel, what becomes what, arguments, the message, text of the line where it stands
BUGS = [
    ("dropped wait", "product-scratchpad", [("  stage.wait %d\n", "")], PRODUCT,
     "is not waited for before the instance ends", "stage.copy async %out"),
    ("a consume too many", "product-ahead",
     [("%d = stage.wait %f : !stage.future<!F> keep %x, %y : !X, !Y",
       "%w, %v = stage.consume %ring : !R\n    %d = stage.wait %f : !stage.future<!F>")], PRODUCT,
     "deadlock: waits for a full slot of the ring", "stage.consume"),
    ("commit without one token", "product-scratchpad", [("stage.commit %t, %u", "stage.commit %t")], PRODUCT,
     "commits a slot without a token of an operation that fills it", "stage.commit"),
    ("release before the product's wait", "product-ahead",
     [("    stage.release %ring : !R\n", ""), ("    %d = stage.wait", "    stage.release %ring : !R\n    %d = stage.wait")],
     PRODUCT, "releases a slot that an operation in flight still reads", "stage.release"),
    ("a slot that is not held", "product-held", [("held = 1 : i64, ", "")], PRODUCT,
     "releases a slot that an operation in flight still reads", "stage.release"),
    ("a count that leaves a matmul in flight", "product-held", [("%d = stage.wait %f", "%d = stage.wait but 1 %f")], PRODUCT,
     "leaves a matmul in flight that it waits for: 0 began later, and the wait is for all but 1", "%d = stage.wait"),
    ("a slot that is released while a chained product reads it", "product-chained", [("held = 1 : i64, ", "")], PRODUCT,
     "releases a slot that an operation in flight still reads", "stage.release"),
    ("a chained product that is not waited for", "product-chained", [("  %acc = stage.wait %last", "  %acc = stage.wait %f0")], PRODUCT,
     "waits for a future that was waited for before", "%acc = stage.wait"),
    ("a release too few for a held slot", "product-held", [("    stage.release %ring : !R\n    scf.yield", "    scf.yield")],
     ["random:1:bf16:100x200", "random:2:bf16:200x90", "zeros:bf16:100x90"],
     "deadlock: waits for an empty slot of the ring", "stage.produce"),
    ("ring too shallow", "product-scratchpad", [("ring<2 x", "ring<1 x")], PRODUCT,
     "deadlock: waits for an empty slot of the ring", "stage.produce"),
    ("missing last consume", "product-scratchpad", [("%end = arith.addi %n, %c1", "%end = arith.addi %n, %c0")], PRODUCT,
     "fills a slot that is not consumed before the instance ends", "stage.produce"),
    ("two live buffers at one offset", "product-scratchpad", [("offset = 16384", "offset = 0")], PRODUCT,
     "read of overwritten storage", "stage.product"),
    ("recomputation across an aliasing store", "softmax",
     [("stage.decided = #stage.clone<0, first>} : !V -> !E\n",
       "stage.decided = #stage.clone<0, first>} : !V -> !E\n    %e = math.exp %t : !E\n    tile.store %e, %y[%row, %c0] : !E, !V\n")],
     [X, X], "recomputes a value whose memory has changed", "stage.decided"),
    ("in-place region reading transposed", "transpose",
     [("%b = arith.addf %a, %a :", "%b = tile.transpose %a [1, 0] : tensor<16x16xf32> ->")],
     ["random:1", "zeros"], "the region reads and writes one place at different points of its box",
     "stage.write %b"),
    ("`safe` one too large", "softmax",
     [("%kept = stage", "%c1 = arith.constant 1 : index\n  %m1 = arith.addi %n, %c1 : index\n  %kept = stage"),
      ("to [%n] safe [%n] -> f32 {\n    %t = tile.load %x[%row, %c0] {stage.decided",
       "to [%m1] safe [%m1] -> f32 {\n    %t = tile.load %x[%row, %c0] {stage.decided")],
     ["random:1:f32:3x1000", "zeros:f32:3x1000"], "out-of-bounds access inside of 'safe'", "stage.decided"),
    ("odd padding unwritten", "product-panels", [("to [%k2, %c32]", "to [%K, %c32]")], PRODUCT,
     "read of unwritten storage", "stage.product"),
    ("overwritten while it is read", "product-scratchpad",
     [("  stage.wait %d\n", "  stage.compute [64, 64] {\n    %o = arith.constant dense<0.0> : tensor<64x64xbf16>\n"
                            "    stage.write %o, %out : tensor<64x64xbf16>, !S\n  }\n  stage.wait %d\n")], PRODUCT,
     "write to storage that is still read", "stage.write %o, %out : tensor<64x64xbf16>, !S"),
    ("memory overwritten while it is copied", "product-scratchpad",
     [("  stage.wait %d\n", "  stage.copy %out to %c[%i, %j] : !S, !V\n  stage.wait %d\n")], PRODUCT,
     "write to memory that a copy in flight writes", "stage.copy %out"),
]

found = 0
import numpy  # noqa: E402
numpy.save(X, numpy.random.default_rng(1).random((3, 1000), numpy.float32))
for name, kernel, changes, args, message, place in BUGS:
    with open(os.path.join(inputs, kernel + ".mlir"), encoding="utf-8") as file:
        text = file.read()
    for old, new in changes:
        if old not in text:
            sys.exit(f"{name}: the kernel has no '{old}'")
        text = text.replace(old, new, 1)
    path = os.path.join(scratch, "bug.mlir")
    package = os.path.join(scratch, "bug.kpkg")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run(["kiln-compile", path, "--target=reference", "-o", package], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr}")
    lines = text.splitlines()
    for seed in SEEDS:
        done = subprocess.run(["kiln-run", package, f"--target=reference,seed={seed}", "--grid=1"] +
                              [f"--arg={arg}" for arg in args], capture_output=True, text=True, check=False)
        where = re.search(r"bug\.mlir:(\d+):\d+: (.*)", done.stderr)
        if done.returncode != 1 or not where or message not in where.group(2):
            sys.exit(f"{name}, seed {seed}: expected '{message}', found: {done.stderr or 'success'}")
        if place not in lines[int(where.group(1)) - 1]:
            sys.exit(f"{name}, seed {seed}: expected the error at '{place}', found: {done.stderr}")
    found += 1
print(f"{found} bugs found with each of {len(SEEDS)} seeds")
