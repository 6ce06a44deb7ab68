# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares an array with numbers: check.py FILE.npy NUMBER... ["..."]

With "..." at the end, more elements may follow. bf16 is uint16 in files: `bf16:FILE.npy`.
"""
import sys

import numpy as np

name, words = sys.argv[1], sys.argv[2:]
found = np.load(name.removeprefix("bf16:")).reshape(-1)
if name.startswith("bf16:"):
    found = (found.astype(np.uint32) << 16).view(np.float32)
if words[-1] == "...":
    words.pop()
    found = found[:len(words)]
expected = np.array([float(word) for word in words])
if len(found) != len(expected) or not np.array_equal(found.astype(float), expected, equal_nan=True):
    sys.exit(f"expected {expected.tolist()}, found {found.tolist()}")
