#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times recorded Triton launches on a GPU, compiled by two builds, by turns.

Usage: gpu_launches.py PACKAGES OTHER CORPUS [--runner=KILN_RUN] [--filter=REGEX] [--part=N] [--rounds=N] [--seconds=N]

PACKAGES and OTHER hold STEM.kpkg of each build, as `gpu_corpus.py --compile` makes them. Both packages of a launch are
called in one process, with the guards of their variants, in ROUNDS pairs; their results must agree
(`kiln-run --against`). Prints the geometric mean of this build's time over the other's, and the worst.
"""
import argparse
import os
import random
import re
import statistics
import sys
import time

import recorded

os.environ["KILN_NO_FALLBACK"] = "1"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("packages")
    parser.add_argument("other")
    parser.add_argument("corpus")
    parser.add_argument("--runner", default="kiln-run")
    parser.add_argument("--filter", default="")
    parser.add_argument("--part", type=int, default=1, help="every Nth case only")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=1e9, help="no further launch after so many")
    parser.add_argument("--worst", type=int, default=15)
    options = parser.parse_args()
    stems = sorted(name[:-5] for name in os.listdir(options.corpus) if name.endswith(".json"))
    stems = [stem for stem in stems if re.search(options.filter, stem)][::options.part]
    random.Random(1).shuffle(stems)
    called, failed, begin = [], 0, time.monotonic()
    for stem in stems:
        if time.monotonic() - begin > options.seconds:
            break
        packages = [os.path.join(folder, stem + ".kpkg") for folder in (options.packages, options.other)]
        found = recorded.compare(recorded.Case(options.corpus, stem), "nvidia", options.runner, packages, options.rounds)
        if "ratio" in found:
            called.append((found["ratio"][0], found["this"], stem))
        else:
            failed += 1
            print(f"{stem}: {found['reason']}", flush=True)
    if not called:
        print("no case ran")
        return 1
    called.sort(reverse=True)
    for ratio, microseconds, stem in called[:options.worst] + called[-3:]:
        print(f"{ratio:6.3f} {microseconds:12.1f} us {stem}")
    long = [row for row in called if row[1] >= 50]
    print(f"{len(called)} of {len(stems)} launches, this build's time over the other's: geometric mean "
          f"{statistics.geometric_mean(row[0] for row in called):.3f}, of {len(long)} of 50 us and more "
          f"{statistics.geometric_mean([row[0] for row in long] or [1]):.3f}, "
          f"{sum(row[0] > 1.05 for row in long)} of them slower by more than 5%; {failed} could not be compared")
    return 0


if __name__ == "__main__":
    sys.exit(main())
