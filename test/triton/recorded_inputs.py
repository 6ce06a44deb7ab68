#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a corpus of one launch whose inputs are drawn numbers: floats that repeat after a period, and integers.

Usage: recorded_inputs.py FOLDER
"""
import json
import os
import sys

import numpy as np

import corpus

TEXT = """module {
  tt.func public @sum(%x: !tt.ptr<f32>, %n: !tt.ptr<i32>, %o: !tt.ptr<f32>) {
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %ns = tt.splat %n : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %os = tt.splat %o : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %np = tt.addptr %ns, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    %op = tt.addptr %os, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %a = tt.load %xp : tensor<128x!tt.ptr<f32>>
    %b = tt.load %np : tensor<128x!tt.ptr<i32>>
    %c = arith.sitofp %b : tensor<128xi32> to tensor<128xf32>
    %s = arith.addf %a, %c : tensor<128xf32>
    tt.store %op, %s : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
"""


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)

    def tensor(name, dtype, **init):
        return {"arg": name, "t": "tensor", "dtype": dtype, "shape": [128], "stride": [1], "offset": 0,
                "init": dict(init, n=128)}
    args = [tensor("x", "float32", kind="uniform", lo=-1.0, hi=1.0, seed=1, period=48),
            tensor("n", "int32", kind="integers", lo=-5, hi=5, seed=2),
            tensor("o", "float32", kind="const", value=0.0)]
    x, n = (corpus.make_storage(arg, {}) for arg in args[:2])
    # Numbers repeat, and both ends of a range of integers are drawn.
    assert (x[:80] == x[48:]).all() and len(set(x[:48])) == 48, x
    assert n.dtype == np.int32 and n.min() == -5 and n.max() == 5, n
    with open(os.path.join(folder, "sum.ttir"), "w", encoding="utf-8") as file:
        file.write(TEXT)
    with open(os.path.join(folder, "sum.json"), "w", encoding="utf-8") as file:
        json.dump({"kernel": "sum", "grid": [1, 1, 1], "args": args, "meta": {"num_warps": 4}}, file)
    np.savez_compressed(os.path.join(folder, "sum.npz"), out_o=x + n.astype(np.float32))


if __name__ == "__main__":
    main()
