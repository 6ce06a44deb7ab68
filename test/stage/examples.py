#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the examples of the definitions of a dialect, one module each. Usage: examples.py FOLDER"""
import glob
import os
import re
import sys
import textwrap

examples = []
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.td"))):
    with open(path, encoding="utf-8") as file:
        examples += re.findall(r"```mlir\n(.*?)```", file.read(), re.DOTALL)
print("\n// -----\n".join(textwrap.dedent(example) for example in examples))
