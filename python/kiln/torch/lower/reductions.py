# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, scans, sorting."""
import math

from . import lowers
from .common import Unsupported, axes, axis, elements, is_float, wide


def reduced(b, name, x, dims, out, keepdim):
    made = b.reduce(name, x, dims)
    return b.keep(made, dims, x.rank) if keepdim else made


@lowers("sum.default", "sum.dim_IntList")
def sum_(b, out, x, dim=None, keepdim=False, *, dtype=None):
    return reduced(b, "sum", b.convert(x, out.dtype), axes(dim, x.rank), out, keepdim)


@lowers("prod.default", "prod.dim_int")
def prod(b, out, x, dim=None, keepdim=False, *, dtype=None):
    return reduced(b, "prod", b.convert(x, out.dtype), axes(dim, x.rank), out, keepdim)


def count_of(b, x, dims, dtype, shape):
    """The number of elements that a reduction joins, as a tensor."""
    count = elements(x.shape[d] for d in dims)
    if isinstance(count, int):
        return b.full(count, dtype, shape)
    return b.broadcast(b.convert(b.size_tensor(count), dtype), shape)


def mean_of(b, x, dims, keepdim=True):
    """In the type of x."""
    total = b.reduce("sum", x, dims)
    made = b.binary("div", total, count_of(b, x, dims, x.dtype, total.shape))
    return b.keep(made, dims, x.rank) if keepdim else made


@lowers("mean.default", "mean.dim")
def mean(b, out, x, dim=None, keepdim=False, *, dtype=None):
    return b.convert(mean_of(b, b.convert(x, wide(out.dtype)), axes(dim, x.rank), keepdim), out.dtype)


@lowers("amax.default", "amin.default", "max.default", "min.default")
def extremum(b, out, x, dim=None, keepdim=False):
    name = out.operation.split(".")[0]
    return reduced(b, name if name[0] == "a" else f"a{name}", x, axes(dim, x.rank), out, keepdim)


@lowers("any.default", "any.dim", "any.dims", "all.default", "all.dim", "all.dims")
def truth(b, out, x, dim=None, keepdim=False):
    name = "amin" if out.operation.startswith("all") else "amax"
    made = reduced(b, name, b.convert(x, "i1"), axes(dim, x.rank), out, keepdim)
    return b.convert(made, out.dtype)


def arg_of(b, name, x, dim):
    """Index of the first extremum; i64 of the shape without `dim`."""
    if x.dtype == "i1":
        x = b.convert(x, "i8")
    if name == "argmin":  # the order of the opposite, in which NaN stays NaN
        x = b.unary("neg", x) if is_float(x.dtype) else b.unary("bitwise_not", x)
    return b.arg("argmax", x, dim)


@lowers("argmax.default", "argmin.default")
def arg(b, out, x, dim=None, keepdim=False):
    name = out.operation.split(".")[0]
    if dim is None or not x.rank:
        return b.reshape(arg_of(b, name, b.reshape(x, [elements(x.shape)]), 0), out.shape)
    return b.reshape(arg_of(b, name, x, axis(dim, x.rank)), out.shape)


@lowers("max.dim", "min.dim")
def extremum_and_index(b, out, x, dim, keepdim=False):
    name = out[0].operation.split(".")[0]
    if not x.rank:
        return [x, b.full(0, "i64", ())]
    d = axis(dim, x.rank)
    index = b.reshape(arg_of(b, f"arg{name}", x, d), out[1].shape) if out[1].used else None
    return [reduced(b, f"a{name}", x, [d], out[0], keepdim), index]


def moments(b, x, dims, correction):
    """Variance and mean, with the dimensions kept."""
    mean = mean_of(b, x, dims)
    apart = b.binary("sub", x, b.broadcast(mean, x.shape))
    total = b.keep(b.reduce("sum", b.binary("mul", apart, apart), dims), dims, x.rank)
    count = elements(x.shape[d] for d in dims)
    if not isinstance(count, int):
        counted = count_of(b, x, dims, x.dtype, total.shape)
        rest = b.binary("maximum", b.binary("sub", counted, b.full_like(correction, counted)), b.full_like(0, counted))
    else:
        rest = b.full_like(max(0, count - correction), total)
    return b.binary("div", total, rest), mean


@lowers("var.correction", "std.correction", "var.default", "std.default", "var.dim", "std.dim")
def var(b, out, x, dim=None, unbiased=None, keepdim=False, *, correction=None):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    correction = 1 if correction is None and unbiased is not False else correction or 0
    dims = axes(dim, x.rank)
    made, _ = moments(b, b.convert(x, wide(out.dtype)), dims, correction)
    if out.operation.startswith("std"):
        made = b.unary("sqrt", made)
    return b.convert(b.reshape(made, out.shape), out.dtype)


@lowers("var_mean.correction", "std_mean.correction")
def var_mean(b, out, x, dim=None, *, correction=None, keepdim=False):
    made, mean = moments(b, b.convert(x, wide(out[0].dtype)), axes(dim, x.rank), 1 if correction is None else correction)
    if out[0].operation.startswith("std"):
        made = b.unary("sqrt", made)
    return [b.convert(b.reshape(v, one.shape), one.dtype) for v, one in zip((made, mean), out)]


@lowers("logsumexp.default")
def logsumexp(b, out, x, dim, keepdim=False):
    dims = axes(dim, x.rank)
    x = b.convert(x, wide(out.dtype))
    top = b.keep(b.reduce("amax", x, dims), dims, x.rank)
    infinite = b.compare("eq", b.unary("abs", top), b.full_like(math.inf, top))
    base = b.where(infinite, b.full_like(0, top), top)
    total = b.keep(b.reduce("sum", b.unary("exp", b.binary("sub", x, b.broadcast(base, x.shape))), dims), dims, x.rank)
    return b.convert(b.reshape(b.binary("add", b.unary("log", total), base), out.shape), out.dtype)


@lowers("cumsum.default", "cumprod.default", "logcumsumexp.default")
def scan(b, out, x, dim, *, dtype=None):
    x = b.convert(x, out.dtype)
    kind = {"cumsum": "sum", "cumprod": "prod", "logcumsumexp": "logsumexp"}[out.operation.split(".")[0]]
    return b.scan(kind, x, axis(dim, x.rank)) if x.rank else x


@lowers("cummax.default", "cummin.default")
def extremum_scan(b, out, x, dim):
    if not x.rank:
        return [x, b.full(0, "i64", ())]
    d, kind = axis(dim, x.rank), out[0].operation[3:6]
    numbers = b.convert(x, "i8") if x.dtype == "i1" else x
    return [b.convert(b.scan(kind, numbers, d), x.dtype), b.arg_scan(kind, numbers, d) if out[1].used else None]


@lowers("sort.default", "sort.stable")
def sort(b, out, x, dim=-1, descending=False, *, stable=False):
    if not x.rank:
        return [x, b.full(0, "i64", ())]
    d = axis(dim, x.rank)
    values, indices = b.sort([x, b.iota("i64", x.shape, d)], d, 1, descending)
    return [values, indices]


@lowers("topk.default")
def topk(b, out, x, k, dim=-1, largest=True, sorted=True):
    if not x.rank and k == 1:
        return [x, b.full(0, "i64", ())]
    if not x.rank:
        raise Unsupported("topk of none of a scalar")
    d = axis(dim, x.rank)
    if not isinstance(k, int):  # the first of all, in order
        made = b.sort([x, b.iota("i64", x.shape, d)], d, 1, largest)
        return [b.dynamic_slice_dim(one, d, 0, [k if e == d else n for e, n in enumerate(x.shape)]) for one in made]
    values, indices = b.top_k(x, k, d, not largest)
    return [values, b.convert(indices, "i64")]
