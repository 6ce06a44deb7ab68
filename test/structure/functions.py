#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that no function has more than 100 lines, from its name to its end. Usage: functions.py SOURCE"""
import re
import sys

from report import close
from sources import bare_files

MOST_LINES = 100
# What holds functions.
SCOPE = re.compile(r"\b(?:namespace|class|struct|union|extern)\b")
OTHER = re.compile(r"\benum\b|^\s*(?:if|for|while|switch|catch|do|else|return)\b")


def functions(text):
    """(name, first line, number of lines) of each function that no other one holds."""
    stack, head, begin = [], "", 0
    line = 1
    for letter in text:
        if not head.strip():
            begin = line
        if letter == "{":
            before = head.split("(")[0]
            if SCOPE.search(before) and "=" not in before:
                kind = "scope"
            elif "(" in head and "=" not in before and not OTHER.search(head):
                kind = "function"
            else:
                kind = "other"
            stack.append((kind, head.strip(), begin))
            head = ""
        elif letter == "}":
            if stack:
                kind, name, first = stack.pop()
                if kind == "function" and all(outer[0] == "scope" for outer in stack):
                    yield re.split(r"\s+", name.split("(")[0])[-1], first, line - first + 1
            head = ""
        elif letter == ";":
            head = ""
        else:
            head += letter
        line += letter == "\n"


def main():
    count, problems = 0, []
    for path, text in bare_files(sys.argv[1]):
        for function, first, lines in functions(text):
            count += 1
            if lines > MOST_LINES:
                problems.append(f"{path}:{first}: expected at most {MOST_LINES} lines, found {lines} in '{function}'")
    return close(problems, f"{count} functions")


if __name__ == "__main__":
    sys.exit(main())
