# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What depends on the order of elements."""
import math

import torch

from . import composes


def _kept(made, dim, keepdim):
    return made if keepdim else made.squeeze(dim)


def _at(x, dim, places, keepdim):
    """The elements at these places of the last dimension, which was dimension `dim`, and the places."""
    return tuple(_kept(v.movedim(-1, dim), dim, keepdim) for v in (x.gather(-1, places), places))


@composes("kthvalue.default")
def kthvalue(x, k, dim=-1, keepdim=False):
    if not x.dim():
        return x.clone(), torch.zeros((), dtype=torch.int64)
    x = x.movedim(dim, -1)
    return _at(x, dim, torch.sort(x, dim=-1, stable=True)[1].narrow(-1, k - 1, 1), keepdim)


def _median(x, dim, keepdim, ignore):
    """NaN stands last; a row that has one is NaN, or `ignore` takes the middle of the others. GPUs find the element of a
    rank without a sort, if nothing else is asked of the order."""
    x = x.movedim(dim, -1)
    size = x.shape[-1]
    order = torch.sort(x, dim=-1, stable=True)[1]
    if not x.is_floating_point():
        return _at(x, dim, order.narrow(-1, (size - 1) // 2, 1), keepdim)
    count = (~torch.isnan(x)).sum(-1, keepdim=True)
    middle = torch.clamp((count - 1) // 2, min=0)
    rank = middle if ignore else torch.where(count < size, count, (size - 1) // 2)
    return _at(x, dim, order.gather(-1, rank), keepdim)


@composes("median.dim")
def median(x, dim, keepdim=False):
    return _median(x, dim, keepdim, False) if x.dim() else (x.clone(), torch.zeros((), dtype=torch.int64))


@composes("nanmedian.dim")
def nanmedian(x, dim, keepdim=False):
    return _median(x, dim, keepdim, True) if x.dim() else (x.clone(), torch.zeros((), dtype=torch.int64))


@composes("median.default")
def median_of_all(x):
    if not x.numel():
        return torch.full((), float("nan") if x.is_floating_point() else -2 ** 63, dtype=x.dtype)
    return _median(x.reshape(-1), 0, False, False)[0]


@composes("nanmedian.default")
def nanmedian_of_all(x):
    return _median(x.reshape(-1), 0, False, True)[0] if x.numel() else median_of_all(x)


@composes("mode.default")
def mode(x, dim=-1, keepdim=False):
    """The end of the first of the longest runs in the order."""
    if not x.dim():
        return x.clone(), torch.zeros((), dtype=torch.int64)
    values, indices = torch.sort(x, dim=dim, stable=True)
    size = x.shape[dim]
    number = torch.arange(size).reshape([size if d == dim % x.dim() else 1 for d in range(x.dim())]).expand(x.shape)
    before = torch.roll(values, 1, dim)
    starts = torch.where((values != before) | (number == 0), number, 0)
    length = number - torch.cummax(starts, dim)[0]
    place = torch.argmax(length, dim, keepdim=True)
    return tuple(_kept(v.gather(dim, place), dim, keepdim) for v in (values, indices))


#: Rows that are searched have fewer than 2 to the power of this many elements.
LARGEST_BITS = 31


def _search(sequence, values, right):
    """How many elements of each row of `sequence` stand before the values, by halves: of a size that is open, as of the largest."""
    size = sequence.shape[-1]
    place = torch.zeros(values.shape, dtype=torch.int64)
    steps = size.bit_length() if isinstance(size, int) else LARGEST_BITS
    for step in (1 << k for k in reversed(range(steps))):
        next = place + step
        there = sequence.gather(-1, torch.clamp(next - 1, max=size - 1))
        before = ~(there > values) if right else ~(there >= values)
        place = torch.where((next <= size) & before, next, place)
    return place


@composes("searchsorted.Tensor")
def searchsorted(sequence, values, *, out_int32=False, right=False, side=None, sorter=None):
    if sorter is not None:
        sequence = sequence.gather(-1, sorter)
    shape = values.shape
    if sequence.dim() == 1:
        values = values.reshape(-1)
    dtype = torch.promote_types(sequence.dtype, values.dtype)
    made = _search(sequence.to(dtype), values.to(dtype), right or side == "right").reshape(shape)
    return made.to(torch.int32) if out_int32 else made


@composes("searchsorted.Scalar")
def searchsorted_scalar(sequence, value, *, out_int32=False, right=False, side=None, sorter=None):
    value = torch.full((), value, dtype=sequence.dtype if not isinstance(value, float) else torch.get_default_dtype())
    return searchsorted(sequence, value, out_int32=out_int32, right=right, side=side, sorter=sorter)


@composes("bucketize.Tensor", "bucketize.Scalar")
def bucketize(values, boundaries, *, out_int32=False, right=False):
    if not isinstance(values, torch.Tensor):
        return searchsorted_scalar(boundaries, values, out_int32=out_int32, right=right)
    return searchsorted(boundaries, values, out_int32=out_int32, right=right)


@composes("histc.default")
def histc(x, bins=100, min=0, max=0):
    x = x.reshape(-1)
    low, high = torch.full((), min, dtype=x.dtype), torch.full((), max, dtype=x.dtype)
    if min == max and x.numel():
        low, high = x.amin(), x.amax()
    same = low == high
    low, high = torch.where(same, low - 1, low), torch.where(same, high + 1, high)
    place = ((x - low) * bins / (high - low)).to(torch.int64)
    inside = (x >= low) & (x <= high)
    place = torch.where(inside, torch.clamp(place, 0, bins - 1), bins)
    return _counts(place, bins, torch.ones_like(x))


@composes("histogram.bin_ct")
def histogram(x, bins=100, *, range=None, weight=None, density=False):
    x = x.reshape(-1)
    low, high = (end[0] for end in _ends(x.unsqueeze(1), range))
    return _histogram(x, _between(low, high, bins), weight, density, low, high)


def _between(low, high, bins):
    """Evenly spaced edges, from the nearer end."""
    number = torch.arange(bins + 1)
    step = (high - low) / bins
    made = torch.where(number <= bins // 2, low + step * number, high - step * (bins - number))
    return made.to(low.dtype)


def _counts(place, bins, each):
    """The sum of `each` at every place; what is at place `bins` is in none. GPUs count where all are one number."""
    return torch.zeros(bins + 1, dtype=each.dtype).scatter_add(0, place, each)[:bins]


def _histogram(x, edges, weight, density, low, high):
    bins = edges.shape[0] - 1
    inside = (x >= low) & (x <= high)
    place = torch.clamp(torch.searchsorted(edges, x, right=True) - 1, 0, bins - 1)
    made = _counts(torch.where(inside, place, bins), bins, torch.ones_like(x) if weight is None else weight.reshape(-1))
    if density:
        made = made / made.sum() / (edges[1:] - edges[:-1])
    return made, edges.clone()


@composes("histogram.bins_tensor")
def histogram_of(x, bins, *, weight=None, density=False):
    return _histogram(x.reshape(-1), bins, weight, density, bins[0], bins[-1])


def _ends(x, range):
    """The first and the last edge of each column, apart from each other: as given, the least and the largest value, or 0 and 1
    where there are no values."""
    if range is not None:
        low, high = (torch.stack([torch.full((), float(v), dtype=x.dtype) for v in range[first::2]]) for first in (0, 1))
    elif not x.shape[0]:
        return x.new_zeros([x.shape[1]]), x.new_ones([x.shape[1]])
    else:
        low, high = x.amin(0), x.amax(0)
    same = low == high
    return torch.where(same, low - 0.5, low), torch.where(same, high + 0.5, high)


@composes("_histogramdd_bin_edges.default")
def histogramdd_bin_edges(x, bins, *, range=None, weight=None, density=False):
    low, high = _ends(x.reshape(-1, x.shape[-1]), range)
    return [_between(low[d], high[d], count) for d, count in enumerate(bins)]


@composes("_histogramdd_from_bin_cts.default")
def histogramdd_of_counts(x, bins, *, range=None, weight=None, density=False):
    return histogramdd(x, histogramdd_bin_edges(x, bins, range=range), weight=weight, density=density)


@composes("_histogramdd_from_bin_tensors.default")
def histogramdd(x, bins, *, weight=None, density=False):
    """The bins of all columns in one row, and what lies outside of one behind them."""
    x = x.reshape(-1, x.shape[-1])
    place, inside, sizes = 0, True, [edges.shape[0] - 1 for edges in bins]
    for d, (edges, size) in enumerate(zip(bins, sizes)):
        column = x[:, d].contiguous()
        inside = inside & (column >= edges[0]) & (column <= edges[-1])
        place = place * size + torch.clamp(torch.searchsorted(edges, column, right=True) - 1, 0, size - 1)
    each = torch.ones_like(x[:, 0]) if weight is None else weight.reshape(-1)
    made = _counts(torch.where(inside, place, math.prod(sizes)), math.prod(sizes), each).reshape(sizes)
    if density:
        made = made / made.sum()
        for d, edges in enumerate(bins):
            made = made / (edges[1:] - edges[:-1]).reshape(-1, *[1] * (len(bins) - 1 - d))
    return made
