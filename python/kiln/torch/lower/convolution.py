# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions. Frameworks have channels first, prim has them last."""
from . import lowers
from .common import Unsupported, is_float, static


def last(b, x):
    """[N, C, spatial...] to [N, spatial..., C]."""
    return b.transpose(x, [0, *range(2, x.rank), 1])


def first(b, x):
    return b.transpose(x, [0, x.rank - 1, *range(1, x.rank - 1)])


def spread(values, count):
    values = list(values)
    return values * count if len(values) == 1 else values


def forward(b, x, w, stride, padding, dilation, groups):
    """x [N, spatial, C], w [O, C/groups, window]."""
    ones = [1] * len(stride)
    return b.conv(x, last(b, w), stride, padding, padding, dilation, ones, groups)


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
        made = b.pad(made, [0, *(min(n, 0) for n in low), 0], [0, *(min(n, 0) for n in high), 0], 0)
    return made


def backward_weight(b, grad, x, window, stride, padding, dilation, groups):
    """x [N, spatial, C], grad [N, spatial, O]; the result is [O, C/groups, window]."""
    n, *spatial, c = static(*x.shape)
    o, count = grad.shape[-1], len(spatial)
    x = b.reshape(x, [n, *spatial, groups, c // groups])
    x = b.transpose(x, [2 + count, *range(1, 1 + count), 1 + count, 0])
    x = b.reshape(x, [c // groups, *spatial, groups * n])
    grad = b.transpose(grad, [1 + count, *range(1, 1 + count), 0])
    ones = [1] * count
    made = b.conv(x, grad, dilation, padding, padding, stride, ones, groups)
    for d, k in enumerate(window):
        made = b.slice_dim(made, 1 + d, 0, k)
    return b.transpose(made, [1 + count, 0, *range(1, 1 + count)])


@lowers("convolution.default")
def convolution(b, out, x, w, bias, stride, padding, dilation, transposed, output_padding, groups):
    count = w.rank - 2
    if x.rank != w.rank or not is_float(out.dtype):
        raise Unsupported("a convolution without a batch, or of integers")
    stride, padding, dilation = (spread(v, count) for v in (stride, padding, dilation))
    static(*stride, *padding, *dilation)
    if transposed:
        made = backward_input(b, last(b, x), w, stride, padding, dilation, spread(output_padding, count), groups)
    else:
        made = forward(b, last(b, x), w, stride, padding, dilation, groups)
    if bias is not None:
        made = b.binary("add", made, b.broadcast(b.convert(bias, made.dtype), made.shape))
    return first(b, made)


@lowers("convolution_backward.default")
def convolution_backward(b, out, grad, x, w, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, mask):
    count = w.rank - 2
    stride, padding, dilation = (spread(v, count) for v in (stride, padding, dilation))
    grad, x = last(b, grad), last(b, x)
    window, made = w.shape[2:], [None, None, None]
    if mask[0] and transposed:
        made[0] = first(b, forward(b, grad, w, stride, padding, dilation, groups))
    elif mask[0]:
        extra = [n - ((m - 1) * s + d * (k - 1) + 1 - 2 * p) for n, m, s, d, k, p in
                 zip(static(*x.shape)[1:-1], static(*grad.shape)[1:-1], stride, dilation, window, padding)]
        made[0] = first(b, backward_input(b, grad, w, stride, padding, dilation, extra, groups))
    if mask[1]:
        large, small = (grad, x) if transposed else (x, grad)
        made[1] = backward_weight(b, small, large, window, stride, padding, dilation, groups)
    if mask[2]:
        made[2] = b.reduce("sum", grad, range(grad.rank - 1))
    return made


