#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the functions of a file for a GPU, and writes their kernels behind simt-insert-barriers, as the target makes them.

OUT.kernels has one module of all kernels, for ../gpu/mutations.py; OUT.notes has comments that say what memory launch.py gives to a
kernel: numbers in what it only reads, zeros elsewhere. Kernels whose arguments are not all views of known sizes have no comments.

Usage: schedules.py FILE TARGET OUT
"""
import re
import subprocess
import sys

#: Bit patterns of small numbers, or the numbers, by element type.
NUMBERS = {"f16": "0x3c00 + 64 * (i % 7)", "bf16": "0x3f80 + 16 * (i % 7)", "f32": "1 + (i % 7) / 16", "i64": "i // 3 % 16",
           "i32": "i // 3 % 16"}


def kernels_of(path, target, out):
    command = ["kiln-compile", path, f"--target={target}", "--no-fallback", "--print-ir-after=simt-insert-barriers", "-o", out + ".kiln"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    return re.split(r"^// -----// IR Dump After .*\n", done.stderr, flags=re.MULTILINE)[1:]


def described(kind):
    """Element type, sizes and strides of a view of known sizes; None for others."""
    found = re.match(r"!tile\.view<((?:\d+x)+)(\w+)(?:, strides = \[([\d, ]+)\])?>$", kind)
    if not found:
        return None
    sizes = [int(n) for n in found.group(1).split("x")[:-1]]
    strides = [1] * len(sizes)
    for d in reversed(range(len(sizes) - 1)):
        strides[d] = strides[d + 1] * sizes[d + 1]
    if found.group(3):
        strides = [int(n) for n in found.group(3).split(",")]
    return found.group(2), sizes, strides


def notes_of(kernel):
    name, parameters = re.search(r"tile\.kernel (?:private )?@(\w+)\((.*?)\) attributes", kernel).groups()
    lines, scalars = [], []
    for number, (kind, facts) in enumerate(re.findall(r"%\w+: (!tile\.view<[^>]*>|[\w.]+)( \{tile\.facts = \{[^}]*\}\})?", parameters)):
        element, sizes, strides = described(kind) or (None, [], [])
        if element not in NUMBERS:
            return []
        count = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides))
        values = NUMBERS[element] if "readonly" in facts else "0"
        lines.append(f"// {name}: a{number}: {element} = [{values} for i in range({count})]")
        scalars += sizes + strides
    return lines + [f"// {name}: scalars = {scalars + [1, 1, 1]}"]  # and a grid of one block


def main():
    path, target, out = sys.argv[1:4]
    kernels = kernels_of(path, target, out)
    with open(out + ".notes", "w", encoding="utf-8") as file:
        file.write("\n".join(line for kernel in kernels for line in notes_of(kernel)) + "\n")
    made = subprocess.run(["kiln-opt", "-o", out + ".kernels", f"--pass-pipeline=builtin.module(kiln-set-target{{spec={target}}})"],
                          input="\n".join(kernels), capture_output=True, text=True, check=False)
    if made.returncode:
        sys.exit(made.stderr[-2000:])
    print(f"{len(kernels)} kernels")


if __name__ == "__main__":
    main()
