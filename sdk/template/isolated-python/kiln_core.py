# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for a machine in software that has numbers in registers, jumps, and transfers of boxes, as kiln/Runtime/SimulatedScratchpad.h
runs them: derive from CoreWriter and write the instructions of your units. Needs kiln_scratchpad.py and what that needs beside it;
later releases of Kiln bring newer copies."""
from contextlib import contextmanager

from kiln_isolated import Decline, Label
from kiln_scratchpad import ScratchpadWriter
from kiln_transfers import BYTES

# In the order of SimulatedScratchpad.h; a machine's own codes follow.
CODES = "const move pid programs dim scalar jump jump_zero dma_in dma_out fill".split()
FUNCTIONS = "addi subi muli minsi maxsi andi ori divsi remsi ceildivsi cmpi select".split()


def signed(word):
    """A word of 64 bits as a number with a sign."""
    return word - (1 << 64) if word >> 63 == 1 else word


class CoreWriter(ScratchpadWriter):
    """Transfers are done when they return, so `wait` is nothing. `lanes`, `multiply`, `reduce` and `spread` are the vendor's."""

    def number(self, value):
        register = self.new()
        self.emit("const", register, signed(value))
        return register

    def scalar(self, name, operands, predicate=0, op=None):
        function = name.split(".")[1]
        types = {value.type.element for value in [*op.operands, *op.results]} if op else set()
        if function.startswith("index_cast") and types <= {"index", "i64"}:
            return operands[0]
        if function not in FUNCTIONS or types - {"index", "i64", "i1"} or predicate > 5:
            raise Decline(op, f"no instruction for '{name}' of {op and op.type}")
        register = self.new()
        self.emit("scalar", FUNCTIONS.index(function), register, *operands, *[predicate] * (function == "cmpi"))
        return register

    def move(self, to, register):
        self.emit("move", to, register)

    def jump(self, label, unless=None):
        self.emit("jump", label) if unless is None else self.emit("jump_zero", unless, label)

    def size(self, view, dim):
        register = self.new()
        self.emit("dim", register, view.index, dim)
        return register

    def tile_program_id(self, op, name="pid"):
        for result in op.results:
            self.registers[result] = self.new()
            self.emit(name, self.registers[result], result.index)

    def tile_num_programs(self, op):
        self.tile_program_id(op, "programs")

    def begin(self, box):
        places = [one for place in zip(box.counts, box.strides, box.offsets) for one in place]
        self.emit("dma_in" if box.is_in else "dma_out", box.view.index, BYTES[box.element], box.address, signed(box.padding), len(box.counts),
                  *places)
        return self.number(0)

    def wait(self, transfer):
        pass

    def fill(self, address, count, bits, element):
        self.emit("fill", address, count, BYTES[element], signed(bits))

    @contextmanager
    def strips(self, count, step):
        """A loop over `count` elements, `step` of them (a register) at a time, for vectors whose length the program asks for. What is
        written within gets a register with the first element, and sees to it that the last strip may be shorter."""
        first, most, head, end = self.new(), self.number(count), Label(), Label()
        self.move(first, self.number(0))
        self.place(head)
        self.jump(end, unless=self.compare("slt", first, most))
        yield first
        self.move(first, self.scalar("arith.addi", [first, step]))
        self.jump(head)
        self.place(end)

    def behind(self, address, index, element):
        """The address of an element behind another; both are registers."""
        return self.scalar("arith.addi", [address, self.scalar("arith.muli", [index, self.number(BYTES[element])])])
