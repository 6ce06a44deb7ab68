#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every operation of Kiln's dialects has a test at its own level that it passes: the operation stands in a file
of test/DIALECT, outside of comments. Operations of tile also have one that they are refused in, behind an expected error in
one of test/tile/*-invalid.mlir. Usage: tested.py SOURCE"""
import glob
import os
import re
import sys

source = sys.argv[1]


def operations(dialect):
    """The mnemonics that definitions of a dialect have."""
    found = []
    for path in sorted(glob.glob(f"{source}/include/kiln/Dialect/{dialect.capitalize()}/*Ops.td")):
        with open(path, encoding="utf-8") as file:
            found += re.findall(rf'^def \w+\s*:\s*{dialect.capitalize()}_\w+<"([\w.]+)"', file.read(), re.MULTILINE)
    return found


def tests(dialect):
    """Operations that pass in the tests of a dialect, and those at an expected error."""
    passed, refused = set(), set()
    for path in glob.glob(f"{source}/test/{dialect}/*.mlir"):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if not os.path.basename(path).endswith("-invalid.mlir"):
            passed |= set(re.findall(rf"\b{dialect}\.(\w+)", re.sub(r"^\s*//.*", "", text, flags=re.MULTILINE)))
            continue
        lines = text.splitlines()
        for number, line in enumerate(lines):
            # The line that an error is expected at, and those that the operation goes on to.
            found = re.search(r"expected-error ?@([+-]\d+)|CHECK: \[\[#@LINE([+-]\d+)\]\]", line)
            if found:
                at = number + int(found.group(1) or found.group(2))
                refused |= set(re.findall(rf"\b{dialect}\.(\w+)", lines[at]))
    return passed, refused


missing, count = [], 0
for dialect in ("prim", "tile", "stage", "simt", "program"):
    mnemonics = operations(dialect)
    passed, refused = tests(dialect)
    count += len(mnemonics)
    missing += [f"{dialect}.{name}: expected a test in test/{dialect}" for name in mnemonics if name not in passed]
    if dialect == "tile":
        missing += [f"tile.{name}: expected an error in test/tile/*-invalid.mlir" for name in mnemonics if name not in refused]
for line in missing:
    print(line)
print(f"{count} operations, {len(missing)} tests missing")
sys.exit(1 if missing or count < 200 else 0)
