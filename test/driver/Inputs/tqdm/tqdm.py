# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands in for tqdm: prints what it is told."""
import sys


class tqdm:
    def __init__(self, total, unit, desc, delay, leave):
        self.total, self.unit, self.n, self.delay = total, unit, 0, delay

    def update(self, count):
        self.n += count
        print(f"{self.n}/{self.total}{self.unit} after {self.delay:g} s", file=sys.stderr)

    def close(self):
        print("closed", file=sys.stderr)
