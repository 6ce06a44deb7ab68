#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pointer-fuzz.py BUILD COUNT|=NUMBER [SEED] [TARGET...]: makes COUNT kernels of Triton whose offsets and masks are random expressions
of 8 to 64 bits that wrap, with loops that carry offsets, tiles of pointers and single pointers by steps of either sign. Runs them on
`reference` and each TARGET (cpu), and computes the same with numpy. Every access is guarded, and every result exact.
Prints the kernels that differ, crash or are refused, and ends with 1 then; =NUMBER makes that kernel of SEED alone."""
import os
import random
import subprocess
import sys

import numpy
from numbered import arguments, check, compiled

INTS = {8: numpy.int8, 16: numpy.int16, 32: numpy.int32, 64: numpy.int64}
ELEMENTS = {"f32": numpy.float32, "i32": numpy.int32, "i8": numpy.int8, "i64": numpy.int64, "f16": numpy.float16}


def unsigned(array):
    return array.view({1: numpy.uint8, 2: numpy.uint16, 4: numpy.uint32, 8: numpy.uint64}[array.itemsize])


def quotient(x, y):
    """Rounded towards zero, for y > 0."""
    return numpy.where(x < 0, -(-(x.astype(object)) // y), x.astype(object) // y).astype(x.dtype)


class Kernel:
    """A kernel as text, and the steps that numpy takes: each is (function of the environment)."""

    def __init__(self, number, seed):
        rng = self.rng = random.Random(f"{seed}/{number}")
        self.name, self.lines, self.count, self.steps = f"k{number}", [], 0, []
        self.shape = [rng.choice([2, 8, 16, 32, 64, 128]) for _ in range(rng.choice([1, 1, 2]))]
        while int(numpy.prod(self.shape)) > 1024:
            self.shape[0] //= 2
        self.size, self.element = rng.choice([97, 1000, 2048]), rng.choice(list(ELEMENTS))
        self.grid = rng.choice([1, 2, 3, 7])
        near = [rng.randrange(-4, 5), rng.randrange(1, 200), rng.choice([2**31 - 1, -2**31, 2**30, 65536, 0x7fffff00, 40000, -40000])]
        self.scalars = {"%n": rng.choice([0, 1, rng.randrange(1, self.size + 9)]), "%s": rng.choice(near), "%u": rng.choice(near)}
        self.facts = {one: " {tt.divisibility = 16 : i32}" if value % 16 == 0 and rng.random() < 0.5 else ""
                      for one, value in self.scalars.items()}
        self.x = numpy.array([rng.randrange(-20, 21) for _ in range(self.size)], ELEMENTS[self.element])
        self.out = numpy.array([rng.randrange(-20, 21) for _ in range(self.size)], numpy.int32)
        self.build()

    # Text and steps.
    def kind(self, element):
        return "tensor<" + "".join(f"{n}x" for n in self.shape) + element + ">"

    def op(self, text, function):
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {text}")

        def step(env):
            env[name] = function(env)
        self.steps.append(step)
        return name

    def constant(self, value, bits):
        array = numpy.full(self.shape, value, INTS[bits])
        return self.op(f"arith.constant dense<{value}> : {self.kind(f'i{bits}')}", lambda env: array)

    def spread(self, scalar):
        return self.op(f"tt.splat {scalar} : i32 -> {self.kind('i32')}", lambda env: numpy.full(self.shape, env[scalar], numpy.int32))

    def numbers(self, dim):
        n = self.shape[dim]
        made = self.op(f"tt.make_range {{end = {n} : i32, start = 0 : i32}} : tensor<{n}xi32>", lambda env: numpy.arange(n, dtype=numpy.int32))
        if len(self.shape) == 1:
            return made
        wide = [n if d == dim else 1 for d in range(2)]
        line = self.op(f"tt.expand_dims {made} {{axis = {1 - dim} : i32}} : tensor<{n}xi32> -> tensor<{wide[0]}x{wide[1]}xi32>",
                       lambda env: env[made].reshape(wide))
        return self.op(f"tt.broadcast {line} : tensor<{wide[0]}x{wide[1]}xi32> -> {self.kind('i32')}",
                       lambda env: numpy.broadcast_to(env[line], self.shape).copy())

    def binary(self, name, x, y, bits, function):
        def computed(env):
            with numpy.errstate(all="ignore"):
                return function(env[x], env[y]).astype(INTS[bits])
        return self.op(f"arith.{name} {x}, {y} : {self.kind(f'i{bits}')}", computed)

    def compare(self, predicate, x, y, bits):
        def computed(env):
            a, b = (unsigned(one) for one in (env[x], env[y])) if predicate[0] == "u" else (env[x], env[y])
            return {"lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[predicate[1:]]
        return self.op(f"arith.cmpi {predicate}, {x}, {y} : {self.kind(f'i{bits}')}", computed)

    def resize(self, x, bits, to):
        if bits == to:
            return x
        if to < bits:
            return self.op(f"arith.trunci {x} : {self.kind(f'i{bits}')} to {self.kind(f'i{to}')}", lambda env: env[x].astype(INTS[to]))
        if self.rng.random() < 0.25:
            return self.op(f"arith.extui {x} : {self.kind(f'i{bits}')} to {self.kind(f'i{to}')}", lambda env: unsigned(env[x]).astype(INTS[to]))
        return self.wide(x, bits, to)

    def wide(self, x, bits, to=64):
        if bits == to:
            return x
        return self.op(f"arith.extsi {x} : {self.kind(f'i{bits}')} to {self.kind(f'i{to}')}", lambda env: env[x].astype(INTS[to]))

    # Expressions.
    def leaf(self, bits):
        chance = self.rng.random()
        if chance < 0.5:
            made = self.numbers(self.rng.randrange(len(self.shape)))
        elif chance < 0.65:
            made = self.spread("%pid")
        elif chance < 0.85:
            made = self.spread(self.rng.choice(list(self.scalars)))
        else:
            top = 2**(bits - 1)
            value = self.rng.choice([1, 2, 3, 16, 100, self.shape[-1], -1, -7, top - 1, -top, top // 2])
            return self.constant(max(-top, min(top - 1, value)), bits)
        return self.resize(made, 32, bits)

    def offset(self, bits, depth):
        rng = self.rng
        if depth == 0:
            return self.leaf(bits)
        chance = rng.random()
        if chance < 0.15:
            other = rng.choice([8, 16, 32, 32, 64])
            return self.resize(self.offset(other, depth - 1), other, bits)
        if chance < 0.25:
            by, name = rng.choice([2, 3, 16, 100]), rng.choice(["remsi", "divsi", "remui", "divui"])
            function = {"divsi": lambda x, y: quotient(x, y), "remsi": lambda x, y: x - quotient(x, y) * y,
                        "divui": lambda x, y: unsigned(x) // unsigned(y), "remui": lambda x, y: unsigned(x) % unsigned(y)}[name]
            return self.binary(name, self.offset(bits, depth - 1), self.constant(by, bits), bits, function)
        if chance < 0.3:
            x, y = self.offset(bits, depth - 1), self.offset(bits, depth - 1)
            condition = self.compare(rng.choice(["slt", "ult", "sge"]), x, y, bits)
            return self.op(f"arith.select {condition}, {x}, {y} : {self.kind('i1')}, {self.kind(f'i{bits}')}",
                           lambda env: numpy.where(env[condition], env[x], env[y]))
        name, function = rng.choice([("addi", numpy.add)] * 5 + [("muli", numpy.multiply)] * 3 + [("subi", numpy.subtract)] * 2 + [
            ("andi", numpy.bitwise_and), ("xori", numpy.bitwise_xor), ("minsi", numpy.minimum), ("maxsi", numpy.maximum)])
        return self.binary(name, self.offset(bits, depth - 1), self.offset(bits, rng.randrange(depth)), bits, function)

    def guard(self, offset, bits):
        """Within x, and perhaps a condition of the launch besides."""
        if bits < 32:
            offset, bits = self.wide(offset, bits, 32), 32
        size = self.constant(self.size, bits)
        if self.rng.random() < 0.4:
            mask = self.compare("ult", offset, size, bits)
        else:
            low = self.compare("sge", offset, self.constant(0, bits), bits)
            high = self.compare("slt", offset, size, bits)
            mask = self.both(low, high)
        if self.rng.random() < 0.5:
            other = self.offset(32, self.rng.randrange(3))
            mask = self.both(mask, self.compare(self.rng.choice(["slt", "sle", "sgt", "ult"]), other, self.spread("%n"), 32))
        return mask

    def both(self, x, y):
        return self.op(f"arith.andi {x}, {y} : {self.kind('i1')}", lambda env: env[x] & env[y])

    # Memory.
    def moved(self, pointers, offset, bits):
        kind = self.kind(f"!tt.ptr<{self.element}>")
        return self.op(f"tt.addptr {pointers}, {offset} : {kind}, {self.kind(f'i{bits}')}",
                       lambda env: env[pointers] + env[offset].astype(numpy.int64))

    def load(self, pointers, mask):
        padding = self.rng.choice([0, 7])
        number = f"{padding}.0" if self.element[0] == "f" else str(padding)
        other = self.op(f"arith.constant dense<{number}> : {self.kind(self.element)}", lambda env: None)
        kind = self.kind(f"!tt.ptr<{self.element}>")
        return self.op(f"tt.load {pointers}, {mask}, {other} : {kind}",
                       lambda env: numpy.where(env[mask], self.x[numpy.where(env[mask], env[pointers], 0)], self.x.dtype.type(padding)))

    def sum(self, x, y):
        name = "addf" if self.element[0] == "f" else "addi"

        def computed(env):
            with numpy.errstate(all="ignore"):
                return (env[x] + env[y]).astype(self.x.dtype)
        return self.op(f"arith.{name} {x}, {y} : {self.kind(self.element)}", computed)

    def loop(self, carried, body):
        """`carried`: (name in the loop, first value, its type); `body` gives what the next iteration gets."""
        times, up = self.rng.choice([0, 1, 2, 3, 5]), self.rng.random() < 0.5
        lines, steps, self.lines, self.steps = self.lines, self.steps, [], []
        self.count += 1
        number = self.count
        made = body(f"%i{number}")
        inner, run, self.lines, self.steps = self.lines, self.steps, lines, steps
        types = ", ".join(kind for _, _, kind in carried)
        first = ", ".join(f"{name} = {value}" for name, value, _ in carried)
        end = "%s3" if times == 3 and up else f"%e{number}"
        self.lines += [f"%e{number} = arith.constant {times} : i32", f"%b{number} = arith.constant 0 : i32", f"%t{number} = arith.constant 1 : i32",
                       f"%l{number}:{len(carried)} = scf.for %i{number} = %b{number} to {end.replace('%s3', f'%e{number}')} step %t{number} "
                       f"iter_args({first}) -> ({types}) : i32 {{", *inner, f"scf.yield {', '.join(made)} : {types}", "}"]

        def step(env):
            for name, value, _ in carried:
                env[name] = env[value]
            for i in range(times):
                env[f"%i{number}"] = numpy.int32(i)
                for one in run:
                    one(env)
                for (name, _, _), value in zip(carried, [env[one] for one in made]):
                    env[name] = value
            for d, (name, _, _) in enumerate(carried):
                env[f"%l{number}#{d}"] = env[name]
        self.steps.append(step)
        return f"%l{number}#0"

    def build(self):
        rng = self.rng
        kind = self.kind(self.element)
        pointers = self.op(f"tt.splat %x : !tt.ptr<{self.element}> -> {self.kind(f'!tt.ptr<{self.element}>')}",
                           lambda env: numpy.zeros(self.shape, numpy.int64))
        zero = self.op(f"arith.constant dense<{'0.0' if self.element[0] == 'f' else '0'}> : {kind}",
                       lambda env: numpy.zeros(self.shape, self.x.dtype))
        form, bits = rng.choice(["direct", "offsets", "pointers", "pointers", "counter", "matrix", "matrix"]), rng.choice([8, 16, 32, 32, 32, 64])
        first = self.offset(bits, rng.randrange(1, 5)) if form != "matrix" else None
        if form == "matrix":
            total = self.load(*self.matrix(pointers))
        elif form == "direct":
            total = self.load(self.moved(pointers, first, bits), self.guard(first, bits))
        elif form == "offsets":  # the sum of steps wraps
            def body(_):
                value = self.load(self.moved(pointers, "%off", bits), self.guard("%off", bits))
                step = self.offset(bits, rng.randrange(2))
                following = self.binary("addi", "%off", step, bits, numpy.add)
                return [self.sum("%acc", value), following]
            total = self.loop([("%acc", zero, kind), ("%off", first, self.kind(f"i{bits}"))], body)
        elif form == "pointers":  # they move with an offset of 64 bits
            start = self.moved(pointers, first, bits)
            wide = self.wide(first, bits)
            loaded_first = rng.random() < 0.5

            def body(_):
                step = self.spread(rng.choice(["%s", "%u", "%n"])) if rng.random() < 0.5 else self.constant(rng.choice([1, -1, 16, 100, -64]), 32)
                following = self.moved("%p", step, 32)
                place = self.binary("addi", "%wide", self.wide(step, 32), 64, numpy.add)
                value = self.load(*(("%p", self.guard("%wide", 64)) if loaded_first else (following, self.guard(place, 64))))
                return [self.sum("%acc", value), following, place]
            total = self.loop([("%acc", zero, kind), ("%p", start, self.kind(f"!tt.ptr<{self.element}>")), ("%wide", wide, self.kind("i64"))], body)
        else:  # offsets made of the counter
            def body(counter):
                step = self.binary("muli", self.resize(self.spread(counter), 32, bits), self.offset(bits, rng.randrange(2)), bits, numpy.multiply)
                place = self.binary("addi", first, step, bits, numpy.add)
                return [self.sum("%acc", self.load(self.moved(pointers, place, bits), self.guard(place, bits)))]
            total = self.loop([("%acc", zero, kind)], body).replace("#0", "")
            number = total[2:]
            self.lines = [one.replace(f"%l{number}:1 =", f"%l{number} =") for one in self.lines]
            self.steps.append(lambda env: env.update({total: env[total + "#0"]}))
        self.store(total)
        if rng.random() < 0.4:
            self.collect()

    def matrix(self, pointers):
        """Pointers to a matrix, whose products may leave 32 bits and come back to where they would be without that, and a mask."""
        rng, offset, mask = self.rng, None, None
        for d in range(len(self.shape)):
            place = self.numbers(d)
            if d == 0 and rng.random() < 0.7:
                block = self.binary("muli", self.spread("%pid"), self.constant(self.shape[0], 32), 32, numpy.multiply)
                place = self.binary("addi", *rng.sample([place, block], 2), 32, numpy.add)
            if rng.random() < 0.5:
                limit = self.spread("%n") if rng.random() < 0.5 else self.constant(rng.choice([1, 5, self.shape[d], 40]), 32)
                inside = self.compare(rng.choice(["slt", "ult", "sle"]), place, limit, 32)
                mask = self.both(mask, inside) if mask else inside
            times = rng.choice([1, 2, 4, 16, 65536])
            if times > 1:
                place = self.binary("muli", place, self.constant(times, 32), 32, numpy.multiply)
            step = rng.choice([0, 1, 1, 2, self.shape[-1], -1])
            away = step + rng.choice([0, 1, 1, 3]) * (2**32 // times)
            away = (away + 2**31) % 2**32 - 2**31
            if rng.random() < 0.6:
                name = ("%s", "%u")[d]
                self.scalars[name] = away
                self.facts[name] = self.facts[name] if away % 16 == 0 else ""
                place = self.binary("muli", place, self.spread(name), 32, numpy.multiply)
            else:
                place = self.binary("muli", place, self.constant(away, 32), 32, numpy.multiply)
            offset = self.binary(*rng.choice([("addi", offset, place, 32, numpy.add), ("addi", place, offset, 32, numpy.add)])) if offset else place
        for _ in range(rng.randrange(3)):  # constants whose sum is small
            offset = self.binary("addi", offset, self.constant(rng.choice([5, -2**31, 2**31 - 1, 2**30, 64]), 32), 32, numpy.add)
        if not mask:
            mask = self.compare("sge", self.numbers(0), self.constant(0, 32), 32)
        for pid in range(self.grid):  # guarded where numpy finds that it has to be
            env = {"%pid": numpy.int32(pid), **{one: numpy.int32(value) for one, value in self.scalars.items()}}
            for step in self.steps:
                step(env)
            at = env[offset][env[mask]]
            if len(at) and (at.min() < 0 or at.max() >= self.size):
                mask = self.both(mask, self.guard(offset, 32))
                break
        return self.moved(pointers, offset, 32), mask

    def store(self, total):
        count = int(numpy.prod(self.shape))
        self.result = numpy.zeros(count * self.grid, self.x.dtype)
        place = self.numbers(0)
        if len(self.shape) == 2:
            row = self.binary("muli", place, self.constant(self.shape[1], 32), 32, numpy.multiply)
            place = self.binary("addi", row, self.numbers(1), 32, numpy.add)
        block = self.op(f"tt.splat %block : i32 -> {self.kind('i32')}", lambda env: numpy.full(self.shape, env["%pid"] * count, numpy.int32))
        self.lines.insert(0, f"%count = arith.constant {count} : i32\n  %block = arith.muli %pid, %count : i32")
        place = self.binary("addi", place, block, 32, numpy.add)
        kind = self.kind(f"!tt.ptr<{self.element}>")
        self.lines += [f"%ys = tt.splat %y : !tt.ptr<{self.element}> -> {kind}", f"%yp = tt.addptr %ys, {place} : {kind}, {self.kind('i32')}",
                       f"tt.store %yp, {total} : {kind}"]

        def step(env):
            self.result[env[place]] = env[total]
        self.steps.append(step)

    def collect(self):
        """Sums by atomic operations, at offsets that may meet."""
        bits = self.rng.choice([8, 16, 32, 64])
        offset = self.offset(bits, self.rng.randrange(1, 4))
        mask = self.guard(offset, bits)
        value = self.constant(3, 32)
        kind = self.kind("!tt.ptr<i32>")
        self.lines += [f"%os = tt.splat %o : !tt.ptr<i32> -> {kind}", f"%op = tt.addptr %os, {offset} : {kind}, {self.kind(f'i{bits}')}",
                       f"%old = tt.atomic_rmw add, acq_rel, gpu, %op, {value}, {mask} : ({kind}, {self.kind('i32')}, {self.kind('i1')}) -> {self.kind('i32')}"]
        self.summed = self.out.copy()

        def step(env):
            numpy.add.at(self.summed, env[offset][env[mask]].astype(numpy.int64), numpy.int32(3))
        self.steps.append(step)

    def expected(self):
        for pid in range(self.grid):
            env = {"%pid": numpy.int32(pid), **{one: numpy.int32(value) for one, value in self.scalars.items()}}
            for step in self.steps:
                step(env)
        return self.result, getattr(self, "summed", self.out)

    def text(self):
        scalars = ", ".join(f"{one}: i32{self.facts[one]}" for one in self.scalars)
        return (f"tt.func public @{self.name}(%x: !tt.ptr<{self.element}> {{tt.divisibility = 16 : i32}}, %y: !tt.ptr<{self.element}>, %o: !tt.ptr<i32>, {scalars}) {{\n"
                "  %pid = tt.get_program_id x : i32\n  " + "\n  ".join(self.lines) + "\n  tt.return\n}\n")


def judged(build, kernel, packages, folder):
    """What is wrong with a kernel, or None."""
    wanted = kernel.expected()
    files = [os.path.join(folder, f"{name}.npy") for name in ("x", "y", "o", "got-y", "got-o")]
    for file, array in zip(files, (kernel.x, numpy.zeros_like(kernel.result), kernel.out)):
        numpy.save(file, array)
    for target, package in packages.items():
        if isinstance(package, ValueError):
            return str(package)
        words = [os.path.join(build, "bin", "kiln-run"), package, f"--entry={kernel.name}", f"--grid={kernel.grid}",
                 *(f"--arg={file}" for file in files[:3]), *(f"--arg=i32:{value}" for value in kernel.scalars.values()),
                 f"--save=1:{files[3]}", f"--save=2:{files[4]}"]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=600, check=False)
        if done.returncode:
            return f"does not run on {target}: exit {done.returncode}: {done.stderr.strip()[:1000]}"
        for name, file, want in zip(("y", "o"), files[3:], wanted):
            got = numpy.load(file)
            differ = numpy.flatnonzero(got != want)
            if len(differ):
                return f"is wrong on {target}: {name}[{differ[0]}] of {len(differ)}: {got[differ[0]]!r}, expected {want[differ[0]]!r}"
    return None


def main():
    build, numbers, seed, rest = arguments()

    def judge(kernel, packages, folder):
        why = judged(build, kernel, packages, folder)
        return f"{why}\n// {kernel.scalars} grid {kernel.grid}" if why else None

    return check("kernel", numbers, seed, ["reference", *(rest or ["cpu"])], lambda number: Kernel(number, seed),
                 lambda kernels, target, folder: compiled(build, kernels, target, folder), judge)


if __name__ == "__main__":
    sys.exit(main())
