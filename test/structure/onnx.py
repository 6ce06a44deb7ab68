#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the page on ONNX names the operators that are read, and no others. Usage: onnx.py SOURCE"""
import glob
import os
import re
import sys

from report import close

source = sys.argv[1]
with open(os.path.join(source, "docs/onnx.md"), encoding="utf-8") as file:
    table = file.read().split("## Operators")[1].split("\nAn operator")[0]
named = set(re.findall(r"`(\w+)`", table))
read = set()
for path in glob.glob(os.path.join(source, "conversions/OnnxToPrim/*.cpp")):
    with open(path, encoding="utf-8") as file:
        read.update(re.findall(r"rules\.add\(\s*\"(?:(?:com\.microsoft|ai\.onnx\.ml)\.)?(\w+)\",", file.read()))
problems = [f"docs/onnx.md: expected {name} in the table" for name in sorted(read - named)]
problems += [f"docs/onnx.md: {name} is in the table, but not read" for name in sorted(named - read)]
sys.exit(close(problems, f"{len(read)} operators"))
