#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls softmax and layer norm of 4096x4096 through the C interface, again and again,
beside a copy of the same bytes; several builds take turns. Results are verified.

Usage: calls.py BUILD [BUILD...] [--threads=N] [--seconds=S] [--rounds=N]
"""
import argparse
import os
import subprocess
import sys
import tempfile

# What is measured is the target, or nothing.
os.environ["KILN_NO_FALLBACK"] = "1"

NORM = "%x weight %g bias %b axes 1 eps 1.0e-5 : tensor<4096x4096xf32>, tensor<4096xf32>, tensor<4096xf32>"
PROGRAMS = {
    "softmax": ("%x: tensor<4096x4096xf32>", "prim.softmax %x dim 1 : tensor<4096x4096xf32>"),
    "layer_norm": ("%x: tensor<4096x4096xf32>, %g: tensor<4096xf32>, %b: tensor<4096xf32>",
                   "prim.layer_norm " + NORM),
}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("builds", nargs="+")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "calls")
        runtime = os.path.join(os.path.abspath(options.builds[0]), "lib")
        # Built once: what a runtime lacks is found out as the program runs.
        subprocess.run(["clang-22", "-O2", f"-I{source}/include", f"{source}/bench/calls.c", f"-L{runtime}",
                        "-lkiln-runtime", "-lm", "-o", program], check=True)
        for name, (arguments, operation) in PROGRAMS.items():
            text = f"func.func @main({arguments}) -> tensor<4096x4096xf32> {{\n  %0 = {operation}\n" \
                   "  return %0 : tensor<4096x4096xf32>\n}\n"
            file = os.path.join(folder, name + ".mlir")
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
            for number, build in enumerate(options.builds):
                subprocess.run([f"{build}/bin/kiln-compile", file, f"--target=cpu,threads={options.threads}", "-o",
                                os.path.join(folder, f"{name}.{number}")], check=True)
            for _ in range(options.rounds):
                for number, build in enumerate(options.builds):
                    env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(os.path.abspath(build), "lib"))
                    print(f"{build}: ", end="", flush=True)
                    subprocess.run([program, os.path.join(folder, f"{name}.{number}"), name, str(options.seconds)],
                                   env=env, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
