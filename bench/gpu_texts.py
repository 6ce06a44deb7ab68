#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the PTX that two builds make of recorded Triton launches; needs neither a GPU nor an assembler.

Usage: gpu_texts.py CORPUS TEXTS --compiler=KILN_COMPILE [--chip=CHIP] [--filter=REGEX] [--every=N] [--jobs=N]
       gpu_texts.py CORPUS TEXTS --against=OTHER [--filter=REGEX] [--every=N] [--all]

The first form writes STEM.ptx of each case to the folder TEXTS, with `verify=1` and without fallback: a warning of the
barrier verifier or an error is printed and makes the exit status 1. The second form compares TEXTS with the folder
OTHER, which an earlier build wrote, and prints

- how many texts are equal, equal but for the order of their instructions, and different;
- of each kind of synchronisation, how many instructions both builds have in all, and in how many texts there are fewer
  or more of them;
- a line for each different text (`--all`: for those in another order, too).

Instructions are counted in the text: one in a loop counts once.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys

KINDS = {
    "barriers": re.compile(r"^(?:bar|barrier)\.(?:cta\.)?sync\b"),
    "warp barriers": re.compile(r"^bar\.warp\.sync\b"),
    "copy waits": re.compile(r"^cp\.async\.wait_"),
    "product waits": re.compile(r"^wgmma\.wait_group"),
    "proxy fences": re.compile(r"^fence\.proxy"),
}


def stems_of(options):
    stems = sorted(name[:-5] for name in os.listdir(options.corpus) if name.endswith(".json"))
    return [stem for stem in stems if re.search(options.filter, stem)][::options.every]


def compile_one(options, stem):
    """What went wrong, or an empty string."""
    with open(os.path.join(options.corpus, stem + ".json"), encoding="utf-8") as file:
        warps = json.load(file)["meta"]["num_warps"]
    done = subprocess.run(
        [options.compiler, os.path.join(options.corpus, stem + ".ttir"),
         f"--target=nvidia:{options.chip},warps={warps},ptxas=none,verify=1", "--no-fallback", "--emit=ptx",
         "-o", os.path.join(options.texts, stem + ".ptx")], capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if "error: " in line or "unverified: " in line]
    if done.returncode or lines:
        return f"{stem}: {lines[0] if lines else 'exit status ' + str(done.returncode)}"
    return ""


def compile_all(options, stems):
    os.makedirs(options.texts, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        wrong = [line for line in pool.map(lambda stem: compile_one(options, stem), stems) if line]
    for line in wrong:
        print(line)
    print(f"{len(stems)} texts, {len(wrong)} wrong")
    return int(bool(wrong) or not stems)


def instructions_of(text):
    """The operations of a text with their modifiers."""
    operations = []
    for line in text.splitlines():
        line = re.sub(r"^@!?%\w+\s+", "", line.strip())
        if found := re.match(r"([a-z][\w.:]*)[\s;]", line):
            operations.append(found[1].replace("::", ""))
    return operations


def count(operations):
    return {kind: sum(bool(pattern.match(one)) for one in operations) for kind, pattern in KINDS.items()}


def compare(options, stems):
    totals = {side: collections.Counter() for side in ("before", "after")}
    fewer, more, classes, lines = collections.Counter(), collections.Counter(), collections.Counter(), []
    for stem in stems:
        texts = []
        for folder in (options.against, options.texts):
            path = os.path.join(folder, stem + ".ptx")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    texts.append(file.read())
        if len(texts) < 2:
            classes["missing"] += 1
            lines.append(f"{stem}: missing")
            continue
        operations, counts = [], []
        for text in texts:
            ops = instructions_of(text)
            operations.append(collections.Counter(ops))
            counts.append(count(ops))
        before, after = counts
        for kind in before:
            totals["before"][kind] += before[kind]
            totals["after"][kind] += after[kind]
            fewer[kind] += after[kind] < before[kind]
            more[kind] += after[kind] > before[kind]
        if texts[0] == texts[1]:
            classes["equal"] += 1
            continue
        same = operations[0] == operations[1]
        classes["in another order" if same else "different"] += 1
        if not same or options.all:
            changed = [f"{kind} {before[kind]} -> {after[kind]}" for kind in before if before[kind] != after[kind]]
            lines.append(f"{stem}: {sum(operations[0].values())} -> {sum(operations[1].values())} instructions, "
                         + (", ".join(changed) or "as many waits"))
    for line in lines:
        print(line)
    print(f"{len(stems)} texts: " + ", ".join(f"{classes[name]} {name}" for name in
                                              ("equal", "in another order", "different", "missing") if classes[name]))
    print(f"{'':15}{'before':>9}{'after':>9}{'fewer in':>10}{'more in':>9}")
    for kind in KINDS:
        print(f"{kind:15}{totals['before'][kind]:9}{totals['after'][kind]:9}{fewer[kind]:10}{more[kind]:9}")
    return int(bool(classes["missing"]) or not stems)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("texts")
    parser.add_argument("--compiler", help="kiln-compile of the build that writes TEXTS")
    parser.add_argument("--against", help="texts of another build")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--filter", default="")
    parser.add_argument("--every", type=int, default=1, help="every Nth case only")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="list texts in another order, too")
    options = parser.parse_args()
    if bool(options.compiler) == bool(options.against):
        parser.error("expected one of --compiler and --against")
    stems = stems_of(options)
    return compile_all(options, stems) if options.compiler else compare(options, stems)


if __name__ == "__main__":
    sys.exit(main())
