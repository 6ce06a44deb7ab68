#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that includes point to the same layer or to a lower one and form no
cycle between folders, that vendors stay in their folders, and that every source
says its licence. With --layers it prints the layers instead, and what each
folder includes. Usage: dependencies.py SOURCE [--layers]"""
import os
import re
import sys

from report import close

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
CODE = (".h", ".cpp", ".c", ".td")
# Words that only a target's own folder may know.
VENDORS = re.compile(
    r"\b(nvidia|cuda|nvvm|nvptx|ptx|cubin|cublas|amd|amdgpu|amdgcn|rocm|rocdl|hip|gfx9\w+|sm_\d+\w*|avx2?|avx512\w*|"
    r"x86vector|amx|neon|sve|intel|skylake|zen\d)\b", re.IGNORECASE)
# The language of a frontend's inline assembly is part of its input.
FRONTEND_WORDS = {"ptx"}
FRONTEND_FILES = ("conversions/TritonToTile/", "conversions/PtxToTile/", "include/kiln/Conversion/PtxToTile.", "include/kiln/Dialect/Tile/ExternOps.td")
# Registers whatever an input may name. The header declares one function and so
# costs no build time.
READERS = {"lib/Compiler/Frontend/UpstreamDialects.cpp"}
# The layers, from the lowest to the highest, and the folders of each. An include
# points to the same layer or to a lower one.
LAYERS = [
    ("Support", ("lib/Support",)),
    ("Runtime", ("lib/Runtime",)),
    ("Dialects", ("dialects",)),
    ("Compiler", ("lib/Compiler",)),
    ("Conversions", ("conversions",)),
    ("CodeGen", ("lib/CodeGen",)),
    ("Driver", ("lib/Driver",)),
    ("Programs", ("lib/Conform", "lib/Pjrt", "targets", "tools", "sdk")),
]
# Rules beside the order of the layers: folder -> what it may not include.
RULES = [
    ("lib/Runtime", r"^(mlir|llvm|mlir-c|llvm-c)/"),
    ("include/kiln/Runtime", r"^(mlir|llvm|mlir-c|llvm-c)/|kiln/(?!Runtime/|System/)"),
    ("lib/Support/System", r"^(mlir|llvm|mlir-c|llvm-c)/|kiln/(?!System/)"),
    ("include/kiln/System", r"^(mlir|llvm|mlir-c|llvm-c)/|kiln/(?!System/)"),
    ("lib/Compiler/Frontend", r"kiln/(?!Frontend/|Runtime/)"),
    ("include/kiln/Frontend", r"kiln/(?!Frontend/)"),
    # Frontends are registered: the driver knows none of them.
    ("lib/Driver", r"kiln/(Conversion/(?!Register)|Dialect/(Triton|Stablehlo|Chlo|Vhlo|Sdy|TmTensor|Torch)/)|mlir/Dialect/(Tosa|Linalg)/"),
    ("lib/Support/Index", r"kiln/(?!Index/)"),
    ("include/kiln/Index", r"kiln/(?!Index/)"),
    ("lib/Support/Layout", r"^mlir/|kiln/(?!Layout/)"),
    ("include/kiln/Layout", r"^mlir/|kiln/(?!Layout/)"),
    ("include/kiln-c", r"^(mlir|llvm|mlir-c|llvm-c)/|^kiln/"),
    ("tools/kiln-run", r"^(mlir|llvm|mlir-c|llvm-c)/|kiln/(?!Runtime/|System/)"),
    ("lib/Support/Interfaces", r"kiln/(?!Interfaces/)"),
    ("include/kiln/Interfaces", r"kiln/(?!Interfaces/)"),
    # Descriptions and plug-ins know no dialect but that of descriptions.
    ("lib/Compiler/Target", r"kiln/(Dialect/(?!Kiln/)|Schedule|Eval)/"),
    ("include/kiln/Target", r"kiln/(Dialect/(?!Kiln/)|Schedule|Eval)/"),
    ("lib/Compiler/Staging", r"kiln/(Schedule|Eval)/"),
    # Code generators know each other as little as they know their targets.
    ("lib/CodeGen/Gpu", r"kiln/(Cpu|Schedule|Frontend)/|kiln/Runtime/|mlir/Dialect/[A-Z]+GPU/"),
    ("include/kiln/Gpu", r"kiln/(Cpu|Schedule|Frontend|Runtime)/"),
    ("lib/CodeGen/Cpu", r"kiln/Gpu/"),
    ("lib/CodeGen/LLVM", r"kiln/(Cpu|Gpu)/"),
    ("conversions", r"kiln/(Cpu|Gpu)/"),
]


LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
SOURCES = CODE + (".py", ".sh", ".cmake", ".in", "CMakeLists.txt")


def rooms(root):
    """Where the headers of include/kiln/NAME are implemented: NAME -> folder."""
    found = {}
    for layer, folders in LAYERS:
        for folder in folders:
            where = os.path.join(root, folder)
            if folder.startswith("lib/") and os.path.isdir(where):
                found[os.path.basename(folder)] = folder
                for part in sorted(os.listdir(where)):
                    if os.path.isdir(os.path.join(where, part)):
                        found[part] = f"{folder}/{part}"
    return found


def room(name, implemented):
    """The part of the tree that a file belongs to: headers with what
    implements them. None where it belongs to no part."""
    parts = name.split("/")
    if name.startswith("include/kiln/Dialect/") and len(parts) > 4:
        return "dialects/" + re.sub("(?<=[a-z])(?=[A-Z])", "_", parts[3]).lower()
    if name.startswith(("include/kiln/Conversion/", "conversions/")):
        return "conversions"
    if name.startswith("include/kiln/Transforms/") and len(parts) > 4:
        return "lib/Compiler/Transforms/" + parts[3]
    if name.startswith("include/kiln/") and len(parts) > 3:
        return implemented.get(parts[2])
    if name.startswith("lib/Compiler/Transforms/") and len(parts) > 4:
        return "/".join(parts[:4])
    if name.startswith("lib/") and len(parts) > 2:
        return "/".join(parts[:3]) if len(parts) > 3 else "/".join(parts[:2])
    if name.startswith(("dialects/", "targets/")):
        return "/".join(parts[:2])
    return parts[0] if parts[0] in ("tools", "sdk") else None


def layer(part):
    """The number of the layer that a part stands in; None where in no layer."""
    for number, (_, folders) in enumerate(LAYERS):
        if part and any(part == f or part.startswith(f + "/") for f in folders):
            return number
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


def is_forward(lines):
    """A header that stands for one that was moved."""
    return any(line.startswith("// Deprecated since") for line in lines[:4])


def draw(edges):
    """The layers, the highest first, with what each part includes."""
    for number in reversed(range(len(LAYERS))):
        print(f"{LAYERS[number][0]}:")
        for part in sorted(edges):
            if layer(part) == number:
                print(f"  {part} -> {', '.join(sorted(edges[part]))}")


def files(root, folder):
    for path, folders, names in os.walk(os.path.join(root, folder)):
        folders[:] = [f for f in folders if not f.startswith("build")]
        for name in names:
            if name.endswith(CODE):
                yield os.path.relpath(os.path.join(path, name), root)


def target_of(name, header):
    """The file of the tree that an include means; None for those of others."""
    if header.startswith("kiln/"):
        return "include/" + header
    if header.startswith((".", "conversions/", "targets/", "dialects/", "lib/")):
        base = os.path.dirname(name) if header.startswith(".") else ""
        return os.path.normpath(os.path.join(base, header))
    return None


def main() -> int:
    root = sys.argv[1]
    problems, count = [], 0
    edges, upward = {}, 0
    implemented = rooms(root)
    roots = ("include", "lib", "dialects", "conversions", "targets", "tools", "sdk")
    for name in sorted(f for folder in roots for f in files(root, folder)):
        count += 1
        with open(os.path.join(root, name), encoding="utf-8") as file:
            lines = file.read().splitlines()
        if is_forward(lines):
            continue
        target = name.split("/")[1] if name.startswith("targets/") else None
        for number, line in enumerate(lines, 1):
            where = f"{name}:{number}"
            match = INCLUDE.match(line)
            if match:
                header = match.group(1)
                here = room(name, implemented)
                there = target_of(name, header)
                there = room(there, implemented) if there else None
                if here and there and here != there:
                    edges.setdefault(here, {}).setdefault(there, f"{where} includes {header}")
                    if layer(here) is not None and layer(there) is not None and layer(here) < layer(there):
                        upward += 1
                        problems.append(f"{where}: {LAYERS[layer(here)][0]} must not include {header}: "
                                        f"{LAYERS[layer(there)][0]} lies above it")
                for folder, forbidden in RULES:
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
                if vendor and not (vendor.group(0).lower() in FRONTEND_WORDS
                                   and name.startswith(FRONTEND_FILES)):
                    problems.append(f"{where}: names the vendor's '{vendor.group(0)}'")
    if "--layers" in sys.argv[2:]:
        draw(edges)
        print(f"{upward} includes point up")
        return 0
    problems += cycles(edges)
    problems += [f"{name}:1: expected the line '{LICENCE}'" for name in unlicensed(root)]
    return close(problems, f"{count} files", count)


if __name__ == "__main__":
    sys.exit(main())
