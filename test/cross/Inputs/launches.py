# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs recorded Triton launches on emulated processors, and compares what they write with the recording.

Usage: launches.py CORPUS PACKAGES [--part=N] [--filter=REGEX] [--compile=SPEC]... [PROCESSOR=COMMAND...]

With --compile each launch gets a package in the folder PACKAGES, an alternative for each SPEC. COMMAND runs kiln-run on a
PROCESSOR, which takes the first alternative that it has what is needed for. Prints each launch that is wrong there, and
how many were right and by which targets. The rules are those of test/triton/corpus.py.
"""
import argparse
import collections
import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "triton"))
import corpus  # noqa: E402


def compile_launch(path, specs, package):
    """An error, or nothing."""
    done = subprocess.run(["kiln-compile", path + ".ttir", "--quiet", *("--target=" + spec for spec in specs), "-o", package],
                          capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else next((line for line in done.stderr.splitlines() if "error" in line), "no package")


def runner(command, folder):
    """A file that runs the command, and writes beside itself what it says."""
    path = os.path.join(folder, "kiln-run-there")
    with open(path, "w", encoding="utf-8") as file:
        words = " ".join(shlex.quote(word) for word in shlex.split(command))
        file.write(f'#!/bin/sh\nexec {words} "$@" 2>>{shlex.quote(os.path.abspath(path))}.said\n')
    os.chmod(path, 0o755)
    return os.path.abspath(path)


def run_there(name, command, cases, options):
    tool = runner(command, options.packages)
    said = tool + ".said"
    right, wrong, targets = 0, 0, collections.Counter()
    for case in cases:
        with open(said, "w", encoding="utf-8"):
            pass
        status, reason, _ = case.run("", tool, [], options.packages)
        with open(said, encoding="utf-8") as file:
            text = file.read()
        used = re.search(r"note: target (\S+) is used", text)
        targets[used[1] if used else "the first target"] += 1
        right += status == "right"
        if status == "right" or corpus.lookup(corpus.EXCEPTIONS, case.stem):
            continue
        wrong += 1
        error = next((line for line in text.splitlines() if "error" in line), "")
        print(f"{name}: {status}: {case.stem}: {reason} {error}", flush=True)
    by = ", ".join(f"{target} {count}" for target, count in sorted(targets.items()))
    print(f"{name}: {right} right, {wrong} wrong ({by})", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("packages")
    parser.add_argument("--filter", default="")
    parser.add_argument("--part", type=int, default=1, help="every Nth launch only")
    parser.add_argument("--compile", action="append", default=[], metavar="SPEC")
    parser.add_argument("processors", nargs="*")
    options = parser.parse_intermixed_args()
    stems = sorted(name[:-5] for name in os.listdir(options.corpus) if name.endswith(".json"))
    cases = [corpus.Case(options.corpus, stem) for stem in stems if re.search(options.filter, stem)][::options.part]
    os.makedirs(options.packages, exist_ok=True)
    for case in cases if options.compile else []:
        package = os.path.join(options.packages, case.stem + ".kpkg")
        error = "" if os.path.exists(package) else compile_launch(case.path, options.compile, package)
        if error:
            print(f"{case.stem}: {error}", flush=True)
    for processor in options.processors:
        name, _, command = processor.partition("=")
        run_there(name, command, cases, options)


if __name__ == "__main__":
    main()
