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
    "lib/Compiler/Transforms/Tile/Views/UnwrapIndices.cpp": {"LoadPtrOp", "StorePtrOp", "AtomicRMWOp", "PtrAddOp"},
    # Reductions of pairs that become exchanges, and what moves to another shape with these.
    "lib/Compiler/Transforms/Tile/Exchanges/FindExchanges.cpp": {"BroadcastOp", "ExpandDimsOp", "ReshapeOp", "ReduceOp"},
    "lib/Compiler/Transforms/Tile/Exchanges/JoinExchanged.cpp": {"ExchangeOp", "ReduceOp", "ReshapeOp", "ExpandDimsOp", "BroadcastOp", "IotaOp",
                                              "SplatOp"},
    "lib/Compiler/Transforms/Tile/Expand/ExpandScaledDots.cpp": {"DotScaledOp"},
    "conversions/PtxToTile/ExpandInlineAsm.cpp": {"InlineAsmOp"},
    "lib/Compiler/Transforms/Tile/Views/CheckAssumptions.cpp": {"AssumeOp"},
    "lib/Compiler/Transforms/Tile/Views/CloseInductions.cpp": {"PtrAddOp"},
    "lib/Compiler/Transforms/Tile/Views/PointerExpr.cpp": {"PtrAddOp", "ReshapeOp"},
    "lib/Compiler/Transforms/Tile/Views/LaunchBounds.cpp": {"PtrAddOp"},
    "lib/CodeGen/Cpu/Pointers.cpp": {"PtrAddOp", "PtrCastOp", "PtrToIntOp", "IntToPtrOp"},
    "lib/Compiler/Transforms/Tile/Views/LowerPointers.cpp": {"SplatOp", "PtrAddOp", "IntToPtrOp", "PtrToIntOp", "PtrCastOp", "LoadPtrOp",
                                     "StorePtrOp", "AtomicRMWOp", "AtomicCASOp"},
    # What is said about the types of printed values.
    "lib/Compiler/Transforms/Tile/PrintedTypes.cpp": {"PrintOp"},
    # Whose output names a place in the grid, which other instances may take.
    "lib/Compiler/Transforms/Tile/Grid/MakePersistent.cpp": {"PrintOp", "AssertOp"},
    "lib/Compiler/Transforms/Tile/Grid/ExpandInstances.cpp": {"PrintOp", "AssertOp"},
    "lib/Compiler/Tiling/ChooseRaster.cpp": {"PrintOp", "AssertOp"},
    # And sums from zero whose last blocks several instances share.
    "lib/Compiler/Tiling/ShareRemainder.cpp": {"PrintOp", "AssertOp", "AtomicRMWOp", "AtomicCASOp", "SplatOp"},
    # Conversions with a rounding mode.
    "lib/Compiler/Transforms/Tile/Expand/ExpandConversions.cpp": {"ConvertFloatOp"},
    "lib/Compiler/Transforms/Tile/Expand/LowerFloat8.cpp": {"ConvertFloatOp", "ReduceOp", "LoadOp", "StoreOp", "AtomicRMWOp"},
    # Sums that are rounded at their end.
    "lib/Compiler/Transforms/Tile/Expand/WidenAccumulators.cpp": {"ReduceOp"},
    # Emission of single operations.
    "lib/Compiler/Staging/VectorRegions.cpp": {"ReduceOp"},
    "lib/CodeGen/Cpu/MathFunctions.cpp": {"CallExternOp"},
    "lib/CodeGen/Cpu/KernelEmitter.cpp": {"CallExternOp", "PrintOp", "PtrAddOp", "PtrCastOp", "PtrToIntOp", "IntToPtrOp"},
    # Reductions store values on their way; addresses become pointers where an access uses them.
    "lib/CodeGen/Cpu/Regions.cpp": {"ReduceOp", "IntToPtrOp"},
    # Reductions fold lanes.
    "lib/Compiler/Staging/VectorRegions.cpp": {"ReduceOp"},
    # How a combining store combines.
    "lib/CodeGen/Cpu/Store.cpp": {"StoreOp"},
    "lib/CodeGen/Gpu/Access.cpp": {"StoreOp"}, "lib/CodeGen/Gpu/AccessUpdates.cpp": {"StoreOp"},
    # The axis that a reduction leaves out of its layout.
    "lib/CodeGen/Gpu/LayoutRules.cpp": {"ReduceOp", "ScanOp"},
    # Text may hold a barrier of all threads.
    "lib/CodeGen/Gpu/SplitProducer.cpp": {"InlineAsmOp"},
    # Exchanges within a vector.
    "lib/CodeGen/Cpu/Reshape.cpp": {"ExchangeOp"},
    # What is known of the address behind a pointer.
    # How a combining store combines.
    "lib/Compiler/Analysis/BlockReductions.cpp": {"StoreOp"},
    "lib/Compiler/Analysis/Alignment.cpp": {"PtrAddOp", "PtrCastOp"},
    "lib/Compiler/Analysis/TileSteps.cpp": {"PtrAddOp"},
    "lib/Compiler/Analysis/AxisAnalysis.cpp": {"PtrAddOp", "PtrCastOp"},
    # Emission of scalar pointers, and of accesses through them.
    "lib/CodeGen/Gpu/Pointers.cpp": {"PtrAddOp", "PtrCastOp", "PtrToIntOp", "IntToPtrOp", "AtomicRMWOp", "AtomicCASOp"},
    # What folds several tiles at once, and what goes through pointers, takes its operands element by element.
    "lib/Compiler/Staging/TileToStageOps.cpp": {"ReduceOp", "LoadPtrOp", "StorePtrOp", "AtomicRMWOp", "AtomicCASOp", "AssertOp",
                                       "CatOp", "ReshapeOp", "InlineAsmOp", "PrintOp"},
    # Joined tiles are written one after the other; another shape is another view of the same storage.
    "lib/Compiler/Staging/ConvertTileToStage.cpp": {"CatOp", "ReshapeOp"},
    # What is computed again only where somebody has decided it.
    "lib/Compiler/Staging/DecideStorage.cpp": {"ReshapeOp", "ExchangeOp"}, "lib/Compiler/Staging/Storage.cpp": {"ReshapeOp", "ExchangeOp"},
    # Reductions store values on their way.
    "lib/Compiler/Staging/StorageLegality.cpp": {"ReduceOp"},
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
    for name, line, found in questions(source, tile):
        count += 1
        extra = found - SUBJECTS.get(name, set()) if name.startswith(FOLDERS) else set()
        if extra:
            problems.append(f"{name}:{line}: asks for {', '.join(sorted(extra))}: expected a question to an interface")
    problems += find_excess(count, MOST, "questions for operations of tile", "interfaces.py")
    everywhere = count_all(source)
    problems += [line.replace("lower MOST", "lower MOST_OF_ALL") for line in
                 find_excess(everywhere, MOST_OF_ALL, "questions for operations of all dialects", "interfaces.py")]
    return close(problems, f"{count} questions for operations of tile, {everywhere} of all dialects", len(tile) >= 20)


if __name__ == "__main__":
    sys.exit(main())
