# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading and writing at computed positions."""
import math

from . import lowers
from .common import Unsupported, Value, axis, elements, is_float, is_unsigned, operand, wide
from .counted import MASKS, unmasked
from .elementwise import floor_divide


def counted_from_front(b, index, size):
    """Indices below zero count from the end."""
    index = b.convert(index, "i64") if is_unsigned(index.dtype) else index
    if index.dtype not in ("i32", "i64"):
        index = b.convert(index, "i64")
    sizes = b.full_like(size, index) if isinstance(size, int) else b.broadcast(
        b.convert(b.size_tensor(size), index.dtype), index.shape)
    return b.where(b.compare("lt", index, b.full_like(0, index)), b.binary("add", index, sizes), index)


def joint_shape(indices):
    """What the indices broadcast to."""
    shape = []
    for index in indices:
        for d in range(1, index.rank + 1):
            n = index.shape[-d]
            if d > len(shape):
                shape.insert(0, n)
            elif shape[-d] == 1:
                shape[-d] = n
    return tuple(shape)


def joined(b, x, indices):
    """The dimensions that are indexed, whether they stand together, and their indices in one shape."""
    at = [d for d, index in enumerate(indices) if index is not None]
    if any(indices[d].dtype == "i1" for d in at):
        raise Unsupported("an index of truth values beside others")
    shape = joint_shape([indices[d] for d in at])
    wide = [b.convert(b.broadcast(counted_from_front(b, indices[d], x.shape[d]), shape), "i64") for d in at]
    return at, at == list(range(at[0], at[-1] + 1)), wide


def prepared(b, x, indices):
    """x with its indexed dimensions together, where the first of them is, and the indices in one shape."""
    at, together, wide = joined(b, x, indices)
    order = list(range(x.rank)) if together else at + [d for d in range(x.rank) if d not in at]
    return b.transpose(x, order), at[0] if together else 0, wide


def joint_size(out, indices):
    """The last size of what the indices broadcast to, which those of truth values are as long as."""
    at = [(d, index) for d, index in enumerate(indices) if index is not None]
    together = [d for d, _ in at] == list(range(at[0][0], at[-1][0] + 1))
    rank = max(1 if index.dtype in MASKS else index.rank for _, index in at)
    return out.shape[(at[0][0] if together else 0) + rank - 1] if rank else None


@lowers("index.Tensor", "_unsafe_index.Tensor")
def index_tensor(b, out, x, indices):
    if all(index is None for index in indices):
        return x
    indices = unmasked(b, indices, joint_size(out, indices))
    x, first, indices = prepared(b, x, indices)
    count = len(indices)
    if count == 1:
        return b.gather(x, indices[0], first)
    sizes = x.shape[first:first + count]
    at = flat_positions(b, indices, sizes, judged=out.operation.startswith("index"))
    x = b.reshape(x, [*x.shape[:first], elements(sizes), *x.shape[first + count:]])
    return b.gather(x, at, first)


def flat_positions(b, indices, sizes, judged):
    """The row-major positions of indices, one for each dimension; -1 where one is outside of its dimension, if they are judged."""
    flat, inside = None, None
    for index, size in zip(indices, sizes):
        extent = b.broadcast(b.size_as_tensor(size), index.shape)
        flat = index if flat is None else b.binary("add", b.binary("mul", flat, extent), index)
        if judged:  # what is below 0 is large without sign
            here = b.compare("lt", *(Value(one.name, "u64", one.shape) for one in (index, extent)))
            inside = here if inside is None else b.binary("bitwise_and", inside, here)
    return b.where(inside, flat, b.full_like(-1, flat)) if judged else flat


@lowers("index_put.default", "_unsafe_index_put.default")
def index_put(b, out, x, indices, values, accumulate=False):
    if len(indices) == 1 and indices[0] is not None and indices[0].dtype == "i1" and not accumulate and values.rank == 0:
        mask = indices[0]  # one value, wherever the mask says
        mask = b.broadcast(b.reshape(mask, [*mask.shape, *[1] * (x.rank - mask.rank)]), x.shape)
        return b.where(mask, operand(b, values, x.dtype, x.shape), x)
    if len(indices) == 1 and indices[0] is not None and indices[0].dtype == "i1":
        return masked_put(b, x, indices[0], values, accumulate)
    at, together, indices = joined(b, x, indices)
    if 0 in x.shape or 0 in indices[0].shape:  # nothing is written
        return x
    shape = indices[0].shape
    # Windows: the indexed dimensions are 1, the others whole.
    rest = [n for d, n in enumerate(x.shape) if d not in at]
    window = [1 if d in at else n for d, n in enumerate(x.shape)]
    first = at[0] if together else 0
    values = operand(b, values, x.dtype, [*rest[:first], *shape, *rest[first:]])
    values = b.transpose(values, [*range(first, first + len(shape)), *range(first), *range(first + len(shape), values.rank)])
    values = b.reshape(values, [*shape, *window])
    columns = b.cat([b.reshape(index, [*shape, 1]) for index in indices], len(shape))
    return b.scatter("add" if accumulate else "set", x, columns, values, at)


def masked_put(b, x, mask, values, accumulate):
    """x with one row of `values` after the other, or the one that there is, where the mask says."""
    rest = x.shape[mask.rank:]
    many = elements(mask.shape)
    flat, mask = b.reshape(x, [many, *rest]), b.reshape(mask, [many])
    if values.rank == len(rest) + 1 and values.shape[0] != 1:
        if values.shape[0] == 0:
            return x
        number = b.scan("sum", b.convert(mask, "i64"), 0)
        number = b.binary("sub", number, b.full_like(1, number))
        last = operand(b, values.shape[0] - 1, "i64", number.shape)
        number = b.binary("minimum", b.binary("maximum", number, b.full_like(0, number)), last)
        values = b.gather(b.convert(values, x.dtype), number, 0)
    values = operand(b, values, x.dtype, [many, *rest])
    if accumulate:
        values = b.binary("bitwise_or" if x.dtype == "i1" else "add", flat, values)
    mask = b.broadcast(b.reshape(mask, [many, *[1] * len(rest)]), flat.shape)
    return b.reshape(b.where(mask, values, flat), x.shape)


@lowers("index_select.default")
def index_select(b, out, x, dim, index):
    if not x.rank:
        return b.reshape(x, out.shape)
    index = index if index.rank else b.reshape(index, [1])
    return b.gather(x, index, axis(dim, x.rank))


@lowers("embedding.default")
def embedding(b, out, weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    return b.gather(weight, indices, 0)


@lowers("embedding_dense_backward.default")
def embedding_backward(b, out, grad, indices, count, padding_idx, scale_grad_by_freq):
    features = grad.shape[-1]
    rows = elements(indices.shape)
    grad = b.reshape(grad, [rows, 1, features])
    indices = b.reshape(indices, [rows, 1])
    if scale_grad_by_freq:
        times = b.scatter("add", b.full(0, "f32", (count,)), indices, b.full(1, "f32", (rows, 1)), [0])
        dtype = wide(grad.dtype)  # f16 has no counts above 65504
        times = b.convert(b.gather(times, b.reshape(indices, [rows]), 0), dtype)
        divided = b.binary("div", b.convert(grad, dtype), b.broadcast_in_dim(times, [0], grad.shape))
        grad = b.convert(divided, grad.dtype)
    if padding_idx >= 0:
        keep = b.compare("ne", indices, b.full_like(padding_idx, indices))
        keep = b.broadcast_in_dim(keep, [0, 1], grad.shape)
        grad = b.where(keep, grad, b.full_like(0, grad))
    return b.scatter("add", b.full(0, out.dtype, out.shape), indices, b.convert(grad, out.dtype), [0])


def along(b, x, dim, index):
    """x and its index as [others, along]: what gather and scatter do along one dimension. x has at least
    the sizes of the index."""
    order = [d for d in range(x.rank) if d != dim] + [dim]
    return b.transpose(x, order), b.transpose(index, order), order


def flat_rows(b, x):
    return b.reshape(x, [elements(x.shape[:-1]), x.shape[-1]])


def cut(b, x, shape, dim):
    """x without what the index does not reach in the other dimensions."""
    for d in range(x.rank):
        if d == dim or x.shape[d] == shape[d]:
            continue
        if isinstance(x.shape[d], int) and isinstance(shape[d], int):
            x = b.slice_dim(x, d, 0, shape[d])
        else:
            x = b.dynamic_slice_dim(x, d, 0, [shape[d] if e == d else n for e, n in enumerate(x.shape)])
    return x


def line_of(b, index, d):
    """The index as a line along dimension d if it is the same one everywhere, else None."""
    origin = index.repeated
    if origin is None or index.rank < 2:
        return None
    sizes = [1] * (index.rank - origin.rank) + list(origin.shape)
    if sizes[d] != index.shape[d] or any(not isinstance(n, int) or n != 1 for e, n in enumerate(sizes) if e != d):
        return None
    return b.reshape(origin, [sizes[d]])


@lowers("gather.default")
def gather(b, out, x, dim, index, *, sparse_grad=False):
    if 0 in out.shape:
        return b.full(0, out.dtype, out.shape)
    if not x.rank:
        return b.broadcast(x, out.shape)
    if not index.rank:
        return b.reshape(gather(b, out, x, dim, b.reshape(index, [1])), [])
    d = axis(dim, x.rank)
    line = line_of(b, index, d)
    if line is not None:
        return b.gather(cut(b, x, index.shape, d), line if line.dtype in ("i32", "i64") else b.convert(line, "i64"), d)
    x, index, order = along(b, cut(b, x, index.shape, d), d, index)
    index = index if index.dtype in ("i32", "i64") else b.convert(index, "i64")
    made = b.gather(flat_rows(b, x), flat_rows(b, index), 1, 1)
    return b.transpose(b.reshape(made, index.shape), [order.index(e) for e in range(len(order))])


def scattered(b, kind, x, dim, index, source):
    """x with `source`, of the shape of the index, at the index along a dimension."""
    if not x.rank:
        return scattered(b, kind, b.reshape(x, [1]), 0, b.reshape(index, [1]), b.reshape(source, [1])) if index.rank == 0 else None
    if 0 in index.shape:
        return x
    d = axis(dim, x.rank)
    if any(n != m for e, (n, m) in enumerate(zip(x.shape, index.shape)) if e != d):
        # Every coordinate written out.
        columns = [b.iota("i64", index.shape, e) if e != d else b.convert(index, "i64") for e in range(x.rank)]
        columns = b.cat([b.reshape(c, [*index.shape, 1]) for c in columns], x.rank)
        return b.scatter(kind, x, columns, b.reshape(source, [*index.shape, *[1] * x.rank]), list(range(x.rank)))
    line = line_of(b, index, d)
    if line is not None:  # whole rows
        rows = b.transpose(source, [d] + [e for e in range(x.rank) if e != d])
        rows = b.reshape(rows, [line.shape[0], *[1 if e == d else n for e, n in enumerate(x.shape)]])
        return b.scatter(kind, x, b.reshape(line, [line.shape[0], 1]), rows, [d])
    moved, index, order = along(b, x, d, index)
    source = b.transpose(source, order)
    rows, many = flat_rows(b, index).shape
    made = b.scatter(kind, flat_rows(b, moved), b.reshape(index, [rows, many, 1]), b.reshape(source, [rows, many, 1]), [1], 1)
    return b.transpose(b.reshape(made, moved.shape), [order.index(e) for e in range(len(order))])


def _source(b, x, index, source):
    """The part of `source` that the index has."""
    if isinstance(source, float) and not is_float(x.dtype):
        source = int(source)  # as torch cuts it
    source = operand(b, source, x.dtype, index.shape) if not hasattr(source, "shape") else b.convert(source, x.dtype)
    return cut(b, source, index.shape, -1) if source.rank else source


@lowers("scatter.src", "scatter.value")
def scatter(b, out, x, dim, index, source):
    made = scattered(b, "set", x, dim, index, _source(b, x, index, source))
    return b.reshape(made, out.shape)


@lowers("scatter_add.default")
def scatter_add(b, out, x, dim, index, source):
    return b.reshape(scattered(b, "add", x, dim, index, _source(b, x, index, source)), out.shape)


@lowers("scatter.reduce", "scatter.value_reduce")
def scatter_reduce(b, out, x, dim, index, source, *, reduce):
    kind = {"add": "add", "multiply": "mul"}[reduce]
    return b.reshape(scattered(b, kind, x, dim, index, _source(b, x, index, source)), out.shape)


@lowers("scatter_reduce.two")
def scatter_reduce_two(b, out, x, dim, index, source, reduce, *, include_self=True):
    kind = {"sum": "add", "mean": "add", "prod": "mul", "amax": "max", "amin": "min"}[reduce]
    if not x.rank:
        source = b.reshape(b.convert(source, x.dtype), [elements(source.shape)])
        x, index = b.reshape(x, [1]), b.reshape(index, [elements(index.shape)])
    if not index.rank:
        index, source = b.reshape(index, [1]), b.reshape(b.convert(source, x.dtype), [1])
    if 0 in index.shape:
        return b.reshape(x, out.shape)
    source = _source(b, x, index, source)
    begin, counts = x, None
    if reduce == "mean" or not include_self:
        counts = scattered(b, "add", b.full(0, "i32", x.shape), dim, index, b.full(1, "i32", index.shape))
    if not include_self:  # one number for all elements: those that nothing is written to are taken from x at the end
        neutral = {"sum": 0, "mean": 0, "prod": 1}.get(reduce)
        if neutral is None:
            neutral = lowest(x.dtype) if reduce == "amax" else highest(x.dtype)
        begin = b.full(neutral, x.dtype, x.shape)
    made = scattered(b, kind, begin, dim, index, source)
    is_written = None if include_self else b.compare("ne", counts, b.full_like(0, counts))
    if reduce == "mean":
        one = b.full_like(1, counts)
        counts = b.binary("add", counts, one) if include_self else b.binary("maximum", counts, one)
        counts = b.convert(counts, x.dtype)
        if not is_float(x.dtype):  # a count that wraps to zero divides by one, as in eager mode
            counts = b.where(b.compare("eq", counts, b.full_like(0, counts)), b.full_like(1, counts), counts)
        made = b.binary("div", made, counts) if is_float(x.dtype) else floor_divide(b, made, counts)
    if is_written is not None:
        made = b.where(is_written, made, x)
    return b.reshape(made, out.shape)


def lowest(dtype):
    if is_float(dtype):
        return -math.inf
    return 0 if dtype == "i1" or is_unsigned(dtype) else -(1 << (int(dtype[1:]) - 1))


def highest(dtype):
    if is_float(dtype):
        return math.inf
    return 1 if dtype == "i1" else (1 << int(dtype[1:])) - 1 if is_unsigned(dtype) else (1 << (int(dtype[1:]) - 1)) - 1
