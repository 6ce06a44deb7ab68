#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that analyses, form passes, retiling and the families ask interfaces instead of listing
operations of tile, and counts such questions in all of lib: the number may only fall. So may that of questions for the operations of
all dialects. Usage: interfaces.py SOURCE"""
import collections
import glob
import os
import re
import sys

from report import close, find_excess

MOST = 49
# Of operations of all dialects below, rules of single operations among them.
MOST_OF_ALL = 172
DIALECTS = ("Prim", "Program", "Tile", "Stage", "Simt", "Cpu")
FOLDERS = ("lib/Compiler/Analysis/", "lib/CodeGen/Cpu/", "lib/CodeGen/Gpu/", "lib/Compiler/Staging/", "lib/Compiler/Tiling/",
           "lib/Compiler/Transforms/Tile/")
# A question whether something is one of these operations, or a walk over one of them.
QUESTION = re.compile(r"\b(?:isa|isa_and_nonnull|isa_and_present|cast|dyn_cast|dyn_cast_or_null|dyn_cast_if_present|"
                      r"getDefiningOp|getOps|getParentOfType|Case)\s*<([^;{]*?)>\s*\(")
WALK = re.compile(r"(?:walk|Case)\(\[[^\]]*\]\(\s*((?:\w+::)*\w+Op)\b")
# The frame of a kernel: the grid, views and their sizes, ends of regions. They are what an analysis is about.
FRAME = {"KernelOp", "ReturnOp", "YieldOp", "ProgramIdOp", "NumProgramsOp", "MakeViewOp", "DimOp", "NumBlocksOp",
         "InstanceIdOp", "NumInstancesOp", "GridCoordinatesOp", "ClusterBarrierOp"}
# What a file is for: the operations that it rewrites or emits, and no others.
SUBJECTS = {
    # Passes over pointers, and how scalar pointers are emitted.
    "lib/Compiler/Transforms/Tile/Views/RecoverViews.cpp": {"LoadPtrOp", "StorePtrOp"},
    "lib/Compiler/Transforms/Tile/Views/UnwrapIndices.cpp": {"LoadPtrOp"},
    "lib/Compiler/Transforms/Tile/Views/LowerPointers.cpp": {"SplatOp", "IntToPtrOp", "PtrToIntOp", "PtrCastOp"},
    "lib/Compiler/Transforms/Tile/Views/PointerExpr.cpp": {"ReshapeOp"},
    "lib/CodeGen/Cpu/Pointers.cpp": {"IntToPtrOp"},
    # Reductions of pairs that become exchanges, and what moves to another shape with these.
    "lib/Compiler/Transforms/Tile/Exchanges/FindExchanges.cpp": {"BroadcastOp", "ReduceOp"},
    "lib/Compiler/Transforms/Tile/Exchanges/JoinExchanged.cpp": {"ExchangeOp", "ReduceOp", "ReshapeOp"},
    "lib/Compiler/Transforms/Tile/Views/CheckAssumptions.cpp": {"AssumeOp"},
    # What is said about the types of printed values.
    "lib/Compiler/Transforms/Tile/PrintedTypes.cpp": {"PrintOp"},
    # Conversions with a rounding mode.
    "lib/Compiler/Transforms/Tile/Expand/LowerFloat8.cpp": {"ConvertFloatOp", "LoadOp", "AtomicRMWOp"},
    # Sums that are rounded at their end.
    "lib/Compiler/Transforms/Tile/Expand/WidenAccumulators.cpp": {"ReduceOp"},
    # Emission of single operations.
    "lib/Compiler/Staging/VectorRegions.cpp": {"ReduceOp"},
    "lib/CodeGen/Cpu/MathFunctions.cpp": {"CallExternOp"},
    "lib/CodeGen/Cpu/KernelEmitter.cpp": {"CallExternOp"},
    # Addresses become pointers where an access uses them.
    "lib/CodeGen/Cpu/Regions.cpp": {"IntToPtrOp"},
    # Text may hold a barrier of all threads.
    "lib/CodeGen/Gpu/SplitProducer.cpp": {"InlineAsmOp"},
    # Exchanges within a vector.
    "lib/CodeGen/Cpu/Reshape.cpp": {"ExchangeOp"},
    # How a combining store combines.
    "lib/Compiler/Analysis/BlockReductions.cpp": {"StoreOp"},
    # Emission of scalar pointers, and of accesses through them.
    "lib/CodeGen/Gpu/Pointers.cpp": {"PtrAddOp", "PtrCastOp", "PtrToIntOp", "IntToPtrOp", "AtomicRMWOp", "AtomicCASOp"},
    # What asserts takes its operands element by element; text and output take rows without gaps.
    "lib/Compiler/Staging/TileToStageOps.cpp": {"AssertOp", "InlineAsmOp", "PrintOp"},
    # Another shape is another view of the same storage.
    "lib/Compiler/Staging/ConvertTileToStage.cpp": {"ReshapeOp"},
    # What is computed again only where somebody has decided it.
    "lib/Compiler/Staging/DecideStorage.cpp": {"ReshapeOp", "ExchangeOp"}, "lib/Compiler/Staging/Storage.cpp": {"ReshapeOp", "ExchangeOp"},
    # How many elements one instruction adds.
    "lib/CodeGen/Gpu/Order.cpp": {"AtomicRMWOp"},
}


def operations(source):
    names = set()
    for path in glob.glob(os.path.join(source, "include/kiln/Dialect/Tile/*Ops.td")):
        with open(path, encoding="utf-8") as file:
            names |= set(re.findall(r"^def Tile_(\w+Op)\b", file.read(), re.MULTILINE))
    return names


def all_operations(source):
    """The dialects, by their folders in lower case, that have an operation of a name."""
    dialects = collections.defaultdict(set)
    for dialect in DIALECTS:
        for path in glob.glob(os.path.join(source, f"include/kiln/Dialect/{dialect}/*Ops.td")):
            with open(path, encoding="utf-8") as file:
                for name in re.findall(r"^def \w+?_(\w+Op)\b", file.read(), re.MULTILINE):
                    dialects[name].add(dialect.lower())
    return dialects


def count_all(source):
    """How many questions lib has for operations of DIALECTS, with their namespace or without one, but for kernels and the like."""
    dialects, count = all_operations(source), 0
    for path in sources(source):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"//.*", "", file.read())
        for match in list(QUESTION.finditer(text)) + list(WALK.finditer(text)):
            asked = re.findall(r"(?:(\w+)::)?\b(\w+Op)\b", match.group(1))
            count += any(name in dialects and name not in FRAME and (not space or space in dialects[name]) for space, name in asked)
    return count


def sources(source):
    return sorted(p for end in ("*.cpp", "*.h") for p in glob.glob(os.path.join(source, "lib", "**", end), recursive=True))


def questions(source, tile):
    """(file, line, operations of tile that are asked for) of each question in lib. Other dialects have some of these names: outside of
    FOLDERS only those of tile count."""
    for path in sources(source):
        name = os.path.relpath(path, source)
        spaces = ("", "tile") if name.startswith(FOLDERS) else ("tile",)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for match in list(QUESTION.finditer(text)) + list(WALK.finditer(text)):
            asked = re.findall(r"(?:(\w+)::)?\b(\w+Op)\b", match.group(1))
            found = {op for space, op in asked if space in spaces and op in tile} - FRAME
            if found:
                yield name, text.count("\n", 0, match.start()) + 1, found


def main():
    source, tile = sys.argv[1], operations(sys.argv[1])
    count, problems = 0, []
    asked = collections.defaultdict(set)
    for name, line, found in questions(source, tile):
        count += 1
        asked[name] |= found
        extra = found - SUBJECTS.get(name, set()) if name.startswith(FOLDERS) else set()
        if extra:
            problems.append(f"{name}:{line}: asks for {', '.join(sorted(extra))}: expected a question to an interface")
    # Folders that the test makes have few of the files.
    is_whole = os.path.exists(os.path.join(source, "test", "structure", "interfaces.py"))
    for name, listed in SUBJECTS.items():
        if not os.path.exists(os.path.join(source, name)):
            problems += [f"{name}: SUBJECTS lists it, expected a file that exists"] if is_whole else []
            continue
        unused = listed - asked[name]
        if unused:
            problems.append(f"{name}: SUBJECTS lists {', '.join(sorted(unused))}, expected operations that the file asks for")
    problems += find_excess(count, MOST, "questions for operations of tile", "interfaces.py")
    everywhere = count_all(source)
    problems += [line.replace("lower MOST", "lower MOST_OF_ALL") for line in
                 find_excess(everywhere, MOST_OF_ALL, "questions for operations of all dialects", "interfaces.py")]
    return close(problems, f"{count} questions for operations of tile, {everywhere} of all dialects", len(tile) >= 20)


if __name__ == "__main__":
    sys.exit(main())
