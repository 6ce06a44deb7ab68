# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention, whole where only its result is asked for."""
import math

from . import lowers
from .common import Unsupported, operand, wide


def causal_mask(b, rows, columns, dtype):
    """0 where a query sees a key, else minus infinity."""
    shape = (rows, columns)
    # Wider numbers would make what reads the mask half as wide.
    seen = b.compare("ge", b.iota("i32", shape, 0), b.iota("i32", shape, 1))
    return b.where(seen, b.full(0, dtype, shape), b.full(-math.inf, dtype, shape))


def mask_of(b, q, k, mask, is_causal, dtype):
    """What is added to the scores, in their shape, or None."""
    shape = (*q.shape[:-1], k.shape[-2])
    if is_causal:
        if mask is not None:
            raise Unsupported("attention that is causal and has a mask")
        return b.broadcast(causal_mask(b, q.shape[-2], k.shape[-2], dtype), shape)
    if mask is None:
        return None
    if mask.dtype == "i1":
        mask = b.where(mask, b.full(0, dtype, mask.shape), b.full(-math.inf, dtype, mask.shape))
    return operand(b, mask, dtype, shape)


def grouped(b, x, heads):
    """Heads of keys and values that several heads of queries share, repeated."""
    if x.rank != 4 or x.shape[1] == heads:
        return x
    batch, few, n, d = x.shape
    wide_shape = (batch, few, heads // few, n, d)
    return b.reshape(b.broadcast_in_dim(x, [0, 1, 3, 4], wide_shape), (batch, heads, n, d))


def scaled(b, q, scale):
    """The queries and the factor of the scores: of features whose number is not known the queries take it."""
    if scale is not None and isinstance(scale, (int, float)):
        return q, scale
    if scale is None and isinstance(q.shape[-1], int):
        return q, 1 / math.sqrt(q.shape[-1])
    dtype = wide(q.dtype)
    factor = operand(b, q.shape[-1] if scale is None else scale, dtype, q.shape)
    name, factor = ("div", b.unary("sqrt", factor)) if scale is None else ("mul", factor)
    return b.convert(b.binary(name, b.convert(q, dtype), factor), q.dtype), 1.0


def attend(b, out, q, k, v, mask, is_causal, dropout_p, scale):
    """The result, and the logarithm of the sums of exponentials if `out` is that of something that reads it."""
    if dropout_p != 0:
        raise Unsupported("attention with dropout")
    q, scale = scaled(b, q, scale)
    k, v = grouped(b, k, q.shape[1]), grouped(b, v, q.shape[1])
    empty = None if mask is None or is_causal else rows_without_keys(b, mask, q.dtype)
    mask = mask_of(b, q, k, mask, is_causal, q.dtype)
    if out is not None and out.used:
        made, logsumexp = b.attention_with_logsumexp(q, k, v, mask, scale)
        logsumexp = b.convert(logsumexp, out.dtype)
    else:
        made, logsumexp = b.attention(q, k, v, mask, scale), None
    if empty is not None:  # they give zeros
        made = b.where(b.broadcast(empty, made.shape), b.full_like(0, made), made)
    return made, logsumexp


def rows_without_keys(b, mask, dtype):
    """Where a mask, of the shape that it is given in, excludes every key."""
    dims = [mask.rank - 1]
    if mask.dtype == "i1":
        return b.unary("bitwise_not", b.keep(b.reduce("amax", mask, dims), dims, mask.rank))
    top = b.keep(b.reduce("amax", b.convert(mask, dtype), dims), dims, mask.rank)
    return b.compare("eq", top, b.full_like(-math.inf, top))


@lowers("scaled_dot_product_attention.default")
def attention(b, out, q, k, v, attn_mask=None, dropout_p=0, is_causal=False, *, scale=None, enable_gqa=False):
    return attend(b, None, q, k, v, attn_mask, is_causal, dropout_p, scale)[0]


@lowers("_scaled_dot_product_flash_attention_for_cpu.default")
def cpu_attention(b, out, q, k, v, dropout_p=0, is_causal=False, *, attn_mask=None, scale=None):
    return list(attend(b, out[1], q, k, v, attn_mask, is_causal, dropout_p, scale))


@lowers("_scaled_dot_product_flash_attention_for_cpu_backward.default")
def cpu_attention_backward(b, out, grad, q, k, v, made, lse, dropout_p, is_causal, *, attn_mask=None, scale=None):
    return gradients(b, out, grad, q, k, v, made, lse, attn_mask, dropout_p, is_causal, scale)


def gradients(b, out, grad, q, k, v, made, lse, mask, dropout_p, is_causal, scale):
    """The gradients by query, key and value."""
    if dropout_p != 0:
        raise Unsupported("the gradient of attention with dropout")
    heads = k.shape[1] if k.rank == 4 else None
    k, v = grouped(b, k, q.shape[1]), grouped(b, v, q.shape[1])
    name = q.name
    q, factor = scaled(b, q, scale)
    is_in_queries = q.name != name
    mask = mask_of(b, q, k, mask, is_causal, q.dtype)
    made, grad = b.convert(made, q.dtype), b.convert(grad, q.dtype)
    if lse.dtype != wide(q.dtype):  # torch says f32 of f64's, too, while it traces
        lse = b.attention_with_logsumexp(q, k, v, mask, factor)[1]
    grad_q, grad_k, grad_v = b.attention_backward(q, k, v, made, grad, b.convert(lse, wide(q.dtype)), mask, factor)
    if is_in_queries:
        grad_q = scaled(b, grad_q, scale)[0]
    grad_k, grad_v = (t if heads is None or t.shape[1] == heads else of_groups(b, t, heads) for t in (grad_k, grad_v))
    return [b.convert(t, one.dtype) for t, one in zip((grad_q, grad_k, grad_v), out)]


def of_groups(b, grad, heads):
    """The gradient of heads that several heads of queries share: the sum over those."""
    batch, many, n, d = grad.shape
    return b.reduce("sum", b.reshape(grad, (batch, heads, many // heads, n, d)), [2])
