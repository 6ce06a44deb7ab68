#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares kernels that reach memory through recovered views with the same kernels through pointers.

Usage: bench/views.py BUILD CORPUS [--filter=REGEX] [--rounds=N] [--worst=N] [--part=N]

CORPUS is a folder of recorded Triton launches, as test/triton/corpus.py takes it. Each round runs both forms
of a launch, one after the other and in turn the first, on one thread; a form's time is the smallest of the
rounds' median kernel times, without compilation. Prints the median ratio of the times (views / pointers), how
many cases are slower by views, and the worst.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys

import recorded

# What is measured is the target, or nothing.
os.environ["KILN_NO_FALLBACK"] = "1"

FORMS = {"views": [], "pointers": ["-X", "--no-recover-views"]}
CALLS = 9


def kernel_time(command):
    """Milliseconds that the kernels of a call take, or None where it fails."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return None
    found = re.search(r"^sum\s+\d+\s+([\d.]+)", run.stdout, re.MULTILINE)
    return float(found.group(1)) if run.returncode == 0 and found else None


def measure(case, tool, rounds):
    """The best time of each form; none where one fails."""
    best = {}

    def measure_forms(words):
        for number in range(rounds):
            for form in sorted(FORMS, reverse=number % 2):
                time = kernel_time(words + FORMS[form] + [f"--bench={CALLS}", "--no-ceiling"])
                if time is None:
                    best.clear()
                    return
                best[form] = min(time, best.get(form, time))

    recorded.with_command(case, "cpu,threads=1", tool, measure_forms)
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("corpus")
    parser.add_argument("--filter", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--worst", type=int, default=20)
    parser.add_argument("--part", type=int, default=1, help="every Nth case only")
    options = parser.parse_args()
    tool = os.path.join(options.build, "bin", "kiln-run")
    stems = sorted(name[:-5] for name in os.listdir(options.corpus) if name.endswith(".json"))
    rows = []
    for stem in [stem for stem in stems if re.search(options.filter, stem)][::options.part]:
        times = measure(recorded.Case(options.corpus, stem), tool, options.rounds)
        if len(times) == len(FORMS) and min(times.values()) > 0:
            rows.append((times["views"] / times["pointers"], times["views"], times["pointers"], stem))
    rows.sort(reverse=True)
    if not rows:
        print("no case ran")
        return 1
    print(f"{'views/ms':>10} {'pointers/ms':>11} {'ratio':>6}")
    for ratio, views, pointers, stem in rows[:options.worst]:
        print(f"{views:10.4f} {pointers:11.4f} {ratio:6.2f} {stem}")
    slower = sum(ratio > 1.1 for ratio, *_ in rows)
    print(f"{len(rows)} cases: median ratio {statistics.median(row[0] for row in rows):.2f}, "
          f"{slower} slower by views by more than a tenth")
    return 0


if __name__ == "__main__":
    sys.exit(main())
