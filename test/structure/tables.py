#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every operation of Triton's dialect is in the table that says how tile expresses it, and that pages give the constants
that they name, `kName` (N), the values that the headers give them. Usage: tables.py SOURCE"""
import glob
import os
import re
import sys

source = sys.argv[1]
with open(os.path.join(source, "docs/tile-and-others.md"), encoding="utf-8") as file:
    table = file.read().split("## CUDA Tile IR")[0]
missing = []
for path in sorted(glob.glob(os.path.join(source, "include/kiln/Dialect/Triton/*.td"))):
    with open(path, encoding="utf-8") as file:
        for name in re.findall(r"^def \w+\s*: TT_(?:Cast)?Op<\"([\w.]+)\"", file.read(), re.MULTILINE):
            if f"`{name}`" not in table:
                missing.append(name)
for name in missing:
    print(f"docs/tile-and-others.md: expected a row for tt.{name}")

values, other, named = {}, [], 0
for path in sorted(glob.glob(os.path.join(source, "include/kiln/**/*.h"), recursive=True)):
    with open(path, encoding="utf-8") as file:
        values.update(re.findall(r"\bconstexpr \w+ (k\w+) = (\d+);", file.read()))
for path in sorted(glob.glob(os.path.join(source, "docs/*.md"))):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            for name, value in re.findall(r"`(k[A-Z]\w+)` \((\d+)\)", line):
                named += 1
                if values.get(name) != value:
                    other.append(f"{os.path.relpath(path, source)}:{number}: expected {name} to be {values.get(name)}, found {value}")
print(*other, sep="\n", end="\n" if other else "")
print(f"{len(missing)} missing, {named} constants, {len(other)} other values")
sys.exit(1 if missing or other else 0)
