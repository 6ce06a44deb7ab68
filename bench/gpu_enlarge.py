#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds which recorded Triton launches can be enlarged, and how, on the processor; gpu_large.py runs them.

Usage: gpu_enlarge.py CORPUS PLAN [--build=BUILD] [--filter=REGEX] [--every=N] [--jobs=N]

Most recordings have fewer instances than a GPU has cores, and time the latency of a launch. A launch K times as
large has one extent of the grid times K, some of the scalars (sizes, by which the kernel masks) times K, and the
contents of every buffer K times one behind the other. No table says which: combinations are tried with K = 3, and one
is taken if the launch writes K copies of what the recorded one writes, and nothing outside of the buffers; rooms of
noise before and behind each buffer betray what reads or writes there. PLAN is a list of what was found, in JSON.
"""
import argparse
import concurrent.futures
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test/triton"))
import numpy as np  # noqa: E402

import corpus  # noqa: E402
import gpu_corpus  # noqa: E402

ROOM = 1 << 16  # bytes on either side of a buffer
COPIES = 3
MOST_BYTES = 48 << 20
SEARCH_SECONDS = 30  # for one launch


class Arguments:
    """The arguments of a recorded launch, by parameter."""

    def __init__(self, case):
        self.case, self.arrays = case, np.load(case.path + ".npz")
        by_name = {arg["arg"]: arg for arg in case.info["args"]}
        self.parameters, self.storage = [], {}
        for name, kind in corpus.parameters(case.text):
            arg = by_name[name]
            if arg["t"] != "tensor":
                if kind.startswith("!tt.ptr"):
                    raise RuntimeError("a wrapped tensor")
                self.parameters.append((name, kind, arg, None))
                continue
            owner = by_name[arg["alias"]] if "alias" in arg else arg
            if owner["arg"] not in self.storage:
                self.storage[owner["arg"]] = corpus.make_storage(owner, self.arrays)
            self.parameters.append((name, kind, arg, owner["arg"]))

    def bytes(self):
        return sum(data.nbytes for data in self.storage.values())

    def sizes(self):
        """Scalars that may be sizes, the likely ones first: extents of buffers, or their products."""
        shapes = [arg["shape"] for _, _, arg, owner in self.parameters if owner]
        leading = {shape[0] for shape in shapes if shape}
        whole = {math.prod(shape) for shape in shapes}
        extents = {extent for shape in shapes for extent in shape}
        found = []
        for name, kind, arg, owner in self.parameters:
            if owner is None and kind[0] == "i" and kind != "i1" and int(arg["value"]) > 0:
                value = int(arg["value"])
                found.append(((value not in whole, value not in leading, value not in extents), name))
        return [name for _, name in sorted(found, key=lambda item: item[0])]


def run_on_processor(arguments, build, package, grid, copies, scaled, seed):
    """Memory after a launch with every buffer so many times, or None: each is its contents and its rooms."""
    noise = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        command = [os.path.join(build, "bin/kiln-run"), package, "--grid=" + ",".join(map(str, grid))]
        before, saves = {}, {}
        for index, (name, kind, arg, owner) in enumerate(arguments.parameters):
            if owner is None:
                value = int(arg["value"]) * copies if name in scaled else arg["value"]
                command.append(f"--arg={kind}:{value}")
                continue
            file = os.path.join(folder, owner + ".npy")
            if owner not in before:
                data = arguments.storage[owner]
                room = ROOM // data.itemsize
                rooms = [noise.integers(0, 256, ROOM, dtype=np.uint8).view(data.dtype) if data.dtype != np.bool_ else
                         noise.integers(0, 2, ROOM, dtype=np.uint8).view(np.bool_) for _ in range(2)]
                before[owner] = np.concatenate([rooms[0], np.tile(data, copies), rooms[1]])
                np.save(file, before[owner])
                saves[owner] = os.path.join(folder, f"out_{owner}.npy")
                command.append(f"--save={index}:{saves[owner]}")
            command.append(f"--arg={file}+{room_of(arguments, owner) + arg['offset']}")
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        except subprocess.TimeoutExpired:
            return None
        if result.returncode:
            return None
        after = {}
        for owner, file in saves.items():
            data = np.load(file)
            room = room_of(arguments, owner)
            # What is before and behind must be as it was.
            old, new = before[owner].view(np.uint8), data.view(np.uint8)
            if len(old) != len(new) or (old[:ROOM] != new[:ROOM]).any() or (old[-ROOM:] != new[-ROOM:]).any():
                return None
            after[owner] = data[room:-room]
        return after


def room_of(arguments, owner):
    return ROOM // arguments.storage[owner].itemsize


def same(a, b):
    return a.view(np.uint8).shape == b.view(np.uint8).shape and not (a.view(np.uint8) != b.view(np.uint8)).any()


def plan_of(options, stem):
    """How a launch can be enlarged, or why not."""
    case = corpus.Case(options.corpus, stem)
    if corpus.lookup(corpus.EXCEPTIONS, stem):
        return {"stem": stem, "reason": "its result has no one right answer"}
    try:
        arguments = Arguments(case)
    except RuntimeError as error:
        return {"stem": stem, "reason": str(error)}
    if arguments.bytes() * COPIES > MOST_BYTES:
        return {"stem": stem, "reason": "large buffers"}
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        package = os.path.join(folder, "a.kpkg")
        made = subprocess.run([os.path.join(options.build, "bin/kiln-compile"), "--in-process", case.path + ".ttir",
                               "--target=cpu", "--no-fallback", "-o", package], capture_output=True, check=False)
        if made.returncode:
            return {"stem": stem, "reason": "not for the processor"}
        grid = list(case.info["grid"])
        once = run_on_processor(arguments, options.build, package, grid, 1, (), 1)
        if once is None:
            return {"stem": stem, "reason": "accesses outside of its buffers"}
        changed = {owner for owner, data in once.items() if not same(data, arguments.storage[owner])}
        if not changed:
            return {"stem": stem, "reason": "writes what was there"}
        names = arguments.sizes()
        values = {name: int(arg["value"]) for name, _, arg, owner in arguments.parameters if owner is None
                  and name in names}
        choices = [()] + [(name,) for name in names]
        # All of one value, then pairs.
        choices += [tuple(n for n in names if values[n] == value) for value in dict.fromkeys(values.values())]
        choices += list(itertools.combinations(names[:6], 2))
        choices = list(dict.fromkeys(choice for choice in choices))
        started = time.time()
        for axis, scaled in itertools.product(sorted(range(3), key=lambda axis: -grid[axis]), choices):
            if time.time() - started > SEARCH_SECONDS:
                break
            larger = list(grid)
            larger[axis] *= COPIES
            after = run_on_processor(arguments, options.build, package, larger, COPIES, scaled, 2)
            if after and all(same(data, np.tile(once[owner], COPIES)) for owner, data in after.items()):
                # Noise elsewhere must not matter.
                again = run_on_processor(arguments, options.build, package, larger, COPIES, scaled, 3)
                if again and all(same(data, after[owner]) for owner, data in again.items()):
                    return {"stem": stem, "axis": axis, "scaled": list(scaled), "changed": sorted(changed),
                            "bytes": arguments.bytes()}
    return {"stem": stem, "reason": "no combination writes copies"}


def make_plan(options):
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(lambda stem: plan_of(options, stem), gpu_corpus.stems_of(options)):
            rows.append(row)
            print(row["stem"], f"axis {row['axis']}, {row['scaled']}" if "axis" in row else row["reason"], flush=True)
    reasons = {}
    for row in rows:
        reasons[row.get("reason", "can be enlarged")] = reasons.get(row.get("reason", "can be enlarged"), 0) + 1
    print(", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items(), key=lambda item: -item[1])))
    with open(options.plan, "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("plan")
    parser.add_argument("--build", default="build")
    parser.add_argument("--filter", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    make_plan(parser.parse_args())
    return 0


if __name__ == "__main__":
    sys.exit(main())
