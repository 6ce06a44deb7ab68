# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Discrete Fourier transforms: an operation where a length is known, else products with matrices of cosines and sines."""
import math

from .common import Unsupported, operand

#: The longest transform.
LONGEST = 1 << 22


def transform(b, re, im, dim, forward):
    """Of one dimension, without a factor. `im` may be None: zeros."""
    n = re.shape[dim]
    if isinstance(n, int):
        if im is None:
            im = b.full_like(0, re)
        return _fourier(b, [re, im], dim, n, 2, forward)
    order = [d for d in range(re.rank) if d != dim] + [dim]
    back = [order.index(d) for d in range(re.rank)]
    parts = [None if part is None else b.transpose(part, order) for part in (re, im)]
    return [b.transpose(part, back) for part in _open(b, *parts, n, forward)]


def transform_real(b, x, dim):
    """The first half of the frequencies, and the middle one, of real numbers."""
    return _fourier(b, [x], dim, x.shape[dim] // 2 + 1, 2, True)


def inverse_real(b, re, im, dim, size):
    """The `size` real numbers of the first half of their frequencies and the middle one, times their count."""
    return _fourier(b, [re, im], dim, size, 1, False)[0]


def _fourier(b, parts, dim, size, count, forward):
    shape = list(parts[0].shape)
    shape[dim] = size
    if max(size, parts[0].shape[dim]) > LONGEST:
        raise Unsupported(f"a Fourier transform of {size} elements")
    made = ", ".join([b._type(parts[0].dtype, shape)] * count)
    return b.emit_many(f"prim.fourier {', '.join(part.name for part in parts)} dim {dim}{'' if forward else ' inverse'} : "
                       f"{', '.join(part.type for part in parts)} -> {made}", [(parts[0].dtype, shape)] * count)


def _direct(b, re, im, roots):
    """Products with a matrix of roots."""
    cos, sin = roots
    dot = lambda p, q: b.dot(p, q, ([], []), ([p.rank - 1], [0]))  # noqa: E731
    if im is None:
        return dot(re, cos), dot(re, sin)
    return b.binary("sub", dot(re, cos), dot(im, sin)), b.binary("add", dot(re, sin), dot(im, cos))


def _open(b, re, im, n, forward):
    """Of a length that is known when the program runs."""
    shape = (n, n)
    step = b.binary("mul", b.iota("i64", shape, 0), b.iota("i64", shape, 1))
    step = b.binary("remainder", step, operand(b, n, "i64", shape))
    angle = b.convert(step, "f64")
    angle = b.binary("mul", angle, b.full_like(2 * math.pi, angle))
    angle = b.binary("div", angle, operand(b, n, "f64", shape))
    cos, sin = (b.convert(b.unary(name, angle), re.dtype) for name in ("cos", "sin"))
    return _direct(b, re, im, (cos, b.unary("neg", sin) if forward else sin))
