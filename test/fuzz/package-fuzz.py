#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""package-fuzz.py BUILD COUNT [SEED]: changes packages of the examples and lets `kiln-run --inspect` read them. Most changes are made
to the JSON, and size and checksum are put right, so that they reach what reads the sections. Each package is taken or refused with a
message, within 5 seconds and 1 GiB. Stops at the first that is not, and keeps it. The same seed makes the same changes."""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from limited import compile_limited  # noqa: E402

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
PROGRAMS = ["vector_add.mlir", "matmul_leaky_relu.mlir", "linear_relu_tosa.mlir", "norm_tosa.mlir", "fused_softmax.mlir"]
SECONDS, PEAK, HEAD, ENTRY = 5, 1024, 32, 64
NUMBERS = [0, 1, -1, 2, 7, 64, 255, 65535, 1 << 31, (1 << 31) - 1, (1 << 32) - 1, 1 << 40, (1 << 63) - 1, -(1 << 63), 1 << 63,
           (1 << 64) - 1, 1e300, 0.5]
VALUES = [None, True, False, "", "a", "f32", "../x", [], {}, [[]], [0] * 9, "x" * 3000, *NUMBERS]
PLACES = [0, 1, 63, 64, 65, 4096, 1 << 20, 1 << 31, 1 << 40, (1 << 63) - 1, -1]
PIECES = [b"", b"[" * 50, b"{", b'"', b"\\u0000", b"1e999", b"\xff"]


def sections(data):
    """The name, the bytes and the uncompressed size of each section."""
    found = []
    for number in range(struct.unpack_from("<I", data, 12)[0]):
        entry = HEAD + ENTRY * number
        offset, size, whole = struct.unpack_from("<QQQ", data, entry + 40)
        found.append([data[entry:entry + 40].split(b"\0")[0], data[offset:offset + size], whole])
    return found


def package(rng, version, parts):
    """A file of these sections; at times its table is damaged, or its end is cut off."""
    body, table, offset = b"", b"", HEAD + ENTRY * len(parts)
    for name, data, whole in parts:
        body += bytes(-offset % 64) + data
        offset += -offset % 64
        table += name.ljust(40, b"\0")[:40] + struct.pack("<QQQ", offset, len(data), whole)
        offset += len(data)
    rest = bytearray(table + body)
    if rng.random() < 0.15:
        for _ in range(rng.choice((1, 2, 4))):
            width = rng.choice((1, 4, 8))
            at = rng.randrange(len(table)) // width * width
            rest[at:at + width] = struct.pack("<q", rng.choice(PLACES))[:width]
    if rng.random() < 0.1:
        del rest[rng.randrange(len(rest)):]
    return b"KILNPKG\0" + struct.pack("<IIQQ", version, len(parts), HEAD + len(rest), zlib.crc32(rest)) + bytes(rest)


def spots(value):
    """Every place of a JSON value: what contains it, and its key there."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [(value, key) for key in keys] + [spot for key in keys for spot in spots(value[key])]


def change(rng, value):
    """Changes entries of a JSON value: others' values, numbers at limits, entries removed, repeated and renamed."""
    found = spots(value)
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        (holder, key), (other, name), kind = rng.choice(found), rng.choice(found), rng.randrange(6)
        try:
            if kind == 0:
                holder[key] = rng.choice(VALUES)
            elif kind == 1:
                holder[key] = json.loads(json.dumps(other[name]))
            elif kind == 2:
                del holder[key]
            elif kind == 3 and isinstance(holder, list):
                holder.insert(key, json.loads(json.dumps(other[name])))
            elif kind == 4 and isinstance(holder[key], (int, float)):
                holder[key] = rng.choice(NUMBERS)
            elif kind == 5 and isinstance(holder, dict):
                holder[rng.choice(list(other)) if isinstance(other, dict) else "a"] = holder[key]
        except (IndexError, KeyError):  # an earlier change removed it
            pass


def change_program(rng, part):
    text = zlib.decompress(part[1]) if part[2] else part[1]
    program = json.loads(text)
    change(rng, program)
    text = bytearray(json.dumps(program, separators=(",", ":")).encode())
    if rng.random() < 0.15:
        for _ in range(3):
            at = rng.randrange(len(text))
            text[at:at + rng.randrange(3)] = rng.choice(PIECES)
    is_compressed = rng.random() < 0.2
    part[1] = zlib.compress(text) if is_compressed else bytes(text)
    part[2] = rng.choice((len(text), len(text), 1 << 40, 5)) if is_compressed else 0


def changed(rng, data):
    version = rng.choice((struct.unpack_from("<I", data, 8)[0],) * 5 + (1, 2, 3, 4))
    parts = sections(data)
    for part in parts:
        if part[0] == b"program.json" and rng.random() < 0.7:
            change_program(rng, part)
            version = 4 if part[2] else version
        elif part[1] and rng.random() < 0.2:
            altered = bytearray(part[1])
            for _ in range(rng.choice((1, 3, 9))):
                altered[rng.randrange(min(len(altered), rng.choice((256, 1 << 30))))] = rng.randrange(256)
            part[1] = bytes(altered)
    if rng.random() < 0.1:
        parts.append(list(rng.choice(parts)))
    if len(parts) > 1 and rng.random() < 0.1:
        parts.pop(rng.randrange(len(parts)))
    return package(rng, version, parts)


def seeds(build, folder):
    path, found = os.path.join(folder, "seed.kiln"), []
    for program in PROGRAMS:
        for target in ("cpu", "reference"):
            command = [os.path.join(build, "bin", "kiln-compile"), os.path.join(EXAMPLES, program), f"--target={target}", "-o", path]
            subprocess.run(command, check=True, capture_output=True)
            with open(path, "rb") as file:
                found.append(file.read())
    return found


def main():
    build, count, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "1"
    rng, taken, peak, longest = random.Random(f"package {seed}"), 0, 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        pool = seeds(build, folder)
    kept = os.path.join(tempfile.gettempdir(), f"package-fuzz-{os.getpid()}.kiln")
    for _ in range(count):
        with open(kept, "wb") as file:
            file.write(changed(rng, rng.choice(pool)))
        done, memory, work = compile_limited([os.path.join(build, "bin", "kiln-run"), kept, "--inspect"])
        taken += done.returncode == 0
        peak, longest = max(peak, memory), max(longest, work)
        is_refused = done.returncode == 1 and b"error: " in done.stderr
        if not (done.returncode == 0 or is_refused) or memory > PEAK or work >= SECONDS:
            print(f"{kept}: status {done.returncode}, {memory} MiB, {work:.1f} s\n{done.stderr.decode(errors='replace')[:2000]}")
            return 1
    os.unlink(kept)
    print(f"packages: {count} files from {len(pool)} packages, {taken} taken, {count - taken} refused, at most {peak} MiB and {longest:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
