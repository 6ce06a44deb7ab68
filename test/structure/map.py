#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that CONTRIBUTING.md names every folder of the tree and of lib/, and that every `make TARGET` of a
page is a target of the Makefile. Usage: map.py SOURCE"""
import glob
import os
import re
import sys

from report import close

source = sys.argv[1]
problems = []


def read(name):
    with open(os.path.join(source, name), encoding="utf-8") as file:
        return file.read()


def folders(parent):
    for name in sorted(os.listdir(os.path.join(source, parent))):
        path = os.path.join(parent, name) if parent else name
        if os.path.isdir(os.path.join(source, path)) and name != "build" and not name.startswith("."):
            yield path


table = read("CONTRIBUTING.md").split("## What is where\n", 1)[1].split("\n## ", 1)[0]
named = set(re.findall(r"`([\w./-]+)`", table))
count = 0
for folder in [*folders(""), *folders("lib")]:
    count += 1
    # Of a folder whose parts all have rows there is nothing more to say; cmake/ belongs to the build.
    if folder not in named and folder not in ("lib", "include", "cmake"):
        problems.append(f"CONTRIBUTING.md: section 'What is where' has no row for {folder}")

targets = set(re.findall(r"^([a-z][\w-]*):", read("Makefile"), re.MULTILINE))
for page in ["README.md", "CONTRIBUTING.md", "bench/README.md", *glob.glob("docs/*.md", root_dir=source)]:
    text = read(page)
    words = re.findall(r"`make ((?:[a-z][\w-]*)(?: [a-z][\w-]*)*)", text) + re.findall(r"^make ([a-z][\w-]*)", text, re.MULTILINE)
    for target in {target for word in words for target in word.split()}:
        count += 1
        if target not in targets:
            problems.append(f"{page}: `make {target}` is no target of the Makefile, which has {', '.join(sorted(targets))}")
sys.exit(close(problems, f"{count} names", count))
