# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes of kinds that other compilers were reported to compute wrongly or to refuse, against numpy.

Usage: cases_reports.py FOLDER TARGET [FILTER]"""
import itertools

import numpy

import cases_file
from cases_file import case, floats, one, softmax

cases_file.CASES.clear()


# Cubic weights are those of the coordinate, also outside of the picture; what they weigh are elements at its border.
def cubic(t):
    a = -0.75
    near = lambda v: ((a + 2) * v - (a + 3)) * v * v + 1
    far = lambda v: ((a * v - 5 * a) * v + 8 * a) * v - 4 * a
    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def bicubic(x, grid, align):
    made = numpy.zeros((*x.shape[:2], *grid.shape[1:3]))
    last = numpy.array(x.shape[:1:-1]) - 1
    for b, i, j in numpy.ndindex(grid.shape[:3]):
        at = (grid[b, i, j].astype(float) + 1) / 2 * (last if align else last + 1) - (0 if align else 0.5)
        low = numpy.floor(at)
        columns, rows = (cubic(t) for t in at - low)
        for r, c in itertools.product(range(4), range(4)):
            column, row = numpy.clip(low + [c - 1, r - 1], 0, last).astype(int)
            made[b, :, i, j] += rows[r] * columns[c] * x[b, :, row, column]
    return made


for align, (opset, mode) in itertools.product((0, 1), ((16, "bicubic"), (20, "cubic"))):
    image, grid = floats(2, 2, 4, 5), floats(2, 3, 4, 2) * 1.6
    case("GridSample", [image, grid], [bicubic(image, grid, align)], domain="", opset=opset, mode=mode, padding_mode="border",
         align_corners=align, dims={0: ["n", 2, "h", "w"], 1: ["n", "p", "q", 2]})


# Of equal elements the first one of the window counts, in whichever order places are numbered.
def pooled(x, kernel, strides, by_column):
    counts = [(n - k) // s + 1 for n, k, s in zip(x.shape[2:], kernel, strides)]
    most, places = numpy.zeros((*x.shape[:2], *counts), x.dtype), numpy.zeros((*x.shape[:2], *counts), numpy.int64)
    numbers = numpy.arange(numpy.prod(x.shape[2:])).reshape(x.shape[2:], order="F" if by_column else "C")
    for at in numpy.ndindex(most.shape):
        begin = [i * s for i, s in zip(at[2:], strides)]
        window = tuple(slice(b, b + k) for b, k in zip(begin, kernel))
        part = x[at[:2]][window]
        most[at] = part.max()
        places[at] = numbers[window].reshape(-1)[part.argmax()] + (at[0] * x.shape[1] + at[1]) * numbers.size
    return most, places


for kind, shape in itertools.product((numpy.float32, numpy.int8, numpy.uint8), ((5,), (4, 5), (3, 4, 5))):
    x = (numpy.rint(floats(2, 2, *shape)) + (255 if kind == numpy.uint8 else 0)).astype(kind)
    kernel, strides = [2, 3, 2][:len(shape)], [1, 2, 1][:len(shape)]
    for order in (0, 1):
        case("MaxPool", [x], list(pooled(x, kernel, strides, order)), domain="", opset=12, kernel_shape=kernel, strides=strides,
             storage_order=order)

# The mask of versions before 10 has the type of the elements.
x = floats(2, 3)
case("Dropout", [x], [x, numpy.ones_like(x)], domain="", opset=7, ratio=0.3)
case("Dropout", [x], [x, numpy.ones_like(x, bool)], domain="", opset=10, ratio=0.3)

# A batch that is open in queries and known in keys.
q, k, v = floats(2, 3, 2, 4), floats(2, 3, 3, 4), floats(2, 3, 3, 4)
past = [floats(2, 3, 2, 4), floats(2, 3, 2, 4)]
keys, values = (numpy.concatenate(parts, 2) for parts in ((past[0], k), (past[1], v)))
mask = floats(1, 1, 1, 5)
attended = softmax(q @ keys.transpose(0, 1, 3, 2) / 2 + mask) @ values
case("Attention", [q, k, v, mask, *past], [attended, keys, values], domain="", opset=24, dims={0: ["n", 3, 2, 4]})
single = q[:, :, :1]
attended = softmax(single @ keys.transpose(0, 1, 3, 2) / 2 + mask) @ values
case("Attention", [single, k, v, mask, *past], [attended, keys, values], domain="", opset=24, dims={0: ["n", 3, 1, 4]})

# Sums of no channel, and what is added to them.
case("Conv", [numpy.zeros((6, 0, 3), numpy.float32), numpy.zeros((2, 0, 2), numpy.float32), one([0.5, -1])],
     [numpy.broadcast_to(one([[0.5], [-1]]), (6, 2, 4))], domain="", pads=[1, 1])
case("Gemm", [numpy.zeros((3, 0), numpy.float32), numpy.zeros((0, 4), numpy.float32), one([1, 2, 3, 4])],
     [numpy.broadcast_to(one([1, 2, 3, 4]), (3, 4))], domain="")

cases_file.main()
