#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the target amd on the GPU of this machine, and writes a report to send with a bug report, or
with the news that it works. `make test-hip` runs it. Usage: hardware.py BUILD [--report=FILE]
[--corpus=FOLDER] [--quick] [--device=CHIP,device=sim]"""
import argparse
import os
import platform
import re
import subprocess
import sys
import time

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


class Report:
    """Lines of a page in Markdown, and whether every step succeeded."""

    def __init__(self, build):
        self.bin = os.path.join(build, "bin")
        self.environment = dict(os.environ, KILN_NO_FALLBACK="1", PATH=self.bin + os.pathsep + os.environ["PATH"])
        self.lines, self.failed = [], []

    def run(self, command, seconds=600):
        """Exit status, output of both kinds, and seconds."""
        begin = time.monotonic()
        try:
            done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=seconds, check=False)
            return done.returncode, done.stdout, time.monotonic() - begin
        except subprocess.TimeoutExpired as late:
            text = late.stdout or b""
            return 124, text.decode(errors="replace") + f"\nno end within {seconds} s", time.monotonic() - begin

    def step(self, title, command, keep=6, seconds=600):
        """Runs a command and keeps the end of its output, and all of it where it failed."""
        status, text, took = self.run(command, seconds)
        shown = text.rstrip().splitlines()[-(keep if status == 0 else 60):]
        verdict = "ok" if status == 0 else f"FAILED with status {status}"
        print(f"{verdict:8} {title} ({took:.1f} s)", flush=True)
        if status:
            self.failed.append(title)
        self.lines += [f"## {title}: {verdict}", "", "```", "$ " + " ".join(command), *shown, "```", ""]
        return status == 0

    def write(self, path, head):
        verdict = "All steps succeeded." if not self.failed else "Failed: " + ", ".join(self.failed) + "."
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(["# The target amd on hardware", "", *head, "", verdict, "", *self.lines]))
        print(f"{verdict} The report is {path}.")


def find_chip(report, example):
    """The chip of the first GPU, asked by a program for another one."""
    status, text, _ = report.run(["kiln-run", example, "--target=amd:gfx942", "--dim=1000", "--grid=1"])
    other = re.search(r"this device is (gfx\w+)", text)
    if status == 0 or other:
        return other.group(1) if other else "gfx942"
    sys.exit(text.strip().splitlines()[-1] if text.strip() else "kiln-run says nothing")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--report")
    parser.add_argument("--corpus", default=os.path.join(os.environ.get("KILN_SHARED", ""), "corpus", "ttir"))
    parser.add_argument("--quick", action="store_true", help="few cases of each step")
    parser.add_argument("--device", help="what stands behind amd: in a SPEC, instead of the GPU of this machine")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    report = Report(build)
    example = os.path.join(SOURCE, "examples", "vector_add.mlir")
    chip = args.device or find_chip(report, example)
    spec = f"amd:{chip}"
    package = os.path.join(build, "test-hip.kiln")
    head = [f"SPEC `{spec}`, {platform.platform()}, {len(os.sched_getaffinity(0))} processors."]
    for command in (["rocminfo"], ["rocm-smi", "--showproductname"]):
        try:
            text = report.run(command)[1]
            head += [line.strip() for line in text.splitlines() if re.search("Runtime Version|Marketing Name|Card", line)]
        except OSError:
            pass
    driver = "amd-sim" if "device=sim" in chip else "amd"
    report.step("compile", ["kiln-compile", example, f"--target={spec}", "-o", package])
    report.step("contract of the driver", ["kiln-conform", f"--device={driver}",
                                           f"--device-options={chip.split(',')[0]}", f"--package={package}"])
    report.step("one kernel", ["kiln-run", example, f"--target={spec}", "--dim=5000", "--grid=5", "--check"])
    report.step("matrix instructions", ["kiln-conform", f"--target={spec}", "--jobs=1", "--filter=^tile/tile.dot/" + (
        "(f16|bf16|f32)/16x16x16/plain$" if args.quick else "")])
    report.step("operations", ["kiln-conform", f"--target={spec}", "--jobs=1", "--filter=" + (
        "^tile/tile.expand_dims/f32/" if args.quick else "^tile/")], seconds=7200)
    if os.path.isdir(args.corpus):
        corpus = [sys.executable, os.path.join(SOURCE, "test", "triton", "corpus.py"), args.corpus, f"--target={spec}",
                  "--jobs=1"]
        report.step("recorded launches of Triton", corpus + (["--filter=^add_value"] if args.quick else []), seconds=7200)
    report.step("time of a kernel", ["kiln-run", package, "--dim=1000000", "--grid=977", "--bench"])
    report.write(args.report or os.path.join(build, "test-hip.md"), head)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
