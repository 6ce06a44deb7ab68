# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts the programs that lie beside this file."""
import os
import sys


def start(name):
    """Becomes the program."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    if not os.access(path, os.X_OK):
        sys.exit(f"{name}: error: {path} is not installed")
    os.execv(path, [path, *sys.argv[1:]])


def kiln_run():
    start("kiln-run")


def kiln_conform():
    start("kiln-conform")
