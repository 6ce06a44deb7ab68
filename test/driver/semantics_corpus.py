#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the programs of a corpus with --verify-semantics, and says which passes it convicts.

Usage: semantics_corpus.py CORPUS [CORPUS...] [--target=SPEC] [--filter=REGEX] [--part=N] [--jobs=N] [--limit=SECONDS]
                           [--report=FILE]

CORPUS is a folder of .mlir files, or one of recorded Triton launches (see test/triton/record.py), whose
kernels get the arguments and grids of the recording. Prints a line for each program that a pass has changed
or that does not compile, and a summary; exit status 1 if a pass was convicted. --report writes them as JSON.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "triton"))
import numpy as np  # noqa: E402
import corpus as recorded  # noqa: E402

CHANGED = re.compile(r"error: (pass '[^']*'|the remainder after (?:pass '[^']*'|reading)) changes what '([^']*)'.*")
SUMMARY = re.compile(r"semantics: (\d+) comparisons, (\d+) changed(?:, (\d+) with a device)?(?:, (\d+) entries not)?")


def launch_flags(folder, stem, scratch):
    """Arguments and grid of a recorded launch."""
    case = recorded.Case(folder, stem)
    arrays = np.load(case.path + ".npz")
    by_name = {arg["arg"]: arg for arg in case.info["args"]}
    flags = ["--verify-grid=" + ",".join(map(str, case.info["grid"]))]
    for name, kind in recorded.parameters(case.text):
        arg = by_name[name]
        if arg["t"] != "tensor":
            if kind.startswith("!tt.ptr"):
                return None
            value = arg["value"]
            flags.append(f"--verify-arg={kind}:{int(value) if isinstance(value, bool) else value}")
            continue
        owner = by_name[arg["alias"]] if "alias" in arg else arg
        file = os.path.join(scratch, owner["arg"] + ".npy")
        if not os.path.exists(file):
            np.save(file, recorded.make_storage(owner, arrays))
        flags.append(f"--verify-arg={file}+{arg['offset']}")
    return flags


def check(path, options):
    """What became of one program: status, comparisons, and a line."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [options.tool, path, "--target=" + options.target, "--verify-semantics",
                   f"--verify-limit={options.limit}", "-o", os.path.join(scratch, "out.kiln")]
        if path.endswith(".ttir") and os.path.exists(path[:-5] + ".npz"):
            flags = launch_flags(os.path.dirname(path), os.path.basename(path)[:-5], scratch)
            command += flags or []
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout, check=False)
        except subprocess.TimeoutExpired:
            return "timeout", None, ""
        summary = SUMMARY.search(run.stderr)
        counts = [int(n or 0) for n in summary.groups()] if summary else None
        changed = CHANGED.search(run.stderr)
        if changed:
            return "changed", counts, changed.group(0)
        if run.returncode:
            errors = [line for line in run.stderr.splitlines() if "error: " in line]
            return "failed", counts, errors[0] if errors else f"exit status {run.returncode}"
        return "same" if counts and counts[0] else "nothing", counts, ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", nargs="+")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--filter", default="")
    parser.add_argument("--part", type=int, default=1, help="every Nth program only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=10, help="seconds of one evaluation")
    parser.add_argument("--timeout", type=float, default=600, help="seconds of one program")
    parser.add_argument("--tool", default="kiln-compile")
    parser.add_argument("--report")
    options = parser.parse_args()
    names = []
    for corpus in options.corpus:
        names += sorted(os.path.join(corpus, name) for name in os.listdir(corpus)
                        if name.endswith((".mlir", ".ttir")) and re.search(options.filter, name))[::options.part]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda name: check(name, options), names))
    statuses = collections.Counter(row[0] for row in rows)
    passes, totals = collections.Counter(), [0, 0, 0, 0]
    for name, (status, counts, line) in zip(names, rows):
        totals = [a + b for a, b in zip(totals, counts or [0] * 4)]
        if status not in ("same", "nothing"):
            print(f"{status:8} {os.path.basename(name)}: {line}")
        if status == "changed":
            passes[CHANGED.search(line).group(1)] += 1
    for who, count in passes.most_common():
        print(f"convicted: {who}, by {count} programs")
    print(f"{len(names)} programs: " + ", ".join(f"{n} {status}" for status, n in statuses.most_common()))
    print(f"{totals[0]} comparisons, {totals[2]} with a device, {totals[3]} entries took too long")
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            json.dump({name: dict(zip(("status", "counts", "message"), row)) for name, row in zip(names, rows)},
                      file, indent=1)
    return 1 if statuses["changed"] else 0


if __name__ == "__main__":
    sys.exit(main())
