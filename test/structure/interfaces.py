#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that analyses, form passes, retiling and the families ask interfaces instead of listing
operations of tile. Usage: interfaces.py SOURCE [--count]"""
import glob
import os
import re
import sys

FOLDERS = ("lib/Analysis", "lib/Cpu", "lib/Gpu", "lib/Staging", "lib/Tiling", "lib/Transforms/Tile")
# A question whether something is one of these operations, or a walk over one of them.
QUESTION = re.compile(r"\b(?:isa|isa_and_nonnull|isa_and_present|cast|dyn_cast|dyn_cast_or_null|dyn_cast_if_present|"
                      r"getDefiningOp|getOps|getParentOfType|Case)\s*<([^;{]*?)>\s*\(")
WALK = re.compile(r"walk\(\[[^\]]*\]\(\s*((?:\w+::)*\w+Op)\b")
# The frame of a kernel: the grid, views and their sizes, ends of regions. They are what an analysis is about.
FRAME = {"KernelOp", "ReturnOp", "YieldOp", "ProgramIdOp", "NumProgramsOp", "MakeViewOp", "DimOp", "NumBlocksOp"}
# What a file is for: the operations that it rewrites or emits, and no others.
SUBJECTS = {
    # Passes over pointers, and how scalar pointers are emitted.
    "lib/Transforms/Tile/RecoverViews.cpp": {"LoadPtrOp", "StorePtrOp"},
    "lib/Transforms/Tile/UnwrapIndices.cpp": {"LoadPtrOp", "StorePtrOp", "AtomicRMWOp", "PtrAddOp", "BroadcastOp", "ExpandDimsOp"},
    # Reductions of pairs that become exchanges, and what moves to another shape with these.
    "lib/Transforms/Tile/FindExchanges.cpp": {"BroadcastOp", "ExpandDimsOp", "ReshapeOp", "ReduceOp"},
    "lib/Transforms/Tile/JoinExchanged.cpp": {"ExchangeOp", "ReduceOp", "ReshapeOp", "ExpandDimsOp", "BroadcastOp", "IotaOp",
                                              "SplatOp"},
    "lib/Transforms/Tile/ExpandScaledDots.cpp": {"DotScaledOp"},
    "lib/Transforms/Tile/ExpandInlineAsm.cpp": {"InlineAsmOp"},
    "lib/Transforms/Tile/CheckAssumptions.cpp": {"AssumeOp"},
    "lib/Transforms/Tile/CloseInductions.cpp": {"PtrAddOp"},
    "lib/Transforms/Tile/PointerExpr.cpp": {"PtrAddOp", "SplatOp", "IotaOp", "BroadcastOp", "ExpandDimsOp", "ReshapeOp"},
    "lib/Transforms/Tile/LaunchBounds.cpp": {"PtrAddOp", "SplatOp", "BroadcastOp", "ExpandDimsOp", "TransposeOp",
                                             "ReshapeOp"},
    "lib/Transforms/Tile/MaskExpr.cpp": {"BroadcastOp", "ExpandDimsOp"},
    "lib/Transforms/Tile/IndirectVectors.cpp": {"BroadcastOp", "ExpandDimsOp"},
    "lib/Cpu/Pointers.cpp": {"PtrAddOp", "PtrCastOp", "PtrToIntOp", "IntToPtrOp"},
    "lib/Transforms/Tile/LowerPointers.cpp": {"SplatOp", "PtrAddOp", "IntToPtrOp", "PtrToIntOp", "PtrCastOp", "LoadPtrOp",
                                     "StorePtrOp", "AtomicRMWOp", "AtomicCASOp"},
    "lib/Cpu/ControlFlow.cpp": {"AtomicRMWOp", "AtomicCASOp"},
    # What is said about the types of printed values.
    "lib/Transforms/Tile/PrintedTypes.cpp": {"PrintOp"},
    # Conversions with a rounding mode.
    "lib/Transforms/Tile/ExpandConversions.cpp": {"ConvertFloatOp"},
    "lib/Transforms/Tile/LowerFloat8.cpp": {"ConvertFloatOp", "ReduceOp", "SortOp", "LoadOp", "StoreOp", "AtomicRMWOp"},
    # Sums that are rounded at their end.
    "lib/Transforms/Tile/WidenAccumulators.cpp": {"ReduceOp"},
    # Emission of single operations.
    "lib/Cpu/MathFunctions.cpp": {"CallExternOp"},
    "lib/Cpu/KernelEmitter.cpp": {"CallExternOp", "PrintOp", "PtrAddOp", "PtrCastOp", "PtrToIntOp", "IntToPtrOp"},
    # Reductions store values on their way; addresses become pointers where an access uses them.
    "lib/Cpu/Regions.cpp": {"ReduceOp", "IntToPtrOp"},
    # How a combining store combines.
    "lib/Cpu/Store.cpp": {"StoreOp"},
    "lib/Gpu/Access.cpp": {"StoreOp"}, "lib/Gpu/AccessUpdates.cpp": {"StoreOp"},
    # Layouts of results: what each of these leaves of an operand's layout follows from what it does.
    "lib/Gpu/AssignLayouts.cpp": {"ReduceOp", "ScanOp", "SortOp", "GatherOp", "HistogramOp", "JoinOp", "ReshapeOp",
                                   "ExchangeOp", "InlineAsmOp"},
    "lib/Gpu/RequireLayouts.cpp": {"ReduceOp", "ScanOp", "SortOp", "ExchangeOp", "ReshapeOp", "PtrAddOp", "PtrCastOp"},
    # What goes through pointers.
    "lib/Gpu/AssignAccesses.cpp": {"LoadPtrOp", "StorePtrOp", "AtomicRMWOp"},
    # Which loads become copies, and what transposes what they loaded.
    "lib/Gpu/StageOperands.cpp": {"LoadOp", "LoadGatherOp", "LoadPtrOp", "TransposeOp"}, "lib/Gpu/Staged.cpp": {"TransposeOp"},
    "lib/Gpu/StagedCopies.cpp": {"LoadGatherOp", "LoadPtrOp"},
    # Those of simt.
    "lib/Gpu/BarrierCheck.cpp": {"LoadOp", "StoreOp"},
    # Which registers a reshape leaves where they are, and an exchange renames.
    "lib/Gpu/Movement.cpp": {"ReshapeOp", "ExchangeOp"},
    # Exchanges within a vector.
    "lib/Cpu/Reshape.cpp": {"ExchangeOp"},
    # What is known of the address behind a pointer.
    # How a combining store combines.
    "lib/Analysis/BlockReductions.cpp": {"StoreOp"},
    "lib/Analysis/Alignment.cpp": {"PtrAddOp", "PtrCastOp"},
    "lib/Analysis/AxisAnalysis.cpp": {"PtrAddOp", "PtrCastOp"},
    # Emission of scalar pointers, and of accesses through them.
    "lib/Gpu/KernelWalk.cpp": {"PtrAddOp", "PtrCastOp", "PtrToIntOp", "IntToPtrOp", "AtomicRMWOp", "AtomicCASOp"},
    "lib/Gpu/Pointers.cpp": {"AtomicRMWOp", "AtomicCASOp"},
    # What folds several tiles at once, and what goes through pointers, takes its operands element by element.
    "lib/Staging/TileToStageOps.cpp": {"ReduceOp", "LoadPtrOp", "StorePtrOp", "AtomicRMWOp", "AtomicCASOp", "AssertOp",
                                       "CatOp", "ReshapeOp", "InlineAsmOp", "PrintOp"},
    # Joined tiles are written one after the other; another shape is another view of the same storage.
    "lib/Staging/ConvertTileToStage.cpp": {"CatOp", "ReshapeOp"},
    # What is computed again only where somebody has decided it.
    "lib/Staging/DecideStorage.cpp": {"ReshapeOp", "ExchangeOp"}, "lib/Staging/Storage.cpp": {"ReshapeOp", "ExchangeOp"},
    # Reductions store values on their way.
    "lib/Staging/StorageLegality.cpp": {"ReduceOp"},
    # The parameter behind a pointer, and what accesses through pointers reach.
    "lib/Gpu/Order.cpp": {"PtrAddOp", "PtrCastOp", "SplatOp", "BroadcastOp", "ExpandDimsOp", "ReshapeOp", "TransposeOp",
                          "LoadPtrOp", "StorePtrOp", "AtomicRMWOp", "AtomicCASOp"},
}


def operations(source):
    names = set()
    for path in glob.glob(os.path.join(source, "include/kiln/Dialect/Tile/*Ops.td")):
        with open(path, encoding="utf-8") as file:
            names |= set(re.findall(r"^def Tile_(\w+Op)\b", file.read(), re.MULTILINE))
    return names


def main():
    source, tile = sys.argv[1], operations(sys.argv[1])
    sites, problems = 0, []
    for folder in FOLDERS:
        for path in sorted(glob.glob(os.path.join(source, folder, "*.cpp")) + glob.glob(os.path.join(source, folder, "*.h"))):
            name = os.path.relpath(path, source)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for match in list(QUESTION.finditer(text)) + list(WALK.finditer(text)):
                asked = re.findall(r"(?:(\w+)::)?\b(\w+Op)\b", match.group(1))
                found = {op for space, op in asked if space in ("", "tile") and op in tile} - FRAME
                sites += bool(found)
                extra = found - SUBJECTS.get(name, set())
                if extra:
                    line = text.count("\n", 0, match.start()) + 1
                    problems.append(f"{name}:{line}: asks for {', '.join(sorted(extra))}: expected a question to an interface")
    if "--count" not in sys.argv:
        for problem in problems:
            print(problem)
    print(f"{sites} questions for operations of tile, {len(problems)} outside of their subjects")
    return 1 if problems or len(tile) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
