#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints random tile kernels that read and write the same memory, with arguments for kernel-check.

Usage: random_memory.py SEED COUNT

Parameters of one kernel may be one memory. An instance loads, computes and stores in an order that decides what it reads: in place,
a few elements further, through another parameter, in loops. Every operation is exact, so that every bit of the memory is given.
"""
import json
import random
import sys

FLOATS = ["f32", "f32", "f64", "f16", "bf16"]
INTEGERS = ["i8", "i16", "i32", "i64"]
LINES = [1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 129, 257, 1000, 4095, 4097, 5003]
ROWS = [1, 2, 3, 5, 8, 9, 16, 17]
BETWEEN = {"f32": ["f16", "bf16", "f64", "i32", "i8"], "f64": ["f32", "i64"], "f16": ["f32", "i16"], "bf16": ["f32"],
           "i8": ["i32"], "i16": ["i8", "i64"], "i32": ["i8", "i64", "i16"], "i64": ["i32", "i8"]}


def bits(element):
    return int(element.lstrip("bfi"))


class Kernel:
    def __init__(self, rng, name):
        self.rng, self.name, self.lines, self.parameters, self.specs, self.count = rng, name, [], [], [], 0
        self.element = rng.choice(FLOATS + INTEGERS)
        self.rank = rng.choice([1, 1, 2, 2, 3])
        self.shape = [rng.choice(ROWS) for _ in range(self.rank - 1)] + [rng.choice(LINES)]
        while self.elements() > 20000:
            self.shape[-1] = rng.choice(LINES)
        self.grid = 1 if rng.random() < 0.7 else rng.choice([2, 3, 9])
        self.alike = self.grid > 1 or rng.random() < 0.4  # every access is of the same elements
        for _ in range(rng.choice([1, 2, 2, 3])):
            self.parameter()

    def elements(self):
        count = 1
        for size in self.shape:
            count *= size
        return count

    @property
    def tile(self):
        return "tensor<" + "".join(f"{size}x" for size in self.shape) + self.element + ">"

    def op(self, text):
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def parameter(self):
        rng, same = self.rng, None
        if self.specs and rng.random() < 0.6:
            same = rng.randrange(len(self.specs))
            spec = {**self.specs[same], "same": self.specs[same].get("same", same)}
        else:
            sizes = [max(1, size + rng.choice([0, 0, 1, 5, -1])) for size in self.shape]
            sizes[0] = self.shape[0] * self.grid + (rng.choice([0, 0, -1, 3]) if sizes[0] > 1 else 0)
            strides, stride = [0] * self.rank, rng.choice([1, 1, 1, 2])
            for d in reversed(range(self.rank)):
                strides[d] = stride
                stride *= sizes[d] + rng.choice([0, 0, 1, 3])
            spec = {"dtype": self.element, "sizes": [max(1, size) for size in sizes], "strides": strides, "bits": rng.random() < 0.7}
        step = str(spec["strides"][-1]) if spec["strides"][-1] == 1 and rng.random() < 0.8 else "?"
        strides = ", strides = [" + ", ".join(["?"] * (self.rank - 1) + [step]) + "]"
        kind = "!tile.view<" + "?x" * self.rank + self.element + strides + ">"
        self.parameters.append((f"%a{len(self.specs)}", kind))
        self.specs.append(spec)

    def coordinates(self, inside=None):
        """`inside`: the counter of a loop."""
        if self.alike:
            first = "%pid" if self.grid > 1 else "%c0"
            return "", ", ".join([first] + ["%c0"] * (self.rank - 1))
        made = [self.op(f"arith.constant {self.rng.choice([0, 0, 0, 1, -1, 2, 4, -3])} : index") for _ in range(self.rank)]
        if inside:
            d = self.rng.randrange(self.rank)
            step = self.op(f"arith.constant {self.rng.choice([1, 1, 2, -1, self.shape[d]])} : index")
            moved = self.op(f"arith.muli {inside}, {step} : index")
            made[d] = self.op(f"arith.addi {made[d]}, {moved} : index")
        return "at ", ", ".join(made)

    def load(self, inside=None):
        name, kind = self.rng.choice(self.parameters)
        by, coordinates = self.coordinates(inside)
        return self.op(f"tile.load {name} {by}[{coordinates}] : {kind} -> {self.tile}")

    def store(self, value, inside=None):
        name, kind = self.rng.choice(self.parameters)
        by, coordinates = self.coordinates(inside)
        self.lines.append(f"tile.store {value}, {name} {by}[{coordinates}] : {self.tile}, {kind}")

    def converted(self, x):
        """To another type and back."""
        other = self.rng.choice(BETWEEN[self.element])
        middle = self.tile.replace(self.element + ">", other + ">")

        def names(a, b):
            if a[0] == "i" and b[0] == "i":
                return "arith.extsi" if bits(a) < bits(b) else "arith.trunci"
            if a[0] == "i":
                return "arith.sitofp"
            if b[0] == "i":
                return "arith.fptosi"
            return "arith.extf" if bits(a) < bits(b) else "arith.truncf"
        if other[0] == "i" and self.element[0] != "i":  # into the range
            low, high = (self.op(f"arith.constant dense<{one}> : {self.tile}") for one in ("-100.0", "100.0"))
            x = self.op(f"arith.maxnumf {x}, {low} : {self.tile}")
            x = self.op(f"arith.minnumf {x}, {high} : {self.tile}")
        y = self.op(f"{names(self.element, other)} {x} : {self.tile} to {middle}")
        return self.op(f"{names(other, self.element)} {y} : {middle} to {self.tile}")

    def reduced(self, x):
        """The largest or smallest along a dimension, everywhere along it."""
        axis = self.rng.randrange(self.rank)
        less = self.shape[:axis] + self.shape[axis + 1:]
        after = "tensor<" + "".join(f"{size}x" for size in less) + self.element + ">"
        wide = "tensor<" + "".join(f"{1 if d == axis else size}x" for d, size in enumerate(self.shape)) + self.element + ">"
        name = self.rng.choice(["maximumf", "minimumf"] if self.element[0] != "i" else ["maxsi", "minsi", "addi", "xori"])
        y = self.op(f"tile.reduce {x} axis {axis} : {self.tile} -> {after} {{\n    ^bb0(%p: {self.element}, %q: {self.element}):\n"
                    f"    %r = arith.{name} %p, %q : {self.element}\n    tile.yield %r : {self.element}\n  }}")
        y = self.op(f"tile.expand_dims {y} axis {axis} : {after} -> {wide}")
        return self.op(f"tile.broadcast {y} : {wide} -> {self.tile}")

    def scanned(self, x):
        axis = self.rng.randrange(self.rank)
        name = self.rng.choice(["maximumf", "minimumf"] if self.element[0] != "i" else ["maxsi", "addi"])
        return self.op(f"tile.scan {x} axis {axis}{self.rng.choice(['', ' reverse'])} : {self.tile} -> {self.tile} {{\n"
                       f"    ^bb0(%p: {self.element}, %q: {self.element}):\n    %r = arith.{name} %p, %q : {self.element}\n"
                       f"    tile.yield %r : {self.element}\n  }}")

    def compute(self, values):
        rng, is_float = self.rng, self.element[0] != "i"
        x, y = rng.choice(values), rng.choice(values)
        chance = rng.random()
        if chance < 0.1:
            return self.reduced(x)
        if chance < 0.15:
            return self.scanned(x)
        if chance < 0.3:
            return self.converted(x)
        if chance < 0.45:
            compare = rng.choice(["cmpf olt", "cmpf une"]) if is_float else rng.choice(["cmpi slt", "cmpi ult"])
            condition = self.op(f"arith.{compare}, {x}, {y} : {self.tile}")
            mask = self.tile.replace(self.element + ">", "i1>")
            return self.op(f"arith.select {condition}, {x}, {y} : {mask}, {self.tile}")
        names = ["addf", "subf", "mulf", "divf", "maximumf", "minimumf"] if is_float else \
            ["addi", "subi", "muli", "maxsi", "minui", "andi", "xori"]
        return self.op(f"arith.{rng.choice(names)} {x}, {y} : {self.tile}")

    def statements(self, carried=None, inside=None):
        values = [carried] if carried else []
        for _ in range(self.rng.randrange(1, 4)):
            values.append(self.load(inside))
            for _ in range(self.rng.randrange(0, 3)):
                values.append(self.compute(values))
            if self.rng.random() < 0.7:
                self.store(self.rng.choice(values[-2:]), inside)
        self.store(values[-1], inside)
        return values[-1]

    def body(self):
        for _ in range(self.rng.randrange(1, 3)):
            if self.rng.random() < 0.6:
                self.statements()
                continue
            start = self.load()
            self.count += 1
            loop, counter, carried = (f"%{name}{self.count}" for name in ("loop", "i", "carried"))
            self.lines.append(f"%end{self.count} = arith.constant {self.rng.choice([0, 1, 2, 3, 5])} : index")
            self.lines.append(f"{loop} = scf.for {counter} = %c0 to %end{self.count} step %c1 iter_args({carried} = {start}) -> ({self.tile}) {{")
            made = self.statements(carried, counter)
            self.lines.append(f"scf.yield {made} : {self.tile}\n  }}")
            self.store(loop)

    def text(self):
        self.body()
        parameters = ", ".join(f"{name}: {kind}" for name, kind in self.parameters)
        first = ["%pid = tile.program_id : index", "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index"]
        return f"tile.kernel @{self.name}({parameters}) {{\n  " + "\n  ".join(first + self.lines) + "\n}\n"


def main():
    rng = random.Random(int(sys.argv[1]))
    kernels = [Kernel(rng, f"k{number}") for number in range(int(sys.argv[2]))]
    texts = [one.text() for one in kernels]
    print("// " + json.dumps({one.name: {"grid": [one.grid], "tolerance": 0, "args": one.specs} for one in kernels}))
    print("\n".join(texts))


if __name__ == "__main__":
    main()
