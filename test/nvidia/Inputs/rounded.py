# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes arguments of a convolution whose filter copies channels, FOLDER/x.npy and FOLDER/w.npy, and its result by tf32,
FOLDER/y.npy, if both are rounded to nearest. The first bits are infinities, NaN, and numbers near the largest and the least."""
import sys

import numpy

folder = sys.argv[1]
bits = numpy.random.default_rng(1).integers(0, 1 << 32, 4096, numpy.uint32)
bits[:13] = [0x7f800000, 0xff800000, 0x7fc00000, 0x7fffffff, 0xffffffff, 0x7f7fffff, 0xff7fffff, 0x7f7fefff, 0x7f7ff000, 0,
             0x80000000, 0x1000, 0xfff]
numpy.save(folder + "/x.npy", bits.view(numpy.float32).reshape(1, 32, 8, 16))
filters = numpy.zeros((32, 32, 1, 2), numpy.float32)
filters[range(32), range(32), 0, 0] = 1
numpy.save(folder + "/w.npy", filters)

# What would become infinite loses its lower bits in the product.
small = (bits & 0x7fffffff) < 0x7f7ff000
bits = numpy.where(small, bits + numpy.uint32(0x1000), bits) & numpy.uint32(0xffffe000)
places = bits.view(numpy.float32).reshape(32, 8, 16).transpose(1, 2, 0)
result = places[:, :-1].copy()
# Zero times what is not finite, in another channel or beside the place.
isFinite = numpy.isfinite(places)
others = (~isFinite).sum(2, keepdims=True)
result[((others[:, :-1] - ~isFinite[:, :-1]) > 0) | (others[:, 1:] > 0)] = numpy.nan
numpy.save(folder + "/y.npy", result.reshape(1, 8, 15, 32))
