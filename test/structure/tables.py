#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every operation of Triton's dialect is in the table that says how tile expresses it.
Usage: tables.py SOURCE"""
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
print(f"{len(missing)} missing")
sys.exit(1 if missing else 0)
