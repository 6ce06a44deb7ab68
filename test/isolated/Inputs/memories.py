# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the first kernel of memories.mlir, in the wire form, on a machine whose products read their operands from two memories and
whose transfers check no bounds. Every instruction is executed as it is written.
Usage: memories.py FOLDER KERNELS, where FOLDER has kiln_scratchpad.py"""
import itertools
import random
import struct
import sys

sys.path.insert(0, sys.argv[1])
from kiln_isolated import Decline, Label, machine_text, machine_words
from kiln_scratchpad import ScratchpadWriter
from kiln_transfers import Panels
from kiln_wire import read


class Machine(ScratchpadWriter):
    memories, align, block = {"x": (0, 512), "y": (4096, 256)}, 4, (8, 8, 8)

    def __init__(self, kernel, views):
        self.memory, self.views, self.skips = {}, views, None
        super().__init__(kernel)

    def number(self, value):
        return value

    def scalar(self, name, operands, predicate=0, op=None):
        a, b = operands[:2]
        if name == "arith.select":
            return b if a else operands[2]
        return {"arith.addi": a + b, "arith.subi": a - b, "arith.muli": a * b, "arith.minsi": min(a, b), "arith.maxsi": max(a, b),
                "arith.andi": a & b, "arith.cmpi": int(a < b if predicate == 2 else a <= b)}[name]

    def size(self, view, dim):
        return view.type.shape[dim]

    def jump(self, label, unless=None):
        if self.skips is None and not unless:
            self.skips = label

    def place(self, label):
        if self.skips is label:
            self.skips = None

    def begin(self, box):
        if box.is_in:
            self.pad(box)
        for plane in self.planes(box):
            for row, column in itertools.product(range(plane.rows), range(plane.columns)):
                at = plane.address + row * plane.row_stride + column * plane.column_stride
                steps = {plane.row_dim: row, plane.column_dim: column}
                coords = tuple(offset + steps.get(dim, 0) for dim, offset in enumerate(plane.offsets))
                if box.is_in:
                    self.memory[at] = self.views[box.view.index][coords]
                else:
                    self.views[box.view.index][coords] = self.memory[at]

    def wait(self, transfer):
        pass

    def fill(self, address, count, bits, element):
        if self.skips is None:
            for at in range(address, address + 4 * count, 4):
                self.memory[at] = struct.unpack("<f", struct.pack("<I", bits))[0]

    def home(self, op, index):
        return "xyx"[index]

    def multiply(self, op, addresses, row_bytes, sizes):
        (lhs, rhs, acc), (m, n, k) = addresses, sizes
        assert lhs < 512 and acc < 512 and lhs != acc and rhs == 4096, addresses
        for i, j, step in itertools.product(range(m), range(n), range(k)):
            self.memory[acc + i * row_bytes[2] + 4 * j] += (
                self.memory[lhs + i * row_bytes[0] + 4 * step] * self.memory[rhs + step * row_bytes[1] + 4 * j])


class Panelled(Machine):
    panels = Panels(1, 16, 4)

    def layout(self, op, index):
        return self.panels if index == 1 else None


class Turned(Panelled):
    panels = Panels(0, 8, 4)


class Nowhere(Machine):
    def home(self, op, index):
        return "z"


class Aligned(Machine):
    """The alignment of a memory counts there: two tiles at multiples of 512 have no room."""
    memories, align = {"x": (0, 516, 4), "y": (4096, 256, 256)}, 512


class Coarse(Machine):
    memories = {"x": (0, 512, 512), "y": (4096, 256)}


class Overlapping(Machine):
    memories = {"x": (0, 512), "y": (256, 256)}


class Crooked(Machine):
    memories = {"x": (0, 512), "y": (4096 + 4, 256, 256)}


class Flat(Machine):
    block = (8, 8)


class Narrow(Machine):
    memories = {"x": (0, 512), "y": (4096, 128)}


class Vectors(Machine):
    """Negates in memory x, where products have their left operands and add; a tile that is in y cannot be read there."""
    elementwise, vector_memories = {"arith.negf"}, ("x",)


class Apart(Vectors):
    """Only accumulators have a home; the operand of the negation is where the vector unit reaches it, though y has room."""
    memories = {"y": (0, 512), "x": (4096, 1024)}

    def home(self, op, index):
        return "x" if index == 2 else None

    def lanes(self, op, result, operands):
        assert result >= 4096 and operands[0] >= 4096
        for at in range(0, 256, 4):
            self.memory[result + at] = -self.memory[operands[0] + at]

    def multiply(self, op, addresses, row_bytes, sizes):
        print(f"{self.kernel.symbol}: {['y' if address < 4096 else 'x' for address in addresses]}")


class Nameless(Vectors):
    vector_memories = ("z",)


class Bytes(Machine):
    """Says which products reach the matrix unit."""
    memories, elements = {}, ("i8", "i32")

    def home(self, op, index):
        return None

    def begin(self, box):
        pass

    def multiply(self, op, addresses, row_bytes, sizes):
        print(f"{self.kernel.symbol}: a product of {['signed', 'unsigned'][op.get('lhs_unsigned')]} bytes")


class Unsigned(Bytes):
    reads_unsigned = True


with open(sys.argv[2], encoding="utf-8") as file:
    product, square, unsigned, negated, shaped = read(file.read())
rng = random.Random(1)
a = {at: rng.randrange(-9, 9) for at in itertools.product(range(7), range(8))}
b = {at: rng.randrange(-9, 9) for at in itertools.product(range(8), range(5))}
c = {}
Machine(product, [a, b, c])
assert c == {(i, j): sum(a.get((i, k), 0) * b.get((k, j), 0) for k in range(8)) for i in range(8) for j in range(8)}
print(f"{len(c)} elements equal")
same = {}
Vectors(shaped, [a, {(i, 0, j): element for (i, j), element in b.items()}, same])
assert same == c
print(f"{len(same)} elements equal")
Aligned(product, [a, b, {}])
for kind, kernel in ((Machine, square), (Narrow, product), (Panelled, product), (Turned, product), (Nowhere, product),
                     (Coarse, product), (Overlapping, product), (Crooked, product), (Flat, product), (Bytes, unsigned), (Unsigned, unsigned),
                     (Vectors, negated), (Apart, negated), (Nameless, negated)):
    try:
        kind(kernel, [a, b, c])
    except (Decline, ValueError) as why:
        print(f"{kernel.symbol}: {why}")

# Of the products that a class writes, a description that lists matrix instructions leaves those of their types.
INSTRUCTION = '#kiln.matrix_instruction<name = "mm", lhs = <types = [{0}]>, rhs = <types = [{0}]>, acc = <types = [{1}]>>'
for types in (("f32", "f32"), ("i8", "i8"), ("ui8", "i32")):
    unsigned.description = INSTRUCTION.format(*types)
    try:
        Unsigned(unsigned, [a, b, c])
    except Decline as why:
        print(f"{unsigned.symbol}, {' and '.join(types)}: {why}")

# Labels are numbers of words in modules, and of instructions in text.
label = Label()
label.at = 1
for wrong in (None, 1 << 63, Label()):
    try:
        machine_words("sum", 3, [("add", (0, wrong))], ["add"])
    except ValueError as why:
        print(why)
code = [("jump", (label,)), ("add", (0, 1, 2))]
module = machine_words("sum", 3, code, ["add", "jump"])
assert module == b"KMACHIN2" + struct.pack("<qq", 8, 9) + b"sum\0\0\0\0\0" + struct.pack("<9q", 3, 1, 1, 4, 0, 3, 0, 1, 2)
print(machine_text("sum", code), end="")
