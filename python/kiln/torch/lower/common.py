# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What families share: the type of a result, operands as tensors, arithmetic in a wider type."""
import math
import struct

from ..text import ELEMENTS, Unsupported, Value, is_float, is_narrow, is_small, is_unsigned

_CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2}


def category(x):
    if isinstance(x, Value):
        return _CATEGORY[ELEMENTS[x.dtype][2]]
    if isinstance(x, (bool, int, float)):
        return 0 if isinstance(x, bool) else 2 if isinstance(x, float) else 1
    return 0 if x.is_Boolean else 1 if x.is_integer else 2  # a size, or a condition on sizes


def _join(a, b):
    """The type that holds both."""
    if a is None or a == b:
        return b
    (_, wa, ka), (_, wb, kb) = ELEMENTS[a], ELEMENTS[b]
    if ka == "f" or kb == "f":
        if ka != kb:
            return a if ka == "f" else b
        return "f32" if wa == wb else a if wa > wb else b
    if "b" in (ka, kb):
        return b if ka == "b" else a
    if ka == kb:
        return a if wa > wb else b
    unsigned, signed = (wa, wb) if ka == "u" else (wb, wa)
    if unsigned >= 64:
        raise Unsupported("u64 with signed integers")
    return f"i{max(signed, 2 * unsigned)}"


def result_type(*operands, default="f32"):
    """What the operands are computed in: tensors with dimensions decide unless one of rank 0, and those
    unless a number, is of a higher category (truth, integer, float)."""
    chosen = None
    for group in ([x for x in operands if isinstance(x, Value) and x.rank],
                  [x for x in operands if isinstance(x, Value) and not x.rank],
                  [x for x in operands if not isinstance(x, Value)]):
        best = None
        for x in group:
            best = _join(best, x.dtype if isinstance(x, Value) else ("i1", "i64", default)[category(x)])
        if best is not None and (chosen is None or
                                 _CATEGORY[ELEMENTS[best][2]] > _CATEGORY[ELEMENTS[chosen][2]]):
            chosen = best
    return chosen


def is_number(x):
    return isinstance(x, (bool, int, float))


def operand(b, x, dtype, shape):
    """A tensor or number in a type and a shape."""
    if x is None:
        raise Unsupported("an operand that is missing")
    if isinstance(x, Value):
        return b.broadcast(b.convert(x, dtype), shape)
    if is_number(x):
        return b.full(x, dtype, shape)
    return b.broadcast(b.convert(b.number_tensor(x), dtype), shape)


def wide(dtype):
    """The type in which frameworks compute f16, bf16 and floats of 8 bits."""
    return "f32" if is_narrow(dtype) else dtype


def rounded(b, x, dtype):
    """A number or a tensor in a type of 16 bits, as eager mode on CPUs takes it before it computes in f32."""
    if b.is_parallel or dtype not in ("f16", "bf16"):
        return x
    if is_number(x):
        return nearest(float(x), dtype)
    return b.convert(x if isinstance(x, Value) else b.number_tensor(x), dtype)


def nearest(number, dtype):
    """The number of f16 or bf16 that a float rounds to, by way of f32."""
    if not math.isfinite(number):
        return number
    try:
        number, = struct.unpack("f", struct.pack("f", number))
        if dtype == "f16":
            return struct.unpack("e", struct.pack("e", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    bits, = struct.unpack("I", struct.pack("f", number))
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return struct.unpack("f", struct.pack("I", bits))[0]


def arithmetic(b, out, compute, *operands, exact=()):
    """Applies `compute` to operands in the type of the result, or in f32 where that is narrow. `exact`: the places of those that eager mode
    does not round to a type of 16 bits first, if they are a number or of rank 0."""
    dtype = wide(out.dtype)
    given = [x if place in exact and not (isinstance(x, Value) and x.rank) else rounded(b, x, out.dtype) for place, x in enumerate(operands)]
    return b.convert(compute(*(operand(b, x, dtype, out.shape) for x in given)), out.dtype)


def zero(b, like):
    return b.full_like(0, like)


def axis(dim, rank):
    """A dimension counted from the front; of tensors of rank 0 there is one to speak of."""
    limit = max(rank, 1)
    if not isinstance(dim, int) or not -limit <= dim < limit:
        raise Unsupported(f"dimension {dim} of rank {rank}")
    return dim % limit


def axes(dims, rank):
    """Dimensions of a reduction: none are all."""
    if dims is None or dims == [] or dims == ():
        return list(range(rank))
    return sorted({axis(d, rank) for d in (dims if isinstance(dims, (list, tuple)) else [dims])} & set(range(rank)))


def elements(shape):
    total = 1
    for n in shape:
        total = total * n
    return total


def static(*sizes):
    """All have to be known."""
    for n in sizes:
        if not isinstance(n, int):
            raise Unsupported(f"a size that is known only when the program runs ({n})")
    return sizes if len(sizes) != 1 else sizes[0]


__all__ = ["Unsupported", "Value", "arithmetic", "axes", "axis", "category", "elements", "is_float", "is_narrow", "is_number", "is_small", "is_unsigned",
           "nearest", "operand", "result_type", "rounded", "static", "wide", "zero"]
