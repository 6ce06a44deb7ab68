# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""edit-package.py IN OUT [--text FROM TO | --flip SECTION OFFSET | --version N | CODE]: changes a package.

--module FILE before CODE replaces the first module. CODE is Python that changes `j`, the contents of program.json (`p` is the program of the first
target). --text replaces text in it, --flip changes a byte of a section and leaves everything
else where it is. The checksum is put right; a signature is kept as it was.
"""
import json
import struct
import sys
import zlib

source, target, *how = sys.argv[1:]
module = None
if how[0] == "--module":
    with open(how[1], "rb") as file:
        module = file.read()
    how = how[2:]
with open(source, "rb") as file:
    data = bytearray(file.read())
count = struct.unpack_from("<I", data, 12)[0]
sections = []
for i in range(count):
    name, offset, size, reserved = struct.unpack_from("<40sQQQ", data, 32 + 64 * i)
    sections.append([name, bytes(data[offset:offset + size]), offset])


def write(data):
    struct.pack_into("<Q", data, 16, len(data))
    struct.pack_into("<Q", data, 24, zlib.crc32(data[32:]))
    with open(target, "wb") as file:
        file.write(data)
    sys.exit()


if how[0] == "--flip":
    for name, _, offset in sections:
        if name.rstrip(b"\0").decode() == how[1]:
            data[offset + int(how[2])] ^= 1
            write(data)
    sys.exit(f"no section {how[1]}")
for section in sections:
    if module and section[0].rstrip(b"\0") == b"module.0.0":
        section[1] = module
    if section[0].rstrip(b"\0") != b"program.json":
        continue
    text = section[1].decode()
    if how[0] == "--version":
        struct.pack_into("<I", data, 8, int(how[1]))
        j = json.loads(text)
        j["format"] = int(how[1])
        text = json.dumps(j, separators=(",", ":"))
    elif how[0] == "--text":
        if how[1] not in text:
            sys.exit(f"{how[1]} is not in {text}")
        text = text.replace(how[1], how[2], 1)
    else:
        j = json.loads(text)
        exec(how[0], {"j": j, "p": j["targets"][0]["program"]})  # pylint: disable=exec-used
        text = json.dumps(j, separators=(",", ":"))
    section[1] = text.encode()
out = bytearray(data[:32] + bytes(64 * count))
for i, (name, contents, _) in enumerate(sections):
    out += bytes(-len(out) % 64)
    struct.pack_into("<40sQQQ", out, 32 + 64 * i, name, len(out), len(contents), 0)
    out += contents
write(out)
