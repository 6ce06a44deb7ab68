#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds definitions whose change compiles much of the tree again: the header of a family of operations may be included, also by
other headers, in a tenth of the source files, and a few others as OTHERS says. Usage: rebuilds.py SOURCE [MOST_PERCENT]"""
import functools
import glob
import os
import re
import sys

from report import close

MOST = 10
# Costs of operations; types and attributes of tile, which stage and the families have in theirs: this share may only fall.
OTHERS = {"include/kiln/Interfaces/Cost.h": 15, "include/kiln/Dialect/Tile/TileDialect.h": 38}
FOLDERS = ("lib", "dialects", "conversions", "targets", "tools", "test/conform", "test/index")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def main():
    root, most = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else MOST

    @functools.lru_cache(None)
    def included(path):
        """The headers of the tree that a file names; generated ones are not there."""
        with open(path, encoding="utf-8") as file:
            names = INCLUDE.findall(file.read())
        places = ((os.path.normpath(os.path.join(folder, name)) for folder in (os.path.dirname(path), os.path.join(root, "include")))
                  for name in names)
        found = (next(filter(os.path.isfile, place), None) for place in places)
        return tuple(filter(None, found))

    def reached(path):
        seen, left = set(), [path]
        while left:
            new = set(included(left.pop())) - seen
            seen |= new
            left += new
        return seen

    sources = [path for folder in FOLDERS for path in glob.glob(os.path.join(root, folder, "**", "*.cpp"), recursive=True)]
    bounds = {os.path.normpath(path): most for path in sorted(glob.glob(os.path.join(root, "include/kiln/Dialect/Tile/*Ops.h")))}
    bounds |= {os.path.normpath(os.path.join(root, name)): bound for name, bound in OTHERS.items()}
    counts = dict.fromkeys(bounds, 0)
    for source in sources:
        for header in reached(source) & counts.keys():
            counts[header] += 1
    problems = [f"{os.path.relpath(path, root)}: expected at most {bounds[path]}% of {len(sources)} files to include it, found {count}"
                for path, count in counts.items() if 100 * count > bounds[path] * len(sources)]
    return close(problems, f"{len(counts)} headers", any(counts.values()))


if __name__ == "__main__":
    sys.exit(main())
