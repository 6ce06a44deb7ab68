#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that no text file names a folder of the source or build tree, by whole paths: the
folder that the test itself works in may lie in either, and so may its parts have their names.
Usage: foreign.py OWN FORBIDDEN... -- FILE..."""
import re
import sys

split = sys.argv.index("--")
own, forbidden, files = sys.argv[1], sys.argv[2:split], sys.argv[split + 1:]
bad = 0
for name in files:
    with open(name, encoding="utf-8") as file:
        # Ninja writes a space of a path as "$ ".
        text = file.read().replace("$ ", " ")
    # What lies in the test's own folder goes as a whole.
    text = re.sub(re.escape(own) + r"[^\s:;\"']*", "<own>", text)
    for number, line in enumerate(text.splitlines(), 1):
        for path in forbidden:
            if path in line:
                print(f"{name}:{number}: names {path}: {line.strip()}")
                bad += 1
print(f"{len(files)} files, {bad} lines name a foreign folder")
sys.exit(1 if bad else 0)
