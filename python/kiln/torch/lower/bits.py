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


@lowers("view.dtype", "view_copy.dtype", "view_of_dtype.default")
def view_dtype(b, out, x, dtype):
    """The same bits, of elements of the same width."""
    if ELEMENTS[x.dtype][1] != ELEMENTS[out.dtype][1] or "i1" in (x.dtype, out.dtype):
        raise Unsupported("bits of elements of another width")
    if ELEMENTS[x.dtype][0] == ELEMENTS[out.dtype][0]:
        return b.convert(x, out.dtype)
    return b.emit(f"prim.bitcast {x.name} : {x.type} -> {b._type(out.dtype, x.shape)}", out.dtype, x.shape)
