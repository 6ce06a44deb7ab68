# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles twice.mlir, or product.mlir for slips in block sizes, for kiln-target-slip with each slip that the standard input names, and
prints what became of it. Usage: slips.py FOLDER"""
import os
import subprocess
import sys

here = os.path.dirname(os.path.realpath(__file__))
for line in sys.stdin:
    slip = line.strip()
    if not slip:
        continue
    program = "product.mlir" if slip.startswith("tile:") else "twice.mlir"
    command = ["kiln-compile", program, "--load-target=./kiln-target-slip", "--target=slip", "--no-fallback", "-o",
               os.path.join(sys.argv[1], "slip.kiln")] + (["--emit=asm"] if slip.startswith("emit:") else [])
    done = subprocess.run(command, cwd=here, env={**os.environ, "KILN_TARGET_SLIP": slip}, capture_output=True, text=True, errors="replace")
    errors = done.stderr.count("error: ")
    print(f"{slip}: exit {done.returncode}, errors {errors}: {' / '.join(done.stderr.splitlines())}")
