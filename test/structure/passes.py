#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every pass has a test whose commands name it, and that slow.txt lists tests that exist.
Usage: passes.py SOURCE"""
import glob
import os
import re
import sys

from report import close

source = sys.argv[1]


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


passes = {}
for folder in ("include", "targets"):
    for td in glob.glob(f"{source}/{folder}/**/*.td", recursive=True):
        for name in re.findall(r'^def \w+\s*:\s*\w*Pass\w*<"([\w-]+)"', read(td), re.MULTILINE):
            passes[name] = os.path.relpath(td, source)

# Passes that C++ alone defines.
for folder in ("lib", "targets", "conversions"):
    for path in glob.glob(f"{source}/{folder}/**/*.cpp", recursive=True):
        for name in re.findall(r'getArgument\(\)\s*const\s*(?:final|override)\s*\{\s*return\s*"([\w-]+)"', read(path)):
            passes[name] = os.path.relpath(path, source)

named = set()
for path in glob.glob(f"{source}/test/**/*", recursive=True):
    if path.endswith((".mlir", ".test")):
        for line in read(path).splitlines():
            if "RUN:" in line:
                named |= {word.lstrip("-") for word in re.findall(r"[\w-]+", line)}

problems = [f"{td}: expected a test whose RUN lines name the pass {name}, found none"
            for name, td in sorted(passes.items()) if name not in named]
for number, line in enumerate(read(f"{source}/test/slow.txt").splitlines(), 1):
    if line and not line.startswith("#") and not re.fullmatch(r"\S+( \d+)?", line):
        problems.append(f"test/slow.txt:{number}: expected a test and its seconds, found '{line}'")
    elif line and not line.startswith("#") and not os.path.isfile(f"{source}/test/{line.split()[0]}"):
        problems.append(f"test/slow.txt:{number}: expected a test, found '{line}'")
sys.exit(close(problems, f"{len(passes)} passes", len(passes) >= 50))
