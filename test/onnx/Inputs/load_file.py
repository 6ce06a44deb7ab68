# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads an ONNX file of files.py, and one that is refused. Usage: load_file.py MODEL"""
import sys

import kiln
import numpy

layer = kiln.load(sys.argv[1])
w = numpy.arange(512, dtype=numpy.float32).reshape(32, 16) / 512
b = numpy.linspace(-4, 4, 16, dtype=numpy.float32)
for rows in (0, 1, 5):
    x = numpy.linspace(-1, 1, rows * 32, dtype=numpy.float32).reshape(rows, 32)
    y = numpy.asarray(layer(x))
    print(f"rows {rows}: {y.shape == (rows, 16) and numpy.allclose(y, numpy.maximum(x @ w + b, 0), atol=1e-4)}")
try:
    kiln.load("operator.onnx")
except kiln.Error as error:
    print(f"kiln.Error: {error}")
