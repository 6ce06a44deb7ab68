# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Discrete Fourier transforms: products with matrices of cosines and sines where a length is short, else transforms of its
factors, or a convolution where it has none."""
import array
import cmath
import functools
import math
import sys

from .common import Unsupported, operand

#: The longest transform that is one product, and the longest of a prime length that is.
DIRECT, PRIME = 64, 256
#: The longest transform.
LONGEST = 1 << 22


@functools.lru_cache(maxsize=1 << 16)
def _root(number, period):
    """exp(2 pi i number / period); the angle is brought below an eighth of a turn before it is rounded."""
    quarter = (8 * number + period) // (2 * period)
    z = cmath.rect(1, math.pi / 2 * (4 * number - quarter * period) / period)
    return (z, complex(-z.imag, z.real), -z, complex(z.imag, -z.real))[quarter % 4]


def _constants(b, numbers, shape, dtype):
    """The real and the imaginary parts of complex numbers."""

    def constant(part):
        parts = array.array({"f32": "f", "f64": "d"}[dtype], part)
        if sys.byteorder == "big":
            parts.byteswap()
        return b.emit(f'prim.constant dense<"0x{parts.tobytes().hex()}"> : {b._type(dtype, shape)}', dtype, shape)

    return constant(z.real for z in numbers), constant(z.imag for z in numbers)


def _roots(b, rows, columns, period, forward, dtype):
    """exp(-+2 pi i row column / period)."""
    numbers = [_root(i * k % period, period) for i in range(rows) for k in range(columns)]
    return _constants(b, [z.conjugate() for z in numbers] if forward else numbers, (rows, columns), dtype)


def _factor(n):
    """The largest divisor up to its root."""
    return max((d for d in range(1, math.isqrt(n) + 1) if n % d == 0), default=1)


def transform(b, re, im, dim, forward):
    """Of one dimension, without a factor. `im` may be None: zeros."""
    n = re.shape[dim]
    order = [d for d in range(re.rank) if d != dim] + [dim]
    back = [order.index(d) for d in range(re.rank)]
    lead = [re.shape[d] for d in order[:-1]]
    if isinstance(n, int) and n > LONGEST:
        raise Unsupported(f"a Fourier transform of {n} elements")
    parts = [None if part is None else b.transpose(part, order) for part in (re, im)]
    made = _rows(b, *parts, n, lead, forward) if isinstance(n, int) else _open(b, *parts, n, forward)
    return [b.transpose(part, back) for part in made]


def is_halved(n):
    """Whether real numbers are transformed as half as many complex ones."""
    return isinstance(n, int) and n % 2 == 0 and n > 2 * DIRECT


def _mirrored(b, re, im, dim):
    """Sums and differences of elements 0 to n and the conjugates of those from n to 0."""
    other = b.rev(re, [dim]), b.unary("neg", b.rev(im, [dim]))
    return [[b.binary(name, *pair) for pair in zip((re, im), other)] for name in ("add", "sub")]


def _turned(b, re, im, dim, forward):
    """Element k times -i exp(-pi i k / n) of 0 to n, or i exp(pi i k / n)."""
    n = re.shape[dim] - 1
    numbers = [1j * _root(k, 2 * n) for k in range(n + 1)]
    turns = _constants(b, [z.conjugate() for z in numbers] if forward else numbers, (n + 1,), re.dtype)
    return _times(b, re, im, *(b.broadcast_in_dim(part, [dim], re.shape) for part in turns))


def transform_real(b, x, dim):
    """The first half of the frequencies, and the middle one, of real numbers whose count `is_halved`. Of two neighbours one is the
    real and one the imaginary part."""
    n, shape = x.shape[dim] // 2, list(x.shape)
    pairs = b.reshape(x, [*shape[:dim], n, 2, *shape[dim + 1:]])
    shape[dim] = n
    parts = [b.reshape(b.slice_dim(pairs, dim + 1, i, i + 1), shape) for i in range(2)]
    parts = transform(b, *parts, dim, True)
    even, odd = _mirrored(b, *(b.cat([part, b.slice_dim(part, dim, 0, 1)], dim) for part in parts), dim)
    odd = _turned(b, *odd, dim, True)
    half = b.full_like(0.5, even[0])
    return [b.binary("mul", b.binary("add", *both), half) for both in zip(even, odd)]


def inverse_real(b, re, im, dim):
    """The real numbers of the first half of their frequencies and the middle one, times their count, which `is_halved`."""
    n, shape = re.shape[dim] - 1, list(re.shape)
    even, odd = _mirrored(b, re, im, dim)
    odd = _turned(b, *odd, dim, False)
    parts = [b.slice_dim(b.binary("add", *both), dim, 0, n) for both in zip(even, odd)]
    shape[dim:dim + 1] = n, 1
    pairs = b.cat([b.reshape(part, shape) for part in transform(b, *parts, dim, False)], dim + 1)
    shape[dim:dim + 2] = [2 * n]
    return b.reshape(pairs, shape)


def _rows(b, re, im, n, lead, forward):
    """Of the last dimension."""
    first = _factor(n)
    if n <= DIRECT or (first == 1 and n <= PRIME):
        return _direct(b, re, im, _roots(b, n, n, n, forward, re.dtype))
    if first == 1:
        return _convolved(b, re, im, n, lead, forward)
    second = n // first  # element j1 * second + j2, frequency k1 + first * k2
    split = [*lead, first, second]
    swap = [*range(len(lead)), len(lead) + 1, len(lead)]
    re, im = (None if part is None else b.transpose(b.reshape(part, split), swap) for part in (re, im))
    re, im = _rows(b, re, im, first, [*lead, second], forward)  # [lead, j2, k1]
    re, im = _times(b, re, im, *_roots(b, second, first, n, forward, re.dtype))
    re, im = (b.transpose(part, swap) for part in (re, im))
    re, im = _rows(b, re, im, second, [*lead, first], forward)  # [lead, k1, k2]
    return [b.reshape(b.transpose(part, swap), [*lead, n]) for part in (re, im)]


def _convolved(b, re, im, n, lead, forward):
    """Of any length: 2 i k = i^2 + k^2 - (k - i)^2 makes it a convolution, which transforms of a power of two compute."""
    wide = 1 << (2 * n - 2).bit_length()
    chirp = [_root(i * i % (2 * n), 2 * n) for i in range(n)]
    if forward:
        chirp = [z.conjugate() for z in chirp]
    other = [0j] * wide
    for i, z in enumerate(chirp):
        other[i] = other[-i] = z.conjugate() / wide
    turns = _constants(b, chirp, (n,), re.dtype)
    longer = [0] * len(lead) + [wide - n]
    re, im = (b.pad(part, [0] * re.rank, longer, 0) for part in _times(b, re, im, *turns))
    re, im = _rows(b, re, im, wide, lead, True)
    re, im = _times(b, re, im, *_constants(b, _transformed(other), (wide,), re.dtype))
    re, im = _rows(b, re, im, wide, lead, False)
    return _times(b, *(b.slice_dim(part, len(lead), 0, n) for part in (re, im)), *turns)


def _transformed(numbers):
    """The transform of a power of two of Python's numbers."""
    n = len(numbers)
    if n == 1:
        return numbers
    even, odd = _transformed(numbers[::2]), _transformed(numbers[1::2])
    odd = [z * _root(k, n).conjugate() for k, z in enumerate(odd)]
    return [p + q for p, q in zip(even, odd)] + [p - q for p, q in zip(even, odd)]


def _times(b, re, im, cos, sin):
    """(re + i im) (cos + i sin)."""
    cos, sin = (b.broadcast(part, re.shape) for part in (cos, sin))
    mul = lambda p, q: b.binary("mul", p, q)  # noqa: E731
    if im is None:
        return mul(re, cos), mul(re, sin)
    return b.binary("sub", mul(re, cos), mul(im, sin)), b.binary("add", mul(im, cos), mul(re, sin))


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
