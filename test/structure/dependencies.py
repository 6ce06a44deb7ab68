#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that includes only point down the flow, and that vendors stay in
their folders. Usage: dependencies.py SOURCE"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
CODE = (".h", ".cpp", ".c", ".td")
# Words that only a target's own folder may know.
VENDORS = re.compile(
    r"\b(nvidia|cuda|nvvm|ptx|cublas|amdgpu|rocm|rocdl|hip|gfx9\w+|sm_\d+\w*|avx2?|avx512\w*|"
    r"x86vector|amx|neon|sve|intel|skylake|zen\d)\b", re.IGNORECASE)
# The language of a frontend's inline assembly is part of its input.
FRONTEND_WORDS = {"ptx"}
FRONTEND_FILES = ("conversions/TritonToTile/", "include/kiln/Dialect/Tile/ExternOps.td")
# Registers whatever an input may name. The header declares one function and so
# costs no build time.
READERS = {"lib/Driver/Registration.cpp"}
# Folder -> folders (or headers, from include/) that it may not include.
LAYERS = [
    ("lib/Runtime", r"^(mlir|llvm|mlir-c|llvm-c)/|kiln/(Dialect|Target|Eval|Vector|Driver|Schedule|Analysis|Conversion)/"),
    ("include/kiln/Runtime", r"^(mlir|llvm|mlir-c|llvm-c)/|kiln/(?!Runtime/)"),
    ("include/kiln-c", r"^(mlir|llvm|mlir-c|llvm-c)/|^kiln/"),
    ("tools/kiln-run", r"^(mlir|llvm|mlir-c|llvm-c)/|kiln/(?!Runtime/)"),
    ("dialects", r"kiln/(Conversion|Driver|Schedule|Vector|Gpu|Staging)/|conversions/|targets/"),
    ("include/kiln/Dialect", r"kiln/(Conversion|Target|Driver|Schedule|Vector|Eval)/|conversions/|targets/"),
    ("lib/Target", r"kiln/(Dialect|Conversion|Driver|Schedule|Vector|Eval)/|conversions/|targets/"),
    ("include/kiln/Target", r"kiln/(Dialect|Conversion|Driver|Schedule|Vector|Eval)/"),
    ("conversions", r"kiln/Driver/|kiln/Vector/|targets/"),
    ("lib", r"targets/"),
    ("include", r"targets/|conversions/|dialects/"),
]


def files(root, folder):
    for path, folders, names in os.walk(os.path.join(root, folder)):
        folders[:] = [f for f in folders if not f.startswith("build")]
        for name in names:
            if name.endswith(CODE):
                yield os.path.relpath(os.path.join(path, name), root)


def main() -> int:
    root = sys.argv[1]
    problems, count = [], 0
    roots = ("include", "lib", "dialects", "conversions", "targets", "tools", "sdk")
    for name in sorted(f for folder in roots for f in files(root, folder)):
        count += 1
        with open(os.path.join(root, name), encoding="utf-8") as file:
            lines = file.read().splitlines()
        target = name.split("/")[1] if name.startswith("targets/") else None
        for number, line in enumerate(lines, 1):
            where = f"{name}:{number}"
            match = INCLUDE.match(line)
            if match:
                header = match.group(1)
                for folder, forbidden in LAYERS:
                    if name.startswith(folder + "/") and re.search(forbidden, header):
                        problems.append(f"{where}: {folder} must not include {header}")
                other = re.search(r"targets/(\w+)/", header)
                if target and other and other.group(1) != target:
                    problems.append(f"{where}: a target includes another")
                if "InitAll" in header and not name.startswith("tools/") and name not in READERS:
                    problems.append(f"{where}: only tools and the reader of inputs may include {header}")
                if target and re.search(r"(^|/)\.\./\.\./\.\./|^lib/", header):
                    problems.append(f"{where}: a target includes what is not installed")
            if target is None and not name.startswith(("sdk/examples", "tools/")):
                vendor = VENDORS.search(line)
                if vendor and not (vendor.group(0) in FRONTEND_WORDS
                                   and name.startswith(FRONTEND_FILES)):
                    problems.append(f"{where}: names the vendor's '{vendor.group(0)}'")
    for problem in problems:
        print(problem)
    print(f"{count} files, {len(problems)} problems")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
