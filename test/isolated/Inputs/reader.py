# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads modules in the wire form as kiln_wire.py does, and again token by token: both have to find the same. Usage: reader.py FILE..."""
import re
import sys

import kiln_wire
from kiln_wire import Reader, Type, WireError

PLAIN = [name for name in vars(Reader) if name.startswith("_plain")]
NOTHING = re.compile(r"(?!)")


def same(a, b):
    """Compares what was read, values by the operation that computes them."""
    if type(a) is not type(b):
        return False
    if isinstance(a, kiln_wire.Value):
        places = [(value.type, value.index, value.op and value.op.number) for value in (a, b)]
        return places[0] == places[1]
    if isinstance(a, kiln_wire.Op):
        return all(same(getattr(a, key), getattr(b, key)) for key in
                   ("name", "number", "location", "operands", "results", "attributes", "regions"))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and same(list(a.values()), list(b.values()))
    if isinstance(a, Type) or not hasattr(a, "__dict__"):
        return a == b or a != a
    return same(vars(a), vars(b))


def token_by_token(text):
    kept = {name: getattr(Reader, name) for name in PLAIN}
    for name in PLAIN:
        setattr(Reader, name, NOTHING)
    try:
        return kiln_wire.read(text)
    finally:
        for name, pattern in kept.items():
            setattr(Reader, name, pattern)


slow = 0
original = Reader._types


def counted(self, op):
    global slow
    slow += 1
    return original(self, op)


kernels, operations = 0, 0
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    slow_before, Reader._types = slow, counted
    found = kiln_wire.read(text)
    Reader._types = original
    operations += sum(1 for kernel in found for _ in kernel.walk())
    other = token_by_token(text)
    kernels += len(found)
    if not same(found, other):
        print(f"{path}: what is read differs")
    # Neither way may fail in another way than by its error.
    for at in range(0, len(text), 97):
        for damaged in (text[:at] + text[at + 1:], text[:at] + "<" + text[at:], text[:at] + '"' + text[at:]):
            for way in (kiln_wire.read, token_by_token):
                try:
                    way(damaged)
                except (WireError, ValueError):
                    pass
print(f"{kernels} kernels, {operations} operations, {slow} of them token by token")
