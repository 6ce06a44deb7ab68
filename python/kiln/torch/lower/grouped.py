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


def block_rows(rows, groups):
    """How many rows a block has: of one group, about as many as each group has, as matrix units take them."""
    block = 16
    while block < 64 and block * groups < rows:
        block *= 2
    return block


def takes_blocks(b, rows, groups):
    """Whether blocks of rows are less work than every row with every matrix, on a machine that multiplies many blocks at once."""
    if not b.is_parallel or not all(isinstance(n, int) for n in (rows, groups)):
        return False
    block = block_rows(rows, groups)
    return 2 * block * (rows // block + min(groups, rows)) <= rows * groups


def in_blocks(b, x, weight, offsets, dtype, column):
    """The rows of each group in blocks, which are multiplied with the matrix of the group. The last block of a group has rows of others,
    whose results are left. How many blocks a group has only the offsets say; there are as many as the rows can need."""
    rows, groups = x.shape[0], weight.shape[0]
    block = block_rows(rows, groups)
    count = rows // block + min(groups, rows)

    def number(value, like):
        return b.full(value, "i64", like.shape)

    def add(first, second):
        return b.binary("add", first, second)

    def sub(first, second):
        return b.binary("sub", first, second)

    def mul(first, value):
        return b.binary("mul", first, number(value, first))

    def div(first, value):  # nothing is below zero
        return b.binary("div", first, number(value, first))

    def group_of(places, ends):
        """The group of each place, by where groups end; the last one for places behind all."""
        grid = (places.shape[0], groups)
        past = b.compare("ge", b.broadcast_in_dim(places, [0], grid), b.broadcast(ends, grid))
        found = b.reduce("sum", b.convert(past, "i64"), [1])
        return b.binary("minimum", found, number(groups - 1, found))

    ends = b.convert(offsets, "i64")
    starts = b.binary("maximum", b.pad(b.slice_dim(ends, 0, 0, groups - 1), [1], [0], 0), number(0, ends))
    needed = div(add(sub(ends, starts), number(block - 1, ends)), block)
    last_blocks = b.scan("sum", needed, 0)
    first_blocks = sub(last_blocks, needed)

    of_block = group_of(b.iota("i64", (count,), 0), last_blocks)
    within = sub(b.iota("i64", (count,), 0), b.gather(first_blocks, of_block, 0))
    first = add(b.gather(starts, of_block, 0), mul(within, block))
    places = add(b.broadcast_in_dim(first, [0], (count, block)), b.iota("i64", (count, block), 1))
    places = b.binary("maximum", b.binary("minimum", places, number(rows - 1, places)), number(0, places))
    made = product(b, b.gather(x, places, 0), b.gather(weight, of_block, 0), ([0], [0]), ([2], [3 - column]), dtype)

    row = b.iota("i64", (rows,), 0)
    of_row = group_of(row, ends)
    within = sub(row, b.gather(starts, of_row, 0))
    place = add(mul(b.gather(first_blocks, of_row, 0), block), within)
    place = b.binary("maximum", b.binary("minimum", place, number(count * block - 1, place)), number(0, place))
    made = b.gather(b.reshape(made, (count * block, made.shape[2])), place, 0)
    total = b.broadcast(b.slice_dim(ends, 0, groups - 1, groups), (rows,))
    used = b.broadcast_in_dim(b.compare("lt", row, total), [0], made.shape)
    return b.where(used, made, b.full_like(0, made))


def grouped(b, x, weight, offsets, dtype, column=2):
    """Each row with the matrix of its group: rows behind the last group are 0."""
    if takes_blocks(b, x.shape[0], weight.shape[0]):
        return in_blocks(b, x, weight, offsets, dtype, column)
    made = product(b, x, weight, ([], []), ([1], [3 - column]), dtype)  # [rows, groups, columns]: every row with every matrix
    mine = members(b, x.shape[0], offsets, made.shape)
    return b.reduce("sum", b.where(mine, made, b.full_like(0, made)), [1])


@lowers("transformers.grouped_mm_fallback.default")
def grouped_mm_fallback(b, out, x, weight, offsets):
    return grouped(b, x, weight, offsets, out.dtype)


def apart(b, value, offsets):
    """[rows, groups, features]: each row in its own group, and 0 in the others."""
    wide = (value.shape[0], offsets.shape[0], value.shape[1])
    value = b.broadcast_in_dim(value, [0, 2], wide)
    return b.where(members(b, wide[0], offsets, wide), value, b.full_like(0, value))


def of_each_group(b, x, y, offsets, dtype):
    """[groups, features of x, features of y]: products that sum over the rows of each group."""
    return product(b, apart(b, x, offsets), apart(b, y, offsets), ([1], [1]), ([0], [0]), dtype)


@lowers("_grouped_mm.default")
def grouped_mm(b, out, x, y, offsets=None, bias=None, out_dtype=None):
    """Groups are of rows of x, of columns of y, or of what a product sums over; without offsets matrices are given one by one."""
    if bias is not None:
        raise Unsupported("grouped_mm with a bias")
    if x.rank == y.rank == 3:
        return product(b, x, y, ([0], [0]), ([2], [1]), out.dtype)
    if x.rank == 2 and y.rank == 3:
        return grouped(b, x, y, offsets, out.dtype)
    if x.rank == 3:
        return b.transpose(grouped(b, b.transpose(y, [1, 0]), b.transpose(x, [0, 2, 1]), offsets, out.dtype), [1, 0])
    return of_each_group(b, b.transpose(x, [1, 0]), y, offsets, out.dtype)


@lowers("transformers.grouped_mm_fallback_backward.default")
def grouped_mm_backward(b, out, x, weight, offsets, grad):
    of_weight = of_each_group(b, x, grad, offsets, out[1].dtype) if out[1].used else None
    return [grouped(b, grad, weight, offsets, out[0].dtype, column=1) if out[0].used else None, of_weight]
