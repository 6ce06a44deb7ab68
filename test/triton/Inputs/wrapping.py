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
