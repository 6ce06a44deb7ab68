#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a plug-in of a test, which links the compiler's library: the headers that most plug-ins include are parsed once for
all tests, into a precompiled header in the build tree.

Usage: plugin_cxx.py BUILD COMPILER LLVM (arguments of the compiler: a source, -o, the output)..."""
import os
import sys

from precompile import linker_flags, precompiled

HEADERS = ["kiln/Target/Plugin.h", "kiln/Target/Lowering.h", "kiln/Dialect/Prim/Prim.h", "kiln/Dialect/Tile/Tile.h",
           "mlir/Dialect/Arith/IR/Arith.h", "mlir/Dialect/LLVMIR/LLVMDialect.h", "mlir/Dialect/Math/IR/Math.h",
           "mlir/Dialect/SCF/IR/SCF.h", "mlir/IR/Builders.h", "mlir/Interfaces/FunctionInterfaces.h", "mlir/Pass/Pass.h",
           "mlir/Pass/PassManager.h"]


def main():
    build, compiler, llvm = sys.argv[1:4]
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    flags = ["-std=c++17", "-fPIC", f"-I{source}/include", f"-I{build}/include", "-isystem", f"{llvm}/include"]
    header = precompiled(os.path.join(build, "test", "plug-in-headers"), compiler, flags, HEADERS)
    command = [compiler, *flags, *(["-include-pch", header] if header else []), "-shared", *sys.argv[4:],
               *linker_flags(llvm), f"-L{build}/lib", "-lKiln"]
    os.execv(compiler, command)


main()
