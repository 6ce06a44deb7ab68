#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that links between pages lead to files, and to headings where they name one.
Usage: links.py FOLDER: all pages below it."""
import os
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?^ *```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def anchors(path):
    """Names of the headings of a page."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"```.*?^ *```", "", file.read(), flags=re.MULTILINE | re.DOTALL)
    for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        title = re.sub(r"[^\w\- ]", "", title.replace("`", "").lower())
        yield title.replace(" ", "-")


def main():
    problems = count = 0
    pages = [os.path.join(path, name) for path, folders, names in os.walk(sys.argv[1], followlinks=False)
             for name in names if name.endswith(".md") and "/build" not in path[len(sys.argv[1]):]]
    for page in sorted(pages):
        with open(page, encoding="utf-8") as file:
            text = CODE.sub(lambda match: "`" + "\n" * match.group().count("\n"), file.read())
        for match in LINK.finditer(text):
            link = match.group(1)
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            line = text.count("\n", 0, match.start()) + 1
            problem = None
            if not os.path.exists(target):
                problem = "leads nowhere"
            elif anchor and target.endswith(".md") and anchor not in set(anchors(target)):
                problem = "names a heading that is not there"
            if problem:
                problems += 1
                print(f"{page}:{line}: {link} {problem}")
    print(f"{len(pages)} pages, {count} links, {problems} problems")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
