#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shape-fuzz.py BUILD COUNT [SEED] [TARGET]: makes COUNT programs of prim that change shapes (cat, slice, pad, reshape,
broadcast, transpose, reduce, gather, matmul and elementwise operations between them) of sizes 0, 1, 2, 7 and `?`, compiles
them for TARGET (cpu) and for 'reference', runs both, and computes the same with numpy. Elements are small integers, so that
every sum is exact and results have to be equal. Prints the programs that differ, crash or are refused, and ends with 1
then; each is made of SEED and its number, and `shape-fuzz.py BUILD =NUMBER SEED` makes it alone."""
import os
import random
import sys

import numpy
from numbered import arguments, check, compiled

DTYPES = {"f32": numpy.float32, "i64": numpy.int64}
SIZES = [0, 1, 1, 2, 2, 7, 7]
LARGEST = 4096


class Value:
    """A tensor of a program, with its elements. `shape` has None for sizes that its type says, else their index values."""

    def __init__(self, name, dtype, shape, array):
        self.name, self.dtype, self.shape, self.array = name, dtype, tuple(shape), array

    @property
    def type(self):
        sizes = "".join(f"{n}x" if name is None else "?x" for n, name in zip(self.array.shape, self.shape))
        return f"tensor<{sizes}{self.dtype}>"

    @property
    def rank(self):
        return len(self.shape)


class Program:
    """One function, made of a seed and a number."""

    def __init__(self, number, seed):
        self.rng = random.Random(f"{seed}/{number}")
        self.name, self.arguments, self.body, self.count = f"f{number}", [], [], 0
        self.values = [self.argument() for _ in range(self.rng.randrange(1, 4))]
        steps = [getattr(self, name) for name in dir(self) if name.startswith("make_")]
        for _ in range(self.rng.randrange(2, 8)):
            for _ in range(20):
                made = self.rng.choice(steps)()
                if made is not None:
                    self.values.append(made)
                    break
        self.results = [self.values[-1]]
        if self.rng.random() < 0.3:
            self.results.append(self.rng.choice(self.values))

    # Writing.
    def fresh(self):
        self.count += 1
        return f"%{self.count}"

    def index(self, text):
        name = self.fresh()
        self.body.append(f"{name} = {text}")
        return name

    def constant(self, number):
        return self.index(f"arith.constant {number} : index")

    def size(self, value, dim):
        """The size of a dimension as an index value."""
        return self.constant(value.array.shape[dim]) if value.shape[dim] is None else value.shape[dim]

    def known(self, value):
        """A value whose open sizes are read from itself."""
        for d, size in enumerate(value.shape):
            if size == "":
                value.shape = tuple(self.index(f"tensor.dim {value.name}, {self.constant(d)} : {value.type}") if e == d else n
                                    for e, n in enumerate(value.shape))
        return value

    def emit(self, text, dtype, shape, array, sizes=None):
        """`shape`: names of open sizes, or "" where the result is asked for them; None where the type has them."""
        value = Value(self.fresh(), dtype, shape, numpy.ascontiguousarray(array).reshape(array.shape))
        open_sizes = [one for one in shape if one is not None] if sizes else []
        listed = f" sizes ({', '.join(open_sizes)})" if open_sizes else ""
        self.body.append(f"{value.name} = " + text.format(sizes=listed, type=value.type))
        return self.known(value)

    def text(self):
        arguments = ", ".join(f"{one.name}: {one.type}" for one in self.arguments)
        types = ", ".join(one.type for one in self.results)
        return "\n  ".join([f"func.func @{self.name}({arguments}) -> ({types}) {{", *self.body,
                            f"return {', '.join(one.name for one in self.results)} : {types}"]) + "\n}\n"

    # Operands.
    def elements(self, dtype, shape):
        count = int(numpy.prod(shape))
        return numpy.array([self.rng.randrange(-4, 5) for _ in range(count)], DTYPES[dtype]).reshape(shape)

    def argument(self, dtype=None, shape=None, array=None):
        """A new argument; of a shape that is given sizes stay open where they are."""
        dtype = dtype or self.rng.choice(list(DTYPES))
        if shape is None:
            shape = [(self.rng.choice(SIZES), self.rng.random() < 0.5) for _ in range(self.rng.randrange(1, 4))]
        sizes = [n for n, _ in shape]
        array = self.elements(dtype, sizes) if array is None else array
        value = Value(f"%a{len(self.arguments)}", dtype, ["" if is_open else None for _, is_open in shape], array)
        self.arguments.append(value)
        return self.known(value)

    def pick(self, low=1, high=4, dtype=None):
        fitting = [one for one in self.values if low <= one.rank <= high and dtype in (None, one.dtype)]
        return self.rng.choice(fitting) if fitting else None

    def like(self, x, changes=None):
        """Another value of x's type and sizes, but for sizes along dimensions in `changes`: {dimension: (size, is open)}."""
        changes = changes or {}
        if not changes:
            same = [one for one in self.values if one.type == x.type and one.array.shape == x.array.shape]
            if same and self.rng.random() < 0.6:
                return self.rng.choice(same)
        shape = [changes.get(d, (x.array.shape[d], x.shape[d] is not None)) for d in range(x.rank)]
        return self.argument(x.dtype, shape)

    # Operations; None where there is nothing to apply them to.
    def make_unary(self):
        x = self.pick(0)
        name, function = self.rng.choice([("neg", numpy.negative), ("abs", numpy.abs)])
        return x and self.emit(f"prim.{name} {x.name} : {{type}}", x.dtype, x.shape, function(x.array))

    def make_binary(self):
        x = self.pick(0)
        if x is None:
            return None
        y = self.like(x)
        name, function = self.rng.choice([("add", numpy.add), ("sub", numpy.subtract), ("maximum", numpy.maximum)])
        return self.emit(f"prim.{name} {x.name}, {y.name} : {{type}}", x.dtype, x.shape, function(x.array, y.array))

    def make_where(self):
        x = self.pick(0)
        if x is None:
            return None
        y = self.like(x)
        condition = Value(self.fresh(), "i1", x.shape, x.array < y.array)
        self.body.append(f"{condition.name} = prim.lt {x.name}, {y.name} : {x.type} -> {condition.type}")
        return self.emit(f"prim.where {condition.name}, {y.name}, {x.name} : {condition.type}, {{type}}", x.dtype, x.shape,
                         numpy.where(x.array < y.array, y.array, x.array))

    def make_iota(self):
        x = self.pick()
        if x is None:
            return None
        d = self.rng.randrange(x.rank)
        shape = [1 if e != d else n for e, n in enumerate(x.array.shape)]
        array = numpy.broadcast_to(numpy.arange(x.array.shape[d], dtype=x.array.dtype).reshape(shape), x.array.shape)
        made = self.emit(f"prim.iota dim {d}{{sizes}} : {{type}}", x.dtype, x.shape, array, sizes=True)
        return self.emit(f"prim.add {x.name}, {made.name} : {{type}}", x.dtype, x.shape, x.array + made.array)

    def make_cat(self):
        x = self.pick()
        if x is None:
            return None
        d = self.rng.randrange(x.rank)
        parts = [x]
        for _ in range(self.rng.randrange(1, 3)):
            change = (self.rng.choice(SIZES), self.rng.random() < 0.5)
            parts.append(x if self.rng.random() < 0.2 else self.like(x, {d: change}))
        self.rng.shuffle(parts)
        is_open = any(one.shape[d] is not None for one in parts)
        shape = [("" if is_open else None) if e == d else x.shape[e] for e in range(x.rank)]
        return self.emit(f"prim.cat {', '.join(one.name for one in parts)} dim {d} : {', '.join(one.type for one in parts)} -> {{type}}",
                         x.dtype, shape, numpy.concatenate([one.array for one in parts], d))

    def make_slice(self):
        x = self.pick()
        if x is None:
            return None
        starts, limits, strides, shape, cuts = [], [], [], [], []
        for d, n in enumerate(x.array.shape):
            start = self.rng.randrange(n + 1) if self.rng.random() < 0.5 else 0
            limit = self.rng.randrange(start, n + 1) if self.rng.random() < 0.4 else -1
            stride = self.rng.choice([1, 1, 2, 3])
            is_open = x.shape[d] is not None and limit == -1
            starts.append(start)
            limits.append(n if limit == -1 and not is_open else limit)
            strides.append(stride)
            shape.append("" if is_open else None)
            cuts.append(slice(start, n if limit == -1 else limit, stride))
        return self.emit(f"prim.slice {x.name} starts {starts} limits {limits} strides {strides} : {x.type} -> {{type}}", x.dtype,
                         shape, x.array[tuple(cuts)])

    def make_pad(self):
        x = self.pick()
        if x is None:
            return None
        low, high = ([self.rng.choice([0, 0, 1, 2]) for _ in x.shape] for _ in range(2))
        shape = [None if n is None else "" for n in x.shape]
        value = "1.0 : f32" if x.dtype == "f32" else "1 : i64"
        return self.emit(f"prim.pad {x.name} low {low} high {high} value {value} : {x.type} -> {{type}}", x.dtype, shape,
                         numpy.pad(x.array, list(zip(low, high)), constant_values=1))

    def make_rev(self):
        x = self.pick()
        if x is None:
            return None
        d = self.rng.randrange(x.rank)
        return self.emit(f"prim.rev {x.name} dims [{d}] : {{type}}", x.dtype, x.shape, numpy.flip(x.array, d))

    def make_transpose(self):
        x = self.pick(2)
        if x is None:
            return None
        order = list(range(x.rank))
        self.rng.shuffle(order)
        return self.emit(f"prim.transpose {x.name} permutation {order} : {x.type} -> {{type}}", x.dtype, [x.shape[d] for d in order],
                         x.array.transpose(order))

    def make_joined(self):
        """Neighbours as one dimension."""
        x = self.pick(2)
        if x is None:
            return None
        d = self.rng.randrange(x.rank - 1)
        name = None
        if x.shape[d] is not None or x.shape[d + 1] is not None:
            name = self.index(f"arith.muli {self.size(x, d)}, {self.size(x, d + 1)} : index")
        sizes = [*x.array.shape[:d], x.array.shape[d] * x.array.shape[d + 1], *x.array.shape[d + 2:]]
        return self.emit(f"prim.reshape {x.name}{{sizes}} : {x.type} -> {{type}}", x.dtype, [*x.shape[:d], name, *x.shape[d + 2:]],
                         x.array.reshape(sizes), sizes=True)

    def make_apart(self):
        """A dimension as two."""
        x = self.pick(1, 3)
        if x is None:
            return None
        d = self.rng.randrange(x.rank)
        n = x.array.shape[d]
        inner = self.rng.choice([f for f in (1, 2, 7) if n % f == 0])
        name = None
        if x.shape[d] is not None:
            name = self.index(f"arith.floordivsi {self.size(x, d)}, {self.constant(inner)} : index")
        parts = [(name, n // inner), (None, inner)]
        if self.rng.random() < 0.5:
            parts.reverse()
        sizes = [*x.array.shape[:d], *(size for _, size in parts), *x.array.shape[d + 1:]]
        return self.emit(f"prim.reshape {x.name}{{sizes}} : {x.type} -> {{type}}", x.dtype,
                         [*x.shape[:d], *(one for one, _ in parts), *x.shape[d + 1:]], x.array.reshape(sizes), sizes=True)

    def make_without_ones(self):
        x = self.pick()
        if x is None or 1 not in x.array.shape:
            return None
        d = self.rng.choice([d for d, n in enumerate(x.array.shape) if n == 1])
        return self.emit(f"prim.reshape {x.name}{{sizes}} : {x.type} -> {{type}}", x.dtype, [*x.shape[:d], *x.shape[d + 1:]],
                         numpy.squeeze(x.array, d), sizes=True)

    def make_broadcast(self):
        """Along a new dimension, or one of size 1."""
        x = self.pick(0, 3)
        if x is None or x.array.size > LARGEST:
            return None
        n, name = self.rng.choice(SIZES), None
        other = self.pick()
        if other is not None and self.rng.random() < 0.6:
            e = self.rng.randrange(other.rank)
            n, name = other.array.shape[e], other.shape[e]
        ones = [d for d, size in enumerate(x.shape) if size is None and x.array.shape[d] == 1]
        if ones and self.rng.random() < 0.6:
            d = self.rng.choice(ones)
            dims, shape = list(range(x.rank)), [name if e == d else one for e, one in enumerate(x.shape)]
            sizes = [n if e == d else one for e, one in enumerate(x.array.shape)]
            array = numpy.broadcast_to(x.array, sizes)
        else:
            d = self.rng.randrange(x.rank + 1)
            dims = [e for e in range(x.rank + 1) if e != d]
            shape, sizes = list(x.shape), list(x.array.shape)
            shape.insert(d, name)
            sizes.insert(d, n)
            array = numpy.broadcast_to(numpy.expand_dims(x.array, d), sizes)
        return self.emit(f"prim.broadcast_in_dim {x.name} dims {dims}{{sizes}} : {x.type} -> {{type}}", x.dtype, shape, array, sizes=True)

    def make_reduce(self):
        x = self.pick()
        if x is None:
            return None
        dims = sorted(self.rng.sample(range(x.rank), self.rng.randrange(1, x.rank + 1)))
        name = self.rng.choice(["sum", "amax"])
        if name == "amax" and any(x.array.shape[d] == 0 for d in dims):
            name = "sum"
        array = getattr(numpy, name)(x.array, tuple(dims)).astype(x.array.dtype)
        return self.emit(f"prim.{name} {x.name} dims {dims} : {x.type} -> {{type}}", x.dtype,
                         [n for d, n in enumerate(x.shape) if d not in dims], array)

    def make_scan(self):
        x = self.pick()
        if x is None or numpy.abs(x.array).max(initial=0) > 1000:
            return None
        d = self.rng.randrange(x.rank)
        return self.emit(f"prim.scan sum {x.name} dim {d} : {{type}}", x.dtype, x.shape, numpy.cumsum(x.array, d, dtype=x.array.dtype))

    def make_gather(self):
        x = self.pick(1, 3)
        if x is None:
            return None
        d = self.rng.randrange(x.rank)
        n = x.array.shape[d]
        count, is_open = (self.rng.choice(SIZES) if n else 0), self.rng.random() < 0.5
        array = numpy.array([self.rng.randrange(max(n, 1)) for _ in range(count)], numpy.int64)
        indices = self.argument("i64", [(count, is_open)], array)
        return self.emit(f"prim.gather {x.name}, {indices.name} dim {d} batch_dims 0 : {x.type}, {indices.type} -> {{type}}", x.dtype,
                         [indices.shape[0] if e == d else one for e, one in enumerate(x.shape)], numpy.take(x.array, array, d))

    def make_matmul(self):
        x = self.pick(2, 3, "f32")
        if x is None or numpy.abs(x.array).max(initial=0) > 300:
            return None
        inner = x.rank - 1
        change = (self.rng.choice(SIZES), self.rng.random() < 0.5)
        y = self.argument("f32", [*[(x.array.shape[d], x.shape[d] is not None) for d in range(x.rank - 2)],
                                  (x.array.shape[inner], x.shape[inner] is not None), change])
        batch = list(range(x.rank - 2))
        return self.emit(f"prim.dot_general {x.name}, {y.name} batch {batch} x {batch} contract [{inner}] x [{inner - 1}] : {x.type}, "
                         f"{y.type} -> {{type}}", "f32", [*x.shape[:-1], y.shape[-1]], x.array @ y.array)


def judged(program, entries):
    """What is wrong with a program, or None."""
    given = [one.array for one in program.arguments]
    for target, entry in entries.items():
        if isinstance(entry, str):
            return entry
        try:
            made = entry(*given)
        except Exception as error:  # pylint: disable=broad-except
            return f"does not run on {target}: {error}"
        for number, (got, want) in enumerate(zip(made if isinstance(made, tuple) else [made], program.results)):
            got = numpy.from_dlpack(got)
            if got.shape != want.array.shape or not numpy.array_equal(got, want.array):
                return f"is wrong on {target}: result {number}\n{got}\nexpected\n{want.array}"
    return None


def main():
    build, numbers, seed, rest = arguments()
    sys.path.insert(0, os.path.join(build, "python"))
    import kiln

    def compile_for(programs, target, folder):
        packages = compiled(build, programs, target, folder, [] if target == "reference" else ["--no-fallback"])
        loaded = {path: kiln.load(path) for path in set(packages.values()) if isinstance(path, str)}
        return {name: loaded[path][name] if path in loaded else str(path) for name, path in packages.items()}

    return check("program", numbers, seed, [rest[0] if rest else "cpu", "reference"], lambda number: Program(number, seed), compile_for,
                 lambda program, entries, _: judged(program, entries))


if __name__ == "__main__":
    sys.exit(main())
