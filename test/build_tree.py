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


def slow_tests():
    """Paths below this folder of the tests that slow.txt lists."""
    with open(os.path.join(HERE, "slow.txt"), encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]
