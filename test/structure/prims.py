#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks docs/prims.md: every operation that it names is there, every link within the page leads to a section, and the
compositions parse. With $KILN_SHARED, that it has a row for each name of the reference list.
Usage: prims.py SOURCE"""
import glob
import os
import re
import subprocess
import sys

from report import close

source = sys.argv[1]
with open(f"{source}/docs/prims.md", encoding="utf-8") as file:
    page = file.read()
known = set()
for path in glob.glob(f"{source}/include/kiln/Dialect/Prim/*Ops.td"):
    with open(path, encoding="utf-8") as file:
        known |= set(re.findall(r"^def Prim_\w+[^\"]*\"(\w+)\"", file.read(), re.MULTILINE))

problems = [f"prim.{name}: expected an operation of that name"
            for name in sorted(set(re.findall(r"prim\.(\w+)", page)) - known)]
sections = {title.lower().replace(" ", "-") for title in re.findall(r"^## (.*)$", page, re.MULTILINE)}
problems += [f"#{link}: expected a section" for link in re.findall(r"\]\(#([\w-]+)\)", page) if link not in sections]
rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", page, re.MULTILINE)
problems += [f"{name}: expected one row" for name in {n for n, _ in rows if [m for m, _ in rows].count(n) > 1}]

blocks = re.findall(r"```mlir\n(.*?)```", page, re.DOTALL)
for block in blocks:
    run = subprocess.run(["kiln-opt", "-"], input=block, capture_output=True, text=True)
    if run.returncode:
        problems.append(f"{block.splitlines()[0]}: {run.stderr.splitlines()[0]}")

listed = os.path.join(os.environ.get("KILN_SHARED", ""), "reference", "prims.md")
if os.path.exists(listed):
    with open(listed, encoding="utf-8") as file:
        union = re.findall(r"`(\w+)`", file.read().split("## Union of prims and core base names")[1])
    missing = set(union) - {name for name, _ in rows}
    problems += [f"{name}: expected a row" for name in sorted(missing)]
else:
    print("skipped: without $KILN_SHARED the reference list is not compared")
sys.exit(close([f"docs/prims.md: {problem}" for problem in problems], f"{len(rows)} names, {len(blocks)} compositions",
               len(rows) >= 200 and blocks))
