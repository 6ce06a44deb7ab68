# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results whose sizes are data: as many elements as hold, differ, or are asked for.

Each is computed in as many places as there can be; the count, a tensor of rank 0, says where to cut."""
from . import lowers
from .common import Unsupported, axis, elements, is_float


def truth(b, x):
    return x if x.dtype == "i1" else b.compare("ne", x, b.full_like(0, x))


def total(b, x):
    return b.reduce("sum", x, [0])


def before(b, counts):
    """The sum of those before each one."""
    return b.binary("sub", b.scan("sum", counts, 0), counts)


def first(b, x, size):
    """The first `size` along the first dimension."""
    return b.dynamic_slice_dim(x, 0, 0, [size, *x.shape[1:]])


def ranked(b, values, places, shape):
    """Each of `values` at its place; what is outside of the shape is dropped."""
    if 0 in shape:
        return b.full(0, values.dtype, shape)
    places = b.reshape(places, [*places.shape, 1])
    return b.scatter("set", b.full(0, values.dtype, shape), places, b.reshape(values, [*values.shape, 1]), [0])


def places_of(b, mask, size):
    """The places, in order, at which a mask of rank 1 holds. Binds `size` to how many there are."""
    one = b.convert(mask, "i64")
    b.bind(size, total(b, one))
    many = mask.shape[0]
    outside = b.full(many, "i64", [many]) if isinstance(many, int) else b.broadcast_in_dim(b.size_tensor(many), [], [many])
    to = b.where(mask, before(b, one), outside)
    return first(b, ranked(b, b.iota("i64", [many], 0), to, [many]), size)


def flat(b, x):
    return b.reshape(x, [elements(x.shape)])


def coordinates(b, places, shape):
    """The coordinates of places in row-major order, one tensor for each dimension."""
    found = []
    for size in reversed(shape):
        length = b.full_like(size, places) if isinstance(size, int) else b.broadcast(b.size_tensor(size), places.shape)
        found.append(b.binary("remainder", places, length))
        places = b.binary("div", places, length)
    return found[::-1]


@lowers("nonzero.default")
def nonzero(b, out, x):
    if not x.rank:
        b.bind(out.shape[0], b.convert(truth(b, x), "i64"))
        return b.full(0, "i64", out.shape)
    places = places_of(b, flat(b, truth(b, x)), out.shape[0])
    columns = coordinates(b, places, x.shape)
    return b.cat([b.reshape(column, [out.shape[0], 1]) for column in columns], 1)


@lowers("masked_select.default")
def masked_select(b, out, x, mask):
    shape = [n if n != 1 else m for n, m in zip((1,) * (mask.rank - x.rank) + x.shape, (1,) * (x.rank - mask.rank) + mask.shape)]
    x, mask = b.broadcast(x, shape), b.broadcast(mask, shape)
    return b.gather(flat(b, x), places_of(b, flat(b, truth(b, mask)), out.shape[0]), 0)


#: Element types of indices that say where, not which.
MASKS = ("i1", "u8")


def unmasked(b, indices, size):
    """Indices without truth values: the coordinates of those that hold. `size`: how many they are."""
    found, places = [], {}
    for index in indices:
        if index is None or index.dtype not in MASKS:
            found.append(index)
            continue
        if places and index.name not in places:
            raise Unsupported("several indices of truth values")
        if not places:
            places[index.name] = places_of(b, flat(b, truth(b, index)), size)
        found += coordinates(b, places[index.name], index.shape)
    return found


@lowers("_local_scalar_dense.default", "item.default")
def item(b, out, x):
    if is_float(x.dtype):
        b.bind_float(out, b.reshape(x, []))
        return out
    x = b.convert(b.reshape(x, []), "i64")
    b.bind(out, x)
    return out


@lowers("repeat_interleave.Tensor")
def repeat_interleave(b, out, repeats, *, output_size=None):
    """Element j is the number of rows that end at or before j."""
    size = out.shape[0]
    counts = b.convert(repeats, "i64")
    b.bind(size, total(b, counts))
    ends = b.scan("sum", counts, 0)
    marks = b.scatter("add", b.full(0, "i64", [size]), b.reshape(ends, [*ends.shape, 1]),
                      b.full(1, "i64", [*ends.shape, 1]), [0])
    return b.convert(b.scan("sum", marks, 0), out.dtype)


@lowers("bincount.default")
def bincount(b, out, x, weights=None, minlength=0):
    if is_float(x.dtype):
        raise Unsupported(f"numbers of {x.dtype}")
    # Of its type torch says that it is x's while it traces.
    out.dtype = "i64" if not weights else "f32" if weights.dtype == "f32" else "f64"
    size, x = out.shape[0], b.convert(x, "i64")
    if not isinstance(size, int):
        most = b.reduce("amax", b.cat([x, b.full(minlength - 1, "i64", [1])], 0), [0])
        b.bind(size, b.binary("add", most, b.full_like(1, most)))
    updates = b.convert(weights, out.dtype) if weights else b.full(1, out.dtype, x.shape)
    return b.scatter("add", b.full(0, out.dtype, [size]), b.reshape(x, [*x.shape, 1]), b.reshape(updates, [*x.shape, 1]), [0])


def runs(b, rows):
    """Where an element, or a row, is another than the one before it, or the first."""
    many = rows.shape[0]
    number = b.iota("i64", [many], 0)
    zero = b.full_like(0, number)
    last = b.binary("maximum", b.binary("sub", number, b.full_like(1, number)), zero)
    differs = b.compare("ne", rows, b.gather(rows, last, 0))
    if rows.rank == 2:
        differs = b.reduce("amax", differs, [1])
    return b.binary("bitwise_or", differs, b.compare("eq", number, zero))


def distinct(b, outs, rows, order, inverse, counts):
    """The first of each run of `rows`, the run of each (in the places that `order` says, if any), and how long each is."""
    value, *others = outs
    for out in others:
        out.dtype = "i64"  # of which torch says that they are of x's while it traces
    many = rows.shape[0]
    starts = runs(b, rows)
    places = places_of(b, starts, value)
    made = [b.gather(rows, places, 0), None, None]
    if inverse:
        number = b.scan("sum", b.convert(starts, "i64"), 0)
        number = b.binary("sub", number, b.full_like(1, number))
        made[1] = b.reshape(ranked(b, number, order, [many]) if order else number, others[0].shape)
    if counts:
        end = b.reshape(b.size_as_tensor(many), [1])
        ends = b.cat([b.slice_dim(places, 0, 1, None), end], 0) if value != 0 else places
        made[2] = b.binary("sub", b.reshape(ends, places.shape), places)
    return [made[0], *(b.full(0, "i64", out.shape) if out and one is None else one for one, out in zip(made[1:], outs[1:]))]


@lowers("_unique2.default", "_unique.default")
def unique(b, outs, x, sorted=True, return_inverse=False, return_counts=False):
    keys = flat(b, x)
    values, order = b.sort([keys, b.iota("i64", keys.shape, 0)], 0, 1)
    return distinct(b, [outs[0].shape[0], *outs[1:]], values, order, return_inverse, return_counts)


#: As many keys a row is sorted by at once; rows of more elements by one after the other.
WIDEST = 64


def rows_of(b, x, dim):
    """x with a dimension in front, as rows, and what brings its result back."""
    order = [dim, *(d for d in range(x.rank) if d != dim)]
    moved = b.transpose(x, order)
    width = elements(moved.shape[1:])

    def back(rows):
        return b.transpose(b.reshape(rows, [rows.shape[0], *moved.shape[1:]]), [order.index(d) for d in range(x.rank)])
    return b.reshape(moved, [moved.shape[0], width]), back


def order_of(b, rows):
    """The places of rows in ascending order."""
    many, width = rows.shape
    start = b.iota("i64", [many], 0)
    if isinstance(width, int) and 0 < width <= WIDEST:
        keys = [b.reshape(b.slice_dim(rows, 1, k, k + 1), [many]) for k in range(width)]
        return b.sort([*keys, start], 0, width)[-1]
    zero, one = b.full(0, "i64", ()), b.full(1, "i64", ())

    def step(carried):  # from the last element on: an order that is there stays among equal ones
        left, order = carried
        left = b.binary("sub", left, one)
        key = b.reshape(b.dynamic_slice_dim(rows, 1, left, [many, 1]), [many])
        return [left, b.sort([b.gather(key, order, 0), order], 0, 1)[-1]]
    # Programs that need no loop need no PyTorch.
    from ..control import loop

    return loop(b, [b.size_as_tensor(width), start], lambda carried: [b.compare("lt", zero, carried[0])], step)[-1]


@lowers("unique_dim.default")
def unique_dim(b, outs, x, dim, sorted=True, return_inverse=False, return_counts=False):
    d = axis(dim, x.rank)
    rows, back = rows_of(b, x, d)
    order = order_of(b, rows)
    made = distinct(b, [outs[0].shape[d], *outs[1:]], b.gather(rows, order, 0), order, return_inverse, return_counts)
    return [back(made[0]), *made[1:]]


@lowers("unique_consecutive.default")
def unique_consecutive(b, outs, x, return_inverse=False, return_counts=False, dim=None):
    if dim is None:
        return distinct(b, [outs[0].shape[0], *outs[1:]], flat(b, x), None, return_inverse, return_counts)
    d = axis(dim, x.rank)
    rows, back = rows_of(b, x, d)
    made = distinct(b, [outs[0].shape[d], *outs[1:]], rows, None, return_inverse, return_counts)
    return [back(made[0]), *made[1:]]
