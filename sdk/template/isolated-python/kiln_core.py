# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for a machine in software that has numbers in registers, jumps, and transfers of boxes, as kiln/Runtime/SimulatedScratchpad.h
runs them: derive from CoreWriter and write the instructions of your units. Needs kiln_scratchpad.py and what that needs beside it;
later releases of Kiln bring newer copies."""
from contextlib import contextmanager

from kiln_isolated import Decline, Label
from kiln_scratchpad import ScratchpadWriter
from kiln_transfers import BYTES

# In the order of SimulatedScratchpad.h; a machine's own codes follow. What came later has negative numbers, from -1 on.
CODES = "const move pid programs dim scalar jump jump_zero dma_in dma_out fill".split()
LATER = "parameter splat spread element".split()
FLOATS = "addf subf mulf divf minimumf maximumf negf sqrt".split()
FUNCTIONS = """addi subi muli minsi maxsi andi ori divsi remsi ceildivsi cmpi select xori shli shrsi floordivsi minui maxui divui remui shrui
    wrap mask""".split() + FLOATS + ["sitofp"]
UNSIGNED = "divui remui shrui uitofp".split()  # these read their operands without copies of the sign
WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


def signed(word):
    """A word of 64 bits as a number with a sign."""
    return word - (1 << 64) if word >> 63 == 1 else word


class CoreWriter(ScratchpadWriter):
    """Transfers are done when they return, so `wait` is nothing. `lanes`, `multiply`, `reduce` and `scan` are the vendor's."""

    def number(self, value):
        register = self.new()
        self.emit("const", register, signed(value))
        return register

    def parameter(self, argument):
        if argument.type.element not in (*WIDTHS, "f32"):
            return super().parameter(argument)
        register = self.new()
        self.emit("parameter", register, argument.index)
        return self.fitted(register, argument.type.element)

    def scalar(self, name, operands, predicate=0, op=None):
        """Registers hold the bits of f32, and integers with copies of the sign before them; i1 is 0 or 1."""
        function = name.split(".")[1]
        result, source = (op.type.element, op.operands[-1].type.element) if op else ("index", "index")
        if function in ("index_cast", "extsi", "trunci", "index_castui", "extui"):
            return self.convert(operands[0], source, result, function.endswith("ui"))
        if function == "uitofp" and source in ("i64", "index"):
            raise Decline(op, f"no instruction for '{name}' of {source}")
        takes = [*(WIDTHS if function not in FLOATS else []), *(["f32"] if function in (*FLOATS, "select", "sitofp", "uitofp") else [])]
        known = function in (*FUNCTIONS, "uitofp") and all(value.type.element in takes for value in (op.operands + op.results if op else []))
        if source == "i1":  # the sign of which has no copies
            known = known and (function in ("andi", "ori", "xori", "select", "uitofp") or function == "cmpi" and predicate < 2)
        if not known:
            raise Decline(op, f"no instruction for '{name}' of {op and op.type}")
        if function in UNSIGNED:
            operands = [self.apply("mask", one, self.number(WIDTHS[source])) if WIDTHS[source] < 64 else one for one in operands]
        function = "sitofp" if function == "uitofp" else function
        operands = operands if len(operands) > 1 else operands * 2
        return self.fitted(self.apply(function, *operands, *[predicate] * (function == "cmpi")), result)

    def apply(self, function, *operands):
        register = self.new()
        self.emit("scalar", FUNCTIONS.index(function), register, *operands)
        return register

    def convert(self, register, source, result, is_unsigned):
        """An integer of another width."""
        if source == "i1" and not is_unsigned:
            register = self.apply("subi", self.number(0), register)
        elif is_unsigned and 1 < WIDTHS[source] < 64:
            register = self.apply("mask", register, self.number(WIDTHS[source]))
        return self.fitted(register, result)

    def fitted(self, register, element):
        """A number with copies of the sign of its type; of i1 the lowest bit."""
        if element == "i1":
            return self.apply("mask", register, self.number(1))
        return register if WIDTHS.get(element, 64) == 64 else self.apply("wrap", register, self.number(WIDTHS[element]))

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

    def splat(self, op, result, number):
        self.emit("splat", result, op.type.count, BYTES[op.type.element], number)

    def read_element(self, op, address):
        register = self.new()
        self.emit("element", register, address, BYTES[op.type.element])
        return self.fitted(register, op.type.element)

    def spread(self, op, result, source, sizes, strides):
        self.emit("spread", result, source, BYTES[op.type.element], *[one for place in zip(sizes, strides) for one in place])

    def iota(self, op, result, sizes):
        outer, counted, inner = sizes
        size, one = BYTES[op.type.element], self.number(1)
        with self.strips(outer, one) as block, self.strips(counted, one) as number:
            at = self.apply("addi", self.apply("muli", block, self.number(counted)), number)
            address = self.apply("addi", result, self.apply("muli", at, self.number(inner * size)))
            self.emit("splat", address, inner, size, self.fitted(number, op.type.element))

    def words(self, codes):
        numbers = {name: -1 - number for number, name in enumerate(LATER)}
        return super().words({**numbers, **{name: number for number, name in enumerate(codes)}})

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
