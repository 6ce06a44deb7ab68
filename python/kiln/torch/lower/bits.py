# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bits and truth values."""
from ..text import ELEMENTS
from . import lowers
from .common import Unsupported, is_unsigned, operand

for _aten, _prim in {"bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor"}.items():
    def _binary(b, out, x, y, _prim=_prim):
        return b.binary(_prim, operand(b, x, out.dtype, out.shape), operand(b, y, out.dtype, out.shape))
    lowers(f"{_aten}.Tensor", f"{_aten}.Scalar", f"{_aten}.Scalar_Tensor", f"{_aten}.default")(_binary)

for _aten, _prim in {"logical_and": "bitwise_and", "logical_or": "bitwise_or", "logical_xor": "bitwise_xor"}.items():
    def _logical(b, out, x, y, _prim=_prim):
        return b.binary(_prim, operand(b, x, "i1", out.shape), operand(b, y, "i1", out.shape))
    lowers(f"{_aten}.default")(_logical)


@lowers("bitwise_not.default")
def bitwise_not(b, out, x):
    return b.unary("bitwise_not", x)


@lowers("logical_not.default")
def logical_not(b, out, x):
    return b.unary("bitwise_not", b.convert(x, "i1"))


@lowers("shift_left.default", "bitwise_left_shift.Tensor", "__lshift__.Scalar", "__lshift__.Tensor", "bitwise_left_shift.Tensor_Scalar")
def shift_left(b, out, x, y):
    return b.binary("shift_left", operand(b, x, out.dtype, out.shape), operand(b, y, out.dtype, out.shape))


@lowers("shift_right_arithmetic.default", "bitwise_right_shift.Tensor", "__rshift__.Scalar", "__rshift__.Tensor", "bitwise_right_shift.Tensor_Scalar")
def shift_right(b, out, x, y):
    if out.dtype == "i1":
        raise Unsupported("shifts of truth values")
    name = "shift_right_logical" if is_unsigned(out.dtype) else "shift_right_arithmetic"
    return b.binary(name, operand(b, x, out.dtype, out.shape), operand(b, y, out.dtype, out.shape))


def _as_integers(b, x):
    """The bits of elements as signed integers of their width; truth values are bytes of 0 and 1."""
    if x.dtype == "i1":
        return b.convert(x, "i8")
    return _retyped(b, x, f"i{ELEMENTS[x.dtype][1]}")


def _retyped(b, x, dtype):
    """The same bits, of elements of the same width."""
    if dtype == "i1":
        return b.compare("ne", x, b.full_like(0, x))
    if ELEMENTS[x.dtype][0] == ELEMENTS[dtype][0]:
        return b.convert(x, dtype)
    return b.emit(f"prim.bitcast {x.name} : {x.type} -> {b._type(dtype, x.shape)}", dtype, x.shape)


def _parts(b, x, width, shape):
    """Integers of fewer bits that the bits of each element are, the lowest first."""
    wide, parts = ELEMENTS[x.dtype][1], []
    for bit in range(0, wide, width):
        part = b.convert(b.binary("shift_right_logical", x, b.full_like(bit, x)), f"i{width}")
        parts.append(b.reshape(part, [*x.shape, 1]))
    return b.reshape(b.cat(parts, x.rank), shape)


def _joined(b, x, width, shape):
    """Integers of more bits, each of several elements that are beside each other, the lowest first."""
    narrow, made = ELEMENTS[x.dtype][1], None
    x = b.reshape(x, [*shape, width // narrow])
    for number in range(width // narrow):
        part = b.reshape(b.slice_dim(x, x.rank - 1, number, number + 1), shape)
        part = b.convert(b.convert(b.convert(part, f"u{narrow}"), f"u{width}"), f"i{width}")
        if number:
            part = b.binary("shift_left", part, b.full_like(number * narrow, part))
        made = part if made is None else b.binary("bitwise_or", made, part)
    return made


@lowers("view.dtype", "view_copy.dtype", "view_of_dtype.default")
def view_dtype(b, out, x, dtype):
    """The same bits. Elements of another width are several of the last dimension, or several are one, as in memory that begins
    with the lowest byte."""
    bits = _as_integers(b, x)
    width = 8 if out.dtype == "i1" else ELEMENTS[out.dtype][1]
    if width < ELEMENTS[bits.dtype][1]:
        bits = _parts(b, bits, width, out.shape)
    elif width > ELEMENTS[bits.dtype][1]:
        bits = _joined(b, bits, width, out.shape)
    elif x.dtype != "i1" and out.dtype != "i1":
        bits = x
    return _retyped(b, bits, out.dtype)
