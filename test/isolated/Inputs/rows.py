# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of rows.mlir, in the wire form, while a ScratchpadWriter writes it, and compares with the same in Python.
Usage: rows.py FOLDER KERNELS, where FOLDER has kiln_scratchpad.py"""
import itertools
import random
import sys

sys.path.insert(0, sys.argv[1])
from kiln_isolated import Decline
from kiln_scratchpad import ScratchpadWriter
from kiln_transfers import BYTES
from kiln_wire import read

FUNCTIONS = {"arith.addf": lambda a, b: a + b, "arith.subf": lambda a, b: a - b, "arith.maximumf": max,
             "arith.andi": lambda a, b: a and b, "arith.ori": lambda a, b: a or b, "arith.select": lambda a, b, c: b if a else c,
             "cmp": {("arith.cmpf", 2): lambda a, b: a > b, ("arith.cmpf", 1): lambda a, b: a == b, ("arith.cmpi", 2): lambda a, b: a < b}}


class Machine(ScratchpadWriter):
    """Registers are numbers, and every instruction is executed as it is written."""
    reductions, elementwise, temporaries = {"arith.addf", "arith.maximumf"}, {"arith.subf"}, {"arith.subf": 2}

    def __init__(self, kernel, views):
        self.memory, self.views = {}, views
        super().__init__(kernel)

    def number(self, value):
        return value

    def scalar(self, name, operands, predicate=0, op=None):
        return {"arith.muli": lambda a, b: a * b, "arith.addi": lambda a, b: a + b}[name](*operands)

    def begin(self, box):
        for at in itertools.product(*map(range, box.counts)):
            coords = tuple(offset + step for offset, step in zip(box.offsets, at))
            address = box.address + sum(stride * step for stride, step in zip(box.strides, at))
            if box.is_in:
                self.memory[address] = self.views[box.view.index][coords]
            else:
                before = self.views[box.view.index][coords] if box.combine == "add" else 0
                self.views[box.view.index][coords] = before + self.memory[address]

    def wait(self, transfer):
        pass

    def lanes(self, op, result, operands):
        if op.name in self.temporaries:
            tiles = sorted({result, *operands, self.temporary(op), self.temporary(op, 1)})
            assert all(other - one >= 4 * op.type.count for one, other in zip(tiles, tiles[1:])), tiles
        function = FUNCTIONS.get(op.name) or FUNCTIONS["cmp"][op.name, int(op.get("predicate"))]
        for at in range(op.type.count):
            values = [self.memory[address + at * BYTES[value.type.element]] for value, address in zip(op.operands, operands)]
            self.memory[result + at * BYTES[op.type.element]] = function(*values)

    def reduce(self, op, name, result, source, sizes):
        outer, length, inner = sizes
        for o, i in itertools.product(range(outer), range(inner)):
            total = self.memory[source + 4 * (o * length * inner + i)]
            for step in range(1, length):
                total = FUNCTIONS[name](total, self.memory[source + 4 * ((o * length + step) * inner + i)])
            self.memory[result + 4 * (o * inner + i)] = total

    def spread(self, op, result, source, sizes, strides):
        for number, at in enumerate(itertools.product(*map(range, sizes))):
            self.memory[result + BYTES[op.type.element] * number] = self.memory[source + sum(stride * step for stride, step in zip(strides, at))]


class Bare(Machine):
    """Without an instruction that combines elements of one tile."""
    reductions, temporaries = {}, {}
    elements, elementwise = ("f32", "i32", "i1"), {"arith.cmpf", "arith.cmpi", *FUNCTIONS}

    def iota(self, op, result, sizes):
        for number, (_, at, _) in enumerate(itertools.product(*map(range, sizes))):
            self.memory[result + 4 * number] = at


class Plain(Bare):
    elementwise = {"arith.cmpf", "arith.cmpi", "arith.select"}


class Narrow(Bare):
    """Sums of f16 by halves would be rounded in each step."""
    elements = ("f16",)


class Few(Bare):
    elements = ("f32", "i32")


class Adding(Machine):
    combines = {"add"}


class Poor(Machine):
    reductions = {"arith.addf"}


class Still(Machine):
    spread = ScratchpadWriter.spread


class Small(Machine):
    """Room for three tiles of 504 bytes, and not for two temporary ones as well."""
    bytes = 2000


with open(sys.argv[2], encoding="utf-8") as file:
    text = file.read()
kernel, pairs, added, reshaped, kept = read(text)
rng = random.Random(1)
x = {at: rng.randrange(-50, 50) for at in itertools.product(range(6), range(7), range(3))}
y, z = {}, {}
Machine(kernel, [x, y, z])
most = {(i, k): max(x[i, j, k] for j in range(7)) for i in range(6) for k in range(3)}
assert y == {(i, k): sum(x[i, j, k] - most[i, k] for j in range(7)) for i in range(6) for k in range(3)}
assert z == {(j, i, k): x[i, j, k] - most[i, k] for i, j, k in x}
print(f"{len(y) + len(z)} elements equal")

folded, turned = {}, {}
Bare(kernel, [x, folded, turned])
assert folded == y and turned == z
values, where, behind = {}, {}, {}
Bare(pairs, [x, values, where, behind])
assert values == most
assert where == {(i, k): min(j for j in range(7) if x[i, j, k] == most[i, k]) for i, k in most}
ends = {(i, j, k): max(x[i, step, k] for step in range(j, 7)) for i, j, k in x}
assert behind == {(i, j, k): min(step for step in range(j, 7) if x[i, step, k] == ends[i, j, k]) for i, j, k in x}
print(f"{len(folded) + len(turned) + len(values) + len(where) + len(behind)} elements equal")
sums = {}
Adding(added, [x, sums])
assert sums == {at: 3 * x[at] for at in x}
print(f"{len(sums)} elements equal")
negative = {}
Still(reshaped, [x, negative])
assert negative == {(7 * i + j, k): -x[i, j, k] for i, j, k in x}
zeros, same = {}, {}
Machine(kept, [x, zeros, same])
assert same == x and len(zeros) == len(x) and not any(zeros.values())
print(f"{len(negative) + len(zeros) + len(same)} elements equal")
for kind, one in ((Machine, added), (Poor, kernel), (Still, kernel), (Still, kept), (Small, kernel), (Plain, pairs), (Narrow, read(text.replace("f32", "f16"))[0]), (Few, pairs)):
    try:
        kind(one, [x, {}, {}, {}])
    except Decline as why:
        print(why.reason)
