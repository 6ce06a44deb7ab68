# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling over windows."""
from . import lowers
from .common import elements, is_float, wide
from .convolution import first, last, places, spread
from .indexing import lowest
from .movement import cut, every


def _batched(b, x, count):
    return x if x.rank == count + 2 else b.reshape(x, [1, *x.shape])


def ends(sizes, outs, window, stride, padding, dilation, ceil_mode):
    """Padding behind each dimension so that all windows fit; negative where the last do not reach the end. Of sizes that are
    not known it may be more than is needed."""
    return [(o - 1) * s + d * (k - 1) + 1 - n - p if isinstance(n, int) else p + (s - 1 if ceil_mode else 0)
            for n, o, k, s, p, d in zip(sizes, outs, window, stride, padding, dilation)]


@lowers("max_pool2d_with_indices.default", "max_pool3d_with_indices.default", "max_pool1d.default", "max_pool2d.default",
        "max_pool3d.default", "max_pool1d_with_indices.default")
def max_pool(b, out, x, window, stride=(), padding=0, dilation=1, ceil_mode=False):
    several = isinstance(out, list)
    result = out[0] if several else out
    count = int(result.operation[8])
    x = _batched(b, x, count)
    listed = lambda v: spread(v if isinstance(v, (list, tuple)) else [v], count)  # noqa: E731
    window = listed(window)
    stride, padding, dilation = listed(stride) if stride else window, listed(padding), listed(dilation)
    sizes, outs = x.shape[2:], result.shape[-count:]
    high = ends(sizes, outs, window, stride, padding, dilation, ceil_mode)
    indices = several and out[1].used
    about = sizes, outs, window, stride, padding, high, dilation
    if all(d == 1 for d in dilation) and all(h < k for h, k in zip(high, window)):
        low, positive = padding, [max(0, h) for h in high]
        made = b.pool("max_pool", last(b, x), window, stride, low, positive)
        made = first(b, made)
        for d, (n, size) in enumerate(zip(outs, sizes)):
            made = made if not isinstance(size, int) and not ceil_mode else cut(b, made, 2 + d, n)
        if not indices:
            return [b.reshape(made, result.shape), None] if several else b.reshape(made, result.shape)
        return [b.reshape(made, result.shape), b.reshape(place_in_windows(b, x, made, *about), out[1].shape)]
    best, place = window_by_window(b, x, *about)
    made = [b.reshape(best, result.shape), b.reshape(place, out[1].shape) if several else None]
    return made if several else made[0]


def windows(b, x, sizes, outs, window, stride, padding, high, dilation):
    """For each place of a window: what windows have there, where in the image that is, or -1, and whether it is in the image."""
    low = [0, 0, *padding]
    padded = b.pad(x, low, [0, 0, *(max(0, h) for h in high)], lowest(x.dtype))
    number = b.reshape(b.iota("i64", (elements(sizes),), 0), (1, 1, *sizes))
    number = b.pad(number, low, [0, 0, *(max(0, h) for h in high)], -1)
    for at in places(window):
        starts = [a * d for a, d in zip(at, dilation)]
        part, index = (every(b, one, 2, starts, outs, stride) for one in (padded, number))
        inside = b.broadcast(b.compare("ge", index, b.full_like(0, index)), part.shape)
        yield part, b.broadcast(index, part.shape), inside


def place_in_windows(b, x, best, *about):
    """Where in the image the largest of each window is: the first of equals, or the last NaN. From the last place of a window to
    the first, so that each step needs one number of the step before."""
    place = None
    for part, index, inside in reversed(list(windows(b, x, *about))):
        found = b.binary("bitwise_and", inside, b.compare("eq", part, best))
        place = b.full_like(-1, index) if place is None else place
        if is_float(x.dtype):
            unset = b.compare("lt", place, b.full_like(0, place))
            found = b.binary("bitwise_or", found, b.binary("bitwise_and", unset, b.compare("ne", part, part)))
        place = b.where(found, index, place)
    return place


def window_by_window(b, x, *about):
    """The largest of each window, and where in the image it is: the first of equals, or the last NaN."""
    best = place = None
    for part, index, inside in windows(b, x, *about):
        if best is None:
            best, place = part, index
            continue
        unset = b.compare("lt", place, b.full_like(0, place))
        better = b.compare("gt", part, best)
        if is_float(x.dtype):
            better = b.binary("bitwise_or", better, b.compare("ne", part, part))
        better = b.binary("bitwise_and", inside, b.binary("bitwise_or", better, unset))
        best, place = b.where(better, part, best), b.where(better, index, place)
    return best, place


@lowers("max_pool2d_with_indices_backward.default", "max_pool3d_with_indices_backward.default")
def max_pool_backward(b, out, grad, x, window, stride, padding, dilation, ceil_mode, indices):
    """Each gradient goes to the place that the index names: each place adds up those of the few windows that have it, where sizes
    are known and windows do not overlap much; not at all on a CPU, which looks at one window after the other."""
    from .indexing import scattered
    count = int(out.operation[8])
    window, padding, dilation = (spread(v, count) for v in (window, padding, dilation))
    stride = spread(stride, count) if stride else window
    overlaps = [-(-((k - 1) * d + 1) // s) for k, s, d in zip(window, stride, dilation)]
    sizes = [*out.shape[-count:], *grad.shape[-count:]]
    many = MOST_OVERLAPS if b.is_parallel else 1
    if elements(overlaps) <= many and (b.is_parallel or not any(padding)) and all(isinstance(n, int) and n for n in sizes):
        return gathered_gradient(b, out, grad, indices, stride, padding, overlaps)
    lead, image = out.shape[:-count], elements(out.shape[-count:])
    rows, many = elements(lead), elements(grad.shape[-count:])
    made = scattered(b, "add", b.full(0, out.dtype, (rows, image)), 1, b.reshape(indices, (rows, many)),
                     b.reshape(grad, (rows, many)))
    return b.reshape(made, out.shape)


#: So many windows have a place at most, for each place to look at all of them.
MOST_OVERLAPS = 16


def gathered_gradient(b, out, grad, indices, stride, padding, overlaps):
    """The gradient of each place: the sum over the windows with it that have found their maximum there. Places are counted from
    where the first window begins; `stride` neighbours, which lie in the same windows, are a dimension of their own."""
    count = len(stride)
    lead, sizes, outs = list(out.shape[:-count]), out.shape[-count:], grad.shape[-count:]
    begins = [(n - 1 + p) // s + 1 for n, s, p in zip(sizes, stride, padding)]
    shape = [*lead, *(n for pair in zip(begins, stride) for n in pair)]
    dims = [*range(len(lead)), *(len(lead) + 2 * d for d in range(count))]
    place, behind = None, 1
    for d in reversed(range(count)):
        at = b.iota("i64", (begins[d] * stride[d],), 0)
        at = b.binary("mul", b.binary("sub", at, b.full_like(padding[d], at)), b.full_like(behind, at))
        at = b.broadcast_in_dim(b.reshape(at, (begins[d], stride[d])), [2 * d, 2 * d + 1], shape[len(lead):])
        place = at if place is None else b.binary("add", place, at)
        behind *= sizes[d]
    place = b.broadcast_in_dim(place, [*range(len(lead), len(shape))], shape)
    total = b.full(0, wide(out.dtype), shape)
    for back in places(overlaps):
        parts = [_of_windows(b, one, len(lead), begins, back, fill) for one, fill in ((grad, 0), (indices, -1))]
        if None in parts:
            continue
        part, index = (b.broadcast_in_dim(one, dims, shape) for one in parts)
        part = b.convert(b.where(b.compare("eq", index, place), part, b.full_like(0, part)), total.dtype)
        total = b.binary("add", total, part)
    made = b.reshape(b.convert(total, out.dtype), [*lead, *(n * s for n, s in zip(begins, stride))])
    for d, (n, p) in enumerate(zip(sizes, padding), len(lead)):
        made = b.slice_dim(made, d, p, p + n)
    return made


def _of_windows(b, x, first, begins, back, fill):
    """x [..., windows] of the windows that begin `back` windows before each; None where there are none. `first`: the first
    dimension of windows."""
    for d, (n, t) in enumerate(zip(begins, back), first):
        length = min(x.shape[d], n - t)
        if length <= 0:
            return None
        if length < x.shape[d]:
            x = b.slice_dim(x, d, 0, length)
        around = [[m if e == d else 0 for e in range(x.rank)] for m in (t, n - t - length)]
        if any(map(any, around)):
            x = b.pad(x, *around, fill)
    return x


@lowers("avg_pool1d.default", "avg_pool2d.default", "avg_pool3d.default")
def avg_pool(b, out, x, window, stride=(), padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    count = int(out.operation[8])
    x = b.convert(_batched(b, x, count), wide(out.dtype))
    listed = lambda v: spread(v if isinstance(v, (list, tuple)) else [v], count)  # noqa: E731
    window = listed(window)
    stride, padding = listed(stride) if stride else window, listed(padding)
    sizes, outs = x.shape[2:], out.shape[-count:]
    high = ends(sizes, outs, window, stride, padding, [1] * count, ceil_mode)
    made = first(b, b.pool("sum_pool", last(b, x), window, stride, padding, [max(0, h) for h in high]))
    for d, n in enumerate(outs):
        made = cut(b, made, 2 + d, n)
    if divisor_override:
        made = b.binary("div", made, b.full_like(divisor_override, made))
    else:  # the number of elements along each dimension, which may differ at the ends
        for d, (n, o, k, s, p) in enumerate(zip(sizes, outs, window, stride, padding)):
            made = b.binary("div", made, counted(b, d, (n, o, k, s, p), made, count_include_pad, ceil_mode))
    return b.convert(b.reshape(made, out.shape), out.dtype)


def counted(b, d, about, made, count_include_pad, ceil_mode):
    """How many elements each window has along a dimension, in the shape of `made`."""
    n, o, k, s, p = about
    if isinstance(n, int):
        counts = []
        for i in range(o):
            begin = i * s - p
            end = min(begin + k, n + p)
            counts.append(end - begin if count_include_pad else min(end, n) - max(begin, 0))
        if len(set(counts)) == 1:
            return b.full_like(counts[0], made)
        return b.broadcast_in_dim(constant_vector(b, counts, made.dtype), [2 + d], made.shape)
    if not ceil_mode and (count_include_pad or p == 0):
        return b.full_like(k, made)
    size = b.broadcast(b.size_as_tensor(n), (o,))
    begin = b.iota("i64", (o,), 0)
    number = lambda value: b.full_like(value, begin)  # noqa: E731
    begin = b.binary("sub", b.binary("mul", begin, number(s)), number(p))
    end = b.binary("minimum", b.binary("add", begin, number(k)), b.binary("add", size, number(p)))
    if not count_include_pad:
        end, begin = b.binary("minimum", end, size), b.binary("maximum", begin, number(0))
    return b.broadcast_in_dim(b.convert(b.binary("sub", end, begin), made.dtype), [2 + d], made.shape)


def constant_vector(b, numbers, dtype):
    text = ", ".join(f"{float(n)!r}" if is_float(dtype) else str(n) for n in numbers)
    return b.emit(f"prim.constant dense<[{text}]> : {b._type(dtype, (len(numbers),))}", dtype, (len(numbers),))
