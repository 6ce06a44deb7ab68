# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the test suite reads from a build tree and its own folder: where LLVM is, which tests are slow."""
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))


def llvm_prefix(build):
    """The folder above LLVM's `bin` and `include`, by the package that the build was configured with."""
    try:
        with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
            found = re.search(r"^MLIR_DIR:\w+=(/\S+)/lib\w*(?:/[\w.-]+)?/cmake/mlir$", file.read(), re.MULTILINE)
    except OSError:
        found = None
    return found.group(1) if found else "/usr/lib/llvm-22"


def lit(build):
    """The test runner: that of the LLVM, else the one on the search path."""
    own = os.path.join(llvm_prefix(build), "bin", "lit")
    return own if os.path.exists(own) else "lit"


UNSTATED = 10  # seconds that a test of slow.txt takes at most if none are stated


def slow_tests(seconds=0):
    """Paths below this folder of the tests of slow.txt that take longer, with their seconds; 0 where these are not stated."""
    with open(os.path.join(HERE, "slow.txt"), encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    tests = {row[0]: float(row[1]) if len(row) > 1 else 0 for row in rows}
    return {test: taken for test, taken in tests.items() if (taken or UNSTATED) > seconds}


def seed_times(build):
    """Gives the test runner times of the longest tests where it has none, so that it begins with these."""
    path = os.path.join(build, "test", ".lit_test_times.txt")
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{seconds} {test}\n" for test, seconds in slow_tests().items() if seconds)
