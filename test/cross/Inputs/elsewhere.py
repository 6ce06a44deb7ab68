# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels of a package here and on emulated processors, and compares what they write.

Usage: elsewhere.py PACKAGE PROCESSOR=COMMAND... : COMMAND runs kiln-run there. Integers are equal,
and floats within the rounding of sums of 41 products.
"""
import re
import shlex
import subprocess
import sys

import numpy as np

KERNELS = {"f32": 1e-5, "bf16": 1e-5, "f16": 1e-5, "signed": 0, "left": 0, "right": 0, "both": 0, "larger": 0}


def run(command, package, kernel, result):
    # Signalling NaNs in every third place of one side.
    arguments = ["--arg=random:1", "--arg=random:2"]
    if kernel == "larger":
        x = np.arange(19, dtype=np.float32)
        y = x[::-1].copy()
        x.view(np.uint32)[::3] = 0x7F800001
        np.save("x.npy", x)
        np.save("y.npy", y)
        arguments = ["--arg=x.npy", "--arg=y.npy"]
    done = subprocess.run(
        [*command, package, f"--entry={kernel}", "--grid=1", *arguments, f"--save=2:{result}"],
        capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{kernel}: exit {done.returncode}: {done.stderr.strip()}")
        return None, None
    used = re.search(r"note: target (\S+) is used", done.stderr)
    return np.load(result), used.group(1) if used else "the first target"


def main():
    package = sys.argv[1]
    here = {kernel: run(["kiln-run"], package, kernel, "here.npy")[0] for kernel in KERNELS}
    for argument in sys.argv[2:]:
        processor, _, command = argument.partition("=")
        right, targets = 0, set()
        for kernel, tolerance in KERNELS.items():
            found, used = run(shlex.split(command), package, kernel, "there.npy")
            if found is None:
                continue
            targets.add(used)
            expected = here[kernel].astype(np.float64)
            distance = np.abs(found.astype(np.float64) - expected)
            if np.all(distance <= tolerance * max(1.0, np.abs(expected).max())):
                right += 1
            else:
                print(f"{processor}: {kernel}: off by up to {np.nanmax(distance)}")
        print(f"{processor}: {' '.join(sorted(targets))}: {right} of {len(KERNELS)} as here")


if __name__ == "__main__":
    main()
