#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the examples of docs/documentation.md that lead from an operation to its definition, meaning, lowering and test: each
cell names one file, which is there and has the name that the cell says. So four files are enough. Usage: steps.py SOURCE"""
import os
import re
import sys

from report import close

source = sys.argv[1]
with open(os.path.join(source, "docs/documentation.md"), encoding="utf-8") as file:
    table = re.search(r"^\| operation \| definition \|.*\n\|---.*\n((?:\|.*\n)+)", file.read(), re.MULTILINE)
problems, rows = [], table.group(1).splitlines() if table else []
for row in rows:
    operation, *cells = [cell.strip() for cell in row.strip("|").split(" | ")]
    if len(cells) != 4:
        problems.append(f"{operation}: expected 4 files, found {len(cells)}")
    for cell in cells:
        match = re.fullmatch(r"`([^`]+)` in `([^`]+)`", cell.strip(" |"))
        if not match:
            problems.append(f"{operation}: expected '`NAME` in `FILE`', found {cell}")
            continue
        path = os.path.join(source, match.group(2))
        if not os.path.exists(path):
            problems.append(f"{operation}: {match.group(2)} is not there")
            continue
        with open(path, encoding="utf-8") as file:
            if not re.search(rf"(?<!\w){re.escape(match.group(1))}(?!\w)", file.read()):
                problems.append(f"{operation}: expected {match.group(1)} in {match.group(2)}")
sys.exit(close(problems, f"{len(rows)} operations", len(rows) >= 4))
