#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans, sorts, the largest elements and the gradient of an embedding, beside torch eager: time, and memory over that of the
operands. Results are verified.

Usage: torch_ops.py [--sizes=1048576,16777216] [--rounds=N] [--only=NAME,...]
"""
import argparse
import os
import resource
import sys
import time

import torch

# What is measured is the target, or nothing.
os.environ["KILN_NO_FALLBACK"] = "1"

from kiln.torch import decompositions  # noqa: E402
from kiln.torch.compiled import Compiled  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402


def gradient(rows, places, weight):
    return torch.ops.aten.embedding_dense_backward(rows, places, weight, -1, False)


def cases(sizes):
    for size in sizes:
        x = lambda size=size: [torch.randn(size)]  # noqa: E731
        yield f"cumsum {size}", lambda x: torch.cumsum(x, 0), x
        yield f"sort {size}", lambda x: torch.sort(x, stable=True)[0], x
        yield f"topk {size}", lambda x: torch.topk(x, 100)[0], x
    yield "embedding 50000x1024", lambda g, i: gradient(g, i, 50000), \
        lambda: [torch.randn(8192, 1024), torch.randint(0, 2000, (8192,))]


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def in_turns(functions, arguments, rounds):
    """The least seconds of each function, called by turns."""
    least = [float("inf")] * len(functions)
    for _ in range(rounds):
        for number, function in enumerate(functions):
            start = time.perf_counter()
            function(*arguments)
            least[number] = min(least[number], time.perf_counter() - start)
    return least


def measure(function, make, rounds):
    """(Kiln's seconds, eager's, memory over that of operands and results)"""
    arguments = make()
    compiled = Compiled(make_fx(function, tracing_mode="fake", decomposition_table=decompositions.table())(*arguments),
                        "cpu,threads=1")
    before = peak()
    got = compiled(*arguments)
    got = got[0] if isinstance(got, (list, tuple)) else got
    memory = peak() - before
    operands = sum(t.numel() * t.element_size() for t in (*arguments, got))
    want = function(*arguments)
    torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-2)
    return *in_turns((compiled, function), arguments, rounds), memory / operands


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="1048576,16777216")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    wanted = tuple(filter(None, options.only.split(",")))
    for name, function, make in cases(list(map(int, options.sizes.split(",")))):
        if wanted and not name.startswith(wanted):
            continue
        child = os.fork()  # each with a peak of its own
        if child:
            os.waitpid(child, 0)
            continue
        mine, eager, memory = measure(function, make, options.rounds)
        print(f"{name:24} {mine * 1e3:9.2f} ms, eager {eager * 1e3:9.2f} ms: {eager / mine:.2f}; "
              f"memory {memory:.2f} of operands and results", flush=True)
        os._exit(0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
