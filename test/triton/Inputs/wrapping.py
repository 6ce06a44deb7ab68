# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels whose offsets and masks wrap around: wrapping.py KILN_RUN FOLDER TARGET...

Each case computes an offset and a mask as text of Triton and, beside it, with NumPy. An instance stores
16 elements: x[offset], or -1 where the mask is off. `x` begins in the middle of its buffer, so that negative offsets
are elements, too.
"""
import subprocess
import sys

import numpy as np

LANES, BEFORE, SIZE = 16, 600, 1200


class Value:
    def __init__(self, name, kind, number):
        self.name, self.kind, self.number = name, kind, number

    @property
    def type(self):
        return self.kind if np.ndim(self.number) == 0 else f"tensor<{np.size(self.number)}x{self.kind}>"


def wrapped(number, kind):
    bits = int(kind[1:])
    exact = np.asarray(number, dtype=object)
    low = (exact + 2 ** (bits - 1)) % 2 ** bits - 2 ** (bits - 1)
    return low if np.ndim(low) else int(low)


class Kernel:
    """Text of a kernel, and what it computes in one instance."""

    def __init__(self, program, grid, arguments):
        self.program, self.grid, self.arguments = program, grid, arguments
        self.lines = []

    def emit(self, text, kind, number):
        value = Value(f"%v{len(self.lines)}", kind, wrapped(number, kind) if kind != "i1" else number)
        self.lines.append(f"    {value.name} = {text}")
        return value

    def argument(self, k):
        return Value(f"%a{k}", "i32", self.arguments[k])

    def iota(self):
        return self.emit(f"tt.make_range {{end = {LANES} : i32, start = 0 : i32}} : tensor<{LANES}xi32>",
                         "i32", np.arange(LANES))

    def id(self):
        return self.emit("tt.get_program_id x : i32", "i32", self.program)

    def scalar(self, number, kind="i32"):
        return self.emit(f"arith.constant {wrapped(number, kind)} : {kind}", kind, number)

    def splat(self, value):
        return self.emit(f"tt.splat {value.name} : {value.kind} -> tensor<{LANES}x{value.kind}>", value.kind,
                         np.full(LANES, value.number, dtype=object))

    def constant(self, number, kind="i32"):
        return self.emit(f"arith.constant dense<{wrapped(number, kind)}> : tensor<{LANES}x{kind}>", kind,
                         np.full(LANES, number, dtype=object))

    def binary(self, op, a, b, compute):
        return self.emit(f"arith.{op} {a.name}, {b.name} : {a.type}", a.kind, compute(a.number, b.number))

    def add(self, a, b):
        return self.binary("addi", a, b, lambda x, y: x + y)

    def sub(self, a, b):
        return self.binary("subi", a, b, lambda x, y: x - y)

    def mul(self, a, b):
        return self.binary("muli", a, b, lambda x, y: x * y)

    def shl(self, a, b):
        return self.binary("shli", a, b, lambda x, y: x * 2 ** y)

    def divide(self, op, a, b):
        """divsi and remsi round towards zero, divui and remui take the bits as they are."""
        bits = 2 ** int(a.kind[1:])

        def compute(x, y):
            if op.endswith("ui"):
                x, y = x % bits, y % bits
                return x // y if op == "divui" else x % y
            q = np.where(np.equal(x < 0, y < 0), abs(x) // abs(y), -(abs(x) // abs(y)))
            return q if op == "divsi" else x - q * y
        return self.binary(op, a, b, compute)

    def shift_right(self, op, a, b):
        bits = 2 ** int(a.kind[1:])
        return self.binary(op, a, b, lambda x, y: (x % bits if op == "shrui" else x) // 2 ** y)

    def smaller(self, op, a, b):
        bits = 2 ** int(a.kind[1:])

        def compute(x, y):
            first = (x % bits if op[-2:] == "ui" else x) < (y % bits if op[-2:] == "ui" else y)
            return np.where(first if op.startswith("min") else ~first.astype(bool), x, y)
        return self.binary(op, a, b, compute)

    def select(self, condition, a, b):
        return self.emit(f"arith.select {condition.name}, {a.name}, {b.name} : {condition.type}, {a.type}", a.kind,
                         np.where(condition.number, a.number, b.number))

    def repeat(self, count, first, step):
        """`first`, and `step` added to it `count` times, in a loop."""
        n = len(self.lines)
        ends = [self.scalar(number) for number in (0, count, 1)]
        return self.emit(f"scf.for %n{n} = {ends[0].name} to {ends[1].name} step {ends[2].name} iter_args(%c{n} = {first.name}) -> ({first.type}) : i32 {{\n"
                         f"      %s{n} = arith.addi %c{n}, {step.name} : {first.type}\n      scf.yield %s{n} : {first.type}\n    }}",
                         first.kind, first.number + count * step.number)

    def cast(self, op, a, kind):
        number = a.number
        if op == "extui":
            number = number % 2 ** int(a.kind[1:])
        return self.emit(f"arith.{op} {a.name} : {a.type} to {a.type.replace(a.kind, kind)}", kind, number)

    def compare(self, predicate, a, b):
        x, y = a.number, b.number
        if predicate[0] == "u":
            x, y = x % 2 ** int(a.kind[1:]), y % 2 ** int(a.kind[1:])
        holds = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}[predicate[1:]](x, y)
        return self.emit(f"arith.cmpi {predicate}, {a.name}, {b.name} : {a.type}", "i1", holds.astype(bool))

    def both(self, a, b):
        return self.emit(f"arith.andi {a.name}, {b.name} : {a.type}", "i1", a.number & b.number)

    def all(self):
        return self.emit(f"arith.constant dense<true> : tensor<{LANES}xi1>", "i1", np.ones(LANES, bool))


def text_of(kernel, offset, mask):
    x = f"!tt.ptr<i32>"
    xs = f"tensor<{LANES}x{x}>"
    return "\n".join([
        f"tt.func public @k(%x: {x}, %out: {x}, %a0: i32, %a1: i32) {{",
        f"    %sixteen = arith.constant {LANES} : i32",
        f"    %minus = arith.constant dense<-1> : tensor<{LANES}xi32>",
        f"    %lanes = tt.make_range {{end = {LANES} : i32, start = 0 : i32}} : tensor<{LANES}xi32>",
        *kernel.lines,
        f"    %xs = tt.splat %x : {x} -> {xs}",
        f"    %xp = tt.addptr %xs, {offset.name} : {xs}, {offset.type}",
        f"    %e = tt.load %xp, {mask.name}, %minus : {xs}",
        "    %id = tt.get_program_id x : i32",
        "    %at = arith.muli %id, %sixteen : i32",
        f"    %q = tt.addptr %out, %at : {x}, i32",
        f"    %qs = tt.splat %q : {x} -> {xs}",
        f"    %qp = tt.addptr %qs, %lanes : {xs}, tensor<{LANES}xi32>",
        f"    tt.store %qp, %e : {xs}", "    tt.return", "}", ""])


def narrow_add(kind, number):
    def case(k):
        n = k.cast("trunci", k.iota(), kind)
        s = k.add(n, k.constant(number, kind))
        o = k.add(k.cast("extsi", s, "i32"), k.constant(2 ** (int(kind[1:]) - 1)))
        return o, k.compare("slt", o, k.constant(SIZE - BEFORE))
    return case


def narrow_mul(kind, number, cast):
    def case(k):
        n = k.cast("trunci", k.iota(), kind)
        s = k.cast(cast, k.mul(n, k.constant(number, kind)), "i32")
        return s, k.both(k.compare("slt", s, k.constant(SIZE - BEFORE)), k.compare("sge", s, k.constant(-BEFORE)))
    return case


def narrow_mask(kind, number, predicate, bound):
    def case(k):
        n = k.cast("trunci", k.iota(), kind)
        s = k.sub(n, k.constant(number, kind))
        return k.iota(), k.compare(predicate, s, k.constant(bound, kind))
    return case


def mask_sum(predicate):
    def case(k):
        i = k.iota()
        return i, k.compare(predicate, k.add(i, k.splat(k.argument(0))), k.splat(k.argument(1)))
    return case


def mask_difference(predicate):
    def case(k):
        i = k.iota()
        return i, k.compare(predicate, k.sub(k.splat(k.argument(0)), i), k.splat(k.argument(1)))
    return case


def there_and_back(k):
    """(i * a) * b, where a * b is 1 modulo 2^32."""
    i = k.iota()
    return k.mul(k.mul(i, k.splat(k.argument(0))), k.splat(k.argument(1))), k.all()


def product_mask(k):
    i = k.iota()
    return i, k.compare("slt", k.mul(i, k.splat(k.argument(0))), k.splat(k.argument(1)))


def shifted(k):
    i = k.iota()
    s = k.shl(i, k.constant(30))
    return i, k.compare("slt", k.add(s, i), k.splat(k.argument(1)))


def blocks(k):
    """program_id * BLOCK leaves 32 bits; the mask tells how."""
    i = k.iota()
    at = k.mul(k.id(), k.argument(0))
    return i, k.compare("slt", k.add(k.splat(at), i), k.splat(k.argument(1)))


def constant_blocks(k):
    i = k.iota()
    at = k.mul(k.id(), k.scalar(1 << 30))
    return i, k.compare("sge", k.add(k.splat(at), i), k.constant(0))


def block_offsets(k):
    """Offsets that come back: (id * a + i) - id * a, each in 32 bits."""
    i = k.iota()
    at = k.splat(k.mul(k.id(), k.argument(0)))
    return k.sub(k.add(at, i), at), k.all()


def far_offsets(k):
    """Two halves of 2^32 add up to nothing."""
    i = k.iota()
    s = k.splat(k.argument(0))
    return k.add(k.add(i, s), s), k.all()


def widened(k):
    """The sum wraps in 32 bits, and what it is extended to is brought back in 64."""
    s = k.cast("extsi", k.add(k.iota(), k.splat(k.argument(0))), "i64")
    o = k.add(s, k.constant(2 ** 31, "i64"))
    return o, k.compare("slt", o, k.constant(100, "i64"))


def in_range(k, s):
    """What is read lies in the buffer."""
    return s, k.both(k.compare("slt", s, k.constant(SIZE - BEFORE, s.kind)), k.compare("sge", s, k.constant(-BEFORE, s.kind)))


def narrow_grid(kind, block, cast):
    """The instance's number times a block, plus the lane, all in few bits."""
    def case(k):
        at = k.mul(k.cast("trunci", k.id(), kind), k.scalar(block, kind))
        return in_range(k, k.cast(cast, k.add(k.splat(at), k.cast("trunci", k.iota(), kind)), "i32"))
    return case


def narrow_guard(kind, block, predicate):
    """The guard of a block in few bits; the addresses are exact."""
    def case(k):
        at = k.add(k.splat(k.mul(k.cast("trunci", k.id(), kind), k.scalar(block, kind))), k.cast("trunci", k.iota(), kind))
        return k.iota(), k.compare(predicate, at, k.splat(k.cast("trunci", k.argument(0), kind)))
    return case


def narrow_argument(kind, cast):
    """Lanes times an argument, both cut to few bits, moved by another."""
    def case(k):
        step, first = (k.splat(k.cast("trunci", k.argument(n), kind)) for n in (0, 1))
        return in_range(k, k.cast(cast, k.add(k.mul(k.cast("trunci", k.iota(), kind), step), first), "i32"))
    return case


def rows(kind, divide, rest):
    """Rows and columns of a sum that wraps: they are no rows and columns of the lanes."""
    def case(k):
        s = k.add(k.cast("trunci", k.iota(), kind) if kind != "i32" else k.iota(), k.splat(k.cast("trunci", k.argument(0), kind)
                  if kind != "i32" else k.argument(0)))
        four = k.constant(4, kind)
        row, column = k.divide(divide, s, four), k.divide(rest, s, four)
        o = k.add(k.mul(row, k.constant(5, kind)), column)
        return in_range(k, k.cast("extsi", o, "i32") if kind != "i32" else o)
    return case


def quotient_guard(op, predicate):
    def case(k):
        s = k.divide(op, k.add(k.iota(), k.splat(k.argument(0))), k.constant(3))
        return k.iota(), k.compare(predicate, s, k.splat(k.argument(1)))
    return case


def shifted_back(op):
    """A shift to the left loses bits, and a shift to the right does not bring them back."""
    def case(k):
        s = k.add(k.iota(), k.splat(k.argument(0)))
        return in_range(k, k.shift_right(op, k.shl(s, k.constant(28)), k.constant(28)))
    return case


def clamped(op, bound):
    def case(k):
        s = k.smaller(op, k.add(k.iota(), k.splat(k.argument(0))), k.constant(bound))
        return in_range(k, s)
    return case


def chosen(k):
    """Of a sum that wraps and the lane, what is not negative."""
    s = k.add(k.iota(), k.splat(k.argument(0)))
    return in_range(k, k.select(k.compare("sge", s, k.constant(0)), s, k.iota()))


def carried(kind, count, cast):
    """A loop carries an offset that wraps."""
    def case(k):
        step = k.splat(k.cast("trunci", k.argument(0), kind))
        return in_range(k, k.cast(cast, k.repeat(count, k.cast("trunci", k.iota(), kind), step), "i32"))
    return case


def carried_guard(k):
    step = k.splat(k.argument(0))
    return k.iota(), k.compare("slt", k.repeat(3, k.iota(), step), k.splat(k.argument(1)))


def window(k):
    """Between two bounds: a sum that wraps leaves and enters again."""
    s = k.add(k.splat(k.mul(k.id(), k.argument(0))), k.iota())
    return k.iota(), k.both(k.compare("sge", s, k.splat(k.argument(1))), k.compare("slt", s, k.constant(LARGE)))


def far_and_narrow(k):
    """64 bits that wrap, cut to 32."""
    s = k.mul(k.cast("extsi", k.iota(), "i64"), k.constant(2 ** 62 + 3, "i64"))
    return in_range(k, k.cast("trunci", s, "i32"))


LARGE, LEAST = 2 ** 31 - 1, -2 ** 31
CASES = [
    (narrow_add("i8", 120), 1, [0, 0]),
    (narrow_add("i16", 32760), 1, [0, 0]),
    (narrow_mul("i8", 24, "extsi"), 1, [0, 0]),
    (narrow_mul("i8", 24, "extui"), 1, [0, 0]),
    (narrow_mul("i16", 8192 + 3, "extsi"), 1, [0, 0]),
    (narrow_mask("i8", 120, "slt", -110), 1, [0, 0]),
    (narrow_mask("i8", 130, "sgt", 0), 1, [0, 0]),
    (narrow_mask("i16", 32760, "sle", -32755), 1, [0, 0]),
    (narrow_mask("i16", 9, "ult", 100), 1, [0, 0]),
    (there_and_back, 2, [3, -1431655765]),
    (there_and_back, 2, [5, 7]),
    (product_mask, 1, [2 ** 28, 2 ** 29]),
    (product_mask, 1, [7, 50]),
    (product_mask, 1, [-7, -50]),
    (shifted, 1, [0, 3]),
    (blocks, 4, [2 ** 30 + 4, 2 ** 30 + 9]),
    (blocks, 4, [16, 40]),
    (constant_blocks, 5, [0, 0]),
    (block_offsets, 4, [2 ** 30 + 4, 0]),
    (far_offsets, 1, [LEAST, 0]),
    (far_offsets, 1, [20, 0]),
    (widened, 1, [LARGE - 5, 0]),
    (widened, 1, [LEAST + 5, 0]),
]
CASES += [
    (narrow_grid("i8", 16, "extsi"), 20, [0, 0]),
    (narrow_grid("i8", 16, "extui"), 20, [0, 0]),
    (narrow_grid("i8", 48, "extsi"), 7, [0, 0]),
    (narrow_grid("i16", 16384 - 3, "extsi"), 5, [0, 0]),
    (narrow_grid("i16", 21845, "extsi"), 4, [0, 0]),
    (narrow_guard("i8", 16, "slt"), 20, [100, 0]),
    (narrow_guard("i8", 16, "ult"), 20, [200, 0]),
    (narrow_guard("i16", 8192, "sge"), 9, [-5, 0]),
    (narrow_guard("i16", 8192, "sle"), 9, [32767, 0]),
    (narrow_argument("i8", "extsi"), 1, [37, 100]),
    (narrow_argument("i8", "extui"), 1, [-3, 20]),
    (narrow_argument("i8", "extsi"), 1, [256 + 1, 512 - 4]),
    (narrow_argument("i16", "extsi"), 1, [4099, 31000]),
    (rows("i8", "divsi", "remsi"), 1, [120, 0]),
    (rows("i8", "divui", "remui"), 1, [-7, 0]),
    (rows("i16", "divsi", "remsi"), 1, [-9, 0]),
    (rows("i32", "divsi", "remsi"), 1, [-6, 0]),
    (rows("i32", "divsi", "remsi"), 1, [LARGE - 7, 0]),
    (rows("i32", "divui", "remui"), 1, [-3, 0]),
    (quotient_guard("divsi", "slt"), 1, [LARGE - 4, 0]),
    (quotient_guard("divui", "sge"), 1, [-8, 5]),
    (quotient_guard("remsi", "sle"), 1, [LARGE - 9, 0]),
    (shifted_back("shrsi"), 1, [5, 0]),
    (shifted_back("shrui"), 1, [LARGE - 2, 0]),
    (clamped("minsi", 9), 1, [LARGE - 5, 0]),
    (clamped("maxsi", -4), 1, [LARGE - 5, 0]),
    (clamped("minui", 9), 1, [-6, 0]),
    (chosen, 1, [LARGE - 11, 0]),
    (carried("i8", 5, "extsi"), 1, [29, 0]),
    (carried("i8", 9, "extui"), 1, [-31, 0]),
    (carried("i16", 4, "extsi"), 1, [16390, 0]),
    (carried_guard, 1, [715827880, LEAST + 9]),
    (carried_guard, 1, [4, 20]),
    (window, 5, [2 ** 30 - 4, -9]),
    (far_and_narrow, 1, [0, 0]),
]
for predicate in ("slt", "sle", "sgt", "sge", "ult", "uge"):
    CASES += [(mask_sum(predicate), 1, [LARGE - 9, 0]), (mask_sum(predicate), 1, [3, 12]),
              (mask_sum(predicate), 1, [LEAST, LEAST + 5]), (mask_difference(predicate), 1, [LEAST + 4, 7]),
              (mask_difference(predicate), 1, [9, 2])]


def main():
    run, folder, targets = sys.argv[1], sys.argv[2], sys.argv[3:]
    x = np.arange(SIZE, dtype=np.int32)
    np.save(folder + "/x.npy", x)
    failures = 0
    for number, (case, grid, arguments) in enumerate(CASES):
        expected = []
        for program in range(grid):
            kernel = Kernel(program, grid, arguments)
            offset, mask = case(kernel)
            places = np.asarray(offset.number, dtype=object)
            # Only what is read has to be there.
            valid = np.asarray(mask.number, bool)
            assert all(0 <= p + BEFORE < SIZE for p in places[valid]), (number, places)
            expected.append([int(x[p + BEFORE]) if on else -1 for p, on in zip(places, valid)])
        path = f"{folder}/case{number}.ttir"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text_of(kernel, offset, mask))
        for target in targets:
            out = f"{folder}/out.npy"
            done = subprocess.run(
                [run, path, "--target=" + target, f"--grid={grid}", f"--arg={folder}/x.npy+{BEFORE}",
                 f"--arg=zeros:i32:{grid}x{LANES}", *[f"--arg=i32:{a}" for a in arguments], f"--save=1:{out}"]
                + ([] if target == "reference" else ["--check"]), capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"case {number} on {target}: {done.stdout}{done.stderr}")
                failures += 1
                continue
            found = np.load(out).reshape(grid, LANES).tolist()
            if found != expected:
                print(f"case {number} on {target}: expected {expected}, found {found}")
                failures += 1
    print(f"{len(CASES)} cases on {len(targets)} targets, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
