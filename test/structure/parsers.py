#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the parsers of operations that TableGen has generated. Usage: parsers.py FOLDER, with a folder for each dialect.

- None goes on behind a region before it hands the region on. Where the rest does not parse, it would delete the region, and operations
  in front keep operands that are gone; a directive of kiln/Interfaces/RegionSyntax.h reads the rest instead.
- A dialect loads those whose types and attributes its parsers make. Without that the first such operation of a file ends the process."""
import os
import re
import sys

from report import close

PARSER = re.compile(r"^::mlir::ParseResult (\w+)::parse\(.*?^}\n", re.MULTILINE | re.DOTALL)
REGION = re.compile(r"parser\.parse(?:Optional)?Region\(")
MADE = re.compile(r"(::\w+::\w+)::\w+(?:Type|Attr)(?:::get\(|>)")
SHORT = {"Triton": "tt"}  # dialects whose namespace is not the name of their folder
LOADED = re.compile(r"loadDialect<(::\w+::\w+)::\w+>")
HANDED = re.compile(r"result\.addRegions?\(")


def goes_on(body):
    """Whether something is parsed between the first region and where the regions are handed on."""
    first, handed = REGION.search(body), HANDED.search(body)
    return bool(first and handed and re.search(r"\bparser\.parse|\bparse[A-Z]\w*\(", body[first.end():handed.start()]))


def read_files(folder):
    """The text of each generated file of each dialect's folder."""
    dialects = {}
    for path, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith(".cpp.inc"):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    dialects.setdefault(os.path.basename(path), {})[name] = file.read()
    return dialects


def main():
    problems, seen = [], 0
    for dialect, files in read_files(sys.argv[1]).items():
        loaded = {space for text in files.values() for space in LOADED.findall(text)}
        for name, text in files.items():
            for found in PARSER.finditer(text):
                seen += 1
                if goes_on(found.group()):
                    problems.append(f"{name}: {found.group(1)} goes on behind a region: use a directive of RegionSyntax.h")
                for space in sorted(set(MADE.findall(found.group())) - loaded):
                    if space.lower() not in (f"::kiln::{SHORT.get(dialect, dialect.lower())}", "::mlir::builtin"):
                        problems.append(f"{name}: {found.group(1)} makes what is of {space}: name it in dependentDialects")
    return close(problems, f"{seen} parsers", seen > 0)


if __name__ == "__main__":
    sys.exit(main())
