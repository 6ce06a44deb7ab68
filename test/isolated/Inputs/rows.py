# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernel of rows.mlir, in the wire form, while a ScratchpadWriter writes it, and compares with the same in Python.
Usage: rows.py FOLDER KERNEL, where FOLDER has kiln_scratchpad.py"""
import itertools
import random
import sys

sys.path.insert(0, sys.argv[1])
from kiln_isolated import Decline
from kiln_scratchpad import ScratchpadWriter
from kiln_wire import read

FUNCTIONS = {"arith.addf": lambda a, b: a + b, "arith.subf": lambda a, b: a - b, "arith.maximumf": max}


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
                self.views[box.view.index][coords] = self.memory[address]

    def wait(self, transfer):
        pass

    def lanes(self, op, result, operands):
        tiles = sorted({result, *operands, self.temporary(op), self.temporary(op, 1)})
        assert all(other - one >= 4 * op.type.count for one, other in zip(tiles, tiles[1:])), tiles
        for at in range(0, 4 * op.type.count, 4):
            self.memory[result + at] = FUNCTIONS[op.name](*(self.memory[operand + at] for operand in operands))

    def reduce(self, op, name, result, source, sizes):
        outer, length, inner = sizes
        for o, i in itertools.product(range(outer), range(inner)):
            total = self.memory[source + 4 * (o * length * inner + i)]
            for step in range(1, length):
                total = FUNCTIONS[name](total, self.memory[source + 4 * ((o * length + step) * inner + i)])
            self.memory[result + 4 * (o * inner + i)] = total

    def spread(self, op, result, source, sizes, strides):
        for number, at in enumerate(itertools.product(*map(range, sizes))):
            self.memory[result + 4 * number] = self.memory[source + sum(stride * step for stride, step in zip(strides, at))]


class Poor(Machine):
    reductions = {"arith.addf"}


class Still(Machine):
    spread = ScratchpadWriter.spread


class Small(Machine):
    """Room for three tiles of 504 bytes, and not for two temporary ones as well."""
    bytes = 2000


with open(sys.argv[2], encoding="utf-8") as file:
    text = file.read()
kernel, = read(text)
rng = random.Random(1)
x = {at: rng.randrange(-50, 50) for at in itertools.product(range(6), range(7), range(3))}
y, z = {}, {}
Machine(kernel, [x, y, z])
most = {(i, k): max(x[i, j, k] for j in range(7)) for i in range(6) for k in range(3)}
assert y == {(i, k): sum(x[i, j, k] - most[i, k] for j in range(7)) for i in range(6) for k in range(3)}
assert z == {(j, i, k): x[i, j, k] - most[i, k] for i, j, k in x}
print(f"{len(y) + len(z)} elements equal")
for kind in (Poor, Still, Small):
    try:
        kind(read(text)[0], [x, {}, {}])
    except Decline as why:
        print(why.reason)
