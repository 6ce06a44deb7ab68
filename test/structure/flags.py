#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that pages have every flag that a tool's --help has and the other way round, and every
environment variable that the code reads. Usage: flags.py SOURCE"""
import os
import re
import subprocess
import sys

from report import close

FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
source = sys.argv[1]
problems = []


def read(name):
    with open(os.path.join(source, name), encoding="utf-8") as file:
        return file.read()


def section(page, title):
    """The text below a heading, up to the next one of its level."""
    return re.split(r"^## ", read(page).split(f"## {title}\n", 1)[1], flags=re.MULTILINE)[0]


def help_of(tool, flag="--help"):
    return subprocess.run([tool, flag], check=True, text=True, capture_output=True).stdout


def rows(text):
    """Flags in the first column of tables."""
    return {flag for cell in re.findall(r"^\| (`-.*?) \|", text, re.MULTILINE)
            for code in re.findall(r"`([^`]*)`", cell) for flag in FLAG.findall(" " + code.split("=")[0])}


def check(tool, page, title):
    text = section(page, title)
    known = set(FLAG.findall(help_of(tool)))
    for flag in sorted(known - set(FLAG.findall(text)) - {"--help", "-h", "--version"}):
        problems.append(f"{page}: {tool} has {flag}, which section '{title}' does not name")
    for flag in sorted(rows(text) - known - {"--help", "-h", "--version", "--output"}):
        problems.append(f"{page}: section '{title}' has {flag}, which {tool} --help does not name")


check("kiln-compile", "docs/tools.md", "kiln-compile")
check("kiln-run", "docs/runtime.md", "kiln-run")
check("kiln-conform", "docs/conformance.md", "Flags")
for tool in ("kiln-opt", "kiln-lsp-server", "kiln-reduce"):
    hidden = help_of(tool, "--help-hidden" if tool != "kiln-lsp-server" else "--help")
    own = {"--test", "--test-arg", "--time-limit", "--load-target", "-o", "--kiln-frontend"}
    for flag in set(FLAG.findall(section("docs/tools.md", tool))) - own:
        if flag not in hidden:
            problems.append(f"docs/tools.md: section '{tool}' has {flag}, which {tool} --help does not name")

variables = set()
for folder in ("lib", "tools", "targets", "include"):
    for path, _, names in os.walk(os.path.join(source, folder)):
        for name in names:
            if name.endswith((".cpp", ".h", ".c")):
                variables |= set(re.findall(r'"(KILN_[A-Z_]+)"', read(os.path.join(path, name))))
for variable in sorted(variables):
    if f"`{variable}`" not in read("docs/tools.md").split("## Environment", 1)[1].split("\n## ", 1)[0]:
        problems.append(f"docs/tools.md: the table of variables lacks {variable}, which the code reads")
sys.exit(close(problems, f"{len(variables)} variables"))
