# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and norms, whole."""
import math

from . import lowers
from .common import axis, wide
from .reductions import count_of, mean_of


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


@lowers("native_layer_norm_backward.default")
def layer_norm_backward(b, out, grad, x, shape, mean, rstd, weight=None, bias=None, *more):
    """All of it goes through the rows once: there is no number for each row that has to be known before."""
    dtype = wide(x.dtype)
    inner = list(range(x.rank - len(shape), x.rank))
    outer = list(range(inner[0]))
    grad, x, mean, rstd = (b.convert(v, dtype) for v in (grad, x, mean, rstd))

    def mul(first, second):
        return b.binary("mul", first, second)

    def all_of(v):
        return b.broadcast(v, x.shape)

    rstd = all_of(rstd)
    normed = mul(b.binary("sub", x, all_of(mean)), rstd)
    made = [None, None, None]
    wanted = [one is not None and one.used for one in out]
    if wanted[0]:
        scaled = grad if weight is None else mul(grad, b.broadcast_in_dim(b.convert(weight, dtype), inner, x.shape))
        centre, slope = (all_of(mean_of(b, v, inner)) for v in (scaled, mul(scaled, normed)))
        made[0] = mul(rstd, b.binary("sub", b.binary("sub", scaled, centre), mul(normed, slope)))
    for place, v in ((1, mul(grad, normed)), (2, grad)):
        if wanted[place]:
            made[place] = b.reduce("sum", v, outer) if outer else v
    return [None if v is None else b.convert(v, one.dtype) for v, one in zip(made, out)]


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


@lowers("native_group_norm_backward.default")
def group_norm_backward(b, out, grad, x, mean, rstd, weight, batch, channels, positions, groups, *more):
    """From the sums of each channel of an image. All that depends on groups has the shape [images, groups, channels of a group], so that
    one kernel computes it; the gradient of the input reads three numbers for each channel of an image."""
    dtype = wide(x.dtype)
    grid = (x.shape[0], groups, channels // groups)
    grad, x, mean, rstd = (b.convert(v, dtype) for v in (grad, x, mean, rstd))

    def mul(first, second):
        return b.binary("mul", first, second)

    def each(v):
        return b.broadcast_in_dim(b.reshape(v, grid[:2]), [0, 1], grid)

    def sums(v):
        dims = list(range(2, x.rank))
        return b.reshape(b.reduce("sum", v, dims) if dims else v, grid)

    of_products, of_grads = sums(mul(grad, x)), sums(grad)
    mean, rstd = each(mean), each(rstd)
    made = [None, None, None]
    wanted = [one is not None and one.used for one in out]
    if wanted[0]:
        gamma = b.broadcast_in_dim(b.reshape(b.convert(weight, dtype), grid[1:]), [1, 2], grid) if weight is not None else b.full(1, dtype, grid)
        products, grads = (each(b.reduce("sum", mul(v, gamma), [2])) for v in (of_products, of_grads))
        count = mul(count_of(b, x, list(range(2, x.rank)), dtype, grid), count_of(b, gamma, [2], dtype, grid))
        of_input = b.binary("div", mul(b.binary("sub", mul(grads, mean), products), mul(rstd, mul(rstd, rstd))), count)
        added = b.binary("sub", b.unary("neg", mul(of_input, mean)), b.binary("div", mul(grads, rstd), count))
        of_grad, of_input, added = (b.broadcast_in_dim(b.reshape(v, x.shape[:2]), [0, 1], x.shape) for v in (mul(rstd, gamma), of_input, added))
        made[0] = b.binary("add", b.binary("add", mul(grad, of_grad), mul(x, of_input)), added)
    if wanted[1]:
        made[1] = b.reduce("sum", mul(b.binary("sub", of_products, mul(of_grads, mean)), rstd), [0])
    if wanted[2]:
        made[2] = b.reduce("sum", of_grads, [0])
    return [None if v is None else b.convert(b.reshape(v, one.shape), one.dtype) for v, one in zip(made, out)]


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
