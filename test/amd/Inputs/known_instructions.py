#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists what LLVM's disassembler knows of a chip and the simulated device does not.

Usage: known_instructions.py CHIP...

Every number of an operation is tried in every encoding, with a few operands each, as LLVM has no list to ask for. Prints for
each chip how many instructions there are, and those that are missing for none of the reasons of REASONS."""
import itertools
import re
import subprocess
import sys

# What is left out, and why.
REASONS = [
    ("graphics", r"image_|tbuffer_|buffer_(load|store)_(d16_(hi_)?)?format|exp$|export$|ds_bvh_|ds_ordered"),
    ("writes of scalar memory", r"s_(buffer_)?(store|atomic)_|s_scratch_|s_atc_probe|s_dcache_discard"),
    ("debuggers, traps and their waves", r"s_cbranch_(cdbg|[gi]_fork|join)|s_rfe_|s_sendmsghalt|s_setvskip|"
     r"s_endpgm_ordered|s_subvector_|s_alloc_vgpr|v_illegal|v_screen_partition"),
    ("named barriers", r"s_barrier_(init|join|leave)|s_get_barrier_state"),
    ("memory by blocks of registers", r"(global|scratch)_(load|store)_block|global_atomic_ordered"),
    ("two instructions in one, which the device takes apart", r"v_dual_"),
]
SUFFIX = re.compile(r"(_e32|_e64|_dpp|_sdwa)+$")


def words(*numbers):
    """An encoding as llvm-mc reads it."""
    return " ".join(f"0x{(n >> shift) & 255:02x}" for n in numbers for shift in (0, 8, 16, 24))


def scalar(is_gfx9):
    for op, source in itertools.product(range(256), (2, 8)):
        yield words(0b101111101 << 23 | 4 << 16 | op << 8 | source)
    for op, immediate in itertools.product(range(128), (0, 1)):
        yield words(0b101111111 << 23 | op << 16 | immediate)
        yield words(0b101111110 << 23 | op << 16 | 4 << 8 | 2)
    for op in range(0x5f):
        yield words(0b10 << 30 | op << 23 | 4 << 16 | 2 << 8 | 6, 0x3f800000)
    for op in range(32):
        yield words(0b1011 << 28 | op << 23 | 4 << 16 | 4, 0)


def scalar_memory(chip):
    for op in range(256):
        if chip.startswith("gfx9"):
            for flags in (1 << 17, 3 << 16):
                yield words(0b110000 << 26 | op << 18 | flags | 8 << 6 | 2, 16)
        elif chip.startswith("gfx11"):
            yield words(0b111101 << 26 | op << 18 | 8 << 6 | 2, 0xf8000010)
        else:
            yield words(0b111101 << 26 | (op & 63) << 13 | 8 << 6 | 2, 0xf8000010)


def vector(is_gfx9):
    for op, target in itertools.product(range(64), (2, 4)):
        yield words(op << 25 | target << 17 | 6 << 9 | 0x108, 0x3f800000)
    for op in range(256):
        yield words(0b0111111 << 25 | 4 << 17 | op << 9 | 0x102)
        yield words(0b0111110 << 25 | op << 17 | 6 << 9 | 0x102)
    sources = [(0x102, 0x106, 0x10a, 0), (2, 6, 10, 0), (0x102, 6, 10, 0), (0x102, 0x106, 0, 0), (0x102, 0, 0, 0),
               (0x102, 0x106, 10, 0), (0x102, 0x106, 0x10a, 106 << 8)]
    for op, (x, y, z, more) in itertools.product(range(1024), sources):
        yield words((0b110100 if is_gfx9 else 0b110101) << 26 | op << 16 | more | 14, x | y << 9 | z << 18)
    packed = 0b110100111 << 23 if is_gfx9 else 0b110011000 << 23
    for op, low, high in itertools.product(range(128), (0, 0x4000, 0x8000, 0xc000), (0, 3 << 27)):
        yield words(packed | op << 16 | low | 32, 0x102 | 0x10a << 9 | 0x112 << 18 | high)


def memory(chip):
    is_gfx9 = chip.startswith("gfx9")
    for op, flag, offset in itertools.product(range(256), (0, 1), (0, 8)):
        yield words(0b110110 << 26 | op << (17 if is_gfx9 else 18) | flag << (16 if is_gfx9 else 17) | offset,
                    20 << 24 | 8 << 16 | 6 << 8 | 2)
    if chip.startswith("gfx12"):
        for op, base, kind, returns in itertools.product(range(256), (0x7c, 4), (0xec, 0xed, 0xee), (0, 1)):
            yield words(kind << 24 | op << 14 | base, 20 | returns << 20 | 8 << 23, 2)
        for op, returns in itertools.product(range(256), (0, 1)):
            yield words(0b110001 << 26 | op << 14 | 0x7c, 20 | 4 << 9 | 1 << 30 | returns << 20, 2 | 8 << 8)
        return
    for op, kind, base, returns in itertools.product(range(128), (0, 1, 2), (0x7f if is_gfx9 else 0x7c, 4), (0, 1)):
        yield words(0b110111 << 26 | op << 18 | kind << (14 if is_gfx9 else 16) | returns << (16 if is_gfx9 else 14),
                    20 << 24 | base << 16 | 8 << 8 | 2)
    for op, returns in itertools.product(range(256), (0, 1)):
        yield words(0b111000 << 26 | (op & 127 if is_gfx9 else op) << 18 | (0x1000 if is_gfx9 else 0) | returns << 14 | 8,
                    0x80 << 24 | (0 if is_gfx9 else 1 << 22) | 2 << 16 | 20 << 8 | 2)


def names_of(chip):
    is_gfx9 = chip.startswith("gfx9")
    text = "\n".join(itertools.chain(scalar(is_gfx9), scalar_memory(chip), vector(is_gfx9), memory(chip)))
    done = subprocess.run(["llvm-mc", "-triple=amdgcn-amd-amdhsa", f"-mcpu={chip}", "--disassemble"], input=text,
                          capture_output=True, text=True, check=False)
    lines = (line.split("//")[0].split() for line in done.stdout.splitlines())
    return {SUFFIX.sub("", line[0]) for line in lines if line and not line[0].startswith(".")}


def main():
    known = set(subprocess.run(["kiln-amd-sim", "--instructions"], capture_output=True, text=True, check=True).stdout.split())
    for chip in sys.argv[1:]:
        names = names_of(chip)
        missing = sorted(name for name in names - known if not any(re.match(reason, name) for _, reason in REASONS))
        print(f"{chip}: {len(names)} instructions, {len(names & known)} known, missing: {' '.join(missing) or 'none'}")


if __name__ == "__main__":
    main()
