#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every operation of tile has a test at its own level that it passes, and one that it is refused in:
the operation stands in a file of test/tile, and behind an expected error in one of test/tile/*-invalid.mlir.
Usage: tested.py SOURCE"""
import glob
import os
import re
import sys

source = sys.argv[1]
mnemonics = []
for path in sorted(glob.glob(f"{source}/include/kiln/Dialect/Tile/*Ops.td")):
    with open(path, encoding="utf-8") as file:
        mnemonics += re.findall(r'^def Tile_\w+Op\s*:\s*Tile_\w+<"(\w+)"', file.read(), re.MULTILINE)

passed, refused = set(), set()
for path in glob.glob(f"{source}/test/tile/*.mlir"):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not os.path.basename(path).endswith("-invalid.mlir"):
        passed |= set(re.findall(r"\btile\.(\w+)", re.sub(r"^\s*//.*", "", text, flags=re.MULTILINE)))
        continue
    lines = text.splitlines()
    for number, line in enumerate(lines):
        # The line that an error is expected at, and those that the operation goes on to.
        found = re.search(r"expected-error@([+-]\d+)|CHECK: \[\[#@LINE([+-]\d+)\]\]", line)
        if found:
            at = number + int(found.group(1) or found.group(2))
            refused |= set(re.findall(r"\btile\.(\w+)", lines[at]))

missing = [f"tile.{name}: expected a test in test/tile" for name in mnemonics if name not in passed]
missing += [f"tile.{name}: expected an error in test/tile/*-invalid.mlir" for name in mnemonics if name not in refused]
for line in missing:
    print(line)
print(f"{len(mnemonics)} operations, {len(missing)} tests missing")
sys.exit(1 if missing or len(mnemonics) < 20 else 0)
