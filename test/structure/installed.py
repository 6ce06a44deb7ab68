#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that files which installed pages name are there: pieces of code in the text, and paths in
commands, that begin with a folder of the source tree. What only that tree has must be called so, by the
words of docs/installed_page.py, and must be in it. (links.py follows the links.)
Usage: installed.py SOURCE PREFIX"""
import glob
import os
import re
import sys

source, prefix = sys.argv[1:]
sys.path.insert(0, os.path.join(source, "docs"))
sys.dont_write_bytecode = True
import installed_page as pages  # noqa: E402

TOP = sorted(name for name in os.listdir(source)
             if os.path.isdir(os.path.join(source, name)) and not name.startswith("."))
PATH = re.compile(r"(?<![\w./$-])(?:%s)/[\w./*-]*[\w*/]" % "|".join(TOP))
problems = []
count = 0


def is_installed(name):
    return any(glob.glob(os.path.join(prefix, folder, name))
               for folder in ("", "share/kiln", "share/doc/kiln"))


def check(page, line, name, is_marked):
    """One name. A build folder, of the tree or of a vendor's project, is nobody's file."""
    global count
    count += 1
    if name.startswith("build/") or is_installed(name):
        return
    if not is_marked:
        problems.append(f"{page}:{line}: {name} is not installed, and the page does not say that it is of the source tree")
    elif not glob.glob(name, root_dir=source) and not pages.PLACEHOLDER.search(name):
        problems.append(f"{page}:{line}: {name} is not in the source tree")


def main():
    folder = os.path.join(prefix, "share/doc/kiln")
    for path in sorted(glob.glob(os.path.join(folder, "**/*.md"), recursive=True)):
        page = os.path.relpath(path, folder)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        line = 1
        for section in pages.sections(text):
            has_note = pages.NOTE in section
            hidden = pages.FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), section)
            for match in pages.CODE.finditer(hidden):
                word = match.group(1).split()[0] if match.group(1).split() else ""
                if PATH.fullmatch(word):
                    rest = hidden[match.end():]
                    check(page, line + section.count("\n", 0, match.start()), word,
                          has_note or rest.startswith(pages.MARK) or bool(pages.SAID.match(rest)))
            for fence in pages.FENCE.finditer(section):
                is_marked = section[:fence.start()].endswith(pages.COMMANDS + "\n\n")
                for match in PATH.finditer(fence.group()):
                    check(page, line + section.count("\n", 0, fence.start() + match.start()), match.group(), is_marked)
            line += section.count("\n")
    for problem in problems:
        print(problem)
    print(f"{count} names, {len(problems)} problems")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
