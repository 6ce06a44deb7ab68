#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call costs beside the work: x + 1, and the sum of 200 tensors of eight numbers, through
torch.compile(backend="kiln"), beside Inductor, eager mode and a backend that does nothing (what Dynamo itself costs),
by turns; and the parts of it: the compiled graph, the C extension under it, a package as kiln.load gives it. Microseconds
of the calling thread's processor time, least of many rounds. Results are verified.

Usage: torch_calls.py [--arguments=1,200] [--rounds=N] [--without-inductor]
"""
import argparse
import os
import sys
import time

import torch

# What is measured is the target, or nothing.
os.environ["KILN_NO_FALLBACK"] = "1"

import kiln.torch  # noqa: E402, F401
from kiln._runtime import exchange  # noqa: E402
from kiln.torch import aot, compiled  # noqa: E402

KEPT = []


class Kept(compiled.Compiled):
    """Compiled graphs, the last of which is looked into."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        KEPT.append(self)


def nothing(module, inputs):
    shape = inputs[0]
    return lambda *arguments: [torch.empty_like(shape)]


def total(*arguments):
    if len(arguments) == 1:
        return arguments[0] + 1
    made = arguments[0]
    for one in arguments[1:]:
        made = made + one
    return made


def in_turns(functions, rounds):
    """The least microseconds of each."""
    least = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            times = 20
            start = time.thread_time()
            for _ in range(times):
                function()
            least[name] = min(least[name], (time.thread_time() - start) / times * 1e6)
    return least


def ways(count, without_inductor):
    """{name: function without arguments}"""
    arguments = [torch.randn(8) for _ in range(count)]
    want = total(*arguments)
    found = {}
    for name, backend in (("nothing", nothing), ("kiln", "kiln"), ("inductor", "inductor")):
        if name == "inductor" and without_inductor:
            continue
        torch._dynamo.reset()
        made = torch.compile(total, backend=backend, fullgraph=True)
        got = made(*arguments)
        if name != "nothing":
            torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
        found[name] = lambda made=made: made(*arguments)
    found["eager"] = lambda: total(*arguments)
    graph = KEPT[-1]
    found["graph"] = lambda: graph.boxed(list(arguments))
    found["exchange"] = lambda: exchange(graph.session, graph.entry, compiled.EXCHANGE, arguments)
    found["kiln.load"] = lambda: graph.program(*arguments)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arguments", default="1,200")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--without-inductor", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    compiled.Compiled = aot.Compiled = Kept
    with torch.no_grad():
        for count in map(int, options.arguments.split(",")):
            for name, microseconds in in_turns(ways(count, options.without_inductor), options.rounds).items():
                print(f"{count:4} arguments  {name:10} {microseconds:8.1f} us", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
