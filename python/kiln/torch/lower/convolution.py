# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions. Frameworks have channels first, prim has them last."""
from . import lowers
from .common import Unsupported, is_float, operand, static
from .movement import cut, every, padded, positions


def last(b, x):
    """[N, C, spatial...] to [N, spatial..., C]."""
    return b.transpose(x, [0, *range(2, x.rank), 1])


def first(b, x):
    return b.transpose(x, [0, x.rank - 1, *range(1, x.rank - 1)])


def spread(values, count):
    values = list(values)
    return values * count if len(values) == 1 else values


def is_known(w, padding=()):
    return all(isinstance(n, int) for n in (*w.shape, *padding))


def forward(b, x, w, stride, padding, dilation, groups):
    """x [N, spatial, C], w [O, C/groups, window]."""
    if not is_known(w, padding):
        return by_patches(b, x, w, stride, padding, dilation, groups)
    ones = [1] * len(stride)
    return b.conv(x, last(b, w), stride, padding, padding, dilation, ones, groups)


def by_patches(b, x, w, stride, padding, dilation, groups):
    """Of windows whose sizes are not known: what each reads, and products of that."""
    return times(b, patches(b, x, w.shape[2:], stride, padding, dilation), w, groups, 2)


def patches(b, x, window, stride, padding, dilation, counts=None):
    """What each place of a result reads: [N, places, window, ..., C]. `counts` of places where they are fewer than x has."""
    for d, more in enumerate(padding, 1):
        x = x if isinstance(more, int) else padded(b, x, d, more, x.shape[d] + 2 * more, 0)
    whole = [more if isinstance(more, int) else 0 for more in padding]
    x = b.pad(x, [0, *whole, 0], [0, *whole, 0], 0)
    for d, k in enumerate(window):
        made = counts[d] if counts else (x.shape[1 + 2 * d] - dilation[d] * (k - 1) - 1) // stride[d] + 1
        x = b.gather(x, positions(b, (made, k), (stride[d], dilation[d]), 0), 1 + 2 * d)
    return x


def times(b, x, w, groups, contracted):
    """Products of patches [N, places, window, ..., channels] and w [O, C/groups, window], whose dimension `contracted` - 1 is summed."""
    count, kept = w.rank - 2, 3 - contracted
    places = [x.shape[1 + 2 * d] for d in range(count)]
    x = b.transpose(x, [0, *(1 + 2 * d for d in range(count)), x.rank - 1, *(2 + 2 * d for d in range(count))])
    w = b.reshape(w, [groups, w.shape[0] // groups, *w.shape[1:]])
    x = b.reshape(x, [x.shape[0], *places, groups, w.shape[contracted], *w.shape[3:]])
    inner = range(count)
    made = b.dot(x, w, ([1 + count], [0]), ([2 + count, *(3 + count + i for i in inner)], [contracted, *(3 + i for i in inner)]), kind="conv")
    made = b.transpose(made, [1, *range(2, 2 + count), 0, 2 + count])
    return b.reshape(made, [made.shape[0], *places, groups * w.shape[kept]])


def input_by_places(b, grad, w, sizes, stride, padding, dilation, groups):
    """`backward_input` of windows whose sizes are not known, for a result of `sizes`: each element reads what it was read for."""
    for d, (n, k) in enumerate(zip(sizes, w.shape[2:])):
        m = grad.shape[1 + 2 * d]
        at = positions(b, (n, k), (1, -dilation[d]), padding[d])
        number = lambda value: operand(b, value, "i64", at.shape)  # noqa: E731, B023
        place = b.binary("div", at, number(stride[d]))
        inside = b.binary("bitwise_and", b.compare("ge", at, number(0)), b.compare("lt", place, number(m)))
        inside = b.binary("bitwise_and", inside, b.compare("eq", b.binary("mul", place, number(stride[d])), at))
        grad = b.gather(grad, b.where(inside, place, number(0)), 1 + 2 * d)
        grad = b.where(b.broadcast_in_dim(inside, [1 + 2 * d, 2 + 2 * d], grad.shape), grad, b.full_like(0, grad))
    return times(b, grad, w, groups, 1)


def weight_of_patches(b, grad, x, w_shape, stride, padding, dilation, groups):
    """`backward_weight` of windows whose sizes are not known."""
    o, c, *window = w_shape
    count = len(window)
    x = patches(b, x, window, stride, padding, dilation, grad.shape[1:-1])  # padding by a stride adds places
    joined = [0, *(1 + 2 * d for d in range(count))]
    x = b.transpose(x, [*joined, *(2 + 2 * d for d in range(count)), x.rank - 1])
    x = b.reshape(x, [*x.shape[:-1], groups, c])
    grad = b.reshape(grad, [*grad.shape[:-1], groups, o // groups])
    summed = list(range(1 + count))
    made = b.dot(grad, x, ([1 + count], [1 + 2 * count]), (summed, summed), kind="conv")  # [groups, O/groups, window, C/groups]
    made = b.transpose(made, [0, 1, 2 + count, *range(2, 2 + count)])
    return b.reshape(made, [o, c, *window])


def backward_input(b, grad, w, stride, padding, dilation, extra, groups):
    """The transposed convolution: grad [N, spatial, O], w [O, C/groups, window]; `extra` elements more at
    the end of each dimension."""
    o, c, *window = static(*w.shape)
    count = len(window)
    w = b.reshape(w, [groups, o // groups, c, *window])
    w = b.transpose(w, [0, 2, *range(3, 3 + count), 1])
    w = b.rev(b.reshape(w, [groups * c, *window, o // groups]), list(range(1, 1 + count)))
    low = [d * (k - 1) - p for d, k, p in zip(dilation, window, padding)]
    high = [n + e for n, e in zip(low, extra)]
    ones = [1] * count
    made = b.conv(grad, w, ones, [max(n, 0) for n in low], [max(n, 0) for n in high], dilation, stride, groups)
    if any(n < 0 for n in (*low, *high)):  # what padding has cut off
        for d, (before, behind) in enumerate(zip(low, high), 1):
            if not isinstance(made.shape[d], int) and behind < 0:
                made = cut(b, made, d, made.shape[d] + behind)
                behind = 0
            around = [[n if e == d else 0 for e in range(made.rank)] for n in (min(before, 0), min(behind, 0))]
            made = b.pad(made, *around, 0)
    return made


def backward_weight(b, grad, x, window, stride, padding, dilation, groups):
    """x [N, spatial, C], grad [N, spatial, O]; the result is [O, C/groups, window]."""
    n, *spatial, c = x.shape
    if not all(isinstance(m, int) for m in (*spatial, c, *grad.shape[1:], n if groups > 1 else 1)):
        return weight_by_places(b, grad, x, window, stride, padding, dilation, groups)
    o, count = grad.shape[-1], len(spatial)
    # Padding behind the input so that the window has just the places that the filter has elements.
    high = [(m - 1) * s + (k - 1) * e + 1 - size - p for m, s, k, e, size, p in
            zip(grad.shape[1:-1], stride, window, dilation, spatial, padding)]
    for d, behind in enumerate(high):
        if behind < 0:
            spatial[d] = max(1, spatial[d] + behind)  # one that no window has, if padding has them all
            x = b.slice_dim(x, 1 + d, 0, spatial[d])
    high = [max(0, behind) for behind in high]
    if groups > 1:
        x = b.reshape(x, [n, *spatial, groups, c // groups])
        x = b.transpose(x, [2 + count, *range(1, 1 + count), 1 + count, 0])
        x = b.reshape(x, [c // groups, *spatial, groups * n])
    else:
        x = b.transpose(x, [1 + count, *range(1, 1 + count), 0])
    grad = b.transpose(grad, [1 + count, *range(1, 1 + count), 0])
    ones = [1] * count
    made = b.conv(x, grad, dilation, padding, high, stride, ones, groups)
    for d, k in enumerate(window):
        made = b.slice_dim(made, 1 + d, 0, k)
    return b.transpose(made, [1 + count, 0, *range(1, 1 + count)])


def weight_by_places(b, grad, x, window, stride, padding, dilation, groups):
    """The same of sizes that are not known: one product for each place of the window."""
    count, o, outs = len(stride), static(grad.shape[-1]), grad.shape[1:-1]
    c = static(x.shape[-1]) // groups
    x = b.pad(x, [0, *padding, 0], [0, *padding, 0], 0)
    grad = b.reshape(grad, [*grad.shape[:-1], groups, o // groups])
    joined, parts = list(range(1 + count)), []
    for at in places(static(*window, 1)[:-1]):
        part = every(b, x, 1, [i * d for i, d in zip(at, dilation)], outs, stride)
        part = b.reshape(part, [*grad.shape[:-2], groups, c])
        made = b.dot(grad, part, ([1 + count], [1 + count]), (joined, joined), kind="conv")  # [groups, O/groups, C/groups]
        parts.append(b.reshape(made, [o, c, 1]))
    return b.reshape(b.cat(parts, 2), [o, c, *window])


def places(window):
    """All places in a window, row-major."""
    made = [()]
    for n in window:
        made = [(*one, i) for one in made for i in range(n)]
    return made


def _apart(b, x, dim, stride):
    """x with zeros between its elements along a dimension."""
    if stride == 1:
        return x
    shape, n = list(x.shape), x.shape[dim]
    x = b.reshape(x, [*shape[:dim + 1], 1, *shape[dim + 1:]])
    x = b.pad(x, [0] * x.rank, [stride - 1 if d == dim + 1 else 0 for d in range(x.rank)], 0)
    x = b.reshape(x, [*shape[:dim], n * stride, *shape[dim + 1:]])
    return b.slice_dim(x, dim, 0, (n - 1) * stride + 1)


def of_integers(b, x, w, stride, padding, dilation, transposed, extra, groups):
    """One product for each place of the window, summed. x [N, spatial, C], w as in `forward`."""
    window, count = static(*w.shape, 1)[2:-1], len(stride)
    if transposed:  # the window reversed over an input that is spread
        o, c = w.shape[:2]
        w = b.rev(w, list(range(2, w.rank)))
        w = b.reshape(w, [groups, o // groups, c, *window])
        w = b.reshape(b.transpose(w, [0, 2, 1, *range(3, w.rank)]), [groups * c, o // groups, *window])
        for d in range(count):
            x = _apart(b, x, 1 + d, stride[d])
        low = [k * (n - 1) - p for k, n, p in zip(dilation, window, padding)]
        high, stride = [n + e for n, e in zip(low, extra)], [1] * count
    else:
        low = high = padding
    x = b.pad(x, [0, *low, 0], [0, *high, 0], 0)
    n, *spatial, c = static(*x.shape)
    sizes = [(m - k * (r - 1) - 1) // s + 1 for m, k, r, s in zip(spatial, dilation, window, stride)]
    o = w.shape[0]
    total = None
    for at in places(window):
        starts = [i * k for i, k in zip(at, dilation)]
        limits = [i + (m - 1) * s + 1 for i, m, s in zip(starts, sizes, stride)]
        part = b.slice(x, [0, *starts, 0], [n, *limits, c], [1, *stride, 1])
        part = b.transpose(b.reshape(part, [n, *sizes, groups, c // groups]), [1 + count, 0, *range(1, 1 + count), 2 + count])
        factor = b.slice(w, [0, 0, *at], [o, c // groups, *(i + 1 for i in at)], [1] * w.rank)
        factor = b.reshape(factor, [groups, o // groups, c // groups])
        made = b.dot(part, factor, ([0], [0]), ([part.rank - 1], [2]), kind="conv")  # [groups, N, spatial, O/groups]
        total = made if total is None else b.binary("add", total, made)
    total = b.transpose(total, [1, *range(2, 2 + count), 0, 2 + count])
    return b.reshape(total, [n, *sizes, o])


@lowers("convolution.default")
def convolution(b, out, x, w, bias, stride, padding, dilation, transposed, output_padding, groups):
    count = w.rank - 2
    if x.rank != w.rank:
        raise Unsupported("a convolution without a batch")
    stride, padding, dilation = (spread(v, count) for v in (stride, padding, dilation))
    static(*stride, *dilation)
    if out.dtype in ("i8", "i16", "u8", "u16"):  # sums of 32 bits, cut, are those of the type
        x, w = (b.convert(one, "i32") for one in (x, w))
    is_open = not is_known(w, padding) or not is_float(out.dtype) and not is_known(x)
    if not is_float(out.dtype) and not is_open:
        made = of_integers(b, last(b, x), w, stride, padding, dilation, transposed, spread(output_padding, count), groups)
    elif transposed and is_open:
        made = input_by_places(b, last(b, x), w, out.shape[2:], stride, padding, dilation, groups)
    elif transposed:
        made = backward_input(b, last(b, x), w, stride, padding, dilation, spread(output_padding, count), groups)
    elif is_open:
        made = by_patches(b, last(b, x), w, stride, padding, dilation, groups)
    else:
        made = forward(b, last(b, x), w, stride, padding, dilation, groups)
    if bias is not None:
        made = b.binary("add", made, b.broadcast(b.convert(bias, made.dtype), made.shape))
    return b.convert(first(b, made), out.dtype)


def of_channels(b, x, count):
    """x [..., C] whose channels torch counts by an expression of sizes, with as many of them as the weights say."""
    is_open = isinstance(count, int) and not isinstance(x.shape[-1], int)
    return b.reshape(x, [*x.shape[:-1], count]) if is_open else x


@lowers("convolution_backward.default")
def convolution_backward(b, out, grad, x, w, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, mask):
    count = w.rank - 2
    stride, padding, dilation = (spread(v, count) for v in (stride, padding, dilation))
    to, of = (w.shape[1] * groups, w.shape[0]) if transposed else (w.shape[0], w.shape[1] * groups)
    grad, x = of_channels(b, last(b, grad), to), of_channels(b, last(b, x), of)
    window, made = w.shape[2:], [None, None, None]
    if mask[0] and transposed:
        to_input = forward(b, grad, w, stride, padding, dilation, groups)
        for d, (n, s, more) in enumerate(zip(x.shape[1:-1], stride, spread(output_padding, count)), 1):
            to_input = cut(b, to_input, d, n) if more >= s else to_input  # padding by a stride adds windows
        made[0] = first(b, to_input)
    elif mask[0] and not is_known(w, padding):
        made[0] = first(b, input_by_places(b, grad, w, x.shape[1:-1], stride, padding, dilation, groups))
    elif mask[0]:
        extra = [n - ((m - 1) * s + d * (k - 1) + 1 - 2 * p) if isinstance(n, int) else s - 1 for n, m, s, d, k, p in
                 zip(x.shape[1:-1], grad.shape[1:-1], stride, dilation, window, padding)]
        to_input = backward_input(b, grad, w, stride, padding, dilation, extra, groups)
        for d, n in enumerate(x.shape[1:-1], 1):
            to_input = to_input if isinstance(n, int) or stride[d - 1] == 1 else cut(b, to_input, d, n)
        made[0] = first(b, to_input)
    if mask[1]:
        large, small = (grad, x) if transposed else (x, grad)
        if is_known(w, padding):
            made[1] = backward_weight(b, small, large, window, stride, padding, dilation, groups)
        else:
            made[1] = weight_of_patches(b, small, large, w.shape, stride, padding, dilation, groups)
    if mask[2]:
        made[2] = b.reduce("sum", grad, range(grad.rank - 1))
    return made


