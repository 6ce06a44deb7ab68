#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that includes only point down the flow and form no cycle between
folders, that vendors stay in their folders, and that every source says its
licence. Usage: dependencies.py SOURCE"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
CODE = (".h", ".cpp", ".c", ".td")
# Words that only a target's own folder may know.
VENDORS = re.compile(
    r"\b(nvidia|cuda|nvvm|nvptx|ptx|cubin|cublas|amd|amdgpu|amdgcn|rocm|rocdl|hip|gfx9\w+|sm_\d+\w*|avx2?|avx512\w*|"
    r"x86vector|amx|neon|sve|intel|skylake|zen\d)\b", re.IGNORECASE)
# The language of a frontend's inline assembly is part of its input.
FRONTEND_WORDS = {"ptx"}
FRONTEND_FILES = ("conversions/TritonToTile/", "include/kiln/Dialect/Tile/ExternOps.td")
# Registers whatever an input may name. The header declares one function and so
# costs no build time.
READERS = {"lib/Frontend/UpstreamDialects.cpp"}
# Folder -> folders (or headers, from include/) that it may not include.
LAYERS = [
    ("lib/Runtime", r"^(mlir|llvm|mlir-c|llvm-c)/|kiln/(Dialect|Target|Eval|Cpu|Driver|Schedule|Analysis|Conversion|Transforms|Index|Interfaces)/"),
    ("include/kiln/Runtime", r"^(mlir|llvm|mlir-c|llvm-c)/|kiln/(?!Runtime/)"),
    ("lib/Frontend", r"kiln/(?!Frontend/|Runtime/)|conversions/|dialects/|targets/"),
    ("include/kiln/Frontend", r"kiln/(?!Frontend/)"),
    # Frontends are registered: the driver knows none of them.
    ("lib/Driver", r"kiln/(Conversion/(?!Register)|Dialect/(Triton|Stablehlo|Chlo|Vhlo|Sdy|TmTensor|Torch)/)|mlir/Dialect/(Tosa|Linalg)/"),
    ("lib/Index", r"kiln/(?!Index/)"),
    ("include/kiln/Index", r"kiln/(?!Index/)"),
    ("lib/Layout", r"^mlir/|kiln/(?!Layout/)"),
    ("include/kiln/Layout", r"^mlir/|kiln/(?!Layout/)"),
    ("include/kiln-c", r"^(mlir|llvm|mlir-c|llvm-c)/|^kiln/"),
    ("tools/kiln-run", r"^(mlir|llvm|mlir-c|llvm-c)/|kiln/(?!Runtime/)"),
    ("dialects", r"kiln/(Conversion|Driver|Schedule|Cpu|Gpu|Staging|Transforms|Analysis)/|conversions/|targets/"),
    ("lib/Interfaces", r"kiln/(?!Interfaces/)|conversions/|dialects/|targets/"),
    ("include/kiln/Interfaces", r"kiln/(?!Interfaces/)"),
    ("include/kiln/Dialect", r"kiln/(Conversion|Target|Driver|Schedule|Eval)/|conversions/|targets/"),
    ("lib/Staging", r"kiln/(Conversion|Driver|Schedule|Eval)/|conversions/|targets/"),
    ("lib/Target", r"kiln/(Dialect|Conversion|Driver|Schedule|Eval)/|conversions/|targets/"),
    ("include/kiln/Target", r"kiln/(Dialect|Conversion|Driver|Schedule|Eval)/"),
    # What every family shares knows none of them.
    *((root + room, r"kiln/(Cpu|Gpu)/") for root in ("lib/", "include/kiln/")
      for room in ("Analysis", "Dialect", "Layout", "Math", "Schedule", "Staging", "Target", "Tiling", "Transforms")),
    # Families know each other as little as they know their targets.
    ("lib/Gpu", r"kiln/(Conversion|Cpu|Driver|Schedule|Frontend)/|kiln/Runtime/(?!DType.h)|conversions/|dialects/|targets/|mlir/Dialect/[A-Z]+GPU/"),
    ("include/kiln/Gpu", r"kiln/(Conversion|Cpu|Driver|Schedule|Frontend|Runtime)/"),
    ("lib/Cpu", r"kiln/Gpu/"),
    ("conversions", r"kiln/Driver/|kiln/(Cpu|Gpu)/|targets/"),
    ("lib", r"targets/"),
    ("include", r"targets/|conversions/|dialects/"),
]


LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
SOURCES = CODE + (".py", ".sh", ".cmake", ".in", "CMakeLists.txt")


def room(name):
    """The part of the tree that a file belongs to: headers with what
    implements them."""
    parts = name.split("/")
    if name.startswith("include/kiln/Dialect/") and len(parts) > 4:
        return "dialects/" + parts[3].lower()
    if name.startswith(("include/kiln/Conversion/", "conversions/")):
        return "conversions"
    if name.startswith("include/kiln/Transforms/") and len(parts) > 4:
        return "lib/Transforms/" + parts[3]
    if name.startswith("lib/Transforms/"):
        return "/".join(parts[:3])
    if name.startswith("include/kiln/") and len(parts) > 3:
        return "lib/" + parts[2]
    if name.startswith(("lib/", "dialects/")):
        return "/".join(parts[:2])
    return None


def cycles(edges):
    """Each cycle of rooms, as one line that names a file for every step."""
    found, state, path = [], {}, []

    def visit(node):
        state[node] = 1
        path.append(node)
        for other in sorted(edges.get(node, ())):
            if state.get(other) == 1:
                ring = path[path.index(other):] + [other]
                steps = [f"{a} -> {b} ({edges[a][b]})" for a, b in zip(ring, ring[1:])]
                found.append("folders include each other: " + ", ".join(steps))
            elif other not in state:
                visit(other)
        path.pop()
        state[node] = 2

    for node in sorted(edges):
        if node not in state:
            visit(node)
    return found


def unlicensed(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith((".git", "build", "install", "Output"))]
        for name in names:
            if name.endswith(SOURCES) or name == "Makefile":
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    if LICENCE not in file.read(400):
                        yield os.path.relpath(path, root)


def files(root, folder):
    for path, folders, names in os.walk(os.path.join(root, folder)):
        folders[:] = [f for f in folders if not f.startswith("build")]
        for name in names:
            if name.endswith(CODE):
                yield os.path.relpath(os.path.join(path, name), root)


def main() -> int:
    root = sys.argv[1]
    problems, count = [], 0
    edges = {}
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
                here = room(name)
                there = room("include/" + header) if header.startswith("kiln/") else None
                if here and there and here != there:
                    edges.setdefault(here, {}).setdefault(there, f"{where} includes {header}")
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
    problems += cycles(edges)
    problems += [f"{name}:1: expected the line '{LICENCE}'" for name in unlicensed(root)]
    for problem in problems:
        print(problem)
    print(f"{count} files, {len(problems)} problems")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
