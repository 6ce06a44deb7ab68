#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a GPU engineer who searches for a term of the field finds it: in a row of the glossary, in another page, and in a
comment, summary or description of the source. Usage: terms.py SOURCE"""
import glob
import os
import re
import sys

from report import close
from words import prose_of_definition, prose_of_header, prose_of_page

TERMS = {
    "occupancy": "occupancy", "coalescing": "coalesc", "split-K": "split-k", "GEMV": "gemv", "liveness": "liveness",
    "cost model": "cost model", "software pipelining": "software pipelin", "warp specialization": "warp.speciali[sz]",
    "legalize": "legali[sz]", "swizzle": "swizzl", "bank conflict": "bank conflict", "epilogue": "epilogue",
    "prologue": "prologue", "double buffering": "double.buffer", "register pressure": "register pressure", "spill": "spill",
    "persistent kernel": "persistent kernel", "raster": "raster", "tensor core": "tensor core", "stream-K": "stream-k",
    "tail effect": "tail effect", "predication": "predicat", "vectorised access": "vectori[sz]ed (?:access|load)", "multi-buffering": "multi-buffer",
    "Tensor Memory Accelerator": r"tensor memory accelerator|\btma\b", "mbarrier": "mbarrier", "warpgroup": "warpgroup", "LDS": r"\blds\b",
    "matrix core": "matrix core|\bmfma\b", "wavefront": "wavefront", "named barrier": "named barrier", "register block": "register block"}
FOLDERS = ("include/kiln", "lib", "dialects", "conversions", "targets")
PROSE = {".h": prose_of_header, ".cpp": prose_of_header, ".td": prose_of_definition, ".md": prose_of_page}


def prose(source, name):
    with open(os.path.join(source, name), encoding="utf-8") as file:
        return " ".join(PROSE[os.path.splitext(name)[1]](file.read()).split()).lower()


def main():
    source, problems = sys.argv[1], []
    pages = [name for name in glob.glob("docs/*.md", root_dir=source) if name != "docs/glossary.md"]
    code = [name for folder in FOLDERS for kind in ("h", "cpp", "td")
            for name in glob.glob(f"{folder}/**/*.{kind}", root_dir=source, recursive=True)]
    texts = {"a page": [prose(source, name) for name in pages], "the source": [prose(source, name) for name in code]}
    with open(os.path.join(source, "docs/glossary.md"), encoding="utf-8") as file:
        texts["the first column of the glossary"] = [row.split("|")[1].lower() for row in file if row.startswith("| ")]
    for term, pattern in TERMS.items():
        for place, found in texts.items():
            if not any(re.search(pattern, text) for text in found):
                problems.append(f"expected '{term}' in {place}")
    return close(problems, f"{len(TERMS)} terms", bool(pages and code))


if __name__ == "__main__":
    sys.exit(main())
