#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs recorded Triton launches from code objects that another compiler made, on the simulated device, and compares the
results with the recording: an oracle for the device that is not ours.

Usage: oracle.py CORPUS OBJECTS [--filter=REGEX] [--jobs=N] [--sim=kiln-amd-sim]

CORPUS is a folder as corpus.py has it. OBJECTS has STEM.hsaco and STEM.meta for a case: JSON with `name`, `num_warps`,
`shared` (bytes of LDS) of the kernel, as `triton.compile(STEM.ttir, target=GPUTarget("hip", "gfx942", 64))` gives them.
"""
import argparse
import concurrent.futures
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "triton"))
import corpus  # noqa: E402


def scalar(kind, value):
    if kind == "f32":
        return "i64:" + str(struct.unpack("<I", struct.pack("<f", value))[0])
    return "i64:" + str(int(value))


def run(case, objects, sim, lanes):
    stem = os.path.join(objects, case.stem)
    with open(stem + ".meta", encoding="utf-8") as file:
        meta = json.load(file)
    arrays = np.load(case.path + ".npz")
    by_name = {arg["arg"]: arg for arg in case.info["args"]}
    with tempfile.TemporaryDirectory() as scratch:
        command = [sim, stem + ".hsaco", "--kernel=" + meta["name"], f"--threads={meta['num_warps'] * lanes}",
                   "--grid=" + ",".join(map(str, case.info["grid"])), f"--lds={meta['shared']}"]
        outputs = []
        for name, kind in corpus.parameters(case.text):
            arg = by_name[name]
            if arg["t"] != "tensor":
                if kind.startswith("!tt.ptr"):
                    return "unsupported", "a wrapped tensor"
                command.append("--arg=" + scalar(kind, arg["value"]))
                continue
            owner = by_name[arg["alias"]] if "alias" in arg else arg
            file = os.path.join(scratch, owner["arg"] + ".bin")
            storage = corpus.STORAGE[owner["dtype"]]
            if not os.path.exists(file):
                corpus.make_storage(owner, arrays).astype(storage).tofile(file)
            command.append(f"--arg=file:{file}+{arg['offset'] * np.dtype(storage).itemsize}")
            if "out_" + name in arrays and owner["init"]["n"]:
                outputs.append((name, arg, file, storage))
        # Two pointers to scratch memory of the launch, which these kernels do not use.
        command += ["--arg=i64:0", "--arg=i64:0"]
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return "timeout", ""
        if result.returncode:
            lines = [line for line in result.stderr.splitlines() if "error" in line]
            reason = lines[0] if lines else f"exit status {result.returncode}"
            return ("unsupported" if "unsupported" in reason else "error"), reason
        for name, arg, file, storage in outputs:
            problem = case.compare(name, arg, np.fromfile(file, dtype=storage), arrays["out_" + name])
            if problem:
                return "differs", problem
        return "right", ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("objects")
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sim", default="kiln-amd-sim")
    parser.add_argument("--lanes", type=int, default=64)
    options = parser.parse_args()
    stems = sorted(name[:-6] for name in os.listdir(options.objects) if name.endswith(".hsaco"))
    stems = [stem for stem in stems if re.search(options.filter, stem)]
    counts, unexpected = {}, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(run, corpus.Case(options.corpus, stem), options.objects, options.sim,
                               options.lanes): stem for stem in stems}
        for future in concurrent.futures.as_completed(futures):
            stem, (status, reason) = futures[future], future.result()
            counts[status] = counts.get(status, 0) + 1
            if status == "right":
                continue
            excuse = corpus.lookup(corpus.EXCEPTIONS, stem)
            unexpected += excuse is None
            print(f"{status:12} {stem}: {reason}" + (f" (expected: {excuse})" if excuse else ""), flush=True)
    print(", ".join(f"{count} {status}" for status, count in sorted(counts.items(), key=lambda item: -item[1])))
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
