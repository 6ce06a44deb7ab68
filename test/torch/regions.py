# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchvision's operations on boxes and regions, beside eager. Without torchvision these are plain loops of Python under its names."""
import math

import torch

import kiln.torch  # noqa: F401

from behaviours import fast, main, same, test

try:
    import torchvision  # noqa: F401
except ImportError:
    torchvision = None
LIBRARY = None if torchvision else torch.library.Library("torchvision", "DEF")


def plain(schema, shape):
    """Defines an operation of torchvision where that is not installed."""
    def register(function):
        if LIBRARY:
            name = LIBRARY.define(schema)
            LIBRARY.impl(name, function, "CPU")
            torch.library.register_fake(f"torchvision::{name}", shape, lib=LIBRARY)
        return function
    return register


@plain("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
       lambda boxes, scores, threshold: boxes.new_empty(torch.library.get_ctx().new_dynamic_size(), dtype=torch.int64))
def plain_nms(boxes, scores, threshold):
    kept = []
    for i in torch.argsort(scores, descending=True, stable=True).tolist():
        for j in kept:
            sides = torch.minimum(boxes[i, 2:], boxes[j, 2:]) - torch.maximum(boxes[i, :2], boxes[j, :2])
            common = sides.clamp(min=0).prod()
            if common / ((boxes[i, 2:] - boxes[i, :2]).prod() + (boxes[j, 2:] - boxes[j, :2]).prod() - common) > threshold:
                break
        else:
            kept.append(i)
    return torch.tensor(kept)


def pixel(x, h, w):
    """Between four pixels; what is outside counts as 0."""
    made = 0.0
    for row, by_row in ((math.floor(h), math.floor(h) + 1 - h), (math.floor(h) + 1, h - math.floor(h))):
        for column, by_column in ((math.floor(w), math.floor(w) + 1 - w), (math.floor(w) + 1, w - math.floor(w))):
            if 0 <= row < x.shape[1] and 0 <= column < x.shape[2]:
                made = made + x[:, row, column] * by_row * by_column
    return made


@plain("roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned)"
       " -> Tensor", lambda x, rois, scale, rows, columns, ratio, aligned: x.new_empty(rois.shape[0], x.shape[1], rows, columns))
def plain_roi_align(x, rois, scale, rows, columns, ratio, aligned):
    made = x.new_zeros(rois.shape[0], x.shape[1], rows, columns)
    for n, (picture, *ends) in enumerate(rois.tolist()):
        left, top, right, bottom = (end * scale - 0.5 * aligned for end in ends)
        sides = [(side if aligned else max(side, 1)) / many for side, many in ((bottom - top, rows), (right - left, columns))]
        samples = [ratio if ratio > 0 else math.ceil(side) for side in sides]
        for i, j in torch.cartesian_prod(torch.arange(rows), torch.arange(columns)).tolist():
            for k in range(samples[0] * samples[1]):
                h, w = (begin + (place + (number + 0.5) / many) * side for begin, place, number, many, side in zip(
                    (top, left), (i, j), (k // samples[1], k % samples[1]), samples, sides))
                if -1 <= h <= x.shape[2] and -1 <= w <= x.shape[3]:
                    at = [min(max(one, 0), size - 1) for one, size in ((h, x.shape[2]), (w, x.shape[3]))]
                    made[n, :, i, j] += pixel(x[int(picture)], *at) / max(samples[0] * samples[1], 1)
    return made


@plain("deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, "
       "SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor",
       lambda x, weight, offset, *_: x.new_empty(x.shape[0], weight.shape[0], *offset.shape[2:]))
def plain_deform(x, weight, offset, mask, bias, sh, sw, ph, pw, dh, dw, groups, offset_groups, use_mask):
    out, each, kh, kw = weight.shape
    rows, columns = offset.shape[2:]
    made = bias.reshape(1, out, 1, 1).repeat(x.shape[0], 1, rows, columns)
    part = x.shape[1] // offset_groups
    for n, i, j, k, group in torch.cartesian_prod(*map(torch.arange, (x.shape[0], rows, columns, kh * kw, offset_groups))).tolist():
        at = (group * kh * kw + k) * 2
        h = i * sh - ph + k // kw * dh + offset[n, at, i, j].item()
        w = j * sw - pw + k % kw * dw + offset[n, at + 1, i, j].item()
        read = torch.zeros(x.shape[1])
        read[group * part:(group + 1) * part] += pixel(x[n, group * part:(group + 1) * part], h, w)
        read = read * (mask[n, group * kh * kw + k, i, j] if use_mask else 1)
        for o in range(out):
            first = o // (out // groups) * each
            made[n, o, i, j] += weight[o, :, k // kw, k % kw] @ read[first:first + each]
    return made


def boxes(n):
    low = torch.rand(n, 2) * 10 - 1
    return torch.cat([low, low + torch.rand(n, 2) * 9 + 1], 1)


@test
def boxes_that_are_kept():
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        for n in (9, 30):
            given = boxes(n), (torch.rand(n) * 8).round()
            function = lambda x, scores: torch.ops.torchvision.nms(x, scores, 0.3)  # noqa: E731
            assert torch.equal(fast(function, fullgraph=True)(*given), function(*given))


@test
def regions_of_pictures():
    x, rois = torch.randn(2, 3, 12, 11), torch.cat([torch.tensor([[0.0], [1], [1], [0]]), boxes(4)], 1)
    for ratio, aligned in ((2, False), (1, True), (-1, True), (0, False)):
        function = lambda x, rois: torch.ops.torchvision.roi_align(x, rois, 0.9, 3, 2, ratio, aligned)  # noqa: E731, B023
        same(fast(function, fullgraph=True)(x, rois), function(x, rois))


@test
def convolutions_of_pixels_that_move():
    x, weight, bias = torch.randn(2, 4, 6, 5), torch.randn(6, 2, 3, 2), torch.randn(6)
    offset, mask = torch.randn(2, 24, 3, 4) * 2, torch.rand(2, 12, 3, 4)
    for use_mask in (True, False):
        function = lambda *given: torch.ops.torchvision.deform_conv2d(*given, 2, 1, 1, 0, 1, 1, 2, 2, use_mask)  # noqa: E731, B023
        same(fast(function, fullgraph=True)(x, weight, offset, mask, bias), function(x, weight, offset, mask, bias))


@test
def gradients_of_regions():
    if not torchvision:
        return
    x, rois = torch.randn(2, 3, 12, 11, requires_grad=True), torch.cat([torch.tensor([[0.0], [1], [1]]), boxes(3)], 1)
    for ratio in (2, -1):
        function = lambda x: torch.ops.torchvision.roi_align(x, rois, 0.9, 3, 2, ratio, False).sin()  # noqa: E731, B023
        same(*(torch.autograd.grad(one(x).sum(), x)[0] for one in (fast(function, fullgraph=True), function)))


if __name__ == "__main__":
    main()
