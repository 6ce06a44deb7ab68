#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the generated reference has every operation of Kiln's dialects and every pass that
they declare, and its index every page. Usage: reference.py BUILD REFERENCE"""
import os
import re
import sys

from report import close

build, reference = sys.argv[1:3]
operations, passes = set(), set()
for path, _, names in os.walk(os.path.join(build, "include", "kiln")):
    for name in names:
        if name.endswith(".h.inc"):
            with open(os.path.join(path, name), encoding="utf-8") as file:
                text = file.read()
            operations |= set(re.findall(r'getOperationName\(\) \{\s*return ::llvm::StringLiteral\("([\w.]+)"\)', text))
            passes |= set(re.findall(r'getArgumentName\(\) \{\s*return ::llvm::StringLiteral\("([\w-]+)"\)', text))
pages = {}
for name in os.listdir(reference):
    with open(os.path.join(reference, name), encoding="utf-8") as file:
        pages[name] = file.read()
index = pages.pop("index.md")
titles = set(re.findall(r"^###+ `([\w.-]+)`", "\n".join(pages.values()), re.MULTILINE))
titles |= set(re.findall(r"^###+ `-([\w-]+)`", "\n".join(pages.values()), re.MULTILINE))
problems = [f"no page has {name}" for name in sorted((operations | passes) - titles)]
problems += [f"the index lacks {name}" for name in sorted(pages) if f"({name})" not in index]
sys.exit(close(problems, f"{len(operations)} operations, {len(passes)} passes", len(operations) >= 100 and passes))
