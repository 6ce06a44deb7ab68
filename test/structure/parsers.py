#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the parsers of operations that TableGen has generated and that go on behind a region before they hand it on. Where the rest does
not parse, they delete the region, and operations in front keep operands that are gone; a directive of kiln/Interfaces/RegionSyntax.h
reads the rest instead. Usage: parsers.py FOLDER..., with the files that TableGen has written"""
import os
import re
import sys

from report import close

PARSER = re.compile(r"^::mlir::ParseResult (\w+)::parse\(.*?^}\n", re.MULTILINE | re.DOTALL)
REGION = re.compile(r"parser\.parse(?:Optional)?Region\(")
HANDED = re.compile(r"result\.addRegions?\(")


def goes_on(body):
    """Whether something is parsed between the first region and where the regions are handed on."""
    first, handed = REGION.search(body), HANDED.search(body)
    return bool(first and handed and re.search(r"\bparser\.parse|\bparse[A-Z]\w*\(", body[first.end():handed.start()]))


def main():
    problems, seen = [], 0
    for folder in sys.argv[1:]:
        for path, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                if not name.endswith(".cpp.inc"):
                    continue
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    text = file.read()
                for found in PARSER.finditer(text):
                    seen += 1
                    if goes_on(found.group()):
                        problems.append(f"{name}: {found.group(1)} goes on behind a region: use a directive of RegionSyntax.h")
    return close(problems, f"{seen} parsers", seen > 0)


if __name__ == "__main__":
    sys.exit(main())
