# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Experts: products of groups of rows with a matrix each, and the counts that the groups come from."""
from . import lowers
from .common import Unsupported
from .matmul import product


def members(b, rows, offsets, shape):
    """i1 of `shape` [rows, groups, ...]: the row is in the group, which ends before its offset."""
    grid = (rows, offsets.shape[0])
    past = b.compare("ge", b.iota("i64", grid, 0), b.broadcast(b.convert(offsets, "i64"), grid))
    number = b.keep(b.reduce("sum", b.convert(past, "i64"), [1]), [1], 2)
    mine = b.compare("eq", b.broadcast(number, grid), b.iota("i64", grid, 1))
    return b.broadcast_in_dim(mine, [0, 1], shape)


def grouped(b, x, weight, offsets, dtype, column=2):
    """Every row with every matrix, and of these its own: rows behind the last group are 0."""
    made = product(b, x, weight, ([], []), ([1], [3 - column]), dtype)  # [rows, groups, columns]
    mine = members(b, x.shape[0], offsets, made.shape)
    return b.reduce("sum", b.where(mine, made, b.full_like(0, made)), [1])


@lowers("transformers.grouped_mm_fallback.default")
def grouped_mm_fallback(b, out, x, weight, offsets):
    return grouped(b, x, weight, offsets, out.dtype)


@lowers("_grouped_mm.default")
def grouped_mm(b, out, x, weight, offsets=None, bias=None, out_dtype=None):
    if offsets is None or bias is not None or x.rank != 2 or weight.rank != 3:
        raise Unsupported("grouped_mm of other than rows and a matrix for each group")
    return grouped(b, x, weight, offsets, out.dtype)


@lowers("transformers.grouped_mm_fallback_backward.default")
def grouped_mm_backward(b, out, x, weight, offsets, grad):
    of_weight = None
    if out[1].used:
        rows, groups = x.shape[0], weight.shape[0]

        def apart(value):  # [rows, groups, features], 0 in the groups of others
            wide = (rows, groups, value.shape[1])
            value = b.broadcast_in_dim(value, [0, 2], wide)
            return b.where(members(b, rows, offsets, wide), value, b.full_like(0, value))
        of_weight = product(b, apart(x), apart(grad), ([1], [1]), ([0], [0]), out[1].dtype)
    return [grouped(b, grad, weight, offsets, out[0].dtype, column=1) if out[0].used else None, of_weight]
