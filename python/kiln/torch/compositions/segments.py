# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions over segments: runs of rows along one axis, of lengths that are data."""
import math

import torch

from . import composes


def _segments(lengths, offsets, size):
    """For each of `size` places along the axis: the number of its segment, or the number of segments where none has it."""
    ends = (torch.cumsum(lengths, -1) if offsets is None else offsets[..., 1:]).contiguous()
    place = torch.arange(size, dtype=ends.dtype)
    which = torch.searchsorted(ends, place.expand(*ends.shape[:-1], size).contiguous(), right=True)
    return which if offsets is None else torch.where(place < offsets[..., :1], ends.shape[-1], which)


def _sizes(lengths, offsets):
    return lengths if offsets is None else offsets[..., 1:] - offsets[..., :-1]


def _like(which, data, axis):
    """The numbers of segments, for each element."""
    return which.reshape(*which.shape, *[1] * (data.dim() - axis - 1)).expand(data.shape)


def _summed(data, which, axis, segments, kind, start):
    """The reduction of each segment, from `start` on. What no segment has goes into one behind them."""
    shape = [segments + 1 if d == axis else n for d, n in enumerate(data.shape)]
    made = torch.full(shape, start, dtype=data.dtype)
    return made.scatter_reduce(axis, which, data, kind, include_self=True).narrow(axis, 0, segments)


@composes("segment_reduce.default")
def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    if indices is not None or (lengths is None) == (offsets is None) or not data.is_floating_point():
        return NotImplemented
    sizes = _sizes(lengths, offsets)
    which = _like(_segments(lengths, offsets, data.shape[axis]), data, axis)
    kind = {"max": "amax", "min": "amin", "mean": "sum", "sum": "sum", "prod": "prod"}[reduce]
    start = initial if initial is not None else {"amax": -math.inf, "amin": math.inf, "sum": 0, "prod": 1}[kind]
    made = _summed(data, which, axis, sizes.shape[-1], kind, start)
    if reduce != "mean":
        return made
    sizes = _like(sizes, made, axis)
    empty = math.nan if initial is None else initial
    return torch.where(sizes == 0, empty, made / torch.clamp(sizes, min=1).to(data.dtype))


@composes("_segment_reduce_backward.default")
def segment_reduce_backward(grad, output, data, reduce, *, lengths=None, offsets=None, axis=0, initial=None):
    if not data.is_floating_point():
        return NotImplemented
    sizes = _sizes(lengths, offsets)
    segments = sizes.shape[-1]
    which = _like(_segments(lengths, offsets, data.shape[axis]), data, axis)
    inside = which < segments
    at = torch.clamp(which, max=segments - 1)
    of_segment = lambda t: t.gather(axis, at)  # noqa: E731
    count = lambda t: of_segment(_summed(t.to(data.dtype), which, axis, segments, "sum", 0))  # noqa: E731
    made = of_segment(grad)
    if reduce == "mean":
        made = made / of_segment(_like(sizes, grad, axis)).to(data.dtype)
    elif reduce in ("max", "min"):
        found = (data == of_segment(output)) | torch.isnan(data)
        many = count(found)
        # Eager mode shares among equal elements what is positive, and nothing else.
        made = torch.where(found, torch.where((many > 1) & (made > 0), made / many, made), 0)
    elif reduce == "prod":
        nan, zero = torch.isnan(data), data == 0
        rest = _summed(torch.where(nan | zero, 1, data), which, axis, segments, "prod", 1 if initial is None else initial)
        nans, zeros = count(nan) - nan.to(data.dtype), count(zero) - zero.to(data.dtype)
        others = torch.where(nans > 0, math.nan, torch.where(zeros > 0, 0, of_segment(rest)))
        made = made * torch.where(nan | zero, others, of_segment(output) / torch.where(zero, 1, data))
    return torch.where(inside, made, 0)


@composes("_jagged_to_padded_dense_forward.default")
def padded(values, offsets, lengths, padding=0.0):
    """A tensor [rows, length, ...] of rows that lie one behind the other in `values`."""
    if len(offsets) != 1:
        return NotImplemented
    begin, end = offsets[0][:-1, None], offsets[0][1:, None]
    place = begin + torch.arange(lengths[0], dtype=begin.dtype)
    is_inside = (place < end).reshape(*place.shape, *[1] * (values.dim() - 1))
    # A row more, so that there is one to read where there are none.
    rows = torch.cat([values, values.new_zeros([1, *values.shape[1:]])])
    found = rows.index_select(0, torch.clamp(place, max=values.shape[0]).reshape(-1))
    return torch.where(is_inside, found.reshape(*place.shape, *values.shape[1:]), values.new_full((), padding))


@composes("_padded_dense_to_jagged_forward.default")
def unpadded(dense, offsets, total=None):
    """The rows of [rows, length, ...] one behind the other, each as long as the offsets say."""
    if len(offsets) != 1 or total is None:
        return NotImplemented
    fits = (offsets[0].diff() <= dense.shape[1]).all()
    torch.ops.aten._assert_async.msg(fits, "a row of a nested tensor is longer than the rows of the padded tensor")
    place = torch.arange(total, dtype=offsets[0].dtype)
    row = torch.searchsorted(offsets[0][1:].contiguous(), place, right=True)
    at = row * dense.shape[1] + place - offsets[0].index_select(0, row)
    return dense.flatten(0, 1).index_select(0, at)
