#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""code-object-fuzz.py BUILD SECONDS|COUNTx [SEED]: changes code objects of AMD GPUs and bundles of them, and loads and runs them on
the simulated device. The seeds are made with llvm-mc and ld.lld from the assembly of the test suite. Half of the changes are to what
the loader reads (headers, notes, symbols, descriptors), the others anywhere. Loading ends with status 0 or 1, and with 1 there is a
message, within 5 seconds of a processor and 1 GiB. A changed program may run on, so a launch may also end by the limit of its time.
Stops at the first that does otherwise, and keeps it."""
import importlib.util
import os
import random
import shutil
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(HERE, "..", "amd", "Inputs")
# The assembly, its chips, and the arguments of its kernels.
SEEDS = [("sums.s", "gfx942", {"count": ["buffer:4"], "scale": ["buffer:512", "buffer:512", "i32:100", "f32:0.5", "i64:3"]})]
NUMBERS = [0, 1, 7, 8, 63, 64, 255, 4096, 65535, (1 << 28) - 1, 1 << 28, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 40,
           (1 << 63) - 1, 1 << 63, (1 << 64) - 1]


def module(path):
    spec = importlib.util.spec_from_file_location("other", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def tool(name):
    """A program of LLVM, with its version in its name or without it."""
    return shutil.which(name + "-22") or shutil.which(name) or sys.exit(f"expected {name}, found none")


def make_seeds(out, bundle):
    pool = []
    for name, chip, kernels in SEEDS:
        path = os.path.join(out, name + ".hsaco")
        subprocess.run([tool("llvm-mc"), "-triple=amdgcn-amd-amdhsa", "-mcpu=" + chip, "-filetype=obj", os.path.join(INPUTS, name), "-o",
                        path + ".o"], check=True)
        subprocess.run([tool("ld.lld"), "-shared", "--no-undefined", path + ".o", "-o", path], check=True)
        with open(path, "rb") as file:
            code = file.read()
        for kernel, arguments in kernels.items():
            pool.append((code, kernel, arguments))
            pool.append((bundle([(b"host-x86_64-unknown-linux-gnu--", b""), (b"hipv4-amdgcn-amd-amdhsa--" + chip.encode(), code)]), kernel,
                         arguments))
    return pool


def loaded_bytes(data):
    """Where a code object has what a loader reads: the header, the tables of segments and sections, and all that is no code."""
    base = data.find(b"\x7fELF")
    places = list(range(base, base + 64))
    if base > 0:
        places += range(0, min(base, 512))
    try:
        (segments, sections), (size, count, section_size, section_count) = (
            struct.unpack_from("<QQ", data, base + 32), struct.unpack_from("<4H", data, base + 54))
        places += range(base + segments, base + segments + size * count)
        places += range(base + sections, base + sections + section_size * section_count)
        for at in range(base + sections, base + sections + section_size * section_count, section_size):
            kind, flags, _, offset, length = struct.unpack_from("<IQQQQ", data, at + 4)
            if kind != 8 and not flags & 4 and length < len(data):
                places += range(base + offset, base + offset + length)
    except struct.error:
        pass
    return [at for at in places if at < len(data)] or [0]


def change(rng, data):
    places = loaded_bytes(data)
    data = bytearray(data)
    if rng.randrange(10) == 0:
        del data[rng.randrange(len(data)):]
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        if not data:
            break
        at = rng.choice(places) if rng.random() < 0.8 else rng.randrange(len(data))
        at = min(at, len(data) - 1)
        kind = rng.randrange(4)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at] = rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)))
        elif kind == 2:
            width = rng.choice((2, 4, 8))
            at -= at % width
            data[at:at + width] = struct.pack("<Q", rng.choice(NUMBERS))[:width][:len(data) - at]
        else:
            other = rng.choice(places) % len(data)
            data[at:at + 8] = data[other:other + 8][:len(data) - at]
    return bytes(data)


def main() -> int:
    build, count = sys.argv[1], int(sys.argv[2].rstrip("x"))
    end = time.time() + count
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = random.Random(seed)
    limited = module(os.path.join(HERE, "limited.py")).compile_limited
    bundle = module(os.path.join(INPUTS, "bundles.py")).bundle
    out = os.path.join(build, "fuzz-code-objects")
    os.makedirs(out, exist_ok=True)
    simulator = os.path.join(build, "bin", "kiln-amd-sim")
    if not os.path.exists(simulator):
        print("code objects: this build has no simulated device")
        return 0
    pool = make_seeds(out, bundle)
    path = os.path.join(out, f"changed-{os.getpid()}")
    runs = accepted = ran = endless = peak = 0
    longest = 0.0
    while runs < count if sys.argv[2].endswith("x") else time.time() < end:
        data, kernel, arguments = rng.choice(pool)
        with open(path, "wb") as file:
            file.write(change(rng, data))
        runs += 1
        done, memory, work = limited([simulator, path, "--list"])
        commands = [("loading", done, memory, work)]
        peak, longest = max(peak, memory), max(longest, work)
        if done.returncode == 0:
            accepted += 1
            if rng.randrange(2):
                done, memory, work = limited([simulator, path, "--kernel=" + kernel, "--threads=64", "--grid=2",
                                              *("--arg=" + one for one in arguments)])
                ran += 1
                if done.returncode in (-9, -24):
                    endless += 1
                else:
                    commands.append(("running", done, memory, work))
        for what, done, memory, work in commands:
            if done.returncode not in (0, 1) or (done.returncode == 1 and b"error: " not in done.stderr) or memory > 1024 or work > 4.5:
                print(f"{what} {path}, kernel {kernel}: status {done.returncode}, {memory} MiB, {work:.1f} s\n"
                      f"{done.stderr.decode(errors='replace')[:2000]}")
                return 1
    print(f"code objects: {runs} runs from {len(pool)} seeds, {accepted} accepted, {ran} launched, {endless} of them run on, at most "
          f"{peak} MiB and {longest:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
