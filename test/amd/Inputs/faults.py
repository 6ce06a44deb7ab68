#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks compiled kernels, one fault at a time, and prints what the simulated device says of each.

Usage: faults.py INPUTS FOLDER

INPUTS has the kernels. A fault is an edit of the assembly: a barrier or a wait that is taken out, a changed offset, a mask that
is not applied. Prints a line for each: its name, the instruction and the place in the source that the device names, and the
reason. Exits with 1 if a fault, or more of a kind than `expected`, stays unnoticed."""
import os
import re
import subprocess
import sys

import numpy as np


class Kernel:
    """A kernel of INPUTS as assembly, and how to run it."""

    def __init__(self, inputs, folder, name, threads, arguments, options=()):
        self.name, self.folder, self.threads, self.options = name, folder, threads, list(options)
        self.source = os.path.join(inputs, name + ".ttir")
        path = os.path.join(folder, name + ".s")
        subprocess.run(["kiln-compile", self.source, "--target=amd:gfx942", "--emit=asm", "-o", path], check=True)
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().splitlines()
        begin = self.lines.index(name + ":")
        self.end = next(i for i in range(begin, len(self.lines)) if self.lines[i].strip() == "s_endpgm")
        self.begin = begin
        self.arguments = []
        for index, argument in enumerate(arguments):
            if isinstance(argument, np.ndarray):
                file = os.path.join(folder, f"{name}.{index}")
                argument.tofile(file)
                self.arguments.append(f"--arg=file:{file}")
            else:
                self.arguments.append(f"--arg=i32:{argument}")
        self.arguments += ["--arg=i64:0"] * 3  # the grid that the launch asked for

    def find(self, pattern):
        """Lines of the kernel that match."""
        return [i for i in range(self.begin, self.end) if re.match(r"\s+" + pattern, self.lines[i])]

    def run(self, lines):
        """What the device says of the kernel with these lines; empty if nothing."""
        stem = os.path.join(self.folder, "broken")
        with open(stem + ".s", "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        subprocess.run(["llvm-mc", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj", stem + ".s", "-o", stem + ".o"],
                       check=True)
        subprocess.run(["ld.lld", "-shared", "--no-undefined", stem + ".o", "-o", stem + ".hsaco"], check=True)
        done = subprocess.run(["kiln-amd-sim", stem + ".hsaco", "--kernel=" + self.name, f"--threads={self.threads}",
                               *self.options, *self.arguments], capture_output=True, text=True, check=False)
        return done.stderr.strip() if done.returncode else ""

    def edit(self, line, *texts):
        return self.lines[:line] + list(texts) + self.lines[line + 1:]


def report(name, text):
    """A line for a fault that was named: with instruction and place."""
    match = re.search(r"wave \d+: (.*), at '(\S+)[^']* \((\w+\.ttir:\d+)\)'", text)
    if not match:
        return False
    reason = re.sub(r"0x[0-9a-f]+|\d+", "N", match.group(1))
    print(f"{name}: {match.group(2)} at {match.group(3)}: {reason}")
    return True


def each(kernel, name, pattern, make, expected):
    """Edits one matching line after the other; so many of the faults have to be named."""
    found = kernel.find(pattern)
    texts = [kernel.run(make(kernel, line)) for line in found]
    named = sum(report(name, text) for text in texts)
    print(f"{name}: {named} of {len(found)} named")
    return named >= expected and all(named or not text for text in texts)


def removed(kernel, line):
    return kernel.edit(line)


def planted(kernel, name, pattern, *texts, at=0, instead=False):
    """Puts lines in front of the matching one of this number, or in its place; the fault has to be named."""
    line = kernel.find(pattern)[at]
    texts = ["\t" + text if not text.endswith(":") else text for text in texts]
    return report(name, kernel.run(kernel.lines[:line] + texts + kernel.lines[line + instead:]))


def foreign(product, edge):
    """Faults of code that others write: of arguments, of scalars, of memory of a thread, and of waves that go their own way."""
    store, barrier = r"buffer_store_dword", r"s_barrier"
    first = ("v_readfirstlane_b32 s90, v0", "s_cmp_lt_u32 s90, 64")
    return [
        planted(product, "no arguments", r"s_load_dwordx", instead=True),
        planted(edge, "wait for scalars", r"s_waitcnt lgkmcnt\(0\)", instead=True),
        planted(edge, "no address", r"buffer_load_dword", "v_mov_b32 v0, v63"),
        planted(product, "wave without barrier", barrier, *first, "s_cbranch_scc1 .Lother", barrier, ".Lother:", at=1,
                instead=True),
        planted(product, "wave that ends", barrier, *first, "s_cbranch_scc0 .Lother", "s_endpgm", ".Lother:", at=1),
        planted(edge, "trap", store, "s_trap 2"),
        planted(edge, "null scalars", store, "s_mov_b64 s[20:21], 0", "s_load_dword s22, s[20:21], 0x0"),
        planted(edge, "more arguments", r"s_load_dword", "s_load_dword s22, s[0:1], 0x80"),
        planted(edge, "scratch memory", store, "v_mov_b32 v9, 0x4000", "scratch_store_dword v9, v9, off"),
        planted(edge, "null", store, "v_mov_b32 v8, 0", "v_mov_b32 v9, 0", "flat_load_dword v8, v[8:9]"),
        planted(edge, "no LDS", store, "v_mov_b32 v9, 0", "ds_read_b32 v9, v9"),
        planted(product, "update of LDS", barrier, "v_mov_b32 v250, 0", "ds_add_u32 v250, v250", "ds_write_b32 v250, v250"),
        planted(product, "wait for less memory", r"s_waitcnt vmcnt\(0\)", "s_waitcnt vmcnt(1)", instead=True),
        planted(product, "wait for less LDS", r"s_waitcnt lgkmcnt\(0\)", "s_waitcnt lgkmcnt(1)", at=1, instead=True),
        planted(product, "operand in flight", r"v_mfma", "ds_read_b64 v[2:3], v0"),
        planted(edge, "typed buffer", store, "tbuffer_load_format_x v9, v0, s[4:7], 0 offen"),
        planted(edge, "global wave sync", store, "ds_gws_barrier v0 gds"),
        planted(edge, "address in arguments", store, "v_mov_b32 v9, 0x4000", "global_load_dword v9, v9, s[0:1]"),
    ]


def main():
    inputs, folder = sys.argv[1:]
    random = np.random.default_rng(1)

    def halves(count):
        return random.normal(size=count).astype(np.float16)

    product = Kernel(inputs, folder, "product", 256, [halves(2 * 4096), halves(2 * 4096), np.zeros(4096, np.float32), 2],
                     ["--stale=1"])
    edge = Kernel(inputs, folder, "edge", 64, [np.ones(50, np.float32), np.zeros(50, np.float32), 50])
    strided = Kernel(inputs, folder, "strided", 64, [np.ones(2402, np.float32), np.zeros(50, np.float32), 1, 50])
    raw = Kernel(inputs, folder, "bytes", 64, [np.arange(64, dtype=np.uint8), np.zeros(64, np.float32)], ["--float8=ocp"])
    for kernel in (product, edge, strided, raw):
        text = kernel.run(kernel.lines)
        if text:
            print(f"{kernel.name}: unexpected: {text}")
            sys.exit(1)

    def moved(kernel, line):
        return kernel.edit(line, kernel.lines[line] + " offset:8192")

    def everywhere(kernel, line):
        return kernel.edit(line, kernel.lines[line], "\ts_mov_b64 vcc, exec")

    def unmasked(kernel, line):
        register = kernel.lines[line].split()[1].rstrip(",")
        return kernel.edit(line, f"\ts_mov_b64 {register} exec".replace("] exec", "], exec"))

    def fnuz(kernel, line):
        return kernel.edit(line, kernel.lines[line], "\tv_cvt_f32_fp8_e32 v2, v1")
    results = [
        each(product, "barrier", r"s_barrier", removed, 4),
        each(product, "wait for memory", r"s_waitcnt vmcnt\(", removed, 4),
        each(product, "wait for LDS", r"s_waitcnt lgkmcnt\(", removed, 11),
        each(product, "write to LDS", r"ds_write", removed, 8),
        each(product, "layout", r"ds_read_b128 v\[\d+:\d+\], v\d+$", moved, 5),
        each(edge, "bounds", r"v_cmp_gt_u32_e32 vcc", everywhere, 1),
        each(strided, "EXEC", r"s_and_saveexec_b64", unmasked, 1),
        each(raw, "FNUZ", r"s_waitcnt vmcnt\(0\)", fnuz, 1),
    ]
    results += foreign(product, edge)
    print("all named" if all(results) else "some stayed unnoticed")
    sys.exit(0 if all(results) else 1)


main()
