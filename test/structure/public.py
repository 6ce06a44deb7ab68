#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the files that a public project is met by: they are there, links of pages at the top lead somewhere, CODEOWNERS names
folders that exist, workflow jobs use presets and make targets that exist, and a version to release has a changelog.
Usage: public.py SOURCE"""
import json
import os
import re
import sys

from report import close

source = sys.argv[1]
problems = []
FILES = ["README.md", "LICENSE", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CODEOWNERS",
         "CMakePresets.json", "Dockerfile", "test/README.md", ".github/PULL_REQUEST_TEMPLATE.md", ".github/workflows/ci.yml",
         "tools/release.sh"]


def read(name):
    path = os.path.join(source, name)
    if not os.path.exists(path):
        problems.append(f"{name}: expected this file")
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


texts = {name: read(name) for name in FILES}
for number, line in enumerate(texts["CODEOWNERS"].splitlines(), 1):
    folder = line.split()[0] if line.strip() and not line.startswith("#") else "*"
    if folder != "*" and not os.path.exists(os.path.join(source, folder.lstrip("/"))):
        problems.append(f"CODEOWNERS:{number}: expected a folder of the tree, found {folder}")

presets = json.loads(texts["CMakePresets.json"] or "{}")
names = {preset["name"] for preset in presets.get("configurePresets", []) if not preset.get("hidden")}
built = {preset["name"] for preset in presets.get("buildPresets", [])}
if names != built:
    problems.append(f"CMakePresets.json: expected a build preset for each of {sorted(names)}, found {sorted(built)}")
workflow = texts[".github/workflows/ci.yml"]
used = set(re.findall(r"--preset ([\w-]+)", workflow))
for matrix in re.findall(r"preset: \[(.*?)\]", workflow):
    used |= {name.strip() for name in matrix.split(",")}
for name in sorted(used - names):
    problems.append(f".github/workflows/ci.yml: expected a preset, found {name}")
targets = set(re.findall(r"^([a-z][\w-]*):", read("Makefile"), re.MULTILINE))
for name in re.findall(r"run: make ([\w-]+)", workflow):
    if name not in targets:
        problems.append(f".github/workflows/ci.yml: expected a target of the Makefile, found {name}")
for folder in re.findall(r" (test/[\w-]+)(?= |$)", workflow, re.MULTILINE):
    if not os.path.exists(os.path.join(source, folder)) and folder != "test/run.py":
        problems.append(f".github/workflows/ci.yml: expected a folder of tests, found {folder}")
# Figures of speed have one source; pictures are drawn from it, and each page is in the site.
def figure(low, high):
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


speed = json.loads(read("docs/performance.json") or '{"groups": []}')
rows = [row for group in speed["groups"] for row in group["rows"]]
page = read("docs/performance.md")
for what, peer, low, high in rows:
    if f"| {what} | {peer} | {figure(low, high)} |" not in page:
        problems.append(f"docs/performance.md: expected the row '{what}' of performance.json with {figure(low, high)}")
figures = {figure(low, high) for _, _, low, high in rows}
table = re.search(r"^\|.*Kiln's speed.*\n\|---.*\n((?:\|.*\n)+)", texts["README.md"], re.MULTILINE)
if not table:
    problems.append("README.md: expected a table with columns \"Kiln's speed\"")
for cells in re.findall(r"^\|(.*)\|$", table.group(1) if table else "", re.MULTILINE):
    for cell in cells.split("|")[1::2]:
        for ratio in filter(None, map(str.strip, cell.split(";"))):
            if ratio not in figures:
                problems.append(f"README.md: expected a figure of docs/performance.json, found {ratio}")
sys.path.insert(0, os.path.join(source, "docs/site"))
sys.dont_write_bytecode = True
import pictures  # noqa: E402
for name, words in pictures.drawn(speed):
    if read(f"docs/images/{name}") != words:
        problems.append(f"docs/images/{name}: is not what docs/site/pictures.py draws: run it")
site = read("docs/site/mkdocs.yml")
for name in sorted(os.listdir(os.path.join(source, "docs"))):
    if name.endswith(".md") and f"- {name}\n" not in site:
        problems.append(f"docs/site/mkdocs.yml: expected docs/{name} in nav")
    if name.endswith(".md") and name != "documentation.md" and f"({name})" not in read("docs/documentation.md"):
        problems.append(f"docs/documentation.md: expected a link to {name}")
pages = ["README.md", *(f"docs/{name}" for name in sorted(os.listdir(os.path.join(source, "docs"))) if name.endswith(".md"))]
for name in pages:
    for image in re.findall(r'(?:src|srcset)="([^":]+)"', read(name)):
        if not os.path.exists(os.path.join(source, os.path.dirname(name), image)):
            problems.append(f"{name}: expected the picture {image}")
sys.exit(close(problems, f"{len(FILES)} files"))
