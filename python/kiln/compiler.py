# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler, where the wheel kiln-compiler is installed."""
import os
import subprocess

from .tools import start


def compile(source, target, output, *options):  # as kiln-compile has it
    """Compiles a file: kiln-compile SOURCE --target=TARGET -o OUTPUT OPTIONS. Raises RuntimeError
    with what the compiler printed."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "kiln-compile")
    done = subprocess.run([path, os.fspath(source), f"--target={target}", "-o", os.fspath(output), *options],
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())


def kiln_compile():
    start("kiln-compile")


def kiln_opt():
    start("kiln-opt")


def kiln_reduce():
    start("kiln-reduce")
