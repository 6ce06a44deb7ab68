# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the operands of dot-scaled.mlir to a folder, or checks the product in it.

Usage: dot_scaled.py make|check FOLDER
"""
import sys

import numpy as np

FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
FP4 = np.concatenate([FP4, -FP4])


def e4m3(code):
    exponent, fraction = (code >> 3) & 15, code & 7
    return (1 + fraction / 8) * 2.0 ** (exponent - 7) if exponent else fraction * 2.0 ** -9


def main():
    folder = sys.argv[2]
    random = np.random.default_rng(0)
    a = random.integers(0, 256, 512).astype(np.uint8)
    b = random.integers(0, 256, 1024).astype(np.uint8)
    scales = random.integers(-3, 4, (2, 16, 2)).astype(np.int8)
    if sys.argv[1] == "make":
        np.save(folder + "/a.npy", a.view(np.int8))
        np.save(folder + "/b.npy", b.view(np.int8))
        np.save(folder + "/sa.npy", scales[0].ravel())
        np.save(folder + "/sb.npy", scales[1].ravel())
        np.save(folder + "/c.npy", np.zeros(256, np.float32))
        return
    packed = a.reshape(16, 32)
    lhs = np.zeros((16, 64))
    lhs[:, 0::2], lhs[:, 1::2] = FP4[packed & 15], FP4[packed >> 4]
    rhs = np.vectorize(e4m3)((b & 0x37).reshape(64, 16).astype(int))
    powers = np.repeat(2.0 ** scales, 32, axis=2)
    expected = (lhs * powers[0]) @ (rhs * powers[1].T)
    found = np.load(folder + "/out.npy").reshape(16, 16)
    print("largest error", np.abs(found - expected).max())
    assert np.array_equal(found, expected.astype(np.float32))
    print("exact")


main()
