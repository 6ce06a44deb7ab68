#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the classes with many public methods. Such a class has several subjects: it becomes several classes, or functions
beside it. The number may only fall. Usage: classes.py SOURCE"""
import re
import sys

from report import close, find_excess
from sources import bare_files

MOST_METHODS = 25
MOST = 5
HEAD = re.compile(r"\b(class|struct)\s+(?:\w+\s+)?([\w:]+)(?:\s+final)?\s*(?::[^;{]*)?\{")
ACCESS = re.compile(r"\b(public|private|protected)\s*:(?!:)")
NO_METHOD = re.compile(r"(?:using|typedef|friend|struct|class|enum|static_assert)\b")
# A field that points to a function, as tables of C interfaces have them.
POINTER = re.compile(r"[^(]*\(\s*\*\s*\w+\s*\)\s*\(")


def is_method(declaration):
    return ("(" in declaration and "=" not in declaration.split("(")[0] and not NO_METHOD.match(declaration) and
            not POINTER.match(declaration) and
            re.search(r"[\w~\]>=]+\s*\(", declaration))


def count(text, begin, is_public):
    """Public methods of the class whose body begins at `begin`."""
    depth, methods, declaration = 1, 0, ""
    for at in range(begin, len(text)):
        letter = text[at]
        if depth == 1 and letter in ";{":
            named = ACCESS.findall(declaration)
            is_public = named[-1] == "public" if named else is_public
            methods += bool(is_public and is_method(ACCESS.sub("", declaration).strip()))
            declaration = ""
        elif depth == 1:
            declaration += letter
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "}" and depth == 1:
            declaration = ""
        if not depth:
            break
    return methods


def main():
    found = []
    for path, text in bare_files(sys.argv[1]):
        for head in HEAD.finditer(text):
            methods = count(text, head.end(), head.group(1) == "struct")
            if methods > MOST_METHODS:
                found.append((methods, head.group(2), path))
    for methods, name, path in sorted(found, reverse=True):
        print(f"{path}: '{name}' has {methods} public methods")
    return close(find_excess(len(found), MOST, f"classes with more than {MOST_METHODS} public methods", "classes.py"), f"{len(found)} classes")


if __name__ == "__main__":
    sys.exit(main())
