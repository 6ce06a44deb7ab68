# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes: views are values here, so a view and a copy are the same."""
import math

from . import lowers
from .common import Unsupported, axis, elements, operand, static


@lowers("view.default", "_unsafe_view.default", "reshape.default", "view_copy.default", "_reshape_alias.default",
        "unflatten.int", "flatten.using_ints", "squeeze", "unsqueeze", "squeeze_", "unsqueeze_", "squeeze_copy", "unsqueeze_copy", "_reshape_copy")
def reshape(b, out, x, *args, **options):
    return b.reshape(x, out.shape)


@lowers("expand.default", "expand_copy.default", "broadcast_to.default", "expand_as.default")
def expand(b, out, x, *args, **options):
    made = b.broadcast(x, out.shape)
    if made is not x:
        made.repeated = x
    return made


@lowers("permute.default", "permute_copy.default")
def permute(b, out, x, dims):
    return b.transpose(x, [axis(d, x.rank) for d in dims])


def swapped(rank, p, q):
    order = list(range(rank))
    if rank:
        order[axis(p, rank)], order[axis(q, rank)] = order[axis(q, rank)], order[axis(p, rank)]
    return order


@lowers("transpose.int", "transpose_.default", "transpose_copy.int", "swapaxes.default")
def transpose(b, out, x, p, q):
    return b.transpose(x, swapped(x.rank, p, q))


@lowers("t.default", "t_copy.default", "numpy_T.default", "mT.default")
def t(b, out, x):
    return x if x.rank < 2 else b.transpose(x, swapped(x.rank, -2, -1))


def bounds(size, start, end):
    """Start and end of a slice as Python has them; the end is None where it is that of the tensor.
    Negative numbers count from the end of a size that is not known yet."""
    if isinstance(size, int) and all(one is None or isinstance(one, int) for one in (start, end)):
        start, end, _ = slice(start, end).indices(size)
        return start, max(start, end)
    start = 0 if start is None else start
    if end is None or (isinstance(end, int) and end >= 2 ** 62) or end == size:
        end = None
    return start, end


def place_in(b, size, place, otherwise):
    """Where a slice begins or ends, as a tensor: counted from the end below zero, and inside."""
    size = b.size_as_tensor(size)
    place = b.size_as_tensor(otherwise if place is None else min(place, 2 ** 62) if isinstance(place, int) else place)
    zero = b.full_like(0, size)
    place = b.where(b.compare("lt", place, zero), b.binary("add", place, size), place)
    return b.binary("minimum", b.binary("maximum", place, zero), size)


def bind_count(b, size, start, end, step, count):
    """Lets the number of elements that a slice takes, if nothing says it yet, be that of its first and last place."""
    if isinstance(count, int) or b.is_known(count):
        return
    first, last = (place_in(b, size, one, otherwise) for one, otherwise in ((start, 0), (end, size)))
    length = b.binary("sub", last, first)
    length = b.binary("maximum", length, b.full_like(0, length))
    if step != 1:  # as many as begin a step
        step = b.size_as_tensor(step)
        length = b.binary("div", b.binary("add", length, b.binary("sub", step, b.full_like(1, step))), step)
    b.bind(count, length)


@lowers("slice.Tensor", "slice_copy.Tensor")
def slice_tensor(b, out, x, dim=0, start=None, end=None, step=1):
    d = axis(dim, x.rank)
    n = x.shape[d]
    if b.is_read(start) or b.is_read(end) or b.is_read(step):
        static(0 if step == 1 else start, step)
        bind_count(b, n, start, end, 1, out.shape[d])
        return b.dynamic_slice_dim(x, d, 0 if start is None else start, out.shape)
    if isinstance(n, int) and isinstance(step, int) and all(one is None or isinstance(one, int) for one in (start, end)):
        return b.slice_dim(x, d, *bounds(n, start, end), step)
    count = out.shape[d]
    bind_count(b, n, start, end, step, count)
    start, end = bounds(n, start, end)
    if start == 0 and end is None and step == 1:
        return x
    if start == 0 and end is None and isinstance(step, int):
        return b.slice_dim(x, d, 0, None, step)
    if step == 1 and isinstance(start, int) and start >= 0:
        if isinstance(count, int):
            return b.slice_dim(x, d, start, start + count)
        if not isinstance(n, int) and count == n - start:  # torch knows that there are as many
            return b.slice_dim(x, d, start, None)
        if isinstance(end, int) and end < 0 and count == n - start + end:
            x = b.rev(b.slice_dim(b.rev(x, [d]), d, -end, None), [d])
            return b.slice_dim(x, d, start, None)
    return taken(b, x, d, place_in(b, n, start, 0) if step != 1 or (isinstance(start, int) and start < 0) else start, step, count)


def taken(b, x, d, start, step, count):
    """`count` elements of x along a dimension, each `step` behind the last, from where a tensor says."""
    if step == 1:
        return b.dynamic_slice_dim(x, d, start, [count if e == d else m for e, m in enumerate(x.shape)])
    number = b.iota("i64", (count,), 0)
    number = b.binary("add", b.binary("mul", number, operand(b, step, "i64", number.shape)), b.broadcast(start, number.shape))
    return b.gather(x, number, d)


@lowers("select.int", "select_copy.int")
def select(b, out, x, dim, index):
    d = axis(dim, x.rank)
    n = x.shape[d]
    if not isinstance(index, int):
        return b.reshape(b.dynamic_slice_dim(x, d, index, [1 if e == d else m for e, m in enumerate(x.shape)]), out.shape)
    if index < 0:
        if isinstance(n, int):
            index += n
        else:
            x, index = b.rev(x, [d]), -1 - index
    return b.reshape(b.slice_dim(x, d, index, index + 1), out.shape)


@lowers("split_with_sizes.default", "split_with_sizes_copy.default")
def split_with_sizes(b, out, x, sizes, dim=0):
    d, start, made = axis(dim, x.rank), 0, []
    for size in sizes:
        if isinstance(start, int) and isinstance(size, int):
            made.append(b.slice_dim(x, d, start, start + size))
        else:
            made.append(b.dynamic_slice_dim(x, d, start, [size if e == d else m for e, m in enumerate(x.shape)]))
        start = start + size
    return made


@lowers("split.Tensor", "split_copy.Tensor", "chunk.default")
def split(b, out, x, size, dim=0):
    return split_with_sizes(b, out, x, [one.shape[axis(dim, x.rank)] for one in out], dim)


@lowers("unbind.int", "unbind_copy.int")
def unbind(b, out, x, dim=0):
    return [select(b, one, x, dim, i) for i, one in enumerate(out)]


@lowers("cat.default", "concat.default")
def cat(b, out, values, dim=0):
    values = [v for v in values if not (v.rank == 1 and v.shape == (0,) and len(out.shape) != 1)]
    d = axis(dim, len(out.shape))
    if not values:
        return b.full(0, out.dtype, out.shape)
    return b.cat([b.convert(v, out.dtype) for v in values], d)


@lowers("stack.default")
def stack(b, out, values, dim=0):
    d = axis(dim, len(out.shape))
    return b.cat([b.reshape(b.convert(v, out.dtype), [*v.shape[:d], 1, *v.shape[d:]]) for v in values], d)


@lowers("constant_pad_nd.default")
def constant_pad(b, out, x, pads, value=0):
    low, high = [0] * x.rank, [0] * x.rank
    for i in range(len(pads) // 2):
        low[x.rank - 1 - i], high[x.rank - 1 - i] = pads[2 * i], pads[2 * i + 1]
    for d, (before, behind) in enumerate(zip(low, high)):
        if not isinstance(before, int) or not isinstance(behind, int) or (behind < 0 and not isinstance(x.shape[d], int)):
            x = padded(b, x, d, before, out.shape[d], value)
            low[d] = high[d] = 0
    return b.pad(x, low, high, value)


def padded(b, x, d, before, count, value):
    """`count` elements along a dimension: those of x from `before` on, which may be negative, and `value` beside them."""
    number = b.iota("i64", (count,), 0)
    number = b.binary("sub", number, b.broadcast(b.size_as_tensor(before), number.shape))
    size = b.broadcast(b.size_as_tensor(x.shape[d]), number.shape)
    inside = b.binary("bitwise_and", b.compare("ge", number, b.full_like(0, number)), b.compare("lt", number, size))
    made = b.gather(x, b.where(inside, number, b.full_like(0, number)), d)
    return b.where(b.broadcast_in_dim(inside, [d], made.shape), made, b.full_like(value, made))


@lowers("flip.default")
def flip(b, out, x, dims):
    return b.rev(x, sorted({axis(d, x.rank) for d in dims})) if x.rank else x


@lowers("repeat.default", "tile.default")
def repeat(b, out, x, counts):
    """As dimensions of their own beside the ones that are repeated."""
    x = b.reshape(x, [1] * (len(out.shape) - x.rank) + list(x.shape))
    counts = [1] * (x.rank - len(counts)) + list(counts)
    apart, wide, dims = [], [], []
    for n, c in zip(x.shape, counts):
        if c != 1:
            wide.append(c)
        dims.append(len(wide))
        apart.append(n)
        wide.append(n)
    return b.reshape(b.broadcast_in_dim(x, dims, wide), out.shape) if list(wide) != list(x.shape) else x


@lowers("slice_scatter.default")
def slice_scatter(b, out, x, source, dim=0, start=None, end=None, step=1):
    d = axis(dim, x.rank)
    n = x.shape[d]
    source = b.convert(source, out.dtype)
    if step == 1 and not all(one is None or isinstance(one, int) for one in (start, end)):
        return b.dynamic_update_dim(x, source, d, 0 if start is None else start)
    start, end = bounds(n, start, end)
    if (start, end, step) in ((0, None, 1), (0, n, 1)):
        return source
    if step == 1 and isinstance(n, int):
        parts = [b.slice_dim(x, d, 0, start), source, b.slice_dim(x, d, end, n)]
        return b.cat([p for p in parts if p.shape[d] != 0], d) if n else x
    if step == 1:
        return b.dynamic_update_dim(x, source, d, start)
    if source.shape[d] == 0:
        return x
    start = place_in(b, n, start, 0)
    place = b.iota("i64", (n,), 0)  # the element of `source` that belongs here
    start = b.broadcast(start, place.shape)
    step = operand(b, step, "i64", place.shape)
    number = b.binary("div", b.binary("sub", place, start), step)
    last = b.broadcast(b.size_as_tensor(source.shape[d] - 1), place.shape)
    inside = b.binary("bitwise_and", b.compare("ge", place, start), b.compare("le", number, last))
    mine = b.compare("eq", b.binary("add", b.binary("mul", number, step), start), place)
    mine = b.binary("bitwise_and", mine, inside)
    number = b.where(mine, number, b.full_like(0, number))
    mine = b.broadcast_in_dim(mine, [d], x.shape)
    return b.where(mine, b.gather(source, number, d), x)


@lowers("select_scatter.default")
def select_scatter(b, out, x, source, dim, index):
    d = axis(dim, x.rank)
    source = operand(b, source, out.dtype, [m for e, m in enumerate(x.shape) if e != d])
    source = b.reshape(source, [1 if e == d else m for e, m in enumerate(x.shape)])
    if not isinstance(index, int) or (index < 0 and not isinstance(x.shape[d], int)):
        return b.dynamic_update_dim(x, source, d, index)
    index = index + x.shape[d] if index < 0 else index
    return slice_scatter(b, out, x, source, d, index, index + 1)


def positions(b, shape, strides, offset):
    """Flat positions of a strided view, as a tensor of `shape`."""
    made = operand(b, offset, "i64", shape)
    for d, stride in enumerate(strides):
        if stride != 0 and shape[d] != 1:
            step = b.iota("i64", shape, d)
            made = b.binary("add", made, b.binary("mul", step, operand(b, stride, "i64", shape)))
    return made


def _is_whole(x, shape, strides):
    """Whether a view of these sizes and strides is all of a row-major tensor, in its order."""
    import sympy  # of torch's own; without it programs are built all the same
    behind = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and sympy.expand(stride - behind) != 0:
            return False
        behind = behind * size
    return sympy.expand(behind - elements(x.shape)) == 0


@lowers("as_strided.default", "as_strided_copy.default")
def as_strided(b, out, x, size, strides, offset=None):
    if not out.contiguous_inputs:
        raise Unsupported("as_strided of memory that is not row-major")
    # The offset counts from where the storage begins, which a view of it does not know.
    if offset is not None and not out.whole_inputs:
        raise Unsupported("as_strided of a view of a storage")
    shape, offset = tuple(size), 0 if offset is None else offset
    if offset == 0 and _is_whole(x, shape, strides):
        return b.reshape(x, shape)
    last = offset + sum((n - 1) * stride for n, stride in zip(shape, strides))
    if 0 not in shape and isinstance(last - elements(x.shape), int) and last >= elements(x.shape):
        raise Unsupported("as_strided beyond the elements of its tensor")
    flat = b.reshape(x, [elements(x.shape)])
    if 0 in shape:
        return b.full(0, x.dtype, shape)
    if isinstance(offset, int) and all(isinstance(n, int) for n in shape) and \
            all(n == 1 or stride == math.prod(shape[d + 1:]) for d, (n, stride) in enumerate(zip(shape, strides))):
        # Elements that lie one behind the other, such as a copy's of another layout.
        return b.reshape(b.slice_dim(flat, 0, offset, offset + math.prod(shape)), shape)
    return b.reshape(b.gather(flat, b.reshape(positions(b, shape, strides, offset), [elements(shape)]), 0), shape)


@lowers("diagonal.default", "diagonal_copy.default")
def diagonal(b, out, x, offset=0, dim1=0, dim2=1):
    p, q = axis(dim1, x.rank), axis(dim2, x.rank)
    order = [d for d in range(x.rank) if d not in (p, q)] + [p, q]
    x = b.transpose(x, order)
    rows, columns = x.shape[-2:]
    count = out.shape[-1]
    if count == 0:
        return b.full(0, out.dtype, out.shape)
    flat = b.reshape(x, [*x.shape[:-2], rows * columns])
    start = offset if offset >= 0 else -offset * columns
    at = positions(b, (count,), (columns + 1,), start)
    return b.gather(flat, at, flat.rank - 1)


@lowers("unfold.default", "unfold_copy.default")
def unfold(b, out, x, dim, size, step):
    if not x.rank:
        return b.reshape(x, out.shape)
    d = axis(dim, x.rank)
    at = positions(b, (out.shape[d], size), (step, 1), 0)
    made = b.gather(x, at, d)  # [..., windows, size, ...]
    return b.transpose(made, [e for e in range(made.rank) if e != d + 1] + [d + 1])


def cut(b, x, dim, count):
    """The first elements along a dimension."""
    if isinstance(count, int):
        return b.slice_dim(x, dim, 0, count)
    return b.dynamic_slice_dim(x, dim, 0, [count if d == dim else n for d, n in enumerate(x.shape)])


def every(b, x, first, starts, counts, strides):
    """Of the dimensions from `first` on, elements from a start on, in steps, as many as there are to be."""
    before, behind = [0] * first, [0] * (x.rank - first - len(starts))
    if all(isinstance(o, int) for o in counts):
        limits = [i + (o - 1) * s + 1 for i, o, s in zip(starts, counts, strides)]
        return b.slice(x, [*before, *starts, *behind], [*(None for _ in before), *limits, *(None for _ in behind)],
                       [*(1 for _ in before), *strides, *(1 for _ in behind)])
    for d, (start, count, stride) in enumerate(zip(starts, counts, strides)):
        x = cut(b, b.slice_dim(x, first + d, start, None, stride), first + d, count)
    return x
