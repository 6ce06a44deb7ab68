# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mutate.py FILE FOLDER N: N copies of FILE, truncated or with bytes changed."""
import os
import random
import sys

with open(sys.argv[1], "rb") as file:
    good = file.read()
for seed in range(int(sys.argv[3])):
    rng = random.Random(seed)
    data = bytearray(good)
    if seed % 4 == 0:
        data = data[:rng.randrange(8, len(data))]
    for _ in range(rng.randrange(1, 8)):
        data[rng.randrange(4, len(data))] = rng.randrange(256)
    with open(os.path.join(sys.argv[2], f"mutant-{seed}.bc"), "wb") as file:
        file.write(data)
