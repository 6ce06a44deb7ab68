#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs all tests of a build with lit and closes with `N passed, N failed, N skipped`.

Usage: run.py BUILD [--fast[=SECONDS]] [lit arguments...]
  --fast leaves out the tests of slow.txt, --fast=SECONDS those of them that take longer. Folders or files select tests; lit's own arguments, such as
  --num-shards=4 --run-shard=1 or --filter=REGEX, work as well.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import build_tree

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def main() -> int:
    build = os.path.abspath(sys.argv[1])
    tests = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "lit.json")
        environment = dict(os.environ, KILN_BUILD=build)
        lit = build_tree.lit(build)
        build_tree.seed_times(build)
        command = [sys.executable, shutil.which(lit) or lit, "-sv", "--timeout=600", "-o", report]
        arguments = sys.argv[2:]
        for option in [argument for argument in arguments if re.fullmatch(r"--fast(=\d+)?", argument)]:
            arguments.remove(option)
            slow = build_tree.slow_tests(float(option.partition("=")[2] or 0))
            command.append("--filter-out=:: (" + "|".join(map(re.escape, slow)) + ")$")
        if all(argument.startswith("-") for argument in arguments):
            arguments.append(tests)
        command += arguments
        status = subprocess.run(command, env=environment, check=False).returncode
        try:
            with open(report, encoding="utf-8") as file:
                codes = [test["code"] for test in json.load(file)["tests"]]
        except OSError:
            print("0 passed, 1 failed")
            return status or 1
    passed = sum(code in PASSED for code in codes)
    skipped = sum(code in SKIPPED for code in codes)
    failed = len(codes) - passed - skipped
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
