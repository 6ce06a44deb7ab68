#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every .ttir of a folder for chips of the target nvidia, and counts those that become machine code of each.

Usage: recorded.py FOLDER CHIP..."""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

MARK = b"KILNCUB1"  # before the assembler's output in a package


def compile_one(path, chips, folder):
    """What is wrong with a kernel, or nothing."""
    package = os.path.join(folder, os.path.basename(path) + ".kpkg")
    made = subprocess.run(["kiln-compile", "--in-process", path] + [f"--target=nvidia:{chip}" for chip in chips]
                          + ["--no-fallback", "-o", package], capture_output=True, text=True, check=False)
    if made.returncode:
        return next((line for line in made.stderr.splitlines() if "error" in line), f"exit status {made.returncode}")
    with open(package, "rb") as file:
        count = file.read().count(MARK)
    os.remove(package)
    return "" if count == len(chips) else f"machine code for {count} chips"


def main():
    folder, chips = sys.argv[1], sys.argv[2:]
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".ttir")]
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = list(pool.map(lambda path: compile_one(path, chips, scratch), paths))
    for path, problem in zip(paths, problems):
        if problem:
            print(f"{path}: {problem}")
    print(f"{problems.count('')} of {len(paths)} kernels for {', '.join(chips)}")


main()
