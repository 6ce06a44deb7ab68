#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times recorded Triton launches on the processor, compiled by this build and by another one, by turns.

Usage: bench/launches.py BUILD OTHER CORPUS [--filter=REGEX] [--part=N] [--rounds=N] [--threads=N] [--worst=N]

CORPUS is a folder of recorded Triton launches, as test/triton/corpus.py takes it. OTHER's code travels as a package;
both are called in one process, through BUILD's runtime, in ROUNDS pairs, each first as often as the other, and what
they leave in their arguments must agree (`kiln-run --against`). Compilations are timed by turns, too: three new
processes of each, the smallest of their processor times. Prints the geometric means of both ratios, and the worst.
"""
import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

import recorded

# What is measured is the target, or nothing.
os.environ["KILN_NO_FALLBACK"] = "1"


def seconds_of(command):
    """Processor seconds of a process and its children, or None where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent if done.returncode == 0 else None


def compile_times(case, options, packages):
    """The least time of each build's compiler, or None; leaves the packages."""
    best = [None, None]
    for turn in range(3):
        for side in sorted((0, 1), reverse=turn % 2):
            build = (options.build, options.other)[side]
            spent = seconds_of([f"{build}/bin/kiln-compile", case.path + ".ttir",
                                f"--target=cpu,threads={options.threads}", "-o", packages[side]])
            if spent is None:
                return None
            best[side] = spent if best[side] is None else min(spent, best[side])
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("other")
    parser.add_argument("corpus")
    parser.add_argument("--filter", default="")
    parser.add_argument("--part", type=int, default=1, help="every Nth case only")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--worst", type=int, default=15)
    options = parser.parse_args()
    stems = sorted(name[:-5] for name in os.listdir(options.corpus) if name.endswith(".json"))
    compiled, called, failed = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        packages = [folder + "/this.kiln", folder + "/other.kiln"]
        for stem in [stem for stem in stems if re.search(options.filter, stem)][::options.part]:
            case = recorded.Case(options.corpus, stem)
            times = compile_times(case, options, packages)
            found = {"reason": "does not compile by both"}
            if times:
                found = recorded.compare(case, "cpu", options.build + "/bin/kiln-run", packages, options.rounds)
            if times:
                compiled.append((times[0] / times[1], stem))
            if "ratio" in found:
                called.append((*found["ratio"], found["this"], stem))
            else:
                failed += 1
                print(f"{stem}: {found['reason']}", flush=True)
    if not called:
        print("no case ran")
        return 1
    called.sort(reverse=True)
    for ratio, least, microseconds, stem in called[:options.worst]:
        print(f"{ratio:6.3f} {least:6.3f} {microseconds:12.1f} us {stem}")
    long = [row for row in called if row[2] >= 50]
    print(f"{len(called)} launches, this build's time over the other's: geometric mean "
          f"{statistics.geometric_mean(row[0] for row in called):.3f}, of {len(long)} of 50 us and more "
          f"{statistics.geometric_mean([row[0] for row in long] or [1]):.3f}, "
          f"{sum(row[0] > 1.1 for row in long)} of them slower by more than a tenth; {failed} could not be compared")
    print(f"compilations: median ratio {statistics.median(row[0] for row in compiled):.3f}, geometric mean "
          f"{statistics.geometric_mean(row[0] for row in compiled):.3f}, worst {max(compiled)[0]:.2f} {max(compiled)[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
