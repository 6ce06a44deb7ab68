# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of torchvision: boxes that are kept, regions of pictures, convolutions of pixels that move."""
import torch

from . import composes_of
from .pooling import _wide


def _loop(count, step, made, *given):
    """step(k, made, *given) for each k below a count that may be data."""
    def condition(k, made, count, *given):
        return k < count

    def body(k, made, count, *given):
        return k + 1, step(k, made, *given)

    start = torch.zeros((), dtype=torch.int64)
    given = tuple(one.clone(memory_format=torch.contiguous_format) for one in given)
    return torch.ops.higher_order.while_loop(condition, body, (start, made), (count, *given))[1]


@composes_of("torchvision", "nms")
def nms(boxes, scores, threshold):
    """The boxes that overlap no kept one of a higher score by more than the threshold, the highest score first."""
    order = torch.argsort(scores, descending=True, stable=True)
    low, high = boxes[order].split(2, 1)
    area = (high - low).prod(1)
    common = (torch.minimum(high[:, None], high) - torch.maximum(low[:, None], low)).clamp(min=0).prod(2)
    overlaps = (common / (area[:, None] + area - common)).to(torch.float64) > threshold
    place = torch.arange(boxes.shape[0])

    def step(k, kept, overlaps, place):
        removes = overlaps.index_select(0, k.reshape(1)).squeeze(0) & kept.index_select(0, k.reshape(1))
        return kept & ~(removes & (place > k))

    count = torch.full((), boxes.shape[0], dtype=torch.int64)
    kept = _loop(count, step, torch.ones_like(scores, dtype=torch.bool), overlaps, place)
    return order[kept.nonzero().squeeze(1)]


def _along(at, size):
    """What a position between pixels reads along a dimension: [(place, weight)], without weight beyond a pixel outside."""
    inside = (at >= -1) & (at <= size)
    at = at.clamp(min=0)
    low = at.to(torch.int64).clamp(max=size - 1)
    part = torch.where(low >= size - 1, 0.0, at - low)
    return [(low, torch.where(inside, 1 - part, 0.0)), ((low + 1).clamp(max=size - 1), torch.where(inside, part, 0.0))]


class _Bins:
    """The bins of regions: [regions, rows] and [regions, columns]. Bins have as many samples as `ratio` says, or as they are wide."""

    def __init__(self, sizes, rois, scale, bins, ratio, aligned):
        begin, end = (rois[:, 1:] * scale - (0.5 if aligned else 0.0)).split(2, 1)
        extent = end - begin if aligned else (end - begin).clamp(min=1)
        self.picture, (self.height, self.width), self.bins = rois[:, :1, None].to(torch.int64), sizes, bins
        self.begins, self.steps, self.samples = [], [], []
        for dim, many in zip((1, 0), bins):
            step = (extent[:, dim] / many)[:, None]
            self.steps.append(step)
            self.begins.append(begin[:, dim, None] + torch.arange(many, dtype=rois.dtype) * step)
            self.samples.append(torch.full_like(step, ratio) if ratio > 0 else step.ceil())
        self.ratio = ratio

    def given(self):
        return (self.picture, *self.begins, *self.steps, *self.samples)

    def count(self):
        """How many samples a bin has at most, and along its rows."""
        if self.ratio > 0:
            return self.ratio * self.ratio, self.ratio
        if not self.samples[0].shape[0]:
            return torch.zeros((), dtype=torch.int64), torch.ones((), dtype=torch.int64)
        most = [one.amax().to(torch.int64).clamp(min=0) for one in self.samples]
        return most[0] * most[1], most[1].clamp(min=1)

    def reads(self, k, across, picture, *given):
        """[(index into the pixels of all pictures, weight)] of sample k of every bin."""
        begins, steps, samples = given[:2], given[2:4], given[4:6]
        numbers = (k // across, k % across)
        taps = []
        for begin, step, many, number, size in zip(begins, steps, samples, numbers, (self.height, self.width)):
            at = begin + (number + 0.5) * step / many.clamp(min=1)
            taps.append([(place, torch.where(number < many, weight, 0.0)) for place, weight in _along(at, size)])
        whole = (samples[0] * samples[1]).clamp(min=1)[:, :, None]
        for row, by_row in taps[0]:
            for column, by_column in taps[1]:
                index = (picture * self.height + row[:, :, None]) * self.width + column[:, None]
                yield index, by_row[:, :, None] * by_column[:, None] / whole


@composes_of("torchvision", "roi_align")
def roi_align(x, rois, scale, rows, columns, ratio, aligned):
    n, channels, height, width = x.shape
    bins = _Bins((height, width), _wide(rois), scale, (rows, columns), ratio, aligned)
    pixels = _wide(x).permute(0, 2, 3, 1).reshape(-1, channels)
    count, across = bins.count()

    def step(k, total, pixels, across, *given):
        for index, weight in bins.reads(k, across, *given):
            total = total + pixels[index] * weight[..., None]
        return total

    total = torch.zeros([rois.shape[0], rows, columns, channels], dtype=pixels.dtype)
    if ratio > 0:
        for k in range(count):
            total = step(k, total, pixels, across, *bins.given())
    else:
        total = _loop(count, step, total, pixels, across, *bins.given())
    return total.permute(0, 3, 1, 2).contiguous().to(x.dtype)


@composes_of("torchvision", "_roi_align_backward")
def roi_align_backward(grad, rois, scale, rows, columns, n, channels, height, width, ratio, aligned):
    bins = _Bins((height, width), _wide(rois), scale, (rows, columns), ratio, aligned)
    grads = _wide(grad).permute(0, 2, 3, 1)
    count, across = bins.count()

    def step(k, total, grads, across, *given):
        for index, weight in bins.reads(k, across, *given):
            total = total.index_put((index,), grads * weight[..., None], accumulate=True)
        return total

    total = torch.zeros([n * height * width, channels], dtype=grads.dtype)
    if ratio > 0:
        for k in range(count):
            total = step(k, total, grads, across, *bins.given())
    else:
        total = _loop(count, step, total, grads, across, *bins.given())
    return total.reshape(n, height, width, channels).permute(0, 3, 1, 2).contiguous().to(grad.dtype)


@composes_of("torchvision", "deform_conv2d")
def deform_conv2d(x, weight, offset, mask, bias, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups, offset_groups,
                  use_mask):
    """Products with columns, whose pixels are read between four others; those outside are zeros."""
    n, channels, height, width = x.shape
    out, _, kernel_h, kernel_w = weight.shape
    rows, columns = offset.shape[2:]
    many, each = kernel_h * kernel_w, channels // offset_groups
    moves = _wide(offset).reshape(n, offset_groups, many, 2, rows, columns)
    kernel = torch.arange(many)
    at_h = (kernel // kernel_w * dilation_h - pad_h)[:, None, None] + (torch.arange(rows) * stride_h)[:, None] + moves[:, :, :, 0]
    at_w = (kernel % kernel_w * dilation_w - pad_w)[:, None, None] + torch.arange(columns) * stride_w + moves[:, :, :, 1]
    pixels = _wide(x).reshape(n, offset_groups, each, height * width).transpose(2, 3).reshape(-1, each)
    first = torch.arange(n * offset_groups).reshape(n, offset_groups, 1, 1, 1) * (height * width)
    low_h, low_w, total = torch.floor(at_h), torch.floor(at_w), 0
    for h, by_h in ((low_h, low_h + 1 - at_h), (low_h + 1, at_h - low_h)):
        for w, by_w in ((low_w, low_w + 1 - at_w), (low_w + 1, at_w - low_w)):
            inside = (h >= 0) & (h <= height - 1) & (w >= 0) & (w <= width - 1)
            index = first + h.clamp(0, height - 1).to(torch.int64) * width + w.clamp(0, width - 1).to(torch.int64)
            total = total + pixels[index] * torch.where(inside, by_h * by_w, 0.0)[..., None]
    if use_mask:
        total = total * _wide(mask).reshape(n, offset_groups, many, rows, columns, 1)
    total = total.permute(0, 1, 5, 2, 3, 4).reshape(n, groups, channels // groups * many, rows * columns)
    made = _wide(weight).reshape(groups, out // groups, -1) @ total
    return (made.reshape(n, out, rows, columns) + _wide(bias)[:, None, None]).to(x.dtype)
