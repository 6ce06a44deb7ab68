# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bytecode.py FILE OUT [--whole]: the module of a file of bytecode, or of the target `reference` in a package, as a compiler
reads it that does not have Kiln's dialects. What is taken out, but for --whole, is the versions of dialects, which only
compilers that have the dialect take."""
import json
import re
import struct
import sys
import zlib

DIALECTS, VERSIONS = 1, 7


def varint(data, at):
    """MLIR's numbers: trailing zeros of the first byte count the bytes behind it."""
    first = data[at]
    if first == 0:
        return int.from_bytes(data[at + 1:at + 9], "little"), at + 9
    size = (first & -first).bit_length()
    return int.from_bytes(data[at:at + size], "little") >> size, at + size


def encoded(value):
    size = next((n for n in range(1, 9) if value < 1 << 7 * n), 9)
    return b"\0" + value.to_bytes(8, "little") if size == 9 else ((value << 1 | 1) << size - 1).to_bytes(size, "little")


def section(data, at):
    """(identity, alignment or None, contents, end) of the section at `at`."""
    identity = data[at]
    size, at = varint(data, at + 1)
    alignment = None
    if identity & 0x80:
        alignment, at = varint(data, at)
        while data[at] == 0xCB:
            at += 1
    return identity & 0x7F, alignment, data[at:at + size], at + size


def without_versions(contents):
    """The section of dialects: their number, then the name of each and whether a version follows, then the operations."""
    count, at = varint(contents, 0)
    made = [encoded(count)]
    for _ in range(count):
        name, at = varint(contents, at)
        if name & 1:
            identity, _, _, at = section(contents, at)
            assert identity == VERSIONS, identity
        made.append(encoded(name & ~1))
    return b"".join(made) + contents[at:]


def stripped(data):
    assert data[:4] == b"ML\xefR"
    version, at = varint(data, 4)
    at = data.index(b"\0", at)
    producer, at, made = data[:at], at + 1, []
    while at < len(data):
        start = at
        identity, _, contents, at = section(data, at)
        if identity != DIALECTS:
            made.append(data[start:at])
            continue
        contents = without_versions(contents)
        made.append(bytes([identity]) + encoded(len(contents)) + contents)
        # The name of the producer takes what is left, so that what is aligned stays so.
        producer += b" " * (at - start - len(made[-1]))
    return version, producer + b"\0" + b"".join(made)


def module_of(package):
    """What the target `reference` has in a package: a module, its hash and a mark."""
    count = struct.unpack_from("<I", package, 12)[0]
    sections = {}
    for n in range(count):
        name, offset, size, unpacked = struct.unpack_from("<40sQQQ", package, 32 + 64 * n)
        contents = package[offset:offset + size]
        sections[name.rstrip(b"\0").decode()] = zlib.decompress(contents) if unpacked else contents
    targets = json.loads(sections["program.json"])["targets"]
    number = next(n for n, target in enumerate(targets) if re.match("reference", target["spec"]))
    return sections[f"module.{number}.0"][:-40]


with open(sys.argv[1], "rb") as file:
    bytes_ = file.read()
if bytes_.startswith(b"KILNPKG\0"):
    bytes_ = module_of(bytes_)
version, made = stripped(bytes_)
with open(sys.argv[2], "wb") as file:
    file.write(bytes_ if sys.argv[3:] == ["--whole"] else made)
print(f"version {version}")
