# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling over windows."""
from . import lowers
from .common import Unsupported, elements, is_float, static, wide
from .convolution import first, last, spread
from .indexing import lowest


def _batched(b, x, count):
    return x if x.rank == count + 2 else b.reshape(x, [1, *x.shape])


def ends(sizes, outs, window, stride, padding, dilation):
    """Padding behind each dimension so that all windows fit; negative where the last do not reach the end."""
    return [(o - 1) * s + d * (k - 1) + 1 - n - p
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
    sizes, outs = static(*x.shape[2:], 1)[:-1], static(*result.shape[-count:], 1)[:-1]
    high = ends(sizes, outs, window, stride, padding, dilation)
    indices = several and out[1].used
    if not indices and all(d == 1 for d in dilation) and all(h < k for h, k in zip(high, window)):
        low, positive = padding, [max(0, h) for h in high]
        made = b.pool("max_pool", last(b, x), window, stride, low, positive)
        made = first(b, made)
        for d, n in enumerate(outs):
            made = b.slice_dim(made, 2 + d, 0, n)
        return [b.reshape(made, result.shape), None] if several else b.reshape(made, result.shape)
    best, place = window_by_window(b, x, sizes, outs, window, stride, padding, high, dilation)
    made = [b.reshape(best, result.shape), b.reshape(place, out[1].shape) if several else None]
    return made if several else made[0]


def window_by_window(b, x, sizes, outs, window, stride, padding, high, dilation):
    """The largest of each window, and where in the image it is: the first of equals, or the last NaN."""
    low = [0, 0, *padding]
    padded = b.pad(x, low, [0, 0, *(max(0, h) for h in high)], lowest(x.dtype))
    number = b.reshape(b.iota("i64", (elements(sizes),), 0), (1, 1, *sizes))
    number = b.pad(number, low, [0, 0, *(max(0, h) for h in high)], -1)
    best = place = None
    for at in _offsets(window):
        starts = [a * d for a, d in zip(at, dilation)]
        limits = [s0 + (o - 1) * s + 1 for s0, o, s in zip(starts, outs, stride)]
        part = b.slice(padded, [0, 0, *starts], [None, None, *limits], [1, 1, *stride])
        index = b.slice(number, [0, 0, *starts], [None, None, *limits], [1, 1, *stride])
        inside = b.broadcast(b.compare("ge", index, b.full_like(0, index)), part.shape)
        index = b.broadcast(index, part.shape)
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


def _offsets(window):
    made = [()]
    for k in window:
        made = [(*one, i) for one in made for i in range(k)]
    return made


@lowers("max_pool2d_with_indices_backward.default", "max_pool3d_with_indices_backward.default")
def max_pool_backward(b, out, grad, x, window, stride, padding, dilation, ceil_mode, indices):
    """Each gradient goes to the place that the index names."""
    from .indexing import scattered
    count = int(out.operation[8])
    lead, image = out.shape[:-count], elements(static(*out.shape[-count:], 1)[:-1])
    rows, many = elements(lead), elements(grad.shape[-count:])
    made = scattered(b, "add", b.full(0, out.dtype, (rows, image)), 1, b.reshape(indices, (rows, many)),
                     b.reshape(grad, (rows, many)))
    return b.reshape(made, out.shape)


@lowers("avg_pool1d.default", "avg_pool2d.default", "avg_pool3d.default")
def avg_pool(b, out, x, window, stride=(), padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    count = int(out.operation[8])
    x = b.convert(_batched(b, x, count), wide(out.dtype))
    listed = lambda v: spread(v if isinstance(v, (list, tuple)) else [v], count)  # noqa: E731
    window = listed(window)
    stride, padding = listed(stride) if stride else window, listed(padding)
    sizes, outs = static(*x.shape[2:], 1)[:-1], static(*out.shape[-count:], 1)[:-1]
    high = ends(sizes, outs, window, stride, padding, [1] * count)
    made = first(b, b.pool("sum_pool", last(b, x), window, stride, padding, [max(0, h) for h in high]))
    for d, n in enumerate(outs):
        made = b.slice_dim(made, 2 + d, 0, n)
    if divisor_override:
        made = b.binary("div", made, b.full_like(divisor_override, made))
    else:  # the number of elements along each dimension, which may differ at the ends
        for d, (n, o, k, s, p) in enumerate(zip(sizes, outs, window, stride, padding)):
            counts = []
            for i in range(o):
                begin = i * s - p
                end = min(begin + k, n + p)
                counts.append(end - begin if count_include_pad else min(end, n) - max(begin, 0))
            made = b.binary("div", made, b.broadcast_in_dim(constant_vector(b, counts, made.dtype), [2 + d], made.shape)) \
                if len(set(counts)) > 1 else b.binary("div", made, b.full_like(counts[0], made))
    return b.convert(b.reshape(made, out.shape), out.dtype)


def constant_vector(b, numbers, dtype):
    text = ", ".join(f"{float(n)!r}" if is_float(dtype) else str(n) for n in numbers)
    return b.emit(f"prim.constant dense<[{text}]> : {b._type(dtype, (len(numbers),))}", dtype, (len(numbers),))
