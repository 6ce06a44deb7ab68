# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lengthen.py FROM TO: writes a number beyond 2^32 over each byte of the operations of a bytecode file, in turn, and compiles what that
makes. Prints what ends with a crash or without an error that has a place, and whether a number was taken for a count."""
import re
import subprocess
import sys

OPERATIONS = 4


def take(data, at):
    """A number of one or two bytes, and the place behind it."""
    if data[at] & 1:
        return data[at] >> 1, at + 1
    return int.from_bytes(data[at:at + 2], "little") >> 2, at + 2


with open(sys.argv[1], "rb") as file:
    data = file.read()
at = data.index(b"\0") + 1
while True:
    kind = data[at] & 0x7F
    size, begin = take(data, at + 1)
    if kind == OPERATIONS:
        break
    at = begin + size
announced = 0
for at in range(begin, begin + size):
    changed = bytearray(data)
    changed[at:at + 5] = b"\x10\xff\xff\xff\xff"  # four bytes follow: 35 bits
    with open(sys.argv[2], "wb") as file:
        file.write(changed)
    run = subprocess.run(["kiln-compile", sys.argv[2], "--target=reference", "-o", sys.argv[2] + ".kiln"], capture_output=True, check=False)
    announced += b"it announces more than a file of" in run.stderr
    if run.returncode not in (0, 1) or b"cannot process" in run.stderr or run.returncode and not re.search(rb"(byte 0|:\d+:\d+): error: ", run.stderr):
        print(f"byte {at}: status {run.returncode}: {run.stderr.decode(errors='replace')}")
print("too much announced" if announced else "no count was met")
