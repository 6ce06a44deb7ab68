# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes inputs that kill careless parsers."""
import os
import sys

FILES = {
    "deep": "module attributes {a = " + "[" * 200000 + "]" * 200000 + "} {}\n",
    "deep-types": "func.func private @f(" + "tuple<" * 100000 + "i1" + ">" * 100000 + ")\n",
    "deep-regions": "module {" * 50000 + "}" * 50000,
    "deep-paren": "module attributes {a = affine_map<(d0) -> (" + "(" * 90000 + "d0" + ")" * 90000 + ")>} {}\n",
    "zero": "module {\0}\n",
    "huge-tensor": "func.func @f(%a: tensor<4611686018427387904x4611686018427387904xf32>) -> "
                   "tensor<4611686018427387904x4611686018427387904xf32> {\n  return %a : "
                   "tensor<4611686018427387904x4611686018427387904xf32>\n}\n",
    "unknown": "func.func @f() {\n  nowhere.op\n}\n",
    "truncated": "func.func @f(%a: tensor<4xf32>) -> tensor<4xf",
    "undefined": "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %b : tensor<4xf32>\n}\n",
    "empty": "",
    "garbage": "".join(chr(33 + i * 7919 % 90) for i in range(5000)) + "\n",
    "string": "module attributes {a = \"" + "\\" * 9999 + "\n",
}
for name, text in FILES.items():
    with open(os.path.join(sys.argv[1], name + ".mlir"), "w", encoding="latin-1") as file:
        file.write(text)


def varint(number):
    """A number as MLIR's bytecode writes it: zeros at the end of the first byte count the bytes behind it."""
    more = 0
    while number >= 1 << (7 * (more + 1)):
        more += 1
    return (((number << 1) | 1) << more).to_bytes(more + 1, "little")


def section(number, data):
    return bytes([number]) + varint(len(data)) + data


# A section of strings that says it has 2^30 of them, and four more that a file needs.
strings = section(0, varint(1 << 30) + bytes(40))
with open(os.path.join(sys.argv[1], "counts.bc"), "wb") as file:
    file.write(b"ML\xefR" + varint(4) + b"hostile\0" + strings + b"".join(section(i, b"\x01") for i in range(1, 5)))

# Two groups of 100 attributes each, in a table of 101.
group = varint(0) + varint(100) + varint(2) * 100
with open(os.path.join(sys.argv[1], "groups.bc"), "wb") as file:
    file.write(b"ML\xefR" + varint(4) + b"hostile\0" + section(0, varint(0)) + section(1, varint(1) + varint(0))
               + section(3, varint(101) + varint(0) + group * 2) + b"".join(section(i, b"\x01") for i in (2, 4)))

# Counts beyond what MLIR's vectors hold: in each section that begins with one, and of the elements of an array.
most = varint(1 << 40)
tables = {0: varint(0), 1: varint(1) + varint(0), 3: varint(0) + varint(0), 8: varint(0)}
for kind in tables:
    sections = b"".join(section(i, most + bytes(40) if i == kind else tables.get(i, b"\x01")) for i in (0, 1, 2, 3, 4, 8))
    with open(os.path.join(sys.argv[1], f"many-{kind}.bc"), "wb") as file:
        file.write(b"ML\xefR" + varint(6) + b"hostile\0" + sections)
