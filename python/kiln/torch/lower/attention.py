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


def scores_of(b, q, k, mask, scale):
    """query * key^T * scale + mask, in f32 or wider."""
    batch = list(range(q.rank - 2))
    scores = b.dot(q, k, (batch, batch), ([q.rank - 1], [q.rank - 1]), wide(q.dtype))
    scores = b.binary("mul", scores, b.full_like(scale, scores)) if scale != 1 else scores
    return scores if mask is None else b.binary("add", scores, mask)


def logsumexp_of(b, scores):
    """Along the last dimension, which stays as 1; and the exponentials and their sum."""
    dims = [scores.rank - 1]
    top = b.keep(b.reduce("amax", scores, dims), dims, scores.rank)
    empty = b.compare("eq", top, b.full_like(-math.inf, top))
    top = b.where(empty, b.full_like(0, top), top)
    powers = b.unary("exp", b.binary("sub", scores, b.broadcast(top, scores.shape)))
    total = b.keep(b.reduce("sum", powers, dims), dims, scores.rank)
    return b.binary("add", b.unary("log", total), top), powers, total, empty


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


@lowers("_scaled_dot_product_flash_attention_for_cpu.default", "scaled_dot_product_attention.default")
def attention(b, out, q, k, v, *args, **options):
    several = isinstance(out, list)
    if several:
        names = ("dropout_p", "is_causal")
    else:
        names = ("attn_mask", "dropout_p", "is_causal")
    given = {**dict(zip(names, args)), **options}
    mask, is_causal, scale = given.get("attn_mask"), given.get("is_causal", False), given.get("scale")
    if given.get("dropout_p", 0) != 0:
        raise Unsupported("attention with dropout")
    q, scale = scaled(b, q, scale)
    k, v = grouped(b, k, q.shape[1]), grouped(b, v, q.shape[1])
    if not several or not out[1].used:
        mask = mask_of(b, q, k, mask, is_causal, q.dtype)
        made = b.attention(q, k, v, mask, scale)
        if mask is not None and not is_causal:  # rows that see no key give zeros
            top = b.keep(b.reduce("amax", mask, [mask.rank - 1]), [mask.rank - 1], mask.rank)
            empty = b.compare("eq", top, b.full_like(-math.inf, top))
            made = b.where(b.broadcast(empty, made.shape), b.full_like(0, made), made)
        return [made, None] if several else made
    scores = scores_of(b, q, k, mask_of(b, q, k, mask, is_causal, wide(q.dtype)), scale)
    lse, powers, total, empty = logsumexp_of(b, scores)
    weights = b.binary("div", powers, b.broadcast(total, powers.shape))
    weights = b.where(b.broadcast(empty, weights.shape), b.full_like(0, weights), weights)
    batch = list(range(q.rank - 2))
    made = b.dot(weights, b.convert(v, weights.dtype), (batch, batch), ([q.rank - 1], [q.rank - 2]))
    return [b.convert(made, out[0].dtype), b.convert(b.reshape(lse, lse.shape[:-1]), out[1].dtype)]


@lowers("_scaled_dot_product_flash_attention_for_cpu_backward.default")
def attention_backward(b, out, grad, q, k, v, made, lse, dropout_p, is_causal, *, attn_mask=None, scale=None):
    if dropout_p != 0:
        raise Unsupported("the gradient of attention with dropout")
    heads = k.shape[1] if k.rank == 4 else None
    k, v = grouped(b, k, q.shape[1]), grouped(b, v, q.shape[1])
    name = q.name
    q, factor = scaled(b, q, scale)
    is_in_queries = q.name != name
    batch, m, n = list(range(q.rank - 2)), q.rank - 2, q.rank - 1
    dtype = wide(q.dtype)
    mask = mask_of(b, q, k, attn_mask, is_causal, dtype)
    scores = scores_of(b, q, k, mask, factor)
    lse = b.broadcast(b.reshape(b.convert(lse, dtype), [*lse.shape, 1]), scores.shape)
    weights = b.unary("exp", b.binary("sub", scores, lse))
    if mask is not None:  # rows that see no key
        weights = b.where(b.compare("eq", mask, b.full_like(-math.inf, mask)), b.full_like(0, weights), weights)
    grad, q, k, v, made = (b.convert(t, dtype) for t in (grad, q, k, v, made))
    both = (batch, batch)
    grad_v = b.dot(weights, grad, both, ([m], [m]))
    grad_weights = b.dot(grad, v, both, ([n], [n]))
    rows = b.keep(b.reduce("sum", b.binary("mul", grad, made), [n]), [n], grad.rank)
    grad_scores = b.binary("mul", weights, b.binary("sub", grad_weights, b.broadcast(rows, weights.shape)))
    grad_scores = b.binary("mul", grad_scores, b.full_like(factor, grad_scores)) if factor != 1 else grad_scores
    grad_q = b.dot(grad_scores, k, both, ([n], [m]))
    if is_in_queries:
        grad_q = scaled(b, grad_q, scale)[0]
    grad_k = b.dot(grad_scores, q, both, ([m], [m]))
    grad_k, grad_v = (t if heads is None or t.shape[1] == heads else of_groups(b, t, heads) for t in (grad_k, grad_v))
    return [b.convert(t, one.dtype) for t, one in zip((grad_q, grad_k, grad_v), out)]


def of_groups(b, grad, heads):
    """The gradient of heads that several heads of queries share: the sum over those."""
    batch, many, n, d = grad.shape
    return b.reduce("sum", b.reshape(grad, (batch, heads, many // heads, n, d)), [2])
