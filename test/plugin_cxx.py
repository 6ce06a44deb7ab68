#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a plug-in of a test, which links the compiler's library: the headers that most plug-ins include are parsed once for
all tests, into a precompiled header in the build tree.

Usage: plugin_cxx.py BUILD COMPILER LLVM (arguments of the compiler: a source, -o, the output)..."""
import fcntl
import os
import subprocess
import sys

HEADERS = ["kiln/Target/Plugin.h", "kiln/Target/Lowering.h", "kiln/Dialect/Prim/Prim.h", "kiln/Dialect/Tile/Tile.h",
           "mlir/Dialect/Arith/IR/Arith.h", "mlir/Dialect/LLVMIR/LLVMDialect.h", "mlir/Dialect/Math/IR/Math.h",
           "mlir/Dialect/SCF/IR/SCF.h", "mlir/IR/Builders.h", "mlir/Interfaces/FunctionInterfaces.h", "mlir/Pass/Pass.h",
           "mlir/Pass/PassManager.h"]


def text_of(path):
    """The text of a file, or nothing where there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def is_fresh(output, command):
    """Whether the file was made by this command, and from the headers as they are."""
    if text_of(output + ".command") != command:
        return False
    try:
        made = os.stat(output).st_mtime_ns
        read = text_of(output + ".d").replace("\\\n", " ").split()[1:]
        return bool(read) and all(os.stat(path).st_mtime_ns <= made for path in read)
    except OSError:
        return False


def precompiled(folder, compiler, flags):
    """The precompiled header, made if need be; None where it cannot be made."""
    os.makedirs(folder, exist_ok=True)
    output = os.path.join(folder, "plug-in.pch")
    header = os.path.join(folder, "plug-in.h")
    command = [compiler, *flags, "-x", "c++-header", "-fpch-instantiate-templates", "-MD", "-MF", output + ".d", header]
    key = f"{os.stat(compiler).st_mtime_ns} {' '.join(command)} {' '.join(HEADERS)}"
    with open(os.path.join(folder, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_fresh(output, key):
            return output
        with open(header, "w", encoding="utf-8") as file:
            file.writelines(f'#include "{name}"\n' for name in HEADERS)
        if subprocess.run([*command, "-o", output + ".new"], check=False).returncode:
            return None
        os.replace(output + ".new", output)
        with open(output + ".command", "w", encoding="utf-8") as file:
            file.write(key)
    return output


def main():
    build, compiler, llvm = sys.argv[1:4]
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    flags = ["-std=c++17", "-fPIC", f"-I{source}/include", f"-I{build}/include", "-isystem", f"{llvm}/include"]
    header = precompiled(os.path.join(build, "test", "plug-in-headers"), compiler, flags)
    command = [compiler, *flags, *(["-include-pch", header] if header else []), "-shared", *sys.argv[4:], f"-L{build}/lib", "-lKiln"]
    os.execv(compiler, command)


main()
