# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors as flat lists, their .npy files, and the integer arithmetic of TOSA."""
import itertools
import random
import struct

DTYPES = {
    "i1": ("|b1", "?"), "i8": ("|i1", "b"), "i16": ("<i2", "h"), "i32": ("<i4", "i"),
    "i48": ("<i8", "q"), "i64": ("<i8", "q"), "f32": ("<f4", "f"), "f64": ("<f8", "d"), "bf16": ("<u2", "H"),
}
BITS = {"i8": 8, "i16": 16, "i32": 32, "i48": 48, "i64": 64}


class Tensor:
    def __init__(self, dtype, shape, data):
        self.dtype, self.shape = dtype, tuple(shape)
        self.data = list(data) if hasattr(data, "__iter__") else [data] * count(shape)
        assert len(self.data) == count(shape), (shape, len(self.data))

    def __getitem__(self, index):
        return self.data[position(index, self.shape)]

    @property
    def type(self):
        return "tensor<%s%s>" % ("".join("%dx" % n for n in self.shape), self.dtype)

    def write(self, path):
        descr, code = DTYPES[self.dtype]
        header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (
            descr, "(" + "".join("%d, " % n for n in self.shape) + ")")
        header += " " * (63 - (10 + len(header)) % 64) + "\n"
        data = [to_bf16(x) for x in self.data] if self.dtype == "bf16" else self.data
        with open(path, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
            file.write(struct.pack("<%d%s" % (len(data), code), *data))

    def constant(self, name):
        """The tensor as an operation."""
        def text(x):
            if self.dtype == "i1":
                return "true" if x else "false"
            if x != x or abs(x) == float("inf"):
                return "0x%08X" % struct.unpack("<I", struct.pack("<f", x))[0]
            return repr(float(x)) if self.dtype[0] in "fb" else str(x)

        def nest(shape, data):
            if not shape:
                return text(data[0])
            step = len(data) // shape[0]
            parts = (data[i * step:(i + 1) * step] for i in range(shape[0]))
            return "[" + ", ".join(nest(shape[1:], part) for part in parts) + "]"

        value = nest(self.shape, self.data)
        return '%%%s = "tosa.const"() <{values = dense<%s> : %s}> : () -> %s' % (
            name, value, self.type, self.type)


def count(shape):
    total = 1
    for size in shape:
        total *= size
    return total


def position(index, shape):
    flat = 0
    for i, size in zip(index, shape):
        flat = flat * size + i
    return flat


def indices(shape):
    return itertools.product(*(range(size) for size in shape))


def to_bf16(x):
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def random_tensor(dtype, shape, seed, low=None, high=None):
    source = random.Random(seed)
    if dtype == "i1":
        return Tensor(dtype, shape, [source.random() < 0.5 for _ in range(count(shape))])
    if dtype in BITS:
        half = 1 << (BITS[dtype] - 1)
        low, high = (-half if low is None else low), (half - 1 if high is None else high)
        return Tensor(dtype, shape, [source.randint(low, high) for _ in range(count(shape))])
    low, high = (-1.0 if low is None else low), (1.0 if high is None else high)
    values = [source.uniform(low, high) for _ in range(count(shape))]
    return Tensor(dtype, shape, [f32(x) for x in values])


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def clip(x, dtype):
    half = 1 << (BITS[dtype] - 1)
    return max(-half, min(half - 1, x))


def wrap(x, bits):
    half = 1 << (bits - 1)
    return (x + half) % (1 << bits) - half


def apply_scale(value, multiplier, shift, double=False):
    rounding = 1 << (shift - 1)
    if double and shift > 31:
        rounding += (1 << 30) if value >= 0 else -(1 << 30)
    return (value * multiplier + rounding) >> shift


def reciprocal_scale(value):
    k = (value - 1).bit_length()
    return (((1 << 30) + 1) << k) // value, 30 + k


def elementwise(dtype, function, *operands):
    rank = len(operands[0].shape)
    shape = [max(x.shape[d] for x in operands) for d in range(rank)]
    data = []
    for index in indices(shape):
        at = [x[tuple(i if n > 1 else 0 for i, n in zip(index, x.shape))] for x in operands]
        data.append(function(*at))
    return Tensor(dtype, shape, data)


def reduce(x, axis, function, dtype=None):
    shape = list(x.shape)
    shape[axis] = 1
    data = []
    for index in indices(shape):
        along = [x[index[:axis] + (k,) + index[axis + 1:]] for k in range(x.shape[axis])]
        data.append(function(along))
    return Tensor(dtype or x.dtype, shape, data)


def build(dtype, shape, function):
    return Tensor(dtype, shape, [function(*index) for index in indices(shape)])
