# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads a package twice in a process with threads, and calls both.

Usage: load_twice.py PACKAGE"""
import sys
import threading

import kiln
import numpy

ready = threading.Event()
threading.Thread(target=ready.wait, daemon=True).start()
x, bias = (numpy.random.default_rng(1).standard_normal(shape, numpy.float32) for shape in ((64, 512), (1, 512)))
first, second = (numpy.asarray(kiln.load(sys.argv[1], "reference")["norm"](x, bias)) for _ in range(2))
print("equal" if numpy.array_equal(first, second) and numpy.isfinite(first).all() else "different")
