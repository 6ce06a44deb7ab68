# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of complex numbers, by those of their parts. They are computed in f64 and rounded at the end, so that what cancels
costs no digits of f32."""
import math

from ..pair import Pair
from . import find
from .common import Unsupported, axes, operand
from .indexing import cut, scattered
from .pairs import _part_out, _scaled, add, lowers, mul, pair, plane, quotient, rounded, sub, wide
from .plane import LOG_2, Plane

FUNCTIONS = {name: getattr(Plane, name) for name in (
    "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "log1p", "expm1",
    "sigmoid", "silu")}
FUNCTIONS.update({
    "log2": lambda p, x: p.times(p.log(x), 1 / LOG_2), "log10": lambda p, x: p.times(p.log(x), 1 / math.log(10)),
    "exp2": lambda p, x: p.exp(p.times(x, LOG_2)),
})


for _name, _function in FUNCTIONS.items():
    lowers(f"{_name}.default")(lambda b, out, x, _function=_function: rounded(b, _function(plane(b, out), wide(b, x)), out))


#: Powers that are functions of their own.
EXPONENTS = {0.5: Plane.sqrt, -0.5: Plane.rsqrt, -1: Plane.inverse, -2: lambda p, x: p.inverse(p.product(x, x))}


@lowers("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def power(b, out, x, y):
    numbers = plane(b, out)
    if isinstance(y, (int, float)) and y in (1, 2, 3):
        x = made = pair(b, x, out)
        for _ in range(int(y) - 1):
            made = numbers.product(made, x)
        return made
    x = wide(b, pair(b, x, out))
    if isinstance(y, (int, float)) and y in EXPONENTS:
        return rounded(b, EXPONENTS[y](numbers, x), out)
    if isinstance(y, (int, float)):
        return rounded(b, numbers.power_of(x, y), out)
    return rounded(b, numbers.power(x, wide(b, pair(b, y, out))), out)


@lowers("tanh_backward.default", "sigmoid_backward.default")
def slope(b, out, grad, made):
    """By the conjugate of 1 - t t, or of s (1 - s)."""
    one, made = pair(b, 1, out), pair(b, made, out)
    square = Plane(b).product(made, made)
    found = sub(b, out, one if out.operation.startswith("tanh") else made, square)
    return Plane(b).product(pair(b, grad, out), Pair(found.re, b.unary("neg", found.im)))


@lowers("addcmul.default", "addcdiv.default")
def addc(b, out, x, y, z, *, value=1):
    y, z = pair(b, y, out), pair(b, z, out)
    made = Plane(b).product(y, z) if out.operation.startswith("addcmul") else quotient(b, out, y, z)
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
    dims, numbers, x = axes(dim, x.rank), plane(b, out), wide(b, x)
    top = b.keep(b.reduce("amax", x.re, dims), dims, x.rank)
    top = b.where(b.compare("lt", b.unary("abs", top), b.full_like(math.inf, top)), top, b.full_like(0, top))
    powers = numbers.exp(Pair(b.binary("sub", x.re, b.broadcast(top, x.shape)), x.im))
    made = numbers.log(Pair(*(b.keep(b.reduce("sum", part, dims), dims, x.rank) for part in (powers.re, powers.im))))
    made = Pair(b.binary("add", made.re, top), made.im)
    return rounded(b, Pair(b.reshape(made.re, out.shape), b.reshape(made.im, out.shape)), out)


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
            made = Plane(b).product(low, high)
            if size % 2:
                made = Pair(*(b.cat([p, cut(q, size - 1, size)], d) for p, q in ((made.re, x.re), (made.im, x.im))))
            x, size = made, half + size % 2
    return Pair(b.reshape(x.re, out.shape), b.reshape(x.im, out.shape))


def _scanned(b, x, dim, join):
    """Each number joined with all before it: with those that stand a power of two before, for one power after the other."""
    if not x.rank:
        return x
    d = dim % x.rank
    size, step = x.shape[d], 1
    if not isinstance(size, int):
        raise Unsupported("a scan of as many complex numbers as the program finds out")
    while step < size:
        before = Pair(*(b.slice_dim(part, d, 0, size - step) for part in (x.re, x.im)))
        behind = Pair(*(b.slice_dim(part, d, step, size) for part in (x.re, x.im)))
        made = join(before, behind)
        x = Pair(*(b.cat([b.slice_dim(p, d, 0, step), q], d) for p, q in ((x.re, made.re), (x.im, made.im))))
        step *= 2
    return x


@lowers("cumprod.default")
def cumprod(b, out, x, dim, *, dtype=None):
    return _scanned(b, x, dim, Plane(b).product)


#: So many steps are written out, one after the other.
MOST_STEPS = 64


@lowers("logcumsumexp.default")
def logcumsumexp(b, out, x, dim):
    """In f64. The imaginary part goes on from that of the larger number, as in eager mode, which joins one after the other: so do
    short lines here. In longer ones it may differ by multiples of two pi."""
    numbers = plane(b, out)
    infinity = lambda sign, v: b.compare("eq", v, b.full_like(sign * math.inf, v))  # noqa: E731
    each = lambda name, x, y: Pair(b.binary(name, x.re, y.re), b.binary(name, x.im, y.im))  # noqa: E731

    def join(x, y):
        first = b.compare("lt", x.re, y.re)
        small, large = numbers.chosen(first, x, y), numbers.chosen(first, y, x)
        made = each("add", numbers.log1p(numbers.exp(each("sub", small, large))), large)
        whole = numbers.log(each("add", numbers.exp(small), numbers.exp(large)))
        made = numbers.chosen(infinity(1, small.re), whole, made)
        return numbers.chosen(infinity(-1, large.re), small, made)

    x, size = wide(b, x), x.shape[dim] if x.rank else 1
    if not isinstance(size, int) or size > MOST_STEPS:
        return rounded(b, _scanned(b, x, dim, join), out)
    at = lambda k: Pair(*(b.slice_dim(part, dim % x.rank, k, k + 1) for part in (x.re, x.im)))  # noqa: E731
    made = [at(0)] if size > 1 else [x]
    for k in range(1, size):
        made.append(join(at(k), made[-1]))
    if size > 1:
        x = Pair(*(b.cat([getattr(one, part) for one in made], dim % x.rank) for part in ("re", "im")))
    return rounded(b, x, out)


@lowers("scatter.reduce", "scatter.value_reduce")
def scatter_reduce(b, out, x, dim, index, source, *, reduce):
    """Sums of each part; products of one line of the index after the other, as a line names no place twice."""
    vector = lambda v: v if v.rank else b.reshape(v, [1])  # noqa: E731
    source = pair(b, source, out, source.shape if hasattr(source, "shape") else index.shape)
    if not x.rank:
        made = scatter_reduce(b, out, Pair(vector(x.re), vector(x.im)), 0, vector(index),
                              Pair(vector(source.re), vector(source.im)), reduce=reduce)
        return Pair(b.reshape(made.re, ()), b.reshape(made.im, ()))
    d, index = dim % x.rank, vector(index)
    parts = [cut(b, vector(part), index.shape, -1) for part in (source.re, source.im)]
    if reduce == "add":
        return Pair(*(scattered(b, "add", mine, d, index, part) for mine, part in zip((x.re, x.im), parts)))
    lines = index.shape[d]
    if not isinstance(lines, int) or lines > MOST_STEPS:
        raise Unsupported(f"complex products at more than {MOST_STEPS} places of a line")
    for k in range(lines):
        line, factor = b.slice_dim(index, d, k, k + 1), Pair(*(b.slice_dim(part, d, k, k + 1) for part in parts))
        wanted = _part_out(out).named("gather.default")
        wanted.shape = line.shape
        own = Pair(*(find("gather.default")(b, wanted, part, d, line) for part in (x.re, x.im)))
        made = Plane(b).product(own, factor)
        x = Pair(*(scattered(b, "set", mine, d, line, part) for mine, part in ((x.re, made.re), (x.im, made.im))))
    return x
