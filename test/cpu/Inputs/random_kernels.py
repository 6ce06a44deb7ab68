#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints random tile kernels with arguments for kernel-check.

Usage: random_kernels.py SEED COUNT

Every kernel computes a random expression of loads, elementwise operations, shape
operations, reductions, products and control flow, and stores it. Views are larger,
smaller or strided at random, so that tiles hang over edges on all sides.
"""
import json
import random
import sys

FLOATS = ["f32", "f32", "f32", "bf16", "f16", "f64"]
INTEGERS = ["i32", "i64", "i8", "i16"]
WIDENING = {"f32": ["f16", "bf16", "i32", "i8"], "f64": ["f32", "i64", "bf16"], "i32": ["i8", "i16"]}
NARROWING = {"f16": ["f32"], "bf16": ["f32", "f64"], "i8": ["i32"]}
FUNCTIONS = ["math.exp", "math.tanh", "math.sin", "math.cos", "math.erf", "math.absf",
             "math.floor", "math.ceil", "arith.negf"]


def is_float(element):
    return element[0] in "fb"


def tile(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


class Kernel:
    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.lines, self.parameters, self.arguments = [], [], []
        self.values, self.tolerance = 0, 1.0

    # Building blocks.
    def value(self):
        self.values += 1
        return f"%v{self.values}"

    def op(self, text):
        result = self.value()
        self.lines.append(f"{result} = {text}")
        return result

    def constant(self, value, element):
        return self.op(f"arith.constant {value} : {element}")

    def index(self, value):
        return self.constant(value, "index")

    def view(self, sizes, element, fact, spread=(0, 1, 3)):
        """A parameter: its name and type."""
        rng, rank = self.rng, len(sizes)
        form = rng.choice(["dense", "dense", "rows", "any"]) if rank else "dense"
        spec = {"dtype": element, "sizes": sizes}
        suffix = ""
        if form != "dense":
            strides, stride = [0] * rank, 1 if form == "rows" else rng.choice([1, 2, 3])
            for d in reversed(range(rank)):
                strides[d] = stride
                stride *= sizes[d] + rng.choice(spread)
            if form == "any" and fact == "tile.readonly":
                if rank > 1 and rng.random() < 0.4:
                    strides[-1], strides[-2] = strides[-2], strides[-1]
                if rng.random() < 0.2:
                    strides[rng.randrange(rank)] = 0
            spec["strides"] = strides
            known = ["?"] * (rank - 1) + ["1" if form == "rows" else "?"]
            suffix = ", strides = [" + ", ".join(known) + "]"
        kind = "!tile.view<" + "?x" * rank + element + suffix + ">"
        name = f"%a{len(self.parameters)}"
        self.parameters.append(f"{name}: {kind} {{{fact}}}")
        self.arguments.append(spec)
        return name, kind

    def load(self, shape, element):
        rng = self.rng
        lead = rng.choice([0, 0, 0, 1]) if len(shape) < 3 else 0
        sizes = [rng.randint(1, 3) for _ in range(lead)]
        sizes += [max(1, size + rng.choice([0, 0, 5, -3, 17])) for size in shape]
        name, kind = self.view(sizes, element, "tile.readonly")
        by_element = rng.random() < 0.5
        coords = []
        for d in range(len(sizes)):
            choices = [0, 0, -1, 1] if d < lead else [0, 0, 1, -1, 2, -3] if by_element else [0, 0, 0, 1]
            coords.append(self.index(rng.choice(choices)))
        if coords and lead == 0 and rng.random() < 0.3:
            coords[0] = "%pid"
        padding = step = ""
        chance = rng.random()
        if chance < 0.2:
            scalar = self.constant("3.5" if is_float(element) else "7", element)
            padding = f" pad {scalar} : {element}"
        elif chance < 0.3 and is_float(element):
            padding = " padding nan"
        if by_element and sizes and rng.random() < 0.2:
            step = " step [" + ", ".join(str(rng.choice([1, 1, 2, 3])) for _ in sizes) + "]"
        at = "at " if by_element else ""
        return self.op(f"tile.load {name} {at}[{', '.join(coords)}]{padding}{step} : {kind} -> {tile(shape, element)}")

    def gather(self, shape, element):
        rng = self.rng
        dim = rng.randrange(len(shape))
        sizes = [max(1, size + rng.choice([0, 5, -3])) for size in shape]
        name, kind = self.view(sizes, element, "tile.readonly")
        table, table_kind = self.view([shape[dim]], "i32", "tile.readonly")
        self.arguments[-1].update(lo=-2, hi=sizes[dim] + 2)
        zero = self.index(0)
        ids = self.op(f"tile.load {table}[{zero}] : {table_kind} -> {tile([shape[dim]], 'i32')}")
        offsets = [self.index(rng.choice([0, 0, 1, -1])) for _ in range(len(shape) - 1)]
        return self.op(f"tile.load_gather {name}[{', '.join(offsets)}] dim {dim} by {ids} : {kind}, "
                       f"{tile([shape[dim]], 'i32')} -> {tile(shape, element)}")

    def store(self, value, shape, element):
        rng = self.rng
        sizes = [2] + [max(1, size + rng.choice([0, 0, 5, -3, -1])) for size in shape]
        name, kind = self.view(sizes, element, "tile.noalias")
        coords = ["%pid"] + [self.index(rng.choice([0, 0, 1, -1, 2])) for _ in shape]
        combine = ""
        if element in ("f32", "i32") and rng.random() < 0.1:
            combine = " combine " + rng.choice(["add", "max", "min"])
        self.lines.append(f"tile.store {value}, {name} at [{', '.join(coords)}]{combine} : "
                          f"{tile(shape, element)}, {kind}")

    def scatter(self, value, shape, element):
        """Stores along a dimension in another order; each instance into a row of its own."""
        rng, wide = self.rng, [1] + shape
        dim = rng.randrange(len(shape))
        n = shape[dim]
        sizes = [2] + [max(1, size + rng.choice([0, 0, 5, -3, -1])) for size in shape]
        name, kind = self.view(sizes, element, "tile.noalias")
        value = self.op(f"tile.expand_dims {value} axis 0 : {tile(shape, element)} -> {tile(wide, element)}")
        ids = self.op(f"tile.iota 0 : {tile([n], 'i32')}")
        step = self.constant(f"dense<{rng.choice([1, -1, 2])}>", tile([n], "i32"))
        start = self.constant(f"dense<{rng.choice([0, 1, -1, n - 1])}>", tile([n], "i32"))
        ids = self.op(f"arith.muli {ids}, {step} : {tile([n], 'i32')}")
        ids = self.op(f"arith.addi {ids}, {start} : {tile([n], 'i32')}")
        offsets = ["%pid"] + [self.index(rng.choice([0, 0, 1, -1])) for _ in range(len(shape) - 1)]
        self.lines.append(f"tile.store_scatter {value}, {name}[{', '.join(offsets)}] dim {dim + 1} by {ids} : "
                          f"{tile(wide, element)}, {kind}, {tile([n], 'i32')}")

    # Expressions.
    def leaf(self, shape, element):
        rng, chance, kind = self.rng, self.rng.random(), tile(shape, element)
        if chance < 0.08 and shape:
            return self.gather(shape, element)
        if chance < 0.7:
            return self.load(shape, element)
        if chance < 0.8:
            scalar = self.constant("1.25" if is_float(element) else "3", element)
            return self.op(f"tile.splat {scalar} : {kind}")
        if chance < 0.9 and not is_float(element) and shape:
            return self.op(f"tile.iota {rng.randrange(len(shape))} : {kind}")
        return self.constant("dense<%s>" % ("0.75" if is_float(element) else "5"), kind)

    def expression(self, shape, element, depth):
        if depth == 0:
            return self.leaf(shape, element)
        makers = [self.transpose, self.broadcast, self.expand, self.reshape, self.join, self.part,
                  self.convert, self.choose, self.function, self.reduce, self.reduce, self.product,
                  self.loop, self.branch, self.search, self.binary, self.binary, self.binary]
        made = self.rng.choice(makers)(shape, element, depth - 1)
        return made or self.leaf(shape, element)

    def transpose(self, shape, element, depth):
        if len(shape) < 2:
            return None
        order = list(range(len(shape)))
        self.rng.shuffle(order)
        source = [0] * len(shape)
        for d, origin in enumerate(order):
            source[origin] = shape[d]
        x = self.expression(source, element, depth)
        return self.op(f"tile.transpose {x} {order} : {tile(source, element)} -> {tile(shape, element)}")

    def broadcast(self, shape, element, depth):
        source = [1 if self.rng.random() < 0.5 else size for size in shape]
        if source == shape:
            return None
        x = self.expression(source, element, depth)
        return self.op(f"tile.broadcast {x} : {tile(source, element)} -> {tile(shape, element)}")

    def expand(self, shape, element, depth):
        if 1 not in shape:
            return None
        axis = shape.index(1)
        source = shape[:axis] + shape[axis + 1:]
        x = self.expression(source, element, depth)
        return self.op(f"tile.expand_dims {x} axis {axis} : {tile(source, element)} -> {tile(shape, element)}")

    def reshape(self, shape, element, depth):
        if len(shape) < 2:
            return None
        source = [shape[0] * shape[1]] + shape[2:]
        x = self.expression(source, element, depth)
        return self.op(f"tile.reshape {x} : {tile(source, element)} -> {tile(shape, element)}")

    def join(self, shape, element, depth):
        axis = self.rng.randrange(len(shape)) if shape else 0
        if not shape or shape[axis] < 2:
            return None
        first, second = list(shape), list(shape)
        first[axis] = self.rng.randint(1, shape[axis] - 1)
        second[axis] -= first[axis]
        x, y = self.expression(first, element, depth), self.expression(second, element, depth)
        return self.op(f"tile.cat {x}, {y} axis {axis} : {tile(first, element)}, {tile(second, element)} -> "
                       f"{tile(shape, element)}")

    def part(self, shape, element, depth):
        source = [size * self.rng.choice([1, 2]) for size in shape]
        x = self.expression(source, element, depth)
        coords = [self.index(self.rng.randrange(a // b)) for a, b in zip(source, shape)]
        return self.op(f"tile.extract {x}[{', '.join(coords)}] : {tile(source, element)} -> {tile(shape, element)}")

    def convert(self, shape, element, depth):
        table = self.rng.choice([WIDENING, NARROWING])
        if element not in table:
            return None
        origin = self.rng.choice(table[element])
        if table is WIDENING:
            name = ("arith.extf" if is_float(origin) else "arith.sitofp") if is_float(element) else "arith.extsi"
        else:
            name = "arith.truncf" if is_float(element) else "arith.trunci"
        # What is within the tolerance of a narrow type is not within that of a wide one.
        if is_float(element) and is_float(origin) and table is WIDENING:
            self.tolerance *= 1e8 if element == "f64" else 1e4
        x = self.expression(shape, origin, depth)
        return self.op(f"{name} {x} : {tile(shape, origin)} to {tile(shape, element)}")

    def choose(self, shape, element, depth):
        kind = tile(shape, element)
        x, y = self.expression(shape, element, depth), self.expression(shape, element, depth)
        compare = "cmpf olt," if is_float(element) else "cmpi slt,"
        condition = self.op(f"arith.{compare} {x}, {y} : {kind}")
        return self.op(f"arith.select {condition}, {x}, {y} : {tile(shape, 'i1')}, {kind}")

    def function(self, shape, element, depth):
        if not is_float(element):
            return None
        x = self.expression(shape, element, depth)
        return self.op(f"{self.rng.choice(FUNCTIONS)} {x} : {tile(shape, element)}")

    def reduce(self, shape, element, depth):
        if len(shape) > 2:
            return None
        rng = self.rng
        axis = rng.randint(0, len(shape))
        source = shape[:axis] + [rng.choice([1, 2, 7, 16, 40, 70, 130])] + shape[axis:]
        x = self.expression(source, element, depth)
        ordered = " ordered" if rng.random() < 0.2 else ""
        names = ["addf", "maximumf", "minimumf"] if is_float(element) else ["addi", "maxsi", "xori"]
        name = rng.choice(names + ["first", "arg"])
        before, after = tile(source, element), tile(shape, element)
        greater = "cmpf ogt" if is_float(element) else "cmpi sgt"
        if name == "arg":
            # The position of the largest element, the first of equals.
            numbers = self.op(f"tile.iota {axis} : {tile(source, 'i32')}")
            pair = self.value()
            self.lines.append(f"""{pair}:2 = tile.reduce {x}, {numbers} axis {axis}{ordered}
    : {before}, {tile(source, 'i32')} -> {after}, {tile(shape, 'i32')} {{
  ^bb0(%p: {element}, %i: i32, %q: {element}, %j: i32):
    %more = arith.{greater}, %p, %q : {element}
    %less = arith.{greater}, %q, %p : {element}
    %low = arith.cmpi slt, %i, %j : i32
    %no = arith.constant false
    %rest = arith.select %less, %no, %low : i1
    %left = arith.select %more, %more, %rest : i1
    %r = arith.select %left, %p, %q : {element}
    %k = arith.select %left, %i, %j : i32
    tile.yield %r, %k : {element}, i32
  }}""")
            if element == "i32" and self.rng.random() < 0.5:
                return f"{pair}#1"
            return f"{pair}#0"
        body = f"    %r = arith.{name} %p, %q : {element}\n"
        if name == "first":
            body = f"    %c = arith.{greater}, %p, %q : {element}\n    %r = arith.select %c, %p, %q : {element}\n"
        if name == "addf":
            self.tolerance *= 30
        return self.op(f"tile.reduce {x} axis {axis}{ordered} : {before} -> {after} {{\n"
                       f"  ^bb0(%p: {element}, %q: {element}):\n{body}    tile.yield %r : {element}\n  }}")

    def product(self, shape, element, depth):
        if len(shape) < 2 or element not in ("f32", "i32", "f64"):
            return None
        rng = self.rng
        depth_k = rng.choice([1, 2, 5, 16, 33, 64, 300])
        origin = rng.choice({"f32": ["f32", "bf16", "f16"], "f64": ["f64"], "i32": ["i8", "i16"]}[element])
        left, right = shape[:-1] + [depth_k], shape[:-2] + [depth_k, shape[-1]]
        x, y = self.expression(left, origin, depth), self.expression(right, origin, depth)
        z = self.expression(shape, element, depth)
        self.tolerance *= 100
        return self.op(f"tile.dot {x}, {y}, {z} : {tile(left, origin)}, {tile(right, origin)}, {tile(shape, element)}")

    def loop(self, shape, element, depth):
        kind = tile(shape, element)
        x, y = self.expression(shape, element, depth), self.expression(shape, element, depth)
        carried, i, u, w = (f"{self.value()}_{name}" for name in ("carried", "i", "u", "w"))
        zero, one, end = self.index(0), self.index(1), self.index(self.rng.choice([0, 1, 3]))
        names = ["addf", "subf"] if is_float(element) else ["addi", "xori"]
        first, second = self.rng.choice(names), self.rng.choice(names)
        self.tolerance *= 10
        return self.op(f"scf.for {i} = {zero} to {end} step {one} iter_args({carried} = {x}) -> ({kind}) {{\n"
                       f"    {u} = arith.{first} {carried}, {y} : {kind}\n"
                       f"    {w} = arith.{second} {u}, {carried} : {kind}\n"
                       f"    scf.yield {w} : {kind}\n  }}")

    def branch(self, shape, element, depth):
        kind = tile(shape, element)
        x, y = self.expression(shape, element, depth), self.expression(shape, element, depth)
        one = self.index(1)
        condition = self.op(f"arith.cmpi slt, %pid, {one} : index")
        return self.op(f"scf.if {condition} -> ({kind}) {{\n    scf.yield {x} : {kind}\n  }} else {{\n"
                       f"    scf.yield {y} : {kind}\n  }}")

    def search(self, shape, element, depth):
        """A loop that counts to three and carries two tiles that change places."""
        kind = tile(shape, element)
        x, y = self.expression(shape, element, depth), self.expression(shape, element, depth)
        zero, one, three = self.index(0), self.index(1), self.index(3)
        pair, n, p, q, more, m, r, s = (f"{self.value()}_w" for _ in range(8))
        self.lines.append(f"""{pair}:3 = scf.while ({n} = {zero}, {p} = {x}, {q} = {y})
      : (index, {kind}, {kind}) -> (index, {kind}, {kind}) {{
    {more} = arith.cmpi slt, {n}, {three} : index
    scf.condition({more}) {n}, {p}, {q} : index, {kind}, {kind}
  }} do {{
  ^bb0({m}: index, {r}: {kind}, {s}: {kind}):
    {m}_next = arith.addi {m}, {one} : index
    scf.yield {m}_next, {s}, {r} : index, {kind}, {kind}
  }}""")
        return f"{pair}#1"

    def binary(self, shape, element, depth):
        kind = tile(shape, element)
        x = self.expression(shape, element, depth)
        y = self.expression(shape, element, depth) if self.rng.random() < 0.7 else x
        names = ["addf", "subf", "mulf", "maximumf", "divf"] if is_float(element) else \
            ["addi", "subi", "muli", "maxsi", "andi", "divsi"]
        name = self.rng.choice(names)
        if name == "divsi":
            y = self.constant("dense<7>", kind)
        return self.op(f"arith.{name} {x}, {y} : {kind}")

    def text(self):
        body = "\n  ".join(["%pid = tile.program_id : index"] + self.lines)
        return f"tile.kernel @{self.name}({', '.join(self.parameters)}) {{\n  {body}\n}}\n"


def main():
    rng = random.Random(int(sys.argv[1]))
    specs, texts = {}, []
    for number in range(int(sys.argv[2])):
        kernel = Kernel(rng, f"k{number}")
        element = rng.choice(FLOATS + INTEGERS)
        rank = rng.choice([1, 1, 2, 2, 2, 3])
        sizes = [1, 2, 3, 5, 8, 16, 17, 33, 64, 100] if rank < 3 else [1, 2, 3, 5, 16, 20]
        shape = [rng.choice(sizes) for _ in range(rank)]
        write = kernel.store if rng.random() < 0.8 else kernel.scatter
        write(kernel.expression(shape, element, rng.choice([1, 2, 3, 3, 4])), shape, element)
        specs[kernel.name] = {"grid": [2], "tolerance": kernel.tolerance, "args": kernel.arguments}
        texts.append(kernel.text())
    print("// " + json.dumps(specs))
    print("\n".join(texts))


if __name__ == "__main__":
    main()
