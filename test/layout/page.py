#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes checks of the examples of a page: each line of its blocks of C++ is an expression that
holds. Usage: page.py PAGE OUTPUT"""
import json
import re
import sys

page, output = sys.argv[1:3]
with open(page, encoding="utf-8") as file:
    text = file.read()
lines = []
for match in re.finditer(r"^```cpp\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
    first = text.count("\n", 0, match.start(1)) + 1
    for number, line in enumerate(match.group(1).splitlines(), first):
        lines.append(f"check({line}, {json.dumps(page)}, {number}, {json.dumps(line)});\n")
if not lines:
    sys.exit(f"{page}: expected blocks of C++, found none")
with open(output, "w", encoding="utf-8") as file:
    file.writelines(lines)
