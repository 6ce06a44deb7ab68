# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Discrete Fourier transforms: products with matrices of cosines and sines, of each factor of the length."""
import math

from .common import Unsupported, operand

#: The longest transform that is one product.
DIRECT = 64
#: The largest prime factor.
LONGEST = 4096


def _turns(b, rows, columns, count, dtype):
    """cos and sin of 2 pi i j / count."""
    shape = (rows, columns)
    step = b.binary("mul", b.iota("i64", shape, 0), b.iota("i64", shape, 1))
    step = b.binary("remainder", step, operand(b, count, "i64", shape))
    angle = b.convert(step, "f64")
    angle = b.binary("mul", angle, b.full_like(2 * math.pi, angle))
    angle = b.binary("div", angle, operand(b, count, "f64", shape))
    return [b.convert(b.unary(name, angle), dtype) for name in ("cos", "sin")]


def _factor(n):
    """The largest divisor up to its root."""
    return max((d for d in range(1, math.isqrt(n) + 1) if n % d == 0), default=1)


def transform(b, re, im, dim, forward):
    """Of one dimension, without a factor. `im` may be None: zeros."""
    n = re.shape[dim]
    order = [d for d in range(re.rank) if d != dim] + [dim]
    back = [order.index(d) for d in range(re.rank)]
    lead = [re.shape[d] for d in order[:-1]]
    parts = [None if part is None else b.transpose(part, order) for part in (re, im)]
    made = _rows(b, *parts, n, lead, forward)
    return [b.transpose(part, back) for part in made]


def _rows(b, re, im, n, lead, forward):
    if not isinstance(n, int):  # its factors are not known
        return _direct(b, re, im, n, forward)
    first = _factor(n) if n > DIRECT else 1
    if first == 1:
        if n > LONGEST:
            raise Unsupported(f"a Fourier transform whose length has the factor {n}")
        return _direct(b, re, im, n, forward)
    second = n // first  # element j1 * second + j2, frequency k1 + first * k2
    split = [*lead, first, second]
    swap = [*range(len(lead)), len(lead) + 1, len(lead)]
    re, im = (None if part is None else b.transpose(b.reshape(part, split), swap) for part in (re, im))
    re, im = _rows(b, re, im, first, [*lead, second], forward)  # [lead, j2, k1]
    cos, sin = (b.broadcast(v, re.shape) for v in _turns(b, second, first, n, re.dtype))
    re, im = _times(b, re, im, cos, sin, forward)
    re, im = (b.transpose(part, swap) for part in (re, im))
    re, im = _rows(b, re, im, second, [*lead, first], forward)  # [lead, k1, k2]
    return [b.reshape(b.transpose(part, swap), [*lead, n]) for part in (re, im)]


def _times(b, re, im, cos, sin, forward):
    """(re + i im) (cos -+ i sin)."""
    mul = lambda p, q: b.binary("mul", p, q)  # noqa: E731
    plus, minus = ("add", "sub") if forward else ("sub", "add")
    return b.binary(plus, mul(re, cos), mul(im, sin)), b.binary(minus, mul(im, cos), mul(re, sin))


def _direct(b, re, im, n, forward):
    cos, sin = _turns(b, n, n, n, re.dtype)
    dot = lambda p, q: b.dot(p, q, ([], []), ([p.rank - 1], [0]))  # noqa: E731
    if im is None:
        made = dot(re, sin)
        return dot(re, cos), b.unary("neg", made) if forward else made
    plus, minus = ("add", "sub") if forward else ("sub", "add")
    return b.binary(plus, dot(re, cos), dot(im, sin)), b.binary(minus, dot(im, cos), dot(re, sin))
