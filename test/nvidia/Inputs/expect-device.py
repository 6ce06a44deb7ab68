# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a package on the device nvidia where there is one, with its checks; where the device or the library
of its driver is missing the error has to say so. Usage: expect-device.py KILN_RUN PACKAGE"""
import ctypes
import os
import subprocess
import sys

run, package = sys.argv[1:]
done = subprocess.run([run, package, "--arg=random:1:f32:10000", "--arg=random:1:f32:10000", "--result=0:sum.npy"],
                      capture_output=True, text=True, check=False)


def has_driver():
    """Whether programs can load the driver's library: a container may have the device without it."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


if not os.path.exists("/dev/nvidiactl") or not has_driver():
    if done.returncode != 1 or "no driver of NVIDIA's is installed" not in done.stderr:
        sys.exit(f"expected an error that says what is missing, found: {done.stderr}")
    print("no device here")
    sys.exit(0)
import numpy

if done.returncode:
    sys.exit(done.stderr)
numbers = numpy.load("sum.npy")
if not numbers.any() or numbers.shape != (10000,):
    sys.exit("the kernel has not run")
sys.exit(subprocess.run(["kiln-conform", "--device=nvidia", f"--package={package}"], check=False).returncode)
