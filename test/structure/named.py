#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the source files that an operation of tile takes: those of the compiler and of the suite that name its class or its
mnemonic. Not counted are passes on prim, whose operations have some of these names. Other things are counted by an expression,
KIND=REGEX. Usage: named.py SOURCE MOST OPERATION|KIND=REGEX..."""
import os
import re
import sys

FOLDERS = ("include/kiln", "dialects/tile", "dialects/stage", "dialects/simt", "dialects/cpu", "dialects/kiln", "lib", "targets")
OF_PRIM = re.compile(r"/(Prim|Schedule)/")


def class_of(source, mnemonic):
    """TopKOp, of top_k."""
    folder = os.path.join(source, "include/kiln/Dialect/Tile")
    for name in sorted(os.listdir(folder)):
        if name.endswith("Ops.td"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found = re.search(rf'^def Tile_(\w+)\s*:\s*Tile_Op<"{mnemonic}"', file.read(), re.MULTILINE)
            if found:
                return found.group(1)
    return None


def main():
    source, most = sys.argv[1], int(sys.argv[2])
    texts = {}
    for folder in FOLDERS:
        for where, _, names in os.walk(os.path.join(source, folder)):
            for name in names:
                if name.endswith((".h", ".cpp", ".td")) and not OF_PRIM.search(where + "/"):
                    path = os.path.join(where, name)
                    with open(path, encoding="utf-8") as file:
                        texts[os.path.relpath(path, source)] = file.read()
    problems = 0
    for what in sys.argv[3:]:
        kind, _, expression = what.partition("=")
        if not expression:
            name, kind = class_of(source, what), f"tile.{what}"
            if not name:
                print(f"{kind}: expected a definition")
                problems += 1
                continue
            expression = rf"\b(?:tile::|Tile_)?{name}\b|\btile\.{what}\b"
        files = sorted(path for path, text in texts.items() if re.search(expression, text))
        print(f"{kind} is named in {len(files)} files: {', '.join(os.path.basename(path) for path in files)}")
        if len(files) > most:
            print(f"{kind}: expected at most {most} files to name it, found {len(files)}")
            problems += 1
    print(f"{problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
