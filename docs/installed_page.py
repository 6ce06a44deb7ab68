#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the installed copies of pages. All pages lie in one folder there, share/doc/kiln, with the
reference of operations in a folder of its own, the headers in include and the examples in share/kiln.
Links are turned to where things lie. Names of files that only the source tree has stay, and say so: in
the text `FILE` (source tree), for a section that names several of them a line below its heading, for
commands a line above them.
Usage: installed_page.py SOURCE FOLDER PAGE..., which writes FOLDER/NAME for each page"""
import glob
import os
import re
import sys

NOTE = "*Files and folders that this section names are those of Kiln's source tree.*"
COMMANDS = "In the source tree:"
MARK = " (source tree)"
MANY = 3  # names in a section, from which on it gets the note

LINKS = [("](docs/", "]("), ('="docs/images/', '="images/'), ("](../README.md", "](README.md"), ("](../CONTRIBUTING.md", "](CONTRIBUTING.md"), ("](../include/", "](../../../include/"),
         ("](../examples/", "](../../kiln/examples/"), ("](examples/", "](../../kiln/examples/"),
         ("`build/docs/reference`", "[the folder `reference`](reference/index.md)"),
         # Where the programs and libraries of an installation are.
         ("$PWD/build/bin", "PREFIX/bin"), ("=build/lib/libKiln", "=PREFIX/lib/libKiln"),
         ("the commands below and in docs/ need it", "the commands of all pages need it, in PREFIX/share/kiln"),
         ("see docs/plugins.md", "see plugins.md")]
FENCE = re.compile(r"^ *```.*?^ *```\n", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
PLACEHOLDER = re.compile(r"NAME|[Ff]oo|[Bb]ar")  # what a checklist lets the reader name
SAID = re.compile(r"\s+(?:of|in) the (?:source )?tree\b")
HEADING = re.compile(r"^#+ .*$", re.MULTILINE)


def folders_of(source):
    """The folders of the tree whose files no installation has."""
    installed = {"build", "examples", "include", "docs"}
    return {name for name in os.listdir(source)
            if os.path.isdir(os.path.join(source, name)) and not name.startswith(".")} - installed


def in_tree(name, source, folders):
    """Whether a piece of code names a file or a folder of the source tree alone; `*` stands for any name."""
    word = name.split()[0] if name.split() else ""
    return ("/" in word and word.split("/", 1)[0] in folders
            and bool(PLACEHOLDER.search(word) or glob.glob(word, root_dir=source)))


def mark_commands(text, folders):
    """Marks commands that need the source tree."""
    path = re.compile(r"(?<![\w./-])(?:%s)/[\w./-]+" % "|".join(sorted(folders)))

    def mark(match):
        return (COMMANDS + "\n\n" if path.search(match.group()) else "") + match.group()
    return FENCE.sub(mark, text)


def mark_section(text, source, folders):
    """Marks the names in a section: a heading and the text up to the next one."""
    fences = []

    def hide(match):
        fences.append(match.group())
        return f"\0{len(fences) - 1}\0\n"
    text = FENCE.sub(hide, text)
    count = 0

    def mark(match):
        nonlocal count
        is_said = SAID.match(text, match.end())
        if is_said or not in_tree(match.group(1), source, folders):
            return match.group()
        count += 1
        return match.group() + MARK
    marked = CODE.sub(mark, text)
    heading = HEADING.match(text)
    if count < MANY or not heading:
        text = marked
    else:
        text = heading.group() + "\n\n" + NOTE + text[heading.end():]
    return re.sub("\0(\\d+)\0\n", lambda match: fences[int(match.group(1))], text)


def sections(text):
    """The text, cut in front of each heading that is no comment of a command."""
    begin = 0
    hidden = FENCE.sub(lambda match: " " * len(match.group()), text)
    for match in HEADING.finditer(hidden):
        yield text[begin:match.start()]
        begin = match.start()
    yield text[begin:]


def convert(text, source, is_reference):
    for old, new in LINKS:
        text = text.replace(old, new)
    # The reference of operations has a folder of its own, below that of the pages.
    text = re.sub(r"`docs/([\w-]+\.md)`", r"[\1](../\1)" if is_reference else r"[\1](\1)", text)
    folders = folders_of(source)
    text = mark_commands(text, folders)
    return "".join(mark_section(section, source, folders) for section in sections(text))


def main():
    source, folder, pages = sys.argv[1], sys.argv[2], sys.argv[3:]
    for page in pages:
        with open(page, encoding="utf-8") as file:
            text = convert(file.read(), source, os.path.basename(folder) == "reference")
        with open(os.path.join(folder, os.path.basename(page)), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
