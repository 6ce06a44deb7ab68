# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images at other places: smoothed sizes, and the gradients of reading at computed positions."""
import itertools
import math

import torch
from torch._decomp import decomposition_table

from . import composes
from .pooling import _wide


def _triangle(x):
    return (1 - x.abs()).clamp(min=0.0)


def _near_cubic(x, a):
    return ((a + 2) * x - (a + 3)) * x * x + 1


def _far_cubic(x, a):
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a


def _cubic(x):
    x = x.abs()
    return torch.where(x < 1, _near_cubic(x, -0.5), torch.where(x < 2, _far_cubic(x, -0.5), 0.0))


def _step(size, made, aligned, factor):
    """How far elements that are made are apart: a tensor where that is known only when the program runs."""
    if factor and not aligned:
        return 1 / factor
    if isinstance(size, int) and isinstance(made, int):
        return size / made if not aligned else (size - 1) / (made - 1) if made > 1 else 0.0
    size, made = (torch.full((), n, dtype=torch.int64).to(torch.float64) for n in (size, made))
    return torch.where(made > 1, (size - 1) / (made - 1).clamp(min=1), 0.0) if aligned else size / made


def _weights(size, made, aligned, factor, reach, shape, dtype):
    """The matrix that takes `size` elements to `made`: each is a mean over what the filter, as wide as an element that
    is made, reaches."""
    step = _step(size, made, aligned, factor)
    wide = step.clamp(min=1.0) if isinstance(step, torch.Tensor) else max(step, 1.0)
    middle = step * (torch.arange(made, dtype=torch.float64).unsqueeze(1) + 0.5)
    place = torch.arange(size, dtype=torch.float64).unsqueeze(0)
    inside = (place >= torch.trunc(middle - reach * wide + 0.5)) & (place < torch.trunc(middle + reach * wide + 0.5))
    found = torch.where(inside, shape((place - middle + 0.5) / wide), 0.0)
    return (found / found.sum(1, keepdim=True)).to(dtype)


def _smoothed(operation, reach, shape):
    def weights(sizes, made, aligned, factors, dtype):
        return [_weights(size, count, aligned, factor, reach, shape, dtype)
                for size, count, factor in zip(sizes, made, factors)]

    @composes(f"{operation}.default")
    def forward(x, output_size, align_corners, scales_h=None, scales_w=None):
        wide = _wide(x)
        if not x.is_floating_point():
            return NotImplemented
        rows, columns = weights(x.shape[2:], output_size, align_corners, (scales_h, scales_w), wide.dtype)
        return (rows @ (wide @ columns.t())).to(x.dtype)

    @composes(f"{operation}_backward.default")
    def backward(grad, output_size, input_size, align_corners, scales_h=None, scales_w=None):
        wide = _wide(grad)
        rows, columns = weights(input_size[2:], output_size, align_corners, (scales_h, scales_w), wide.dtype)
        return (rows.t() @ (wide @ columns)).to(grad.dtype)


def _cubic_bytes(x, dim, made, aligned, factor):
    """Bytes along one dimension by weights of 16 bits, as eager mode has them on processors with AVX2. Weights of places beyond the
    border are added to that of the border before they are rounded."""
    size = x.shape[dim]
    if isinstance(size, int) and size == made:
        return x
    step, place, a = _step(size, made, aligned, factor), torch.arange(made, dtype=torch.float64, device=x.device), -0.75
    at = step * place if aligned else step * (place + 0.5) - 0.5
    low = torch.floor(at)
    part = (at - low).clamp(0.0, 1.0)
    weights = [_far_cubic(part + 1, a), _near_cubic(part, a), _near_cubic(1 - part, a), _far_cubic(2 - part, a)]
    reads = [torch.clamp(low + k - 1, 0, size - 1) for k in range(4)]
    for k in range(3):  # equal places are neighbours
        is_same = reads[k] == reads[k + 1]
        weights[k + 1] = torch.where(is_same, weights[k] + weights[k + 1], weights[k + 1])
        weights[k] = torch.where(is_same, 0.0, weights[k])
    largest = torch.stack(weights).amax()
    one = torch.ones((), dtype=torch.int32, device=x.device)
    bits = (22 - (0.5 + largest * (one << torch.arange(1, 23, dtype=torch.int32, device=x.device)) >= 1 << 15).sum()).to(torch.int32)
    total = 0
    for read, weight in zip(reads, weights):
        weight = (weight * (one << bits) + 0.5 * torch.sign(weight)).to(torch.int32)
        total = total + x.index_select(dim, read.to(torch.int64)).to(torch.int32) * weight.reshape([-1 if d == dim else 1 for d in range(x.dim())])
    return ((total + (one << (bits - 1))) >> bits).clamp(0, 255).to(torch.uint8)


def _of_bytes(x, size, aligned, scales_h=None, scales_w=None):
    return _cubic_bytes(_cubic_bytes(x, 3, size[1], aligned, scales_w), 2, size[0], aligned, scales_h)


def _of_bytes_by_factors(x, size, aligned, factors):
    made = size or [int(n * factor) for n, factor in zip(x.shape[2:], factors)]
    return _of_bytes(x, made, aligned, *(factors or ()))


def _traces_bytes(operation, of_bytes):
    """torch traces its own decomposition, which differs from eager mode, before any backend can choose another."""
    for key in (torch._C.DispatchKey.Autograd, torch._C.DispatchKey.CompositeImplicitAutograd):
        if key in operation.py_kernels:
            says = operation.py_kernels[key]
            operation.py_kernels[key] = lambda x, *rest, says=says, **named: (of_bytes if x.dtype == torch.uint8 else says)(x, *rest, **named)
            operation._dispatch_cache.clear()


_traces_bytes(torch.ops.aten.upsample_bicubic2d.default, _of_bytes)
_traces_bytes(torch.ops.aten.upsample_bicubic2d.vec, _of_bytes_by_factors)


def _not_of_bytes(name):
    """Of bytes torch has weights of 16 bits, and other results than its own decomposition."""
    packet = getattr(torch.ops.aten, name)

    @composes(f"{name}.default")
    def by_sizes(x, size, aligned, *factors):
        return NotImplemented if x.dtype == torch.uint8 else decomposition_table[packet.default](x, size, aligned, *factors)

    @composes(f"{name}.vec")
    def by_factors(x, size, aligned, factors):
        if x.dtype != torch.uint8:
            return decomposition_table[packet.vec](x, size, aligned, factors)
        made = size or [int(n * factor) for n, factor in zip(x.shape[2:], factors)]
        return packet.default(x, made, aligned, *(factors or ()))


_not_of_bytes("upsample_bilinear2d")
_not_of_bytes("upsample_bicubic2d")
_smoothed("_upsample_bilinear2d_aa", 1, _triangle)
_smoothed("_upsample_bicubic2d_aa", 2, _cubic)


def _padded(at, size, padding, aligned):
    """(position, its slope): `padding` 0: beyond are zeros, 1: the border, 2: the image in a mirror."""
    slope = torch.ones_like(at)
    if padding == 2:
        low, span = (0.0, size - 1.0) if aligned else (-0.5, float(size))
        if span <= 0:
            return torch.zeros_like(at), torch.zeros_like(at)
        away = (at - low).abs()
        turns, rest = torch.floor(away / span), torch.fmod(away, span)
        is_even = torch.fmod(turns, 2) == 0
        slope = torch.where((at < low) == is_even, -1.0, 1.0).to(at.dtype)
        at = torch.where(is_even, rest + low, span - rest + low)
    if padding:
        slope = torch.where((at <= 0) | (at >= size - 1), 0.0, slope)
        at = torch.clamp(at, 0, size - 1)
    return at, slope


def _taps(at, size, mode, padding, aligned):
    """What a coordinate in [-1, 1] reads along a dimension: [(place, weight, the weight's slope)]."""
    scale = (size - 1) / 2 if aligned else size / 2
    at = (at + 1) / 2 * (size - 1) if aligned else ((at + 1) * size - 1) / 2
    if mode == 2:
        low = torch.floor(at)
        part, a = at - low, -0.75
        near = lambda x: ((3 * (a + 2)) * x - 2 * (a + 3)) * x  # noqa: E731
        far = lambda x: ((3 * a) * x - 10 * a) * x + 8 * a  # noqa: E731
        weights = [(_far_cubic(part + 1, a), far(part + 1)), (_near_cubic(part, a), near(part)),
                   (_near_cubic(1 - part, a), -near(1 - part)), (_far_cubic(2 - part, a), -far(2 - part))]
        return [(_padded(low + k - 1, size, padding, aligned)[0], weight, slope * scale)
                for k, (weight, slope) in enumerate(weights)]
    at, slope = _padded(at, size, padding, aligned)
    if mode == 1:
        return [(torch.round(at), torch.ones_like(at), torch.zeros_like(at))]
    low = torch.floor(at)
    return [(low, 1 + low - at, -slope * scale), (low + 1, at - low, slope * scale)]


def _reads(shape, grid, mode, padding, aligned):
    """All that elements are made of: [(index into the image, [weight of each dimension], [slope of each])]."""
    image = shape[2:]
    taps = [_taps(grid[..., len(image) - 1 - d], size, mode, padding, aligned) for d, size in enumerate(image)]
    for chosen in itertools.product(*taps):
        index, inside = 0, True
        for (place, _, _), size in zip(chosen, image):
            inside = inside & (place >= 0) & (place <= size - 1)
            index = index * size + torch.clamp(place, 0, size - 1).to(torch.int64)
        yield index.reshape(shape[0], 1, -1), inside, [one[1] for one in chosen], [one[2] for one in chosen]


@composes("grid_sampler_3d.default")
def grid_sampler_3d(x, grid, mode, padding, aligned):
    if mode not in (0, 1):
        return NotImplemented
    n, channels = x.shape[:2]
    flat, total = _wide(x).reshape(n, channels, -1), 0
    for index, inside, weights, _ in _reads(x.shape, _wide(grid), mode, padding, aligned):
        read = flat.gather(2, index.expand(n, channels, -1)).reshape([n, channels, *grid.shape[1:-1]])
        total = total + torch.where(inside.unsqueeze(1), read * math.prod(weights).unsqueeze(1), 0.0)
    return total.to(x.dtype)


@composes("grid_sampler_2d_backward.default", "grid_sampler_3d_backward.default")
def grid_sampler_backward(grad, x, grid, mode, padding, aligned, output_mask):
    n, channels = x.shape[:2]
    flat, wide = _wide(x).reshape(n, channels, -1), _wide(grad).reshape(n, channels, -1)
    to_image, to_grid = torch.zeros_like(flat), [0] * (x.dim() - 2)
    for index, inside, weights, slopes in _reads(x.shape, _wide(grid), mode, padding, aligned):
        index = index.expand(n, channels, -1)
        if output_mask[0]:
            share = torch.where(inside, math.prod(weights), 0.0).reshape(n, 1, -1)
            to_image = to_image.scatter_add(2, index, wide * share)
        if output_mask[1]:
            pull = torch.where(inside, (flat.gather(2, index) * wide).sum(1).reshape(grid.shape[:-1]), 0.0)
            for d, slope in enumerate(slopes):
                others = math.prod((w for e, w in enumerate(weights) if e != d), start=slope)
                to_grid[d] = to_grid[d] + pull * others
    return (to_image.reshape(x.shape).to(x.dtype) if output_mask[0] else None,
            torch.stack(to_grid[::-1], -1).to(grid.dtype) if output_mask[1] else None)


@composes("cudnn_grid_sampler.default")
def cudnn_grid_sampler(x, grid):
    """What torch calls on a GPU for linear reads between zeros and aligned corners."""
    return torch.ops.aten.grid_sampler_2d(x, grid, 0, 0, True)


@composes("cudnn_grid_sampler_backward.default")
def cudnn_grid_sampler_backward(x, grid, grad):
    return grid_sampler_backward(grad, x, grid, 0, 0, True, [True, True])
