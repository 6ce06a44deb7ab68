#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of test/jax through the PJRT plug-in beside XLA, by turns: what a call takes, or with --compile what compiling
takes. A call's time is that of many calls behind each other and of the wait for the last.

Usage: jax_programs.py [--compile] [--rounds=N] [--peer=cpu|cuda] [NAME...]   needs jax, and the package `kiln` on PYTHONPATH
With --peer=cuda XLA runs on a GPU, and so should Kiln: KILN_JAX_TARGET=nvidia:sm_90a.

A ratio is XLA's time divided by Kiln's, each the least of all rounds. test/jax/programs.py compares the results."""
import argparse
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test/jax"))
os.environ["JAX_ENABLE_COMPILATION_CACHE"] = "0"
import programs  # sets JAX_PLATFORMS before it imports jax

import jax

#: Seconds before a compilation, in which the compiler before it does what it leaves for later: Kiln prepares its next process.
PAUSE = 0.2


def lowered(function, arguments, device):
    given = jax.tree.map(lambda x: jax.device_put(x, device), arguments)
    with jax.default_device(device):
        return jax.jit(lambda *all: function(*all)).lower(*given), given  # a new function each time: nothing is kept


def compile_seconds(function, arguments, device):
    program, _ = lowered(function, arguments, device)
    time.sleep(PAUSE)
    begin = time.perf_counter()
    program.compile()
    return time.perf_counter() - begin


def caller(function, arguments, device):
    """What runs a program a number of times, and gives the seconds of a call."""
    program, given = lowered(function, arguments, device)
    compiled = program.compile()
    jax.block_until_ready(compiled(*given))

    def seconds(calls):
        begin = time.perf_counter()
        for _ in range(calls):
            result = compiled(*given)
        jax.block_until_ready(result)
        return (time.perf_counter() - begin) / calls
    return seconds


def measure(name, devices, options):
    function, arguments, *_ = programs.PROGRAMS[name]
    if options.compile:
        runs = [lambda one=device: compile_seconds(function, arguments, one) for device in devices]
    else:
        callers = [caller(function, arguments, device) for device in devices]
        calls = max(1, min(100, int(0.005 / max(one(1) for one in callers))))
        runs = [lambda one=one: one(calls) for one in callers]
    times = [[run() for run in runs] for _ in range(options.rounds)]
    return [min(each) for each in zip(*times)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--peer", choices=["cpu", "cuda"], default="cpu")
    options = parser.parse_args()
    if options.peer == "cuda":
        jax.config.update("jax_platforms", "kiln,cuda,cpu")
    options.rounds = options.rounds or (3 if options.compile else 25)
    devices = [jax.devices(platform)[0] for platform in ("kiln", options.peer)]
    ratios = []
    # This one names devices of its own.
    names = options.names or [name for name in programs.PROGRAMS if name != "shard_map_on_one_device"]
    for name in names:
        ours, theirs = measure(name, devices, options)
        ratios.append(theirs / ours)
        print(f"{name:45} kiln {ours * 1e6:9.1f} xla {theirs * 1e6:9.1f} us ratio {ratios[-1]:.2f}", flush=True)
    print(f"{len(ratios)} programs, geometric mean {statistics.geometric_mean(ratios):.2f}, worst {min(ratios):.2f}")


if __name__ == "__main__":
    main()
