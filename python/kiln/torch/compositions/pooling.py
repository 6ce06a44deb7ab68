# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling over windows whose sizes follow from those of operand and result."""
import torch

from . import composes


def _longest(size, count):
    """At least as many elements as the longest adaptive window has; no condition on sizes that are open."""
    if not isinstance(size, int) or not isinstance(count, int):
        return (size - 1) // count + 2
    return max((-(-(i + 1) * size // count) - i * size // count for i in range(count)), default=0)


def _windows(size, count):
    """Where the adaptive windows of a dimension begin and end. Read the other way round, with `size` and `count` exchanged, they are the
    windows that each element belongs to."""
    number = torch.arange(count)
    return (number * size) // count, ((number + 1) * size + count - 1) // count


def _sums(x, dim, start, end, most):
    """The sum over each window of a dimension, of at most `most` elements. NaN and infinity outside of a window do not reach it, as
    they would in a product with a matrix of zeros and ones."""
    at = start.unsqueeze(1) + torch.arange(most)
    inside = at < end.unsqueeze(1)
    dim %= x.dim()
    shape = [*x.shape[:dim], *at.shape, *x.shape[dim + 1:]]
    read = x.index_select(dim, torch.where(inside, at, 0).reshape(-1)).reshape(shape)
    return torch.where(inside.reshape([*at.shape, *[1] * (x.dim() - 1 - dim)]), read, 0).sum(dim + 1)


def _beside(values, x, dim):
    """Values of one dimension, to be multiplied with x."""
    return values.to(x.dtype).reshape([-1] + [1] * (-1 - dim))


def _wide(x):
    return x.to(torch.float32) if x.dtype in (torch.bfloat16, torch.float16) else x


@composes("_adaptive_avg_pool2d.default", "_adaptive_avg_pool3d.default")
def adaptive_avg_pool(x, sizes):
    made = _wide(x)
    for d, count in enumerate(reversed(sizes)):
        dim, size = -1 - d, made.shape[-1 - d]
        start, end = _windows(size, count)
        made = _sums(made, dim, start, end, _longest(size, count)) / _beside(end - start, made, dim)
    return made.to(x.dtype)


def _average_backward(count):
    def backward(grad, x):
        made = _wide(grad)
        for dim in range(-1, -count - 1, -1):
            size, many = x.shape[dim], grad.shape[dim]
            start, end = _windows(size, many)
            made = _sums(made / _beside(end - start, made, dim), dim, *_windows(many, size), _longest(many, size))
        return made.to(grad.dtype)
    return backward


composes("_adaptive_avg_pool2d_backward.default")(_average_backward(2))
composes("_adaptive_avg_pool3d_backward.default")(_average_backward(3))


def _adaptive_max(x, sizes):
    """All windows beside each other, longer ones by their last element again, and where in the image each is."""
    count = len(sizes)
    image = x.shape[-count:]
    made, place, longest = x, torch.zeros([1] * (2 * count), dtype=torch.int64), []
    for d, (n, size) in enumerate(zip(image, sizes)):
        most = _longest(n, size)
        longest.append(most)
        number = torch.arange(size)
        start, end = (number * n) // size, ((number + 1) * n + size - 1) // size
        at = torch.minimum(start.unsqueeze(1) + torch.arange(most), end.unsqueeze(1) - 1)  # [size, most]
        dim = made.dim() - count + d
        made = made.index_select(dim, at.reshape(-1))
        shape = [1] * (2 * count)
        shape[d], shape[count + d] = size, most
        place = place * n + at.reshape(shape)
    lead = made.shape[:-count]
    split = []
    for size, most in zip(sizes, longest):
        split += [size, most]
    made = made.reshape([*lead, *split])
    first = len(lead)
    made = made.permute([*range(first), *(first + 2 * d for d in range(count)), *(first + 2 * d + 1 for d in range(count))])
    return made.flatten(-count), place.flatten(-count)


@composes("adaptive_max_pool2d.default", "adaptive_max_pool3d.default")
def adaptive_max_pool(x, sizes):
    if 0 in x.shape:
        return NotImplemented
    windows, place = _adaptive_max(x, list(sizes))
    best = torch.argmax(windows, -1, keepdim=True)
    return windows.gather(-1, best).squeeze(-1), place.expand(windows.shape).gather(-1, best).squeeze(-1)


def _largest_backward(count):
    def backward(grad, x, indices):
        zeros = torch.zeros(x.shape, dtype=grad.dtype).flatten(-count)
        return zeros.scatter_add(-1, indices.flatten(-count), grad.flatten(-count)).reshape(x.shape)
    return backward


composes("adaptive_max_pool2d_backward.default")(_largest_backward(2))
composes("adaptive_max_pool3d_backward.default")(_largest_backward(3))


@composes("avg_pool3d_backward.default", "avg_pool2d_backward.default")
def avg_pool_backward(grad, x, window, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """Each element takes the gradients of the windows that it is in, along one dimension after the other."""
    count = len(window)
    listed = lambda v: list(v) * count if len(v) == 1 else list(v)  # noqa: E731
    window, padding = listed(window), listed(padding)
    stride = listed(stride) if stride else window
    made = _wide(grad)
    for d in range(count):
        dim = d - count
        n, out = x.shape[dim], grad.shape[dim]
        if not divisor_override:
            start = torch.arange(out) * stride[d] - padding[d]
            end = start + window[d]
            full = torch.clamp(end, max=n + padding[d]) - start
            valid = torch.clamp(end, max=n) - torch.clamp(start, min=0)
            made = made / _beside(full if count_include_pad else valid, made, dim)
        place = torch.arange(n) + padding[d]
        first = torch.clamp(place - window[d] + stride[d], min=0) // stride[d]
        end = torch.clamp(place // stride[d] + 1, max=out)
        made = _sums(made, dim, first, end, -(-window[d] // stride[d]))
    if divisor_override:
        made = made / divisor_override
    return made.to(grad.dtype)


def _spread(sample, size, count, window):
    """Where `count` windows begin that are spread over a dimension; `sample` shifts them."""
    if count == 1:
        return torch.full([*sample.shape, 1], size - window, dtype=torch.int64)
    step = (size - window) / (count - 1)
    number = torch.arange(count, dtype=sample.dtype)
    begins = ((number + sample.unsqueeze(-1)) * step).to(torch.int64) - (sample * step).to(torch.int64).unsqueeze(-1)
    return torch.where(number == count - 1, size - window, begins)


@composes("fractional_max_pool2d.default")
def fractional_max_pool2d(x, window, made, samples):
    """The largest element of each window, and its place in the image."""
    if x.dim() != 4 or not all(isinstance(n, int) for n in (*made, *x.shape[2:])):
        return NotImplemented
    n, c, height, width = x.shape
    at = [_spread(samples[:, :, 1 - d], size, count, of) for d, (size, count, of) in enumerate(zip((height, width), made, window))]
    rows = at[0].reshape(n, c, made[0], 1, 1, 1) + torch.arange(window[0]).reshape(1, 1, 1, 1, -1, 1)
    columns = at[1].reshape(n, c, 1, made[1], 1, 1) + torch.arange(window[1]).reshape(1, 1, 1, 1, 1, -1)
    place = (rows * width + columns).reshape(n, c, -1)
    read = x.reshape(n, c, -1).gather(2, place).reshape(n, c, *made, -1)
    most, which = read.max(-1)
    return most, place.reshape(read.shape).gather(-1, which.unsqueeze(-1)).squeeze(-1)


@composes("fractional_max_pool2d_backward.default")
def fractional_max_pool2d_backward(grad, x, window, made, places):
    if x.dim() != 4:
        return NotImplemented
    flat = torch.zeros_like(x).flatten(2)
    return flat.scatter_add(2, places.flatten(2), grad.flatten(2)).reshape(x.shape)
