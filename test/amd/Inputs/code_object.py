#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and checks of code-object.test.

Usage: code_object.py inputs|compare|bundle|mutate|sections|machines FOLDER
"""
import os
import random
import struct
import subprocess
import sys

import numpy as np

from bundles import bundle, compress


def list_changed(folder, data, what):
    path = os.path.join(folder, "changed")
    with open(path, "wb") as file:
        file.write(data)
    done = subprocess.run(["kiln-amd-sim", path, "--list"], capture_output=True, text=True, timeout=30, check=False, errors="replace")
    if done.returncode not in (0, 1) or (done.returncode == 1 and "error: " not in done.stderr):
        sys.exit(f"{what}: exit status {done.returncode}: {done.stderr}")


def sections(folder):
    """Makes arrays of two keys of the metadata, and puts large numbers into each field of each section's and segment's header: the tables that a loader trusts."""
    with open(os.path.join(folder, "k.hsaco"), "rb") as file:
        whole = file.read()
    keys = whole.replace(b"\xa5.args", b"\x95\1\1\1\1\1").replace(b"\xa5.name", b"\x95\1\1\1\1\2")
    assert keys != whole
    list_changed(folder, keys, "keys of the metadata")
    segment_table, section_table = struct.unpack_from("<QQ", whole, 32)
    segment_count, _, section_count = struct.unpack_from("<3H", whole, 56)
    tables = [(section_table + 64 * n, (4, 24, 32, 40)) for n in range(1, section_count)]
    tables += [(segment_table + 56 * n, (8, 16, 32, 40)) for n in range(segment_count)]
    for begin, fields in tables:
        for field in fields:
            data = bytearray(whole)
            data[begin + field:begin + field + 4] = b"\xf0\xff\xff\x7f"
            list_changed(folder, data, f"at {begin + field}")


def machines(folder):
    """Makes code objects for chips of numbers that there are not."""
    with open(os.path.join(folder, "other.hsaco"), "rb") as file:
        data = bytearray(file.read())
    for number in (0, 255):
        data[48] = number  # the lowest byte of e_flags
        with open(os.path.join(folder, f"machine{number}.hsaco"), "wb") as file:
            file.write(data)


def mutate(folder):
    """Changes bytes of a code object and of a bundle, with a fixed seed."""
    draw = random.Random(7)
    path = os.path.join(folder, "changed")
    for name in ("k.hsaco", "k.bundle"):
        with open(os.path.join(folder, name), "rb") as file:
            whole = file.read()
        for _ in range(30):
            data = bytearray(whole)
            kind = draw.randrange(4)
            if kind == 0:
                del data[draw.randrange(len(data)):]
            for _ in range(draw.choice((1, 1, 4, 16))):
                if data:
                    # Headers, notes and descriptors stand first.
                    at = draw.randrange(min(len(data), 0x800) if kind < 3 else len(data))
                    data[at] = draw.choice((0, 1, 0x7f, 0x80, 0xff, draw.randrange(256)))
            with open(path, "wb") as file:
                file.write(data)
            try:
                done = subprocess.run(["kiln-amd-sim", path, "--kernel=count", "--threads=64", "--grid=2",
                                       "--arg=buffer:4"], capture_output=True, text=True, timeout=3, check=False,
                                      errors="replace")
            except subprocess.TimeoutExpired:
                continue  # a branch that now loops
            if done.returncode not in (0, 1) or (done.returncode == 1 and "error: " not in done.stderr):
                sys.exit(f"exit status {done.returncode}: {done.stderr}")


def main():
    action, folder = sys.argv[1:]
    if action == "inputs":
        np.save(os.path.join(folder, "x.npy"), np.arange(100, dtype=np.float32))
    elif action == "compare":
        found = np.load(os.path.join(folder, "y.npy"))
        wanted = np.zeros(103, dtype=np.float32)
        wanted[3:] = np.arange(100, dtype=np.float32) / 2
        if not np.array_equal(found, wanted):
            sys.exit(f"found {found}")
    elif action == "bundle":
        with open(os.path.join(folder, "k.hsaco"), "rb") as file:
            code = file.read()
        whole = bundle([(b"host-x86_64-unknown-linux-gnu--", b""), (b"hipv4-amdgcn-amd-amdhsa--gfx1100", b"other"),
                        (b"hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", code)])
        with open(os.path.join(folder, "k.bundle"), "wb") as file:
            file.write(whole)
        for version in (1, 2, 3):
            with open(os.path.join(folder, f"k{version}.bundle"), "wb") as file:
                file.write(compress(whole, version))
        with open(os.path.join(folder, "broken.bundle"), "wb") as file:
            file.write(compress(whole, 2)[:100])
    elif action == "sections":
        sections(folder)
    elif action == "machines":
        machines(folder)
    else:
        mutate(folder)


main()
