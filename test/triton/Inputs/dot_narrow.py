# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes operands, or checks results of the form c + a * b, for dot-narrow.mlir."""
import sys

import numpy as np

action, stem, targets = sys.argv[1], sys.argv[2], sys.argv[3:]
if action == "make":
    generator = np.random.default_rng(5)
    for name in "abc":
        np.save(f"{stem}.{name}.npy", generator.standard_normal((16, 16)).astype(np.float16))
else:
    a, b, c = (np.load(f"{stem}.{name}.npy").astype(np.float64) for name in "abc")
    want = c + a @ b
    for target in targets:
        error = np.abs(np.load(f"{stem}.{target}.npy").astype(np.float64) - want)
        # Half a unit in the last place, and a little for the sum in f32.
        assert (error <= 0.501 * np.spacing(np.abs(want).astype(np.float16))).all(), target
