#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""value-fuzz.py BUILD COUNT|=NUMBER [SEED] [TARGET[@COMMAND]...]: makes COUNT programs of prim whose every result is exact, of all
element types and of values that are easy to get wrong (NaN, infinities, zeros of both signs, subnormals, integers that wrap), of
sizes around those of vectors, and of none and one element. Compiles them for `reference` and for each TARGET (cpu), runs both by
kiln-run, and compares every bit (a NaN with any NaN). COMMAND runs kiln-run of another machine, an emulator for one.
Prints the programs that differ, crash or are refused, and ends with 1 then; =NUMBER makes that program of SEED alone."""
import os
import random
import shlex
import struct
import subprocess
import sys

import numpy
from numbered import arguments, check, compiled

INTEGERS = {"i8": numpy.int8, "i16": numpy.int16, "i32": numpy.int32, "i64": numpy.int64}
FLOATS = {"f16": numpy.float16, "bf16": numpy.uint16, "f32": numpy.float32, "f64": numpy.float64}
SMALL = ["f8E5M2", "f8E4M3FN", "f8E4M3FNUZ"]
SIZES = [0, 1, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 129, 257, 1000, 4099]
REALS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 127.5, 128.0, -128.5, 255.5, 32767.5, 65504.0, 65520.0, 2.0**31, -2.0**31,
         2.0**31 - 0.5, 2.0**32, 2.0**63, -2.0**63, 2.0**64, 3.4028234663852886e38, -3.4028234663852886e38, 1e-38, 1e-45, -1e-45, 6e-8,
         6.1e-5, 1e308, 5e-324, 0.1, 1 / 3, 16777217.0, float("inf"), float("-inf"), float("nan")]
LARGEST = 20000


def width(element):
    return 1 if element == "i1" else int(element[1:]) if element in INTEGERS else 0


def is_float(element):
    return element in FLOATS or element in SMALL


class Value:
    """A tensor of a program. `tiny`: its elements are integers whose sums are exact in every type; `safe`: it holds no computed NaN."""

    def __init__(self, name, element, shape, dims=None, tiny=0):
        self.name, self.element, self.shape, self.tiny = name, element, tuple(shape), tiny
        self.dims = tuple(dims) if dims is not None else tuple(str(n) for n in shape)

    @property
    def type(self):
        return "tensor<" + "".join(f"{one}x" for one in self.dims) + self.element + ">"

    @property
    def rank(self):
        return len(self.shape)

    @property
    def size(self):
        return int(numpy.prod(self.shape))


class Program:
    """One function, made of a seed and a number."""

    def __init__(self, number, seed):
        self.rng = random.Random(f"{seed}/{number}")
        self.name, self.arguments, self.arrays, self.body, self.count = f"f{number}", [], [], [], 0
        self.is_open = self.rng.random() < 0.3
        self.values = []
        for _ in range(self.rng.randrange(1, 4)):
            self.argument()
        steps = [getattr(self, name) for name in dir(self) if name.startswith("make_")]
        weights = [6 if "element" in one.__name__ else 3 if "windows" in one.__name__ else 1 for one in steps]
        for _ in range(self.rng.randrange(2, 12)):
            for _ in range(20):
                if self.rng.choices(steps, weights)[0]():
                    break
        text = " ".join(line.split(" = ", 1)[1] for line in self.body).replace(",", " ").split()
        chosen = [one for one in self.values if one.name not in text and one not in self.arguments][-5:] or [self.values[-1]]
        self.results = [self.emit(f"prim.convert_element_type {one.name} : {one.type} -> {{type}}", "f32", one.shape, one.dims)
                        if one.element in SMALL else one for one in chosen]

    def text(self):
        arguments = ", ".join(f"{one.name}: {one.type}" for one in self.arguments)
        types = ", ".join(one.type for one in self.results)
        return "\n  ".join([f"func.func @{self.name}({arguments}) -> ({types}) {{", *self.body,
                            f"return {', '.join(one.name for one in self.results)} : {types}"]) + "\n}\n"

    # Arguments.
    def elements(self, element, size):
        rng = self.rng
        form = rng.choice(["plain", "special", "special", "mixed", "bits"])
        if element == "i1":
            return numpy.array([rng.random() < 0.5 for _ in range(size)], numpy.bool_)
        if element in INTEGERS:
            bits = width(element)
            special = [0, 1, -1, 2, -2, 7, bits - 1, bits, bits + 1, 2**(bits - 1) - 1, -2**(bits - 1), 1 - 2**(bits - 1), 100, -100]

            def one():
                kind = form if form != "mixed" else rng.choice(["plain", "special", "bits"])
                if kind == "plain":
                    return rng.randrange(-100, 100)
                return rng.choice(special) if kind == "special" else rng.randrange(-2**(bits - 1), 2**(bits - 1))
            return numpy.array([one() for _ in range(size)], numpy.int64).astype(INTEGERS[element])

        def real():
            kind = form if form != "mixed" else rng.choice(["plain", "special", "bits"])
            if kind == "plain":
                return rng.uniform(-4, 4)
            if kind == "special":
                return rng.choice(REALS)
            return struct.unpack("<f", struct.pack("<I", rng.randrange(2**32)))[0]
        made = numpy.array([real() for _ in range(size)], numpy.float64)
        with numpy.errstate(all="ignore"):
            if element == "bf16":
                return (made.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)
            return made.astype(FLOATS[element])

    def argument(self, element=None, shape=None, dims=None, array=None):
        rng = self.rng
        element = element or rng.choice(["i1", *INTEGERS, *FLOATS, "f32"])
        if shape is None:
            while True:
                shape = [rng.choice(SIZES) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4]))]
                if numpy.prod(shape) <= LARGEST:
                    break
            dims = ["?" if self.is_open and rng.random() < 0.6 else str(n) for n in shape]
        made = Value(f"%a{len(self.arguments)}", element, shape, dims)
        self.arguments.append(made)
        array = self.elements(element, made.size) if array is None else array
        self.arrays.append(array.reshape(made.shape))
        self.values.append(made)
        return made

    # Writing.
    def emit(self, text, element, shape, dims=None, tiny=0):
        self.count += 1
        made = Value(f"%{self.count}", element, shape, dims, tiny)
        self.body.append(f"{made.name} = " + text.format(type=made.type))
        self.values.append(made)
        return made

    def same(self, text, x, element=None, tiny=0):
        return self.emit(text, element or x.element, x.shape, x.dims, tiny)

    def pick(self, test=lambda x: True):
        fitting = [one for one in self.values if test(one)]
        if not fitting:
            return None
        return self.rng.choice(fitting[-4:] if self.rng.random() < 0.6 else fitting)

    def like(self, x, element=None):
        """Another value of x's sizes."""
        element = element or x.element
        fitting = [one for one in self.values if one.dims == x.dims and one.shape == x.shape and one.element == element]
        if fitting and self.rng.random() < 0.7:
            return self.rng.choice(fitting)
        if "?" not in x.dims and self.rng.random() < 0.4:
            small = [one for one in self.values if one.element == element and one.shape == x.shape[x.rank - one.rank:] and "?" not in one.dims]
            if small:
                one = self.rng.choice(small)
                return self.emit(f"prim.broadcast_in_dim {one.name} dims {list(range(x.rank - one.rank, x.rank))} : {one.type} -> {{type}}",
                                 element, x.shape)
        if element in SMALL:
            base = self.like(x, "f16")
            return self.same(f"prim.convert_element_type {base.name} : {base.type} -> {{type}}", x, element)
        if x.size > LARGEST:
            return None
        return self.argument(element, x.shape, x.dims)

    def number(self, element):
        """A constant as text."""
        if is_float(element):
            return self.rng.choice(["0.0", "-0.0", "1.0", "-1.5", "3.0", "0.1", "6.0"])
        if element == "i1":
            return self.rng.choice(["true", "false"])
        bits = width(element)
        return str(self.rng.choice([0, 1, -1, 5, 2**(bits - 1) - 1, -2**(bits - 1), self.rng.randrange(-2**(bits - 1), 2**(bits - 1))]))

    # Steps; each says whether it made something.
    def make_element_unary(self):
        x = self.pick(lambda x: x.element != "i1" or self.rng.random() < 0.3)
        if x is None:
            return None
        if is_float(x.element):
            name = self.rng.choice(["abs", "neg", "ceil", "floor", "round", "trunc", "sign", "sqrt", "reciprocal"])
        elif x.element == "i1":
            name = "bitwise_not"
        else:
            name = self.rng.choice(["abs", "neg", "sign", "bitwise_not", "clz", "population_count"])
        return self.same(f"prim.{name} {x.name} : {{type}}", x, tiny=x.tiny if name in ("abs", "neg", "sign") else 0)

    def make_element_binary(self):
        x = self.pick()
        y = x and self.like(x)
        if y is None:
            return None
        unsigned = ""
        if is_float(x.element):
            name = self.rng.choice(["add", "sub", "mul", "div", "maximum", "minimum", "fmax", "fmin", "fmod"])
        elif x.element == "i1":
            name = self.rng.choice(["bitwise_and", "bitwise_or", "bitwise_xor", "maximum", "minimum"])
        else:
            name = self.rng.choice(["add", "sub", "mul", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor", "gcd",
                                    "shift_left", "shift_right_arithmetic", "shift_right_logical", "div", "remainder", "fmod"])
            if name in ("maximum", "minimum", "div", "remainder", "fmod") and self.rng.random() < 0.4:
                unsigned = " unsigned"
            if name in ("div", "remainder", "fmod"):  # by 1, 3 ... 63
                mask, one = (self.same(f"prim.{text} : {x.element} : {{type}}", x) if "?" not in x.dims else None
                             for text in ("full 62", "full 1"))
                if mask is None:
                    return None
                low = self.same(f"prim.bitwise_and {y.name}, {mask.name} : {{type}}", x)
                y = self.same(f"prim.bitwise_or {low.name}, {one.name} : {{type}}", x)
        return self.same(f"prim.{name} {x.name}, {y.name}{unsigned} : {{type}}", x)

    def make_element_compare(self):
        x = self.pick()
        y = x and self.like(x)
        if y is None:
            return None
        name = self.rng.choice(["eq", "ne", "lt", "le", "gt", "ge"])
        unsigned = " unsigned" if name not in ("eq", "ne") and x.element in INTEGERS and self.rng.random() < 0.4 else ""
        return self.same(f"prim.{name} {x.name}, {y.name}{unsigned} : {x.type} -> {{type}}", x, "i1")

    def make_element_where(self):
        x = self.pick()
        y = x and self.like(x)
        c = y and self.like(x, "i1")
        return c and self.same(f"prim.where {c.name}, {x.name}, {y.name} : {c.type}, {{type}}", x, tiny=max(x.tiny, y.tiny) if x.tiny and y.tiny else 0)

    def make_element_clamp(self):
        x = self.pick(lambda x: x.element in INTEGERS or x.element in FLOATS)
        if x is None:
            return None
        if x.element in FLOATS:
            low, high, more = "-2.5", self.rng.choice(["0.0", "6.0"]), self.rng.choice(["", " ignore_nan"])
        else:
            low, high, more = "3", "100", self.rng.choice(["", " unsigned"])
            low = "-9" if not more else low
        return self.same(f"prim.clamp {x.name} min {low} : {x.element} max {high} : {x.element}{more} : {{type}}", x)

    def make_element_convert(self):
        x = self.pick()
        if x is None:
            return None
        to = self.rng.choice(["i1", *INTEGERS, *INTEGERS, *FLOATS, *FLOATS, *SMALL])
        if to == x.element:
            return None
        flags = ""
        if is_float(x.element) and to in INTEGERS and self.rng.random() < 0.3:
            flags += " round"
        if x.element in INTEGERS and self.rng.random() < 0.3:
            flags += " from_unsigned"
        if to in INTEGERS and x.element != "i1" and self.rng.random() < 0.3:
            flags += " to_unsigned"
        tiny = 0
        if to in ("f32", "f64") and (x.element == "i8" or x.element == "i1"):
            tiny = 256
        return self.same(f"prim.convert_element_type {x.name}{flags} : {x.type} -> {{type}}", x, to, tiny)

    def make_element_bitcast(self):
        x = self.pick(lambda x: x.element in INTEGERS and x.element != "i8")
        return x and self.same(f"prim.bitcast {x.name} : {x.type} -> {{type}}", x,
                               {"i16": self.rng.choice(["f16", "bf16"]), "i32": "f32", "i64": "f64"}[x.element])

    def make_full(self):
        x = self.pick(lambda x: "?" not in x.dims)
        return x and self.same(f"prim.full {self.number(x.element)}{'' if x.element == 'i1' else ' : ' + x.element} : {{type}}", x)

    def make_iota(self):
        x = self.pick(lambda x: x.rank and "?" not in x.dims)
        return x and self.same(f"prim.iota dim {self.rng.randrange(x.rank)} : {{type}}", x, self.rng.choice(["i8", "i16", "i32", "i64", "f32"]))

    def make_slice(self):
        x = self.pick(lambda x: x.rank and "?" not in x.dims)
        if x is None:
            return None
        starts = [self.rng.randrange(n + 1) if self.rng.random() < 0.5 else 0 for n in x.shape]
        limits = [self.rng.randrange(s, n + 1) if self.rng.random() < 0.3 else n for s, n in zip(starts, x.shape)]
        strides = [self.rng.choice([1, 1, 2, 3, 7]) for _ in x.shape]
        shape = [-(-(b - a) // c) for a, b, c in zip(starts, limits, strides)]
        return self.emit(f"prim.slice {x.name} starts {starts} limits {limits} strides {strides} : {x.type} -> {{type}}", x.element, shape, tiny=x.tiny)

    def make_pad(self):
        x = self.pick(lambda x: x.rank and "?" not in x.dims and x.element not in SMALL)
        if x is None:
            return None
        low, high = ([self.rng.choice([0, 0, 1, 2, 5]) for _ in x.shape] for _ in range(2))
        shape = [a + n + b for a, n, b in zip(low, x.shape, high)]
        if numpy.prod(shape) > LARGEST:
            return None
        number = self.number(x.element) + ("" if x.element == "i1" else f" : {x.element}")
        return self.emit(f"prim.pad {x.name} low {low} high {high} value {number} : {x.type} -> {{type}}", x.element, shape)

    def make_rev(self):
        x = self.pick(lambda x: x.rank)
        return x and self.same(f"prim.rev {x.name} dims {sorted(self.rng.sample(range(x.rank), self.rng.randrange(1, x.rank + 1)))} : {{type}}", x, tiny=x.tiny)

    def make_transpose(self):
        x = self.pick(lambda x: x.rank > 1)
        if x is None:
            return None
        order = list(range(x.rank))
        self.rng.shuffle(order)
        return self.emit(f"prim.transpose {x.name} permutation {order} : {x.type} -> {{type}}", x.element, [x.shape[d] for d in order],
                         [x.dims[d] for d in order], x.tiny)

    def make_reshape(self):
        x = self.pick(lambda x: "?" not in x.dims)
        if x is None:
            return None
        parts = self.rng.choice([[x.size], [1, x.size], [x.size, 1]])
        for factor in (2, 3, 5, 8):
            if x.size and x.size % factor == 0 and self.rng.random() < 0.5:
                parts = [factor, x.size // factor]
                self.rng.shuffle(parts)
        return self.emit(f"prim.reshape {x.name} : {x.type} -> {{type}}", x.element, parts, tiny=x.tiny)

    def make_broadcast(self):
        x = self.pick(lambda x: "?" not in x.dims and x.rank < 4)
        n = self.rng.choice(SIZES)
        if x is None or x.size * n > LARGEST:
            return None
        at = self.rng.randrange(x.rank + 1)
        return self.emit(f"prim.broadcast_in_dim {x.name} dims {[e for e in range(x.rank + 1) if e != at]} : {x.type} -> {{type}}", x.element,
                         [*x.shape[:at], n, *x.shape[at:]], tiny=x.tiny)

    def make_cat(self):
        x = self.pick(lambda x: x.rank and "?" not in x.dims)
        y = x and self.like(x)
        if y is None or 2 * x.size > LARGEST:
            return None
        d = self.rng.randrange(x.rank)
        return self.emit(f"prim.cat {x.name}, {y.name} dim {d} : {x.type}, {y.type} -> {{type}}", x.element,
                         [2 * n if e == d else n for e, n in enumerate(x.shape)])

    def reduced(self, x, dims, text, element=None, tiny=0):
        kept = [d for d in range(x.rank) if d not in dims]
        return self.emit(text + f" : {x.type} -> {{type}}", element or x.element, [x.shape[d] for d in kept], [x.dims[d] for d in kept], tiny)

    def make_reduce(self):
        x = self.pick(lambda x: x.rank and x.element not in SMALL)
        if x is None:
            return None
        dims = sorted(self.rng.sample(range(x.rank), self.rng.randrange(1, x.rank + 1)))
        names = ["amax", "amin"]
        if x.element in INTEGERS:
            names += ["sum", "prod"]
        elif x.tiny and x.tiny * max(x.size, 1) < 2**24:
            names = ["sum"]
        name = self.rng.choice(names)
        return self.reduced(x, dims, f"prim.{name} {x.name} dims {dims}", tiny=x.tiny * max(x.size, 1) if name == "sum" else 0)

    def make_arg(self):
        x = self.pick(lambda x: x.rank and x.size and (x.element in INTEGERS or x.element in FLOATS))
        if x is None:
            return None
        d = self.rng.randrange(x.rank)
        more = " ignore_nan" if x.element in FLOATS and self.rng.random() < 0.4 else ""
        return self.reduced(x, [d], f"prim.{self.rng.choice(['argmax', 'argmin'])} {x.name} dim {d}{more}", self.rng.choice(["i32", "i64"]))

    def make_scan(self):
        x = self.pick(lambda x: x.rank and (x.element in INTEGERS or x.element in FLOATS))
        if x is None:
            return None
        kind = self.rng.choice(["sum", "prod", "max", "min"] if x.element in INTEGERS else ["max", "min"])
        return self.same(f"prim.scan {kind} {x.name} dim {self.rng.randrange(x.rank)}{self.rng.choice(['', ' reverse'])}"
                         f"{self.rng.choice(['', ' exclusive'])} : {{type}}", x)

    def make_arg_scan(self):
        x = self.pick(lambda x: x.rank and (x.element in INTEGERS or x.element in FLOATS))
        return x and self.same(f"prim.arg_scan {self.rng.choice(['max', 'min'])} {x.name} dim {self.rng.randrange(x.rank)}"
                               f"{self.rng.choice(['', ' reverse'])} : {x.type} -> {{type}}", x, self.rng.choice(["i32", "i64"]))

    def make_sort(self):
        x = self.pick(lambda x: x.rank and x.element not in SMALL and x.size < 3000)
        if x is None:
            return None
        more = self.rng.choice(["", " descending"])
        if x.element in INTEGERS:
            more += self.rng.choice(["", " unsigned"])
        d = self.rng.randrange(x.rank)
        if self.rng.random() < 0.5:
            return self.same(f"prim.argsort {x.name} dim {d}{more} : {x.type} -> {{type}}", x, self.rng.choice(["i32", "i64"]))
        return self.same(f"prim.sort {x.name} dim {d} keys 1{more} : {{type}}", x, tiny=x.tiny)

    def make_gather(self):
        x = self.pick(lambda x: x.rank and "?" not in x.dims and x.size)
        if x is None:
            return None
        d, count = self.rng.randrange(x.rank), self.rng.choice(SIZES)
        if x.size // x.shape[d] * count > LARGEST:
            return None
        element = self.rng.choice(["i8", "i32", "i64"])
        most = min(x.shape[d], 128)
        indices = self.argument(element, [count], None, numpy.array([self.rng.randrange(most) for _ in range(count)], INTEGERS[element]))
        return self.emit(f"prim.gather {x.name}, {indices.name} dim {d} batch_dims 0 : {x.type}, {indices.type} -> {{type}}", x.element,
                         [count if e == d else n for e, n in enumerate(x.shape)], tiny=x.tiny)

    def make_scatter(self):
        x = self.pick(lambda x: x.rank and "?" not in x.dims and x.element not in SMALL and x.size)
        if x is None:
            return None
        count = self.rng.choice([0, 1, 3, 8, 17])
        element = self.rng.choice(["i8", "i32", "i64"])
        array = numpy.array([self.rng.randrange(-2, min(x.shape[0] + 2, 127)) for _ in range(count)], INTEGERS[element]).reshape(count, 1)
        indices = self.argument(element, [count, 1], None, array)
        kinds = ["set", "min", "max"] + (["add", "mul", "umin", "umax", "and", "or", "xor"] if x.element in INTEGERS else [])
        shape = [count, 1, *x.shape[1:]]
        if numpy.prod(shape) > LARGEST:
            return None
        updates = self.argument(x.element, shape)
        return self.same(f"prim.scatter {self.rng.choice(kinds)} {x.name}, {indices.name}, {updates.name} dims [0] batch_dims 0 : "
                         f"{x.type}, {indices.type}, {updates.type}", x)

    def make_dot(self):
        x = self.pick(lambda x: x.rank in (1, 2, 3) and (x.element in INTEGERS or x.tiny and x.tiny <= 256) and x.size < 5000)
        if x is None:
            return None
        inner, n = x.shape[-1], self.rng.choice([0, 1, 2, 3, 8, 17, 33, 70])
        if inner * n > LARGEST or x.size * n > 1000000:
            return None
        turned = self.rng.random() < 0.5
        shape, dims = ([n, inner], [str(n), x.dims[-1]]) if turned else ([inner, n], [x.dims[-1], str(n)])
        if x.tiny:
            y = self.argument("i8", shape, dims)
            y = self.emit(f"prim.convert_element_type {y.name} : {y.type} -> {{type}}", x.element, shape, dims)
            if inner * 256 * 256 >= 2**24:
                return None
            to = x.element
        else:
            y = self.argument(x.element, shape, dims)
            to = "i64" if x.element == "i64" else self.rng.choice(["i32", "i64"])
        return self.emit(f"prim.dot_general {x.name}, {y.name} batch [] x [] contract [{x.rank - 1}] x [{1 if turned else 0}] : "
                         f"{x.type}, {y.type} -> {{type}}", to, [*x.shape[:-1], n], [*x.dims[:-1], str(n)])

    def whole(self, element, shape):
        """An argument of small integers, whose sums are exact."""
        array = numpy.array([self.rng.randrange(-8, 9) for _ in range(int(numpy.prod(shape)))], numpy.int64)
        if element == "bf16":
            return self.argument(element, shape, None, (array.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16))
        return self.argument(element, shape, None, array.astype({**FLOATS, **INTEGERS}[element]))

    def turned(self, x, order):
        return self.emit(f"prim.transpose {x.name} permutation {order} : {x.type} -> {{type}}", x.element, [x.shape[d] for d in order], tiny=x.tiny)

    def make_windows(self):
        """A convolution or a pooling, with channels last or between transpositions."""
        rng, spatial = self.rng, self.rng.choice([1, 2, 2, 2, 3])
        if rng.random() < 0.5:
            return None
        inner = [rng.choice([1, 2, 3, 5, 7, 8, 9, 14, 17, 28] if spatial < 3 else [1, 2, 3, 5, 8]) for _ in range(spatial)]
        window = [rng.choice([1, 2, 3, 3, 5, 7]) for _ in range(spatial)]
        stride, low, high = ([rng.choice(of) for _ in range(spatial)] for of in ([1, 1, 1, 2, 3], [0, 0, 1, 2, 3], [0, 0, 1, 2, 3]))
        spread, holes = ([rng.choice([1] * 5 + [2, 3]) for _ in range(spatial)] for _ in range(2))
        kind = rng.choice(["conv", "conv", "depthwise", "depthwise", "groups", "max_pool", "sum_pool"])
        groups = {"depthwise": rng.choice([1, 2, 3, 8, 16, 17, 32, 40]), "groups": rng.choice([2, 3, 4])}.get(kind, 1)
        each = 1 if kind == "depthwise" else rng.choice([1, 2, 3, 4, 8, 16, 17])
        filters = groups * (rng.choice([1, 1, 2]) if kind == "depthwise" else rng.choice([1, 2, 5, 8, 16, 33]))
        n, channels = rng.choice([1, 1, 2, 3]), groups * each
        if "pool" in kind:
            holes, spread = [1] * spatial, [1] * spatial
            low, high = ([min(a, w - 1) for a, w in zip(pads, window)] for pads in (low, high))
        shape = [((i - 1) * h + 1 + a + b - ((w - 1) * d + 1)) // s + 1 for i, h, a, b, w, d, s in
                 zip(inner, holes, low, high, window, spread, stride)]
        if min(shape) < 1 or any((i - 1) * h + 1 + a + b < (w - 1) * d + 1 for i, h, a, b, w, d in zip(inner, holes, low, high, window, spread)):
            return None
        work = n * int(numpy.prod(shape)) * int(numpy.prod(window)) * each * (filters if "pool" not in kind else groups)
        if n * int(numpy.prod(inner)) * channels > LARGEST or n * int(numpy.prod(shape)) * max(filters, channels) > LARGEST or work > 3000000:
            return None
        element = rng.choice(["f32", "f32", "f16", "bf16", "f64", "i8"])
        last, first = [0, *range(2, spatial + 2), 1], [0, spatial + 1, *range(1, spatial + 1)]
        between = rng.random() < 0.4
        x = self.turned(self.whole(element, [n, channels, *inner]), last) if between else self.whole(element, [n, *inner, channels])
        if rng.random() < 0.3:
            x = self.same(f"prim.abs {x.name} : {{type}}", x)

        def listed(**given):
            return ", ".join(f"{name} = array<i64: {', '.join(map(str, one))}>" for name, one in given.items())
        if "pool" in kind:
            if kind == "sum_pool" and element in ("f16", "bf16", "i8"):
                return None
            made = self.emit(f"prim.{kind} {x.name} {{{{{listed(window=window, strides=stride, pad_low=low, pad_high=high)}}}}} : {x.type} -> {{type}}",
                             element, [n, *shape, channels])
        else:
            order = [0, *range(2, spatial + 2), 1]
            w = self.turned(self.whole(element, [filters, each, *window]), order) if between else self.whole(element, [filters, *window, each])
            to = {"f64": "f64", "i8": "i32"}.get(element, "f32")
            given = listed(strides=stride, pad_low=low, pad_high=high, dilation=spread, input_dilation=holes)
            made = self.emit(f"prim.conv {x.name}, {w.name} {{{{{given}, groups = {groups} : i64}}}} : {x.type}, {w.type} -> {{type}}",
                             to, [n, *shape, filters])
        return self.turned(made, first) if between else made


def save(path, array, element):
    if element == "bf16":
        array = array.view(numpy.dtype("V2"))
    numpy.save(path, array)


def load(path, element):
    array = numpy.load(path)
    return array.view(numpy.uint16) if element == "bf16" else array


def bits(array, element):
    """The elements as integers, all NaNs alike."""
    array = numpy.ascontiguousarray(array).reshape(-1)
    if element == "bf16":
        return numpy.where((array & 0x7fff) > 0x7f80, numpy.uint16(0x7fff), array)
    if element in FLOATS:
        whole = array.view({2: numpy.uint16, 4: numpy.uint32, 8: numpy.uint64}[array.itemsize])
        return numpy.where(numpy.isnan(array), numpy.iinfo(whole.dtype).max, whole)
    return array.view(numpy.uint8) if element == "i1" else array


def run(command, program, package, folder):
    """The results of a program."""
    words = [*command, package, f"--entry={program.name}"]
    for number, (one, array) in enumerate(zip(program.arguments, program.arrays)):
        path = os.path.join(folder, f"{program.name}-{number}.npy")
        if not os.path.exists(path):
            save(path, array, one.element)
        words.append("--arg=" + path)
    files = [os.path.join(folder, f"result-{number}.npy") for number in range(len(program.results))]
    words += [f"--result={number}:{path}" for number, path in enumerate(files)]
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=600, check=False)
    if done.returncode:
        raise ValueError(f"exit {done.returncode}: {done.stderr.strip()[:1000]}")
    return [load(path, one.element) for path, one in zip(files, program.results)]


def judged(program, packages, commands, folder):
    """What is wrong with a program, or None."""
    wanted = None
    for target, package in packages.items():
        if isinstance(package, ValueError):
            return str(package)
        try:
            made = run(commands[target], program, package, folder)
        except ValueError as error:
            return f"does not run on {target}: {error}"
        wanted = wanted or made
        for number, (got, want, one) in enumerate(zip(made, wanted, program.results)):
            if got.shape != want.shape:
                return f"is wrong on {target}: result {number} has the shape {got.shape}, not {want.shape}"
            differ = numpy.flatnonzero(bits(got, one.element) != bits(want, one.element))
            if len(differ):
                at = differ[0]
                return (f"is wrong on {target}: result {number}, {len(differ)} of {got.size} elements, the first [{at}]: "
                        f"{got.reshape(-1)[at]!r}, expected {want.reshape(-1)[at]!r}")
    return None


def main():
    build, numbers, seed, rest = arguments()
    here = [os.path.join(build, "bin", "kiln-run")]
    commands = {"reference": here}
    for one in rest or ["cpu"]:
        target, _, command = one.partition("@")
        commands[target] = shlex.split(command) or here

    def compile_for(programs, target, folder):
        return compiled(build, programs, target, folder, [] if target == "reference" else ["--no-fallback"])

    return check("program", numbers, seed, list(commands), lambda number: Program(number, seed), compile_for,
                 lambda program, packages, folder: judged(program, packages, commands, folder))


if __name__ == "__main__":
    sys.exit(main())
