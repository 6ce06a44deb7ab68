# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers: two tensors each, the real and the imaginary parts. At arguments and results of a package they
are one tensor with a last dimension of 2."""
import math

from ..pair import PARTS, Pair
from ..text import Value
from . import find
from .common import Unsupported, axis, elements, is_number, operand
from .fourier import inverse_real, transform, transform_real
from .movement import cut
from .plane import Plane

TABLE = {}


def of_last(b, x):
    """The pair in a last dimension of 2."""
    parts = (b.slice_dim(x, x.rank - 1, i, i + 1) for i in (0, 1))
    return Pair(*(b.reshape(part, x.shape[:-1]) for part in parts))


def as_last(b, x):
    return b.cat([b.reshape(part, [*x.shape, 1]) for part in (x.re, x.im)], x.rank)


def involved(out, arguments):
    """Whether complex numbers go into or come out of an operation."""
    if isinstance(out, list):
        return any(involved(one, ()) for one in out if one is not None) or involved(None, arguments)
    return (out is not None and out.dtype in PARTS) or any(
        isinstance(one, (Pair, complex)) or (isinstance(one, list) and involved(None, one)) for one in arguments)


def lowers(*names):
    def register(function):
        for name in names:
            TABLE[name] = function
        return function
    return register


def pair(b, x, out, shape=None):
    """An operand as a pair of the result's type and shape."""
    dtype, shape = PARTS[out.dtype], out.shape if shape is None else shape
    if isinstance(x, Pair):
        return Pair(*(operand(b, part, dtype, shape) for part in (x.re, x.im)))
    if isinstance(x, complex):
        return Pair(b.full(x.real, dtype, shape), b.full(x.imag, dtype, shape))
    return Pair(operand(b, x, dtype, shape), b.full(0, dtype, shape))


def lower(b, out, operation, arguments, options):
    function = TABLE.get(operation) or TABLE.get(operation.split(".")[0])
    if function:
        return function(b, out, *arguments, **options)
    if operation in EACH or operation.split(".")[0] in EACH:
        return each(b, out, operation, arguments, options)
    raise Unsupported("complex numbers")


#: Operations that are of complex numbers alone.
ONLY = {"complex.default", "polar.default", "view_as_real.default", "view_as_complex.default", "_fft_c2c.default", "_fft_r2c.default",
        "_fft_c2r.default", "_conj.default", "real.default", "imag.default"}
#: What acts on both parts alike.
EACH = {"_neg_view", "_neg_view_copy", "_new_zeros_with_same_feature_meta",
        "_reshape_alias", "_unsafe_index", "_unsafe_index_put", "_unsafe_view", "alias", "alias_copy", "as_strided",
        "as_strided_copy", "cat", "clone", "contiguous", "cumsum", "detach", "detach_copy", "diagonal", "diagonal_copy",
        "empty", "empty_like", "empty_permuted", "empty_strided", "expand", "expand_copy", "flatten", "flip", "gather",
        "index", "index_put", "index_select", "lift_fresh", "lift_fresh_copy", "masked_select", "mean", "neg",
        "new_empty", "new_empty_strided", "new_zeros", "permute", "permute_copy", "positive", "repeat", "reshape",
        "resolve_conj", "resolve_neg", "scatter", "scatter_add", "select", "select_copy", "select_scatter", "slice",
        "slice_copy", "slice_scatter", "split", "split_copy", "split_with_sizes", "split_with_sizes_copy", "squeeze",
        "squeeze_", "squeeze_copy", "stack", "sum", "t", "t_copy", "transpose", "transpose_", "transpose_copy",
        "unbind", "unbind_copy", "unflatten", "unfold", "unfold_copy", "unsqueeze", "unsqueeze_", "unsqueeze_copy",
        "view", "view_copy", "view_of", "zeros", "zeros_like"}


#: What joins tensors, or writes some into others: real ones have imaginary parts of 0 there.
WRITTEN = {"cat", "stack", "slice_scatter", "select_scatter", "index_put", "_unsafe_index_put", "scatter", "scatter_add"}


def _part(x, name):
    if isinstance(x, Pair):
        return getattr(x, name)
    if isinstance(x, complex):
        return x.real if name == "re" else x.imag
    return [_part(one, name) for one in x] if isinstance(x, list) else x


def _part_out(out):
    if isinstance(out, list):
        return [_part_out(one) for one in out]
    made = out.named(out.operation)
    made.dtype = PARTS.get(out.dtype, out.dtype)
    return made


def each(b, out, operation, arguments, options):
    function, wanted = find(operation), _part_out(out)
    if function is None or "reduce" in options:
        raise Unsupported("complex numbers")
    if not isinstance(out, list) and out.dtype not in PARTS:  # real numbers, of the shape of complex ones
        return function(b, out, *(_part(x, "re") for x in arguments), **options)

    name = operation.split(".")[0]

    def with_zeros(x):  # real numbers among complex ones
        return pair(b, x, out, x.shape) if isinstance(x, Value) and x.dtype in PARTS.values() and name in WRITTEN else x

    if name == "scatter" and is_number(arguments[-1]):
        arguments = [*arguments[:-1], complex(arguments[-1])]
    arguments = [with_zeros(one) for one in arguments]
    arguments = [[with_zeros(x) for x in one] if isinstance(one, list) else one for one in arguments]
    made = [function(b, wanted, *(_part(x, name) for x in arguments), **options) for name in ("re", "im")]
    return [Pair(*both) for both in zip(*made)] if isinstance(out, list) else Pair(*made)


@lowers("view_as_real", "view_as_real_copy")
def view_as_real(b, out, x):
    return as_last(b, x)


@lowers("view_as_complex", "view_as_complex_copy")
def view_as_complex(b, out, x):
    return of_last(b, x)


@lowers("view.dtype", "view_copy.dtype")
def view_dtype(b, out, x, dtype):
    """Numbers as their two parts, or parts as numbers; other types see the bits of these parts."""
    view = find("view.dtype")
    if isinstance(x, Pair):
        parts = as_last(b, x)
        x = b.reshape(parts, [*x.shape[:-1], x.shape[-1] * 2])
    if out.dtype not in PARTS:
        return x if x.dtype == out.dtype else view(b, out, x, dtype)
    wanted = out.named(out.operation)
    wanted.dtype, wanted.shape = PARTS[out.dtype], (*out.shape[:-1], out.shape[-1] * 2)
    if x.dtype != wanted.dtype:
        x = view(b, wanted, x, dtype)
    return of_last(b, b.reshape(x, [*out.shape, 2]))


@lowers("complex.default")
def complex_(b, out, re, im):
    return Pair(*(operand(b, x, PARTS[out.dtype], out.shape) for x in (re, im)))


@lowers("polar.default")
def polar(b, out, size, angle):
    size, angle = (operand(b, x, PARTS[out.dtype], out.shape) for x in (size, angle))
    return Pair(b.binary("mul", size, b.unary("cos", angle)), b.binary("mul", size, b.unary("sin", angle)))


@lowers("real.default")
def real(b, out, x):
    return x.re


@lowers("imag.default")
def imag(b, out, x):
    return x.im


@lowers("_conj", "conj", "conj_physical", "_conj_physical", "_conj_copy")
def conj(b, out, x):
    x = pair(b, x, out)  # torch asks for that of a number, too
    return Pair(x.re, b.unary("neg", x.im))


@lowers("_to_copy", "convert_element_type", "to")
def convert(b, out, x, *args, **options):
    if out.dtype in PARTS:
        return pair(b, x, out)
    if out.dtype == "i1":
        zero = b.full_like(0, x.re)
        return b.binary("bitwise_or", b.compare("ne", x.re, zero), b.compare("ne", x.im, zero))
    return b.convert(x.re, out.dtype)


@lowers("full", "full_like", "new_full", "fill", "scalar_tensor")
def full(b, out, *args, **options):
    value = next(x for x in reversed(args) if is_number(x) or isinstance(x, (complex, Pair, Value)))
    return pair(b, value, out) if out.dtype in PARTS else operand(b, value, out.dtype, out.shape)


@lowers("ones", "ones_like", "new_ones")
def ones(b, out, *args, **options):
    return pair(b, 1, out) if out.dtype in PARTS else operand(b, 1, out.dtype, out.shape)


@lowers("copy.default")
def copy(b, out, x, source, non_blocking=False):
    return pair(b, source, out)


@lowers("where.self")
def where(b, out, condition, x, y):
    condition = operand(b, condition, "i1", out.shape)
    x, y = pair(b, x, out), pair(b, y, out)
    return Pair(b.where(condition, x.re, y.re), b.where(condition, x.im, y.im))


@lowers("constant_pad_nd.default")
def constant_pad(b, out, x, pads, value=0):
    value = complex(value)
    function, wanted = find("constant_pad_nd.default"), _part_out(out)
    return Pair(function(b, wanted, x.re, pads, value.real), function(b, wanted, x.im, pads, value.imag))


def _scaled(b, x, alpha, out):
    return x if alpha == 1 else Plane(b).product(x, pair(b, alpha, out))


@lowers("add.Tensor", "add.Scalar", "add.default")
def add(b, out, x, y, *, alpha=1, name="add"):
    x, y = pair(b, x, out), _scaled(b, pair(b, y, out), alpha, out)
    return Pair(b.binary(name, x.re, y.re), b.binary(name, x.im, y.im))


@lowers("sub.Tensor", "sub.Scalar", "sub.default")
def sub(b, out, x, y, *, alpha=1):
    return add(b, out, x, y, alpha=alpha, name="sub")


@lowers("rsub.Tensor", "rsub.Scalar")
def rsub(b, out, x, y, alpha=1):
    return sub(b, out, y, x, alpha=alpha)


@lowers("mul.Tensor", "mul.Scalar", "mul.default")
def mul(b, out, x, y):
    if isinstance(x, Pair) and not isinstance(y, (Pair, complex)) or isinstance(y, Pair) and not isinstance(x, (Pair, complex)):
        x, y = (x, y) if isinstance(x, Pair) else (y, x)
        x, y = pair(b, x, out), operand(b, y, PARTS[out.dtype], out.shape)
        return Pair(b.binary("mul", x.re, y), b.binary("mul", x.im, y))
    return Plane(b).product(pair(b, x, out), pair(b, y, out))


def plane(b, out):
    """Arithmetic in f64."""
    return Plane(b, is_wide=PARTS[out.dtype] == "f32")


def wide(b, x):
    return Pair(b.convert(x.re, "f64"), b.convert(x.im, "f64"))


def rounded(b, x, out):
    return Pair(b.convert(x.re, PARTS[out.dtype]), b.convert(x.im, PARTS[out.dtype]))


def quotient(b, out, x, y):
    """In f64, whose range has squares of f32."""
    return rounded(b, plane(b, out).div(wide(b, x), wide(b, y)), out)


@lowers("div.Tensor", "div.Scalar", "div.default", "true_divide.Tensor")
def div(b, out, x, y):
    if not isinstance(y, (Pair, complex)):
        x, y = pair(b, x, out), operand(b, y, PARTS[out.dtype], out.shape)
        return Pair(b.binary("div", x.re, y), b.binary("div", x.im, y))
    return quotient(b, out, pair(b, x, out), pair(b, y, out))


@lowers("reciprocal.default")
def reciprocal(b, out, x):
    return quotient(b, out, pair(b, 1, out), x)


@lowers("abs.default")
def size(b, out, x):
    return b.binary("hypot", x.re, x.im)


@lowers("angle.default")
def angle(b, out, x):
    return b.binary("atan2", x.im, x.re)


@lowers("sgn.default")
def sgn(b, out, x):
    length = b.binary("hypot", x.re, x.im)
    none = b.compare("eq", length, b.full_like(0, length))
    length = b.where(none, b.full_like(1, length), length)
    return Pair(b.binary("div", x.re, length), b.binary("div", x.im, length))


@lowers("exp.default")
def exp(b, out, x):
    return Plane(b).exp(x)


@lowers("log.default")
def log(b, out, x):
    return Plane(b).log(x)


@lowers("eq.Tensor", "eq.Scalar", "ne.Tensor", "ne.Scalar")
def equal(b, out, x, y):
    wanted = out.named(out.operation)
    wanted.dtype = next(v.dtype for v in (x, y) if isinstance(v, Pair))
    x, y = pair(b, x, wanted), pair(b, y, wanted)
    name = out.operation[:2]
    return b.binary("bitwise_and" if name == "eq" else "bitwise_or", b.compare(name, x.re, y.re), b.compare(name, x.im, y.im))


@lowers("mm.default", "bmm.default", "dot.default", "mv.default")
def matmul(b, out, x, y):
    function, wanted = find(out.operation), _part_out(out)
    part = lambda p, q: function(b, wanted, p, q)  # noqa: E731
    x, y = pair(b, x, out, x.shape), pair(b, y, out, y.shape)
    return Pair(b.binary("sub", part(x.re, y.re), part(x.im, y.im)), b.binary("add", part(x.re, y.im), part(x.im, y.re)))


def _normed(b, x, count, normalization):
    if not isinstance(count, int) and normalization:
        divisor = operand(b, count, x.dtype, x.shape)
        return b.binary("div", x, b.unary("sqrt", divisor) if normalization == 1 else divisor)
    factor = {0: 1, 1: 1 / math.sqrt(count), 2: 1 / count}[normalization] if normalization else 1
    return x if factor == 1 else b.binary("mul", x, b.full_like(factor, x))


def _mirrored(b, re, im, dim, size, half):
    """`size` elements along a dimension of which `half` are there: the others are the conjugates of those that mirror them."""
    place = b.iota("i64", (size,), 0)
    is_mirror = b.compare("ge", place, operand(b, half, "i64", place.shape))
    source = b.where(is_mirror, b.binary("sub", operand(b, size, "i64", place.shape), place), place)
    re, im = (b.gather(part, source, dim) for part in (re, im))
    return re, b.where(b.broadcast_in_dim(is_mirror, [dim], im.shape), b.unary("neg", im), im)


@lowers("_fft_c2c.default")
def fft_c2c(b, out, x, dims, normalization, forward):
    re, im = x.re, x.im
    for d in dims:
        re, im = transform(b, re, im, axis(d, x.rank), forward)
    count = elements(x.shape[d] for d in dims)
    return Pair(*(_normed(b, part, count, normalization) for part in (re, im)))


@lowers("_fft_r2c.default")
def fft_r2c(b, out, x, dims, normalization, onesided):
    re, im = b.convert(x, PARTS[out.dtype]), None
    count = elements(x.shape[d] for d in dims)
    last = axis(dims[-1], x.rank)
    for d in reversed(dims):
        d = axis(d, x.rank)
        if d == last and onesided and isinstance(x.shape[d], int):
            re, im = transform_real(b, re, d)
            continue
        re, im = transform(b, re, im, d, True)
        if d == last and onesided:
            re, im = (cut(b, part, d, x.shape[d] // 2 + 1) for part in (re, im))
    return Pair(*(_normed(b, part, count, normalization) for part in (re, im)))


@lowers("_fft_c2r.default")
def fft_c2r(b, out, x, dims, normalization, size):
    re, im = x.re, x.im
    for d in dims[:-1]:
        re, im = transform(b, re, im, axis(d, x.rank), False)
    d = axis(dims[-1], x.rank)
    half = size // 2 + 1
    re, im = (cut(b, part, d, half) for part in (re, im))
    if isinstance(size, int):
        made = inverse_real(b, re, im, d, size)
        return _normed(b, made, elements(out.shape[d] for d in dims), normalization)
    # Of numbers that stand for themselves the imaginary parts count for nothing.
    place = b.iota("i64", (half,), 0)
    own = b.compare("eq", place, b.full_like(0, place))
    middle = b.compare("eq", b.binary("add", place, place), operand(b, size, "i64", place.shape))
    own = b.binary("bitwise_or", own, middle)
    im = b.where(b.broadcast_in_dim(own, [d], im.shape), b.full_like(0, im), im)
    re, im = _mirrored(b, re, im, d, size, half)
    made, _ = transform(b, re, im, d, False)
    return _normed(b, made, elements(out.shape[d] for d in dims), normalization)
