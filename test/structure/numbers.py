#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that code which serves several vendors' chips has no numbers of one of them: lanes of a warp, threads of a block,
banks, sizes of memories, atoms of a swizzle. They belong into descriptions (docs/gpu.md, "Numbers of a chip").

Looks at every power of two from 32 on, and at every number of KiB, in the code (not in comments and strings) of the folders
below. Widths of types and sizes of containers are recognised by what stands around them. All others need an entry in ALLOWED,
with the reason. Usage: numbers.py SOURCE"""
import os
import re
import sys

FOLDERS = ("lib/CodeGen/Gpu", "include/kiln/Gpu", "lib/Support/Layout", "include/kiln/Layout", "dialects/simt",
           "include/kiln/Dialect/Simt", "dialects/stage", "include/kiln/Dialect/Stage", "lib/Compiler/Staging",
           "include/kiln/Staging")
NUMBER = re.compile(r"(?<![\w.])(\d+)(?![\w.])")
KIB = re.compile(r"<<\s*10\b|\bKi?B\b")
# Around a width of a type, or a size of a container: no numbers of a machine.
WIDTHS = re.compile(
    r"isInteger\(|getIntegerType\(|IntegerType::get\(|[bB]it[sW]|\bwidth\b|(?:Small|Dense|llvm::)\w*<[^;]*\b\d+>|"
    r"\bc(?:32|64)\(|u?int\d+_t\((?:1|-1)\)|extractBits")
# (file, regular expression for the line, reason)
ALLOWED = [
    ("lib/CodeGen/Gpu/Machine.cpp", r"kUsual\w+ = ", "assumptions about a chip whose description says nothing"),
    ("lib/CodeGen/Gpu/AssignLayouts.cpp", r"kUsual = 4, kLarge = 128 \* 128", "sums of a product, elements of a thread: tuned, not of a chip"),
    ("lib/CodeGen/Gpu/MemoryProducts.cpp", r"kSums = 128, kLeast = 64 \* 64, kSide = 64", "sizes of products that are worth it: tuned"),
    ("lib/CodeGen/Gpu/MemoryProducts.cpp", r"kDeep = 128", "terms of a sum from which half as many columns are worth it: tuned"),
    ("lib/CodeGen/Gpu/ProductWaits.cpp", r"kDeep = 128", "terms of a sum from which a product lasts as long as what computes the next ones: tuned"),
    ("lib/CodeGen/Gpu/StageOperands.cpp", r"kOther = 8 << 10", "what exchanges take beside rings: tuned"),
    ("lib/CodeGen/Gpu/Work.cpp", r"kWrites = 32;", "operations for each register that compile in seconds: tuned"),
    ("lib/CodeGen/Gpu/LayoutChoice.cpp", r"isWhole \? 64 : spare|take\(order, registers, 64\)", "more bits than any layout has"),
    ("lib/CodeGen/Gpu/ThreadProducts.cpp", r"registers, 64, ", "more bits than any layout has"),
    ("lib/CodeGen/Gpu/ThreadProducts.cpp", r"kMultiplyAdds = 512;", "the code of a round of a loop: tuned"),
    ("lib/CodeGen/Gpu/StoredProducts.cpp", r"kRound = 512;", "the code of a round of a loop: tuned"),
    ("lib/CodeGen/Gpu/StoredProducts.cpp", r"kKept = 32;", "what waits in registers of a thread: tuned"),
    ("lib/CodeGen/Gpu/RequestLoads.cpp", r"kMostBytes = 64, kRowBytes = 16, kTileBytes = 128;", "what waits in registers of a thread: tuned"),
    ("lib/CodeGen/Gpu/UnrollLoops.cpp", r"kMostBytes = 64;", "what waits in registers of a thread: tuned"),
    ("lib/CodeGen/Gpu/Pairs.cpp", r"^32\) \{", "bits of a word that a shuffle moves"),
    ("lib/CodeGen/Gpu/SharedAccesses.cpp", r"kMany = 64;", "groups of copies that the verifier tells apart"),
    ("lib/CodeGen/Gpu/ThreadValues.cpp", r"getWidth\(\) : 64;", "bits of an index"),
    ("lib/CodeGen/Gpu/ThreadValues.cpp", r"kMost = 32;", "evaluations that are remembered: tuned"),
    ("include/kiln/Dialect/Simt/ThreadCode.h", r"kUsualLanes = 32;", "assumption about a chip whose description says nothing"),
    ("dialects/simt/Eval/ProductSums.cpp", r"kProducts = 2048, kResults = 512;", "bits of a number that stands for a sum"),
    ("dialects/simt/Eval/Launch.cpp", r"kMaxConcurrentWarps = 4096;", "stacks on the host"),
    ("lib/Support/Layout/Span.cpp", r"numAdded < 64", "bits of a word of the host"),
    ("dialects/simt/SimtLayout.cpp", r"64 - registers - lanes", "bits of a word of the host"),
    ("dialects/stage/ProductOps.cpp", r"isSignlessInteger\((?:32|64)\)", "widths of types"),
    ("include/kiln/Staging/PanelBoxes.h", r"kMostPanelBoxes = 64;", "boxes of a transfer: a bound of compile time"),
    ("include/kiln/Staging/Scratchpad.h", r"int64_t align = 64;", "an option's default, which a target sets"),
]


def code_lines(text):
    """The lines of a source without comments and strings."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.DOTALL)
    for number, line in enumerate(text.split("\n"), 1):
        line = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
        yield number, re.sub(r"//.*", "", line)


def definition_lines(text):
    """The lines of a definition without its prose, strings and comments."""
    prose = False
    for number, line in enumerate(text.split("\n"), 1):
        if prose:
            prose = "}]" not in line
            continue
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
        bare = re.sub(r"//.*", "", bare)
        prose = "[{" in bare and "}]" not in bare
        yield number, bare.split("[{")[0]


def findings(root):
    for folder in FOLDERS:
        for path, _, names in sorted(os.walk(os.path.join(root, folder))):
            for name in sorted(names):
                if not name.endswith((".h", ".cpp", ".td")):
                    continue
                full = os.path.join(path, name)
                with open(full, encoding="utf-8") as file:
                    text = file.read()
                lines = definition_lines if name.endswith(".td") else code_lines
                for number, line in lines(text):
                    large = [n for n in map(int, NUMBER.findall(line)) if n >= 32 and n & (n - 1) == 0]
                    if (large and not WIDTHS.search(line)) or KIB.search(line):
                        yield os.path.relpath(full, root), number, line.strip()


def main():
    root = sys.argv[1]
    problems, used = 0, set()
    for name, number, line in findings(root):
        entry = next((i for i, (file, pattern, _) in enumerate(ALLOWED) if name == file and re.search(pattern, line)), None)
        if entry is None:
            problems += 1
            print(f"{name}:{number}: expected the number from the description, found '{line}'")
        else:
            used.add(entry)
    for i, (file, pattern, _) in enumerate(ALLOWED):
        if i not in used and os.path.exists(os.path.join(root, file)):
            problems += 1
            print(f"{file}: expected a line like '{pattern}', which the list of test/structure/numbers.py allows, found none")
    print(f"{problems} problems, {len(used)} numbers that are allowed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
