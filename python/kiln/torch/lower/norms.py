# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and norms, whole."""
import math

from . import lowers
from .common import axis, wide
from .reductions import mean_of


@lowers("_softmax.default", "softmax.int", "_safe_softmax.default")
def softmax(b, out, x, dim, half_to_float=False, dtype=None):
    x = b.convert(x, out.dtype)
    if not x.rank:
        return b.reshape(b.softmax(b.reshape(x, [1]), 0), [])
    d = axis(dim, x.rank)
    made = b.softmax(x, d)
    if out.operation.startswith("_safe"):  # rows of nothing but minus infinity give zeros
        made = without_empty_rows(b, made, x, d)
    return made


def without_empty_rows(b, made, scores, dim):
    top = b.keep(b.reduce("amax", scores, [dim]), [dim], scores.rank)
    empty = b.compare("eq", top, b.full_like(float("-inf"), top))
    return b.where(b.broadcast(empty, made.shape), b.full_like(0, made), made)


@lowers("_log_softmax.default", "log_softmax.int")
def log_softmax(b, out, x, dim, half_to_float=False, dtype=None):
    x = b.convert(x, wide(out.dtype))
    if not x.rank:
        return b.convert(b.binary("sub", x, x), out.dtype)
    dims = [axis(dim, x.rank)]
    top = b.keep(b.reduce("amax", x, dims), dims, x.rank)
    apart = b.binary("sub", x, b.broadcast(top, x.shape))
    total = b.keep(b.reduce("sum", b.unary("exp", apart), dims), dims, x.rank)
    return b.convert(b.binary("sub", apart, b.broadcast(b.unary("log", total), x.shape)), out.dtype)


@lowers("_softmax_backward_data.default")
def softmax_backward(b, out, grad, made, dim, input_dtype=None):
    grad, made = (b.convert(v, wide(v.dtype)) for v in (grad, made))
    dims = [axis(dim, grad.rank)] if grad.rank else []
    product = b.binary("mul", grad, made)
    total = b.keep(b.reduce("sum", product, dims), dims, grad.rank)
    return b.convert(b.binary("sub", product, b.binary("mul", made, b.broadcast(total, made.shape))), out.dtype)


@lowers("_log_softmax_backward_data.default")
def log_softmax_backward(b, out, grad, made, dim, input_dtype=None):
    grad, made = (b.convert(v, wide(v.dtype)) for v in (grad, made))
    dims = [axis(dim, grad.rank)] if grad.rank else []
    total = b.keep(b.reduce("sum", grad, dims), dims, grad.rank)
    return b.convert(b.binary("sub", grad, b.binary("mul", b.unary("exp", made), b.broadcast(total, made.shape))), out.dtype)


@lowers("native_layer_norm.default", "layer_norm.default")
def layer_norm(b, out, x, shape, weight=None, bias=None, eps=1e-5, *more):
    several = isinstance(out, list)
    result = out[0] if several else out
    if weight is None and bias is not None:
        weight = b.full(1, x.dtype, shape)
    same = lambda v: None if v is None else b.convert(v, x.dtype)  # noqa: E731
    is_whole = 0 <= eps < math.inf  # prim.layer_norm takes no other
    mean = rstd = None
    if not is_whole or several and (out[1].used or out[2].used):
        dims = list(range(x.rank - len(shape), x.rank))
        exact = b.convert(x, wide(x.dtype))
        mean = mean_of(b, exact, dims)
        apart = b.binary("sub", exact, b.broadcast(mean, x.shape))
        var = mean_of(b, b.binary("mul", apart, apart), dims)
        rstd = b.unary("rsqrt", b.binary("add", var, b.full_like(eps, var)))
    if is_whole:
        made = b.norm("layer_norm", x, same(weight), same(bias), len(shape), eps)
    else:
        made = b.binary("mul", apart, b.broadcast(rstd, x.shape))
        each = lambda v: b.broadcast_in_dim(b.convert(v, made.dtype), dims, x.shape)  # noqa: E731
        made = made if weight is None else b.binary("mul", made, each(weight))
        made = made if bias is None else b.binary("add", made, each(bias))
    made = b.convert(made, result.dtype)
    if not several:
        return made
    return [made, *(None if v is None else b.convert(v, one.dtype) for v, one in zip((mean, rstd), out[1:]))]


@lowers("_fused_rms_norm.default", "rms_norm.default")
def rms_norm(b, out, x, shape, weight=None, eps=None):
    several = isinstance(out, list)
    if eps is None:
        eps = {"f64": 2.220446049250313e-16, "f32": 1.1920928955078125e-07}[wide(x.dtype)]
    made = b.norm("rms_norm", x, None if weight is None else b.convert(weight, x.dtype), None, len(shape), eps)
    if not several:
        return b.convert(made, out.dtype)
    rstd = None
    if out[1].used:
        dims = list(range(x.rank - len(shape), x.rank))
        x = b.convert(x, wide(x.dtype))
        mean = mean_of(b, b.binary("mul", x, x), dims)
        rstd = b.convert(b.unary("rsqrt", b.binary("add", mean, b.full_like(eps, mean))), out[1].dtype)
    return [b.convert(made, out[0].dtype), rstd]


@lowers("_native_batch_norm_legit_no_training.default")
def batch_norm(b, out, x, weight, bias, mean, var, momentum, eps):
    """With the statistics that are given, as torch takes it apart: here it is one node that is traced instead of
    eighteen."""
    dtype = wide(x.dtype)
    each = lambda v: b.broadcast_in_dim(b.convert(v, dtype), [1], x.shape)  # noqa: E731
    var = b.convert(var, dtype)
    rstd = b.unary("reciprocal", b.unary("sqrt", b.binary("add", var, b.full_like(eps, var))))
    made = b.binary("mul", b.binary("sub", b.convert(x, dtype), each(mean)), each(rstd))
    if weight is not None:
        made = b.binary("mul", made, each(weight))
    if bias is not None:
        made = b.binary("add", made, each(bias))
    # What training would keep is empty.
    return [b.convert(made, out[0].dtype), *(b.full(0, one.dtype, one.shape) if one.used else None for one in out[1:])]
