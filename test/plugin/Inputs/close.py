# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""close.py A.npy B.npy: f32 files of one shape whose elements nearly agree."""
import struct
import sys


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    count = (len(data) - start) // 4
    return data[10:start], struct.unpack(f"<{count}f", data[start:])


(header_a, a), (header_b, b) = load(sys.argv[1]), load(sys.argv[2])
error = max(abs(x - y) for x, y in zip(a, b))
print("elements", len(a), "largest difference", error, "largest element", max(map(abs, a)))
sys.exit(header_a != header_b or not a or error > 1e-4 or max(map(abs, a)) == 0)
