#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that no function has more than 100 lines, from its name to its end. Usage: functions.py SOURCE"""
import os
import re
import sys

MOST_LINES = 100
FOLDERS = ("include", "lib", "dialects", "conversions", "targets", "tools", "sdk")
# What holds functions.
SCOPE = re.compile(r"\b(?:namespace|class|struct|union|extern)\b")
OTHER = re.compile(r"\benum\b|^\s*(?:if|for|while|switch|catch|do|else|return)\b")


def bare(text):
    """The text without comments and strings, with its lines."""
    keep_lines = lambda match: "\n" * match.group(0).count("\n")
    text = re.sub(r"/\*.*?\*/", keep_lines, text, flags=re.DOTALL)
    text = re.sub(r'R"(\w*)\(.*?\)\1"', lambda match: '""' + keep_lines(match), text, flags=re.DOTALL)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'', '""', text)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", keep_lines, text, flags=re.MULTILINE)


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
    root, found, problems = sys.argv[1], 0, 0
    for folder in FOLDERS:
        for path, _, names in sorted(os.walk(os.path.join(root, folder))):
            for name in sorted(names):
                if not name.endswith((".h", ".cpp")):
                    continue
                full = os.path.join(path, name)
                with open(full, encoding="utf-8") as file:
                    text = bare(file.read())
                for function, first, lines in functions(text):
                    found += 1
                    if lines > MOST_LINES:
                        problems += 1
                        print(f"{os.path.relpath(full, root)}:{first}: expected at most {MOST_LINES} lines, found {lines} in '{function}'")
    print(f"{found} functions, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
