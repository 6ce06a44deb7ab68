#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the attributes that operations carry beside those of their definitions: the protocol between passes that no
definition has. Attributes of arguments and results of functions count, too, and those of vendors. A dictionary whose entries its
dialect verifies is one of them, and so is one without the prefix of a dialect, which no dialect verifies. The number may only fall.

Checks that each is declared once, by a constant whose name ends in `Attr`; that code uses that constant and not the text; that
the list of its dialect has it, without which it is an error at the operation; and that docs/hints.md has every hint.
Usage: attributes.py SOURCE"""
import os
import re
import sys

from report import close, find_excess

MOST = 11
LISTED = ("tile", "stage", "simt", "cpu", "kiln")
PREFIXES = LISTED + ("prim", "program")
# Of arguments and results alone, which their dialect verifies elsewhere (dialects/kiln/Arguments.cpp).
ARGUMENTS = ("kiln.argument",)
NAME = r'"((?:%s)\.[a-z_0-9]+)"'
# Those in files of older versions (dialects/tile/KernelDecisions.cpp, dialects/prim/PrimDialect.cpp).
OLD = ("kiln.device", "kiln.tiling", "kiln.schedule")


def sources(root):
    for folder in ("include", "lib", "dialects", "conversions", "targets", "tools", "sdk"):
        for path, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith((".h", ".cpp")):
                    full = os.path.join(path, name)
                    with open(full, encoding="utf-8") as file:
                        yield os.path.relpath(full, root), file.read()


class Patterns:
    """What names an attribute in the code of a tree, whose vendors have names of their own."""

    def __init__(self, root):
        folder = os.path.join(root, "targets")
        vendors = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        name = NAME % "|".join(PREFIXES + tuple(v for v in vendors if v not in PREFIXES and os.path.isdir(os.path.join(folder, v))))
        self.declared = re.compile(r"StringLiteral\s+(k\w+Attr)\s*=\s*(?:" + name + r'|"([a-z_0-9]+)")')
        self.entry = re.compile(r"\{(?:" + name + r"|(k\w+Attr)),\s*(?:kiln::)?AttributeRole::(\w+)\}")
        self.used = re.compile(r"(?:[sg]et|has|remove)(?:Discardable)?Attr(?:OfType<[^>]*>)?\(\s*" + name)
        # The dialect kiln has no operations: every other text is an attribute, however it is used.
        self.text = re.compile(r'"(kiln\.[a-z_0-9]+)"')

    def texts(self, code):
        return self.used.findall(code) + [name for name in self.text.findall(self.declared.sub("", code)) if name not in OLD]


def main():
    root = sys.argv[1]
    patterns = Patterns(root)
    problems = []
    declared, by_constant, listed = {}, {}, {}
    texts = list(sources(root))
    for name, text in texts:
        for constant, prefixed, bare in patterns.declared.findall(text):
            attribute = prefixed or bare
            if attribute in declared:
                problems.append(f"{name}: '{attribute}' is declared in {declared[attribute]}, too")
            declared[attribute] = name
            by_constant.setdefault(constant, []).append(attribute)
    for name, text in texts:
        for attribute in dict.fromkeys(patterns.texts(text)):
            problems.append(f"{name}: expected the constant that names '{attribute}', found its text")
        dialect = re.match(r"dialects/(\w+)/", name)
        for attribute, constant, role in patterns.entry.findall(text):
            if constant:
                mine = [a for a in by_constant.get(constant, []) if dialect and a.startswith(dialect.group(1) + ".")]
                attribute = mine[0] if mine else constant
            listed[attribute] = role
    for attribute in sorted(declared):
        if attribute.split(".")[0] in LISTED and attribute not in listed and attribute not in ARGUMENTS:
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


if __name__ == "__main__":
    sys.exit(main())
