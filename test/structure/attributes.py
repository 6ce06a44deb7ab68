#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the attributes that operations carry beside those of their definitions: the protocol between passes that no
definition has. The number may only fall.

Checks that each is declared once, by a constant whose name ends in `Attr`; that code uses that constant and not the text; that
the list of its dialect has it, without which it is an error at the operation; and that docs/hints.md has every hint.
Usage: attributes.py SOURCE"""
import os
import re
import sys

from report import close, find_excess

MOST = 26
LISTED = ("tile", "stage", "simt", "cpu")
PREFIXES = LISTED + ("kiln", "program")
NAME = r'"((?:%s)\.[a-z_0-9]+)"' % "|".join(PREFIXES)
DECLARED = re.compile(r"StringLiteral\s+(k\w+Attr)\s*=\s*" + NAME)
ENTRY = re.compile(r"\{(?:" + NAME + r"|(k\w+Attr)),\s*(?:kiln::)?AttributeRole::(\w+)\}")
USED = re.compile(r"(?:[sg]et|has|remove)(?:Discardable)?Attr(?:OfType<[^>]*>)?\(\s*" + NAME)


def sources(root):
    for folder in ("include", "lib", "dialects", "conversions", "targets", "tools", "sdk"):
        for path, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith((".h", ".cpp")):
                    full = os.path.join(path, name)
                    with open(full, encoding="utf-8") as file:
                        yield os.path.relpath(full, root), file.read()


def main():
    root = sys.argv[1]
    problems = []
    declared, by_constant, listed = {}, {}, {}
    texts = list(sources(root))
    for name, text in texts:
        for constant, attribute in DECLARED.findall(text):
            if attribute in declared:
                problems.append(f"{name}: '{attribute}' is declared in {declared[attribute]}, too")
            declared[attribute] = name
            by_constant.setdefault(constant, []).append(attribute)
    for name, text in texts:
        for attribute in USED.findall(text):
            problems.append(f"{name}: expected the constant that names '{attribute}', found its text")
        dialect = re.match(r"dialects/(\w+)/", name)
        for attribute, constant, role in ENTRY.findall(text):
            if constant:
                mine = [a for a in by_constant.get(constant, []) if dialect and a.startswith(dialect.group(1) + ".")]
                attribute = mine[0] if mine else constant
            listed[attribute] = role
    for attribute in sorted(declared):
        if attribute.split(".")[0] in LISTED and attribute not in listed and not is_fact(root, attribute):
            problems.append(f"{declared[attribute]}: expected '{attribute}' in the list of its dialect")
    for attribute in sorted(listed):
        if attribute not in declared:
            problems.append(f"'{attribute}' is in the list of its dialect, expected a constant that declares it")
    with open(os.path.join(root, "docs/hints.md"), encoding="utf-8") as file:
        page = file.read()
    for attribute, role in sorted(listed.items()):
        if role == "Hint" and f"`{attribute}`" not in page:
            problems.append(f"docs/hints.md: expected the hint '{attribute}'")
    count = len(declared)
    problems += find_excess(count, MOST, "attributes beside those of definitions", "attributes.py")
    return close(problems, f"{count} attributes")


def is_fact(root, attribute):
    """Facts of parameters are verified with the kernel (docs/tile-and-others.md)."""
    return attribute in ("tile.readonly", "tile.noalias", "tile.align", "tile.size_div", "tile.stride_div")


if __name__ == "__main__":
    sys.exit(main())
