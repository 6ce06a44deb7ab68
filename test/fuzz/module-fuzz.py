#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""module-fuzz.py BUILD COUNT|=NUMBER [SEED] [SECONDS]: takes modules of the tests (of the dialects prim, tile, stage and simt) and what the passes
of their RUN lines make of them, changes them (modules.py), and gives each to kiln-opt: to the verifier, to the passes of its test, and
to each pipeline; then to kiln-compile for three targets. Every run must end with status 0, or with 1 and an error with a place; what
was printed must be read again; and a run that takes more than 4.5 seconds of a processor or 1 GiB must not take twice the time, or
1 GiB more, of the same run of the module that was changed.
Prints what fails, with the number that makes it again, and goes on; ends after SECONDS, if told."""
import glob
import os
import random
import re
import shlex
import subprocess
import sys
import time

from limited import CAUGHT, PLACE, Compiler, compile_limited
from modules import change

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = ["prim", "tile", "stage", "simt", "gpu", "nvidia", "amd", "cpu", "prim-to-tile", "tiling"]
TARGETS = ["cpu:x86-64-v3", "nvidia:sm_90a,ptxas=none", "amd:gfx942"]
PIPELINES = [f"--pass-pipeline=builtin.module(kiln-set-target{{spec={target}}},{name})"
             for target, name in [("cpu:x86-64-v3", "kiln-pipeline"), ("cpu:x86-64-v3", "kiln-target-pipeline"),
                                  ("nvidia:sm_90a", "kiln-target-pipeline"), ("amd:gfx942", "kiln-target-pipeline")]]
OURS = re.compile(rb"[#! \"](prim|tile|stage|simt|program|kiln|cpu)[.<]")
LIMIT = 20  # seconds of a processor that end a run
TAKEN = ("-split-input-file", "-verify-diagnostics", "-o", "-allow-unregistered-dialect", "-mlir-print", "-emit", "-verify-semantics",
         "-load", "-debug", "-mlir-timing", "-dump", "-show", "-list", "-help", "-version", "-run-reproducer", "-mlir-elide")


def run_lines(text):
    """The lists of passes that the RUN lines of a test give to kiln-opt."""
    made = [[]]
    for line in re.sub(r"\\\n// *RUN: *", " ", text).split("\n"):
        found = re.search(r"RUN:.*?kiln-opt ([^|>]*)", line)
        if found and "%{" not in found.group(1):
            try:
                words = shlex.split(found.group(1))
            except ValueError:
                continue
            kept = [word for word in words if word.startswith("-") and not word.lstrip("-").startswith(tuple(one[1:] for one in TAKEN))]
            if kept not in made and not any("%" in word for word in words[1:]):
                made.append(kept)
    return made


class Tools:
    """kiln-opt and kiln-compile of a build, and a folder for their files."""

    def __init__(self, build):
        self.folder = os.path.join(build, "fuzz-modules", str(os.getpid()))
        os.makedirs(self.folder, exist_ok=True)
        self.opt, self.compile = (os.path.join(build, "bin", name) for name in ("kiln-opt", "kiln-compile"))
        self.compiler = Compiler(build, LIMIT)

    def run(self, command):
        return self.compiler.run(*command[1:]) if command[0] == self.compile else compile_limited(command, LIMIT)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text)
        return self.path(name)

    def generic(self, text, passes):
        """The module in the generic form behind passes, or None."""
        run = subprocess.run([self.opt, self.write("seed.mlir", text), "--mlir-print-op-generic", "--mlir-disable-threading", *passes],
                             capture_output=True, check=False, timeout=60)
        return run.stdout if run.returncode == 0 else None


def pick_seed(tools, files, rng):
    """(the file's name, its lists of passes, a module of it in the generic form). Half of them are behind passes."""
    while True:
        name = rng.choice(files)
        with open(name, encoding="utf-8") as file:
            text = file.read()
        parts = [part for part in text.split("// -----") if part.strip()]
        lists = run_lines(text)
        module = tools.generic(rng.choice(parts).encode(), rng.choice([[], rng.choice(lists)]))
        if module and len(module) < 40000:
            return name, lists, module


def commands(tools, lists, rng):
    """(what, its command's options) for the runs of a changed module, the verifier's first."""
    printed = ["-o", tools.path("out.mlir"), "--mlir-disable-threading"]
    runs = [("verify", [tools.opt, *printed])]
    runs += [("passes", [tools.opt, *passes, *printed]) for passes in ([rng.choice(lists[1:])] if lists[1:] else [])]
    runs += [("pipeline", [tools.opt, passes, *printed]) for passes in (PIPELINES[0], rng.choice(PIPELINES[1:]))]
    runs += [("compile", [tools.compile, "--target=" + target, "-o", tools.path("out.kiln")]) for target in TARGETS]
    return runs


def fault(run, memory, work, before):
    """What is wrong with a run, or None. `before()` gives memory and work for the module that was not changed."""
    said = run.stderr
    if memory > 1024 or work > 4.5:
        memory_before, work_before = before()
        wrong = memory > memory_before + 1024 or work > max(4.5, 2 * work_before)
        return f"{memory} MiB, {work:.1f} s" if wrong else None
    if run.returncode not in (0, 1):
        return f"status {run.returncode}"
    if CAUGHT.search(said):
        return "crash caught"
    if run.returncode == 1 and not PLACE.search(said):
        return "no place"
    if run.returncode == 1 and re.search(rb"^(<unknown>|loc\(unknown\)|<stdin>)?:?0?:?0?: ?error: ", said, re.MULTILINE):
        return "no place"
    return None


def line_of(said, path):
    """The line of a file that an error names. MLIR prints some operations, such as llvm.getelementptr without indices, as it does
    not read them."""
    place = re.search(rb"out\.mlir:(\d+):", said)
    with open(path, "rb") as file:
        return file.read().split(b"\n")[int(place.group(1)) - 1] if place else b"tile."


def judge(tools, files, seed, number):
    """Returns (faults of one changed module, whether the verifier takes it, how many errors the longest run gave)."""
    rng = random.Random(f"{seed} {number}")
    name, lists, module = pick_seed(tools, files, rng)
    for _ in range(rng.choice([1, 6])):
        changed = change(module, rng)
        if tools.generic(changed, []):
            break
    path, bad, most = tools.write("module.mlir", changed), [], 0
    for what, command in commands(tools, lists, rng):
        run, memory, work = tools.run([command[0], path, *command[1:]])
        wrong = fault(run, memory, work, lambda: tools.run([command[0], tools.write("seed.mlir", module), *command[1:]])[1:])
        most = max(most, len(re.findall(rb"(?:^|: )error: ", run.stderr, re.MULTILINE)))
        if not wrong and run.returncode == 0 and what in ("verify", "passes"):
            again, _, _ = compile_limited([tools.opt, tools.path("out.mlir"), "-o", "/dev/null", "--mlir-disable-threading"])
            if again.returncode != 0 and OURS.search(line_of(again.stderr, tools.path("out.mlir"))):
                run, wrong = again, "is not read again"
        if wrong:
            kept = tools.write(f"fault-{number}-{len(bad)}.mlir", changed)
            bad.append(f"={number} of seed {seed} ({os.path.relpath(name, HERE)}): {wrong}\n  {shlex.join([command[0], kept, *command[1:]])}\n  "
                       + "\n  ".join(run.stderr.decode(errors="replace")[:800].split("\n")[:6]))
        if what == "verify" and run.returncode:
            return bad, False, most
    return bad, True, most


def main() -> int:
    build, count, *rest = sys.argv[1:]
    numbers = [int(count[1:])] if count.startswith("=") else range(int(count))
    seed, end = int(rest[0]) if rest else 1, time.time() + float(rest[1]) if rest[1:] else None
    files = sorted(path for folder in FOLDERS for path in glob.glob(os.path.join(HERE, "..", folder, "**", "*.mlir"), recursive=True))
    tools, done, taken, bad, several = Tools(os.path.abspath(build)), 0, 0, 0, 0
    for number in numbers:
        if end and time.time() > end:
            break
        faults, accepted, most = judge(tools, files, seed, number)
        done, taken, bad, several = done + 1, taken + accepted, bad + bool(faults), several + (most > 1)
        for one in faults:
            print(one, flush=True)
    print(f"{done} modules of seed {seed}, {taken} pass the verifier, {several} got more than one error, {bad} of them bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
