# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of complex numbers, by those of their parts. They are computed in f64 and rounded at the end, so that what cancels
costs no digits of f32."""
import math

from . import find
from .common import Unsupported, axes, operand
from .pairs import PARTS, Pair, _inverse, _part_out, _scaled, add, lowers, mul, pair, product, sub

HALF_PI = math.pi / 2


class _Plane:
    """Arithmetic on pairs of f64."""

    def __init__(self, b):
        self.b = b

    def like(self, x, re, im=0.0):
        return Pair(self.b.full_like(re, x.re), self.b.full_like(im, x.im))

    def add(self, x, y):
        return Pair(self.b.binary("add", x.re, y.re), self.b.binary("add", x.im, y.im))

    def sub(self, x, y):
        return Pair(self.b.binary("sub", x.re, y.re), self.b.binary("sub", x.im, y.im))

    def mul(self, x, y):
        return product(self.b, x, y)

    def div(self, x, y):
        return product(self.b, x, _inverse(self.b, y))

    def times(self, x, factor):
        factor = self.b.full_like(factor, x.re)
        return Pair(self.b.binary("mul", x.re, factor), self.b.binary("mul", x.im, factor))

    def turned(self, x):
        """i x"""
        return Pair(self.b.unary("neg", x.im), x.re)

    def turned_back(self, x):
        """-i x"""
        return Pair(x.im, self.b.unary("neg", x.re))

    def exp(self, x):
        size = self.b.unary("exp", x.re)
        return Pair(self.b.binary("mul", size, self.b.unary("cos", x.im)), self.b.binary("mul", size, self.b.unary("sin", x.im)))

    def log(self, x):
        return Pair(self.b.unary("log", self.b.binary("hypot", x.re, x.im)), self.b.binary("atan2", x.im, x.re))

    def sqrt(self, x):
        """By the part that nothing cancels in."""
        b = self.b
        zero, half = b.full_like(0, x.re), b.full_like(0.5, x.re)
        size = b.binary("mul", half, b.binary("add", b.binary("hypot", x.re, x.im), b.unary("abs", x.re)))
        large = b.unary("sqrt", size)
        none = b.compare("eq", large, zero)
        small = b.binary("mul", half, b.binary("div", x.im, b.where(none, b.full_like(1, large), large)))
        right = b.compare("ge", x.re, zero)
        return Pair(b.where(right, large, b.unary("abs", small)), b.where(right, small, b.binary("copysign", large, x.im)))

    def sinh(self, x):
        b = self.b
        return Pair(b.binary("mul", b.unary("sinh", x.re), b.unary("cos", x.im)),
                    b.binary("mul", b.unary("cosh", x.re), b.unary("sin", x.im)))

    def cosh(self, x):
        b = self.b
        return Pair(b.binary("mul", b.unary("cosh", x.re), b.unary("cos", x.im)),
                    b.binary("mul", b.unary("sinh", x.re), b.unary("sin", x.im)))

    def tanh(self, x):
        """(sinh 2a + i sin 2b) / (cosh 2a + cos 2b), where a is so small that nothing overflows."""
        b = self.b
        twice = self.times(x, 2.0)
        a = b.binary("minimum", b.binary("maximum", twice.re, b.full_like(-600.0, x.re)), b.full_like(600.0, x.re))
        below = b.binary("add", b.unary("cosh", a), b.unary("cos", twice.im))
        return Pair(b.binary("div", b.unary("sinh", a), below), b.binary("div", b.unary("sin", twice.im), below))

    def asinh(self, x):
        """log(x + sqrt(x x + 1)), of the half plane where nothing cancels."""
        b = self.b
        left = b.compare("lt", x.re, b.full_like(0, x.re))
        sign = b.where(left, b.full_like(-1, x.re), b.full_like(1, x.re))
        right = Pair(b.binary("mul", sign, x.re), b.binary("mul", sign, x.im))
        made = self.log(self.add(right, self.sqrt(self.add(self.mul(right, right), self.like(x, 1.0)))))
        return Pair(b.binary("mul", sign, made.re), b.binary("mul", sign, made.im))

    def asin(self, x):
        return self.turned_back(self.asinh(self.turned(x)))

    def acosh(self, x):
        one = self.like(x, 1.0)
        return self.log(self.add(x, self.mul(self.sqrt(self.add(x, one)), self.sqrt(self.sub(x, one)))))

    def atanh(self, x):
        one = self.like(x, 1.0)
        return self.times(self.sub(self.log(self.add(one, x)), self.log(self.sub(one, x))), 0.5)

    def power(self, x, y):
        """Zero to a power is zero, to 0 it is one."""
        b = self.b
        made = self.exp(self.mul(y, self.log(x)))
        zero = b.full_like(0, x.re)
        is_zero = lambda z: b.binary("bitwise_and", b.compare("eq", z.re, zero), b.compare("eq", z.im, zero))  # noqa: E731
        made = Pair(b.where(is_zero(x), zero, made.re), b.where(is_zero(x), zero, made.im))
        return Pair(b.where(is_zero(y), b.full_like(1, zero), made.re), b.where(is_zero(y), zero, made.im))


FUNCTIONS = {
    "sqrt": _Plane.sqrt, "sinh": _Plane.sinh, "cosh": _Plane.cosh, "tanh": _Plane.tanh, "asinh": _Plane.asinh, "asin": _Plane.asin,
    "acosh": _Plane.acosh, "atanh": _Plane.atanh,
    "rsqrt": lambda p, x: p.div(p.like(x, 1.0), p.sqrt(x)), "sin": lambda p, x: p.turned_back(p.sinh(p.turned(x))),
    "cos": lambda p, x: p.cosh(p.turned(x)), "tan": lambda p, x: p.turned_back(p.tanh(p.turned(x))),
    "acos": lambda p, x: p.sub(p.like(x, HALF_PI), p.asin(x)), "atan": lambda p, x: p.turned_back(p.atanh(p.turned(x))),
    "log1p": lambda p, x: p.log(p.add(x, p.like(x, 1.0))), "log2": lambda p, x: p.times(p.log(x), 1 / math.log(2)),
    "log10": lambda p, x: p.times(p.log(x), 1 / math.log(10)), "exp2": lambda p, x: p.exp(p.times(x, math.log(2))),
    "expm1": lambda p, x: p.sub(p.exp(x), p.like(x, 1.0)),
    "sigmoid": lambda p, x: p.div(p.like(x, 1.0), p.add(p.like(x, 1.0), p.exp(p.times(x, -1.0)))),
    "silu": lambda p, x: p.div(x, p.add(p.like(x, 1.0), p.exp(p.times(x, -1.0)))),
}


def _wide(b, x):
    return Pair(b.convert(x.re, "f64"), b.convert(x.im, "f64"))


def _rounded(b, x, out):
    return Pair(b.convert(x.re, PARTS[out.dtype]), b.convert(x.im, PARTS[out.dtype]))


for _name, _function in FUNCTIONS.items():
    lowers(f"{_name}.default")(lambda b, out, x, _function=_function: _rounded(b, _function(_Plane(b), _wide(b, x)), out))


@lowers("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def power(b, out, x, y):
    if isinstance(y, (int, float)) and y in (1, 2, 3):
        x = made = pair(b, x, out)
        for _ in range(int(y) - 1):
            made = product(b, made, x)
        return made
    return _rounded(b, _Plane(b).power(_wide(b, pair(b, x, out)), _wide(b, pair(b, y, out))), out)


@lowers("tanh_backward.default", "sigmoid_backward.default")
def slope(b, out, grad, made):
    """By the conjugate of 1 - t t, or of s (1 - s)."""
    one, made = pair(b, 1, out), pair(b, made, out)
    square = product(b, made, made)
    found = sub(b, out, one if out.operation.startswith("tanh") else made, square)
    return product(b, pair(b, grad, out), Pair(found.re, b.unary("neg", found.im)))


@lowers("addcmul.default", "addcdiv.default")
def addc(b, out, x, y, z, *, value=1):
    y, z = pair(b, y, out), pair(b, z, out)
    made = product(b, y, z if out.operation.startswith("addcmul") else _inverse(b, z))
    return add(b, out, x, _scaled(b, made, value, out))


@lowers("lerp.Scalar", "lerp.Tensor")
def lerp(b, out, x, y, weight):
    return add(b, out, x, mul(b, out, sub(b, out, y, x), pair(b, weight, out)))


@lowers("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(b, out, x, mask, value):
    mask, value, x = operand(b, mask, "i1", out.shape), pair(b, value, out), pair(b, x, out)
    return Pair(b.where(mask, value.re, x.re), b.where(mask, value.im, x.im))


def _either(b, x, test):
    return b.binary("bitwise_or", test(x.re), test(x.im))


@lowers("isnan.default", "isinf.default")
def has_part(b, out, x):
    function, wanted = find(out.operation), out
    return _either(b, x, lambda part: function(b, wanted, part))


@lowers("isfinite.default")
def isfinite(b, out, x):
    function = find(out.operation)
    return b.binary("bitwise_and", function(b, out, x.re), function(b, out, x.im))


def _truth(b, x, shape):
    if not isinstance(x, Pair):
        return operand(b, x, "i1", shape)
    made = _either(b, x, lambda part: b.compare("ne", part, b.full_like(0, part)))
    return b.broadcast(made, shape)


@lowers("logical_and.default", "logical_or.default", "logical_xor.default")
def logical(b, out, x, y):
    name = "bitwise_" + out.operation.split(".")[0].split("_")[1]
    return b.binary(name, _truth(b, x, out.shape), _truth(b, y, out.shape))


@lowers("logical_not.default")
def logical_not(b, out, x):
    return b.unary("bitwise_not", _truth(b, x, out.shape))


@lowers("nonzero.default")
def nonzero(b, out, x):
    return find("nonzero.default")(b, out, _truth(b, x, x.shape))


@lowers("logsumexp.default")
def logsumexp(b, out, x, dim, keepdim=False):
    """Without the largest of the real parts, which is added again."""
    dims, plane, x = axes(dim, x.rank), _Plane(b), _wide(b, x)
    top = b.keep(b.reduce("amax", x.re, dims), dims, x.rank)
    top = b.where(b.compare("lt", b.unary("abs", top), b.full_like(math.inf, top)), top, b.full_like(0, top))
    powers = plane.exp(Pair(b.binary("sub", x.re, b.broadcast(top, x.shape)), x.im))
    made = plane.log(Pair(*(b.keep(b.reduce("sum", part, dims), dims, x.rank) for part in (powers.re, powers.im))))
    made = Pair(b.binary("add", made.re, top), made.im)
    return _rounded(b, Pair(b.reshape(made.re, out.shape), b.reshape(made.im, out.shape)), out)


@lowers("any.default", "any.dim", "any.dims", "all.default", "all.dim", "all.dims")
def truths(b, out, x, *args, **options):
    return find(out.operation)(b, out, _truth(b, x, x.shape), *args, **options)


@lowers("var.correction", "std.correction", "var_mean.correction", "std_mean.correction")
def variance(b, out, x, dim=None, *, correction=None, keepdim=False):
    """That of the real parts and that of the imaginary ones, together."""
    outs = out if isinstance(out, list) else [out]
    name = outs[0].operation.split(".")[0]
    wanted = outs[0].named("var.correction")
    var = find("var.correction")
    parts = [var(b, wanted, part, dim, correction=correction, keepdim=keepdim) for part in (x.re, x.im)]
    made = b.binary("add", *parts)
    made = b.unary("sqrt", made) if name.startswith("std") else made
    if not isinstance(out, list):
        return made
    mean = find("mean.dim")
    average = Pair(*(mean(b, _part_out(out[1]).named("mean.dim"), part, dim, keepdim) for part in (x.re, x.im)))
    return [made, average]


def _matmul(b, out, x, y, name, shape):
    """A product of matrices, of the operation `name`."""
    wanted = _part_out(out).named(name)
    wanted.shape = shape
    part = lambda p, q: find(name)(b, wanted, p, q)  # noqa: E731
    x, y = pair(b, x, out, x.shape), pair(b, y, out, y.shape)
    return Pair(b.binary("sub", part(x.re, y.re), part(x.im, y.im)), b.binary("add", part(x.re, y.im), part(x.im, y.re)))


@lowers("addmm.default", "baddbmm.default", "addmv.default")
def added_product(b, out, x, y, z, *, beta=1, alpha=1):
    name = {"addmm": "mm.default", "baddbmm": "bmm.default", "addmv": "mv.default"}[out.operation.split(".")[0]]
    made = _scaled(b, _matmul(b, out, y, z, name, out.shape), alpha, out)
    return made if beta == 0 else add(b, out, _scaled(b, pair(b, x, out), beta, out), made)


@lowers("vdot.default")
def vdot(b, out, x, y):
    return _matmul(b, out, Pair(x.re, b.unary("neg", x.im)), y, "dot.default", out.shape)


@lowers("prod.default", "prod.dim_int")
def prod(b, out, x, dim=None, keepdim=False, *, dtype=None):
    """By halves of one dimension after the other."""
    dims = list(range(x.rank)) if dim is None else [dim % max(x.rank, 1)]
    for d in dims if x.rank else []:
        size = x.shape[d]
        if not isinstance(size, int):
            raise Unsupported("a product of as many numbers as the program finds out")
        if size == 0:
            x = pair(b, 1, out, [1 if e == d else n for e, n in enumerate(x.shape)])
        while size > 1:
            half = size // 2
            cut = lambda part, k, m, d=d: b.slice_dim(part, d, k, m)  # noqa: E731
            low, high = (Pair(cut(x.re, k, k + half), cut(x.im, k, k + half)) for k in (0, half))
            made = product(b, low, high)
            if size % 2:
                made = Pair(*(b.cat([p, cut(q, size - 1, size)], d) for p, q in ((made.re, x.re), (made.im, x.im))))
            x, size = made, half + size % 2
    return Pair(b.reshape(x.re, out.shape), b.reshape(x.im, out.shape))


@lowers("cumprod.default")
def cumprod(b, out, x, dim, *, dtype=None):
    """Products with those that stand a power of two before."""
    if not x.rank:
        return x
    d = dim % x.rank
    size, step = x.shape[d], 1
    if not isinstance(size, int):
        raise Unsupported("products of as many numbers as the program finds out")
    while step < size:
        before = Pair(*(b.slice_dim(part, d, 0, size - step) for part in (x.re, x.im)))
        behind = Pair(*(b.slice_dim(part, d, step, size) for part in (x.re, x.im)))
        made = product(b, before, behind)
        x = Pair(*(b.cat([b.slice_dim(p, d, 0, step), q], d) for p, q in ((x.re, made.re), (x.im, made.im))))
        step *= 2
    return x
