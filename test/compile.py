#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a program or a device driver of a test. Many tests compile the same sources: their objects come from a compiler cache in the
build tree. Programs that include MLIR's headers share a precompiled one.

Usage: compile.py BUILD COMPILER LLVM (arguments of the compiler: sources, -o, the output)..."""
import os
import shutil
import subprocess
import sys
import tempfile

from precompile import linker_flags, precompiled

# What programs of isolated targets include.
HEADERS = ["mlir/AsmParser/AsmParser.h", "mlir/Dialect/Arith/IR/Arith.h", "mlir/Dialect/Math/IR/Math.h", "mlir/Dialect/SCF/IR/SCF.h",
           "mlir/IR/BuiltinOps.h", "mlir/IR/MLIRContext.h", "mlir/IR/Matchers.h", "mlir/Parser/Parser.h", "llvm/Support/JSON.h"]


def split(arguments):
    """Sources, options of the compiler, options and files of the linker, and the output."""
    sources, compiling, linking, output = [], [], [], "a.out"
    rest = iter(arguments)
    for argument in rest:
        if argument == "-o":
            output = next(rest)
        elif argument in ("-include", "-isystem"):
            compiling += [argument, next(rest)]
        elif argument.endswith((".cpp", ".c")):
            sources.append(argument)
        elif argument.startswith(("-L", "-l", "-Wl,", "-shared")) or not argument.startswith("-"):
            linking.append(argument)
        else:
            compiling.append(argument)
            linking += [argument] if argument == "-pthread" else []
    return sources, compiling, linking, output


def main():
    build, compiler, llvm = sys.argv[1:4]
    sources, compiling, linking, output = split(sys.argv[4:])
    headers = os.path.join(llvm, "include")
    prefix, first = [], []
    if headers in compiling:
        flags = [flag for flag in compiling if flag.startswith(("-std", "-f", "-O"))]
        folder = os.path.join(build, "test", "program-headers" + "".join(flags))
        header = precompiled(folder, compiler, [*flags, "-isystem", headers], HEADERS)
        first = ["-include-pch", header] if header else []
    elif shutil.which("ccache"):
        prefix = ["ccache"]
    environment = dict(os.environ, CCACHE_DIR=os.path.join(build, "test", "compiler-cache"), CCACHE_MAXSIZE="200M")
    with tempfile.TemporaryDirectory() as scratch:
        objects = []
        for number, source in enumerate(sources):
            objects.append(os.path.join(scratch, f"{number}.o"))
            command = [*prefix, compiler, *first, *compiling, "-c", source, "-o", objects[-1]]
            if subprocess.run(command, env=environment, check=False).returncode:
                return 1
        command = [compiler, *objects, *linking, *linker_flags(llvm), "-o", output]
        return subprocess.run(command, check=False).returncode


sys.exit(main())
