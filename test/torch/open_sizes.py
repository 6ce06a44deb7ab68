# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of tensors of any length, compiled whole with dynamic=True: equal to eager at each length, 0 and 1 among them."""
import math
import sys

import torch
from torch import nn
from torch.nn import functional as F

import kiln.torch

from behaviours import main, same, test

LENGTHS = (7, 4, 9, 1, 0, 33)
R = torch.randn


def rows(n):
    return (R(n, 6),)


def image(n):
    return (R(2, 3, n + 6, 2 * n + 5),)


def heads(n):
    return R(2, 2 * n + 2, 5, 8), R(2, n + 1, 5, 8), R(2, n + 1, 5, 8)


#: A function, what it is given for a length, and whether its gradient is compared, too.
CASES = {
    "slices": (lambda x: (x[-3:], x[:-1], x[1::3], x[:4], x[x.shape[0] // 2:], x[:x.shape[0] // 2]), rows, False),
    "parts": (lambda x: (*x.split([2, x.shape[0] - 2]), *x[2:].chunk(2)), lambda n: (R(n + 4, 6),), False),
    "repetitions": (lambda x: (x.repeat(x.shape[0], 2), x.tile(x.shape[0], 1), x[:, None].expand(-1, x.shape[0], -1) * 2), rows, False),
    "windows": (lambda x: (x.unfold(0, 3, 2), x.unfold(0, x.shape[0] // 2 + 1, 1)), lambda n: (R(n + 3, 2),), False),
    "pads": (lambda x: (F.pad(x, (0, 0, x.shape[0], 1)), F.pad(x, (0, 0, 0, -x.shape[0] % 8)), F.pad(x, (1, -1))), rows, False),
    "diagonals": (lambda x: (x.diagonal(), x.diagonal(-2), x.triu(1)), lambda n: (R(n + 3, n + 4),), False),
    "numbers": (lambda x: (torch.arange(x.shape[0], 0, -1), x * (1 / x.shape[0]) + x.shape[0] ** 0.5), lambda n: (R(n + 1, 2),), False),
    "negative quotients": (lambda x: (torch.arange(x.shape[0] - 1, -x.shape[0], -1.0) * 2, x[int(-x.shape[0] / 2):] * 2,
                                      x + int((x.shape[0] - 9) / -3), torch.arange(x.shape[0], -3 - x.shape[0], -2.0) + 1),
                           lambda n: (R(n + 4, 2),), False),
    "conditions": (lambda x: (torch.cond(torch.tensor(x.shape[0] > 5), lambda a: a.sin(), lambda a: a.cos(), (x,)),
                              x * torch.scalar_tensor(x.shape[0] % 2 == 1) + torch.full((2, 6), x.shape[0] / 3 < 2.5).sum()), rows, False),
    "the largest": (lambda x: x.topk(x.shape[0] // 2, 0)[0], rows, False),
    "cats behind ones": (lambda x: torch.cat([torch.ones(1, x.shape[1]), x], 0)[None] - 1, lambda n: (R(n + 1, 6),), False),
    "places written": (lambda x: x.clone().index_put_((torch.arange(x.shape[0]) // 2,), torch.ones(())), rows, False),
    "every second": (lambda x: x.slice_scatter(x[::2] * 2, 0, 0, x.shape[0], 2), rows, False),
    "steps of any size": (lambda x: x[1::x.shape[0] // 2 + 1].sin() * 2, rows, True),
    "steps of any size that write": (lambda x: x.slice_scatter(x[::x.shape[0] // 3 + 1] * 2, 0, 0, x.shape[0], x.shape[0] // 3 + 1), rows, True),
    "maxima": (lambda x: (F.max_pool2d(x, 3, 2, 1), F.max_pool2d(x, 2, return_indices=True)), image, False),
    "means": (lambda x: (F.avg_pool2d(x, 3, 2, 1, True, False), F.adaptive_avg_pool2d(x, (3, 2)), F.avg_pool1d(x[0], 2)), image, False),
    "gradients of means": (lambda x: (F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, (2, 3), ceil_mode=True, count_include_pad=False, padding=1),
                                      F.adaptive_avg_pool2d(x, (3, 2))), image, True),
    "larger images": (lambda x: (F.interpolate(x, scale_factor=0.7, mode="bilinear"), F.interpolate(x, scale_factor=2)), image, False),
    "Fourier transforms": (lambda x: (torch.view_as_real(torch.fft.fft(x)), torch.fft.irfft(torch.fft.rfft(x), x.shape[-1])),
                           lambda n: (R(3, n + 4),), False),
    "convolutions": (nn.Conv2d(3, 4, 3, 2, 1), image, True),
    "convolutions of groups": (nn.Conv1d(4, 8, 3, padding=1, groups=2), lambda n: (R(2, 4, n + 3),), True),
    "transposed convolutions": (nn.ConvTranspose2d(3, 4, 3, 2, 1, 1), image, True),
    "windows of any size": (lambda x, w: F.conv1d(x, w, stride=2), lambda n: (R(2, 3, n + 9), R(4, 3, n % 3 + 2)), False),
    "as many places as before, of windows of any size": (lambda x, w: (F.conv1d(x, w, padding="same"), F.conv1d(x, w, padding=w.shape[2] - 1, stride=2),
                                                                       F.conv_transpose1d(x, w[:3], padding=w.shape[2] // 2)),
                                                         lambda n: (R(2, 3, n + 9), R(4, 3, n % 3 + 2)), True),
    "windows over integers": (lambda x, w: (F.conv1d(x, w, stride=2, padding=1), F.conv_transpose1d(x, w, stride=2, padding=1)),
                              lambda n: (torch.randint(-9, 9, (2, 3, n + 9)), torch.randint(-9, 9, (3, 3, n % 3 + 2))), False),
    "windows over bytes": (lambda x, w: (F.conv1d(x, w, padding=1), F.conv2d(x.short()[:, :, None] * 300, w.short()[:, :, None])),
                           lambda n: (torch.randint(-99, 99, (2, 3, n + 9), dtype=torch.int8), torch.randint(-99, 99, (3, 3, 3), dtype=torch.int8)), False),
    "padding of a stride": (lambda x, w: F.conv_transpose1d(x, w, stride=2, padding=2, output_padding=3, dilation=4),
                            lambda n: (R(2, 4, n + 4), R(4, 2, n % 2 + 4)), True),
    "groups of channels": (lambda x: F.group_norm(x.repeat(1, 4, 1, 1), 3, torch.arange(12.0), torch.arange(12.0)), lambda n: (R(n % 4 + 1, 3, n + 6, 2 * n + 5),), False),
    "sizes that are always the same": (lambda x: F.layer_norm(x[:, :x.shape[1] // x.shape[1] + 1] + x[:, :2], (6,)),
                                       lambda n: (R(2, n + 2, 6),), False),
    "a size that becomes one": (lambda x: F.layer_norm(F.avg_pool2d(x, 4).permute(0, 2, 3, 1), (3,)), lambda n: (R(2, 3, n % 3 + 5, 6),), False),
    "heads": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), heads, True),
    "features": (lambda q: F.scaled_dot_product_attention(q, q, q), lambda n: (R(2, 4, 5, n + 1),), True),
    "a factorisation and what it solves": (lambda a, b: (torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b), *torch.lu_unpack(*torch.linalg.lu_factor(a))),
                                           lambda n: (R(2, n + 2, n + 2) + 3 * torch.eye(n + 2).flip(0), R(2, n + 2, 3)), False),
    "pseudo-inverses": (lambda a: (torch.linalg.pinv(a), torch.linalg.pinv(a, rtol=0.1)), lambda n: (R(2, n + 2, 3),), True),
    "matrices of one column": (lambda a: (torch.linalg.pinv(a), torch.linalg.svdvals(a), *torch.linalg.qr(a), *torch.linalg.lu_factor(a)), lambda n: (R(n, 1),), False),
    "matrices of one row": (lambda a: (torch.linalg.pinv(a), torch.linalg.svdvals(a), *torch.linalg.qr(a), *torch.linalg.lu_factor(a),
                                       torch.linalg.svd(a)[1]), lambda n: (R(1, n),), False),
    "factorisations of nothing": (lambda a: (*torch.geqrf(a[..., :0]), *torch.linalg.qr(a[..., :0]), torch.linalg.svdvals(a[..., :0])),
                                  lambda n: (R(2, n + 2, 3),), False),
    "a number in a tensor": (lambda x: x * x.sum().item(), rows, False),
}


def turned(x):
    """Rotations of pairs of features by angles that depend on the position."""
    angles = torch.outer(torch.arange(x.shape[1]).float(), 0.5 ** torch.arange(0, x.shape[-1], 2).float())
    turns = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * turns).flatten(2)


def near(q, k, v):
    """Attention with a bias that each head has of its own."""
    slopes = 0.5 ** torch.arange(1, q.shape[1] + 1)
    apart = torch.arange(k.shape[2])[None] - torch.arange(q.shape[2])[:, None]
    bias = (slopes[:, None, None] * apart).masked_fill(apart > 0, float("-inf"))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias[None].expand(q.shape[0], -1, -1, -1))


CASES |= {
    "turned pairs": (turned, lambda n: (R(2, n + 1, 8),), True),
    "attention with biases": (near, lambda n: (R(2, 4, n + 1, 8), R(2, 4, n + 1, 8), R(2, 4, n + 1, 8)), True),
    "windows among the arguments": (lambda x, w, v: (F.conv1d(x, w, stride=2, padding=1), F.conv_transpose2d(x[:, :, None], v, groups=2, stride=2)),
                                    lambda n: (R(2, 4, n + 4), R(6, 4, 3), R(4, 3, 2, n % 2 + 2)), True),
    "rows of any length": (lambda x: torch.unique((x > 0).long(), dim=0, return_inverse=True), lambda n: (R(n + 1, n % 5 + 1),), False),
    "smoothed images": (lambda x: F.interpolate(x, size=(5, 6), mode="bilinear", antialias=True), image, True),
    "branches": (lambda x: torch.cond(x.sum() > 0, lambda y: y.sin() * 2, lambda y: y.cos() - 1, (x,)), rows, True),
    "maxima of lines": (lambda x: (F.max_pool1d(x, 3, 2), *F.max_pool1d(x[0], 2, padding=1, ceil_mode=True, return_indices=True)), lambda n: (R(2, 3, n + 4),), False),
    "gradients of maxima of lines": (lambda x: F.max_pool1d(x, 3, 2, dilation=2), lambda n: (R(2, 3, n + 6),), True),
    "turned images": (lambda x, t: F.grid_sample(x, F.affine_grid(t, x.shape, align_corners=False), align_corners=False), lambda n: (R(2, 3, n + 3, n + 4), R(2, 2, 3)), True),
    "grids": (lambda t, x: F.affine_grid(t, [2, 3, *x.shape], align_corners=True) * x.mean(), lambda n: (R(2, 3, 4), R(n + 1, 3, 2 * n + 1)), True),
    "channels of pairs": (lambda x, w: F.conv2d(x.view(2, 3, x.shape[2] // 2, 2, x.shape[3] // 2, 2).permute(0, 1, 3, 5, 2, 4).flatten(1, 3), w),
                          lambda n: (R(2, 3, 2 * n + 2, 2 * n + 4), R(4, 12, 1, 1)), True),
    "steps of a scale": (lambda x: (torch.fake_quantize_per_tensor_affine(x, 0.1, 3, -8, 7),
                                    torch.fake_quantize_per_channel_affine(x, torch.full((6,), 0.2), torch.ones(6, dtype=torch.int32), 1, -8, 7)), rows, True),
    "alignments": (lambda x: F.ctc_loss(x.log_softmax(-1), torch.tensor([[1, 2, 2], [3, 1, 0]]), torch.tensor([5, 4]), torch.tensor([3, 2])),
                   lambda n: (R(n + 5, 2, 5),), True),
}


def flat(made):
    return [made] if isinstance(made, torch.Tensor) else [one for part in made for one in flat(part)]


def compared(function, fast, given, needs_gradient):
    leaves = [one.requires_grad_() for one in given if one.is_floating_point()] if needs_gradient else []
    leaves += function.parameters() if needs_gradient and isinstance(function, nn.Module) else []
    want, got = flat(function(*given)), flat(fast(*given))
    if needs_gradient:
        up = [torch.randn_like(one) for one in want]
        got += torch.autograd.grad(got, leaves, up)
        want += torch.autograd.grad(want, leaves, up)
    assert len(got) == len(want)
    for one, other in zip(got, want):
        assert one.shape == other.shape, (one.shape, other.shape)
        same(one, other, 1e-4)


@test
def numbers_that_change():
    """Numbers of Python among the arguments."""
    x, y = R(6, 5), R(6, 5)
    for function in (lambda x, a, n: torch.add(x, y, alpha=a) ** n, lambda x, a, n: torch.addcmul(x, x, y, value=a), lambda x, a, n: F.elu(x, a),
                     lambda x, a, n: torch.baddbmm(x[None], x[None], x[None, :5], beta=n, alpha=a), lambda x, a, n: F.layer_norm(x, (5,), eps=a),
                     lambda x, a, n: torch.full((n, 2), a), lambda x, a, n: torch.bincount((x[:, 0] > 0).int(), minlength=n)):
        torch._dynamo.reset()
        fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
        for a, n in ((0.7, 3), (0.4, 4)):
            same(fast(x, a, n), function(x, a, n))


@test
def one_package_for_adaptive_windows():
    """How long the longest window is depends on the size, and is no condition on it."""
    function = lambda x: F.adaptive_max_pool2d(x, (3, 4), return_indices=True)  # noqa: E731
    fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
    kiln.torch.report.clear()
    for n in (7, 4, 9, 33):
        given = image(n)
        compared(function, fast, given, False)
    assert sum(one.packages for one in kiln.torch.report) == 1


@test
def one_package_for_searches():
    """How many steps a search takes is no condition on the size."""
    table = R(50, 4)
    function = lambda x, i: (torch.searchsorted(x.sort(0)[0], x * 0.9, right=True), torch.bucketize(x, x.sort(0)[0]),  # noqa: E731
                             F.embedding_bag(i, table, torch.arange(0, i.shape[0], 3), mode="sum"))
    fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
    kiln.torch.report.clear()
    for n in (7, 4, 9, 130):
        x, i = torch.randint(-n, n, (n,)).float(), torch.randint(0, 50, (n,))
        same(fast(x, i), function(x, i))
    assert sum(one.packages for one in kiln.torch.report) == 1


@test
def one_package_for_images():
    """Neither whether poolings divide a size, nor how a library would convolve so many images, is a condition."""
    function = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.MaxPool2d(2), nn.Conv2d(4, 4, 3), nn.AvgPool2d(2, ceil_mode=True),
                             nn.MaxPool2d(3, 2, 1, ceil_mode=True))
    fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
    kiln.torch.report.clear()
    for n in (7, 4, 9, 18):
        compared(function, fast, (R(n, 3, n + 16, 5 * n + 15).to(memory_format=torch.channels_last),), True)
    assert sum(one.packages for one in kiln.torch.report) == 2  # the forward and the backward graph
    assert fast(R(3, 3, 17, 19).to(memory_format=torch.channels_last)).is_contiguous(memory_format=torch.channels_last)


@test
def one_package_for_numbers_of_places():
    """What counts up to a size is no condition on it."""
    function = lambda x: (torch.linspace(0.5, x.shape[0] - 0.5, x.shape[0]) + x[:, 0], torch.linspace(-1, 1, x.shape[0] // 4, device=x.device))  # noqa: E731
    fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
    kiln.torch.report.clear()
    for n in (9, 8, 12, 33):
        x = R(n, 2)
        same(fast(x), function(x))
    assert sum(one.packages for one in kiln.torch.report) == 1


@test
def places_of_16_bits():
    """No farther from the places in f64 than the nearest numbers of the type, but for one rounding; they could not count the places."""
    for dtype in (torch.float16, torch.bfloat16):
        for function in (lambda x: torch.linspace(-1, 1, x.shape[0], dtype=x.dtype),
                         lambda x: F.affine_grid(torch.eye(2, 3, dtype=x.dtype)[None], [1, 1, x.shape[0], 4], align_corners=False)[0, :, 0, 1]):
            torch._dynamo.reset()
            fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
            for n in (300, 3000):
                got, exact = fast(torch.empty(n, dtype=dtype)), function(torch.empty(n, dtype=torch.float64))
                assert got.dtype == dtype
                assert (got.double() - exact).abs().max() <= torch.finfo(dtype).eps / 4 + 1e-6


@test
def logarithms_of_sizes():
    """To the last bit: their quotients are rounded to numbers of digits."""
    function = lambda x: x * int(math.log(x.shape[0]) / math.log(10)) + math.log(x.shape[0])  # noqa: E731
    fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
    for n in (7, 10, 100, 99):
        x = R(n)
        same(fast(x), function(x))


@test
def what_eager_mode_refuses():
    """Sizes that do not fit, with open sizes beside them."""
    lines = lambda n, m, **how: lambda x: torch.istft(torch.stft(x, n, 4, window=torch.ones(n), return_complex=True), m, length=x.shape[1] - 3, **how)  # noqa: E731
    line, image = R(2, 64), (R(2, 2, 3), R(4, 5))
    for function, given in ((lines(16, 18, hop_length=4, window=torch.ones(18)), (line,)), (lines(16, 16, hop_length=20, window=torch.ones(16)), (line,)),
                            (lines(16, 16, hop_length=0), (line,)), (lines(16, 16, hop_length=4, win_length=18), (line,)),
                            (lines(16, 16, hop_length=4, window=torch.ones(12)), (line,)),
                            (lambda t, x: F.affine_grid(t, [5, 1, *x.shape], align_corners=False), image),
                            (lambda x: x * math.log(x.shape[0] - 2), (line,))):
        for one in (function, torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)):
            torch._dynamo.reset()
            try:
                one(*given)
            except (RuntimeError, ValueError):
                continue
            raise AssertionError("not refused")


@test
def images_of_bytes():
    """Resampled with weights of 16 bits, as eager mode has them on processors with AVX2; on others it has exact ones."""
    if torch.backends.cpu.get_cpu_capability() not in ("AVX2", "AVX512"):
        return
    for aligned in (False, True):
        for how in ({"size": (50, 23)}, {"scale_factor": (0.6, 3.5)}):
            function = lambda x: F.interpolate(x, mode="bicubic", align_corners=aligned, **how)  # noqa: E731, B023
            for dynamic in (False, True):
                torch._dynamo.reset()
                fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=dynamic)
                for n in (20, 33):
                    x = torch.randint(0, 256, (2, 3, n, n + 5), dtype=torch.uint8)
                    assert torch.equal(fast(x), function(x))


@test
def layouts_of_volumes():
    """The strides of a convolution over volumes are those of eager mode, in which they depend on the batch."""
    function = nn.Conv3d(4, 4, 1).requires_grad_(False)
    fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
    for n in (2, 20):
        x = R(n, 4, 3, 3, 3).to(memory_format=torch.channels_last_3d)
        got, want = fast(x), function(x)
        same(got, want)
        same(got.stride(), want.stride())


@test
def one_package_for_distances():
    """More than 25 points are no condition."""
    function = lambda x, y: (torch.cdist(x, y), torch.cdist(x[0], y[0], 1.0))  # noqa: E731
    fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
    kiln.torch.report.clear()
    for n in (7, 4, 40, 26):
        compared(function, fast, (R(2, n, 3), R(2, n + 2, 3)), True)
    assert sum(one.packages for one in kiln.torch.report) == 2  # the forward and the backward graph


@test
def one_package_for_lines_of_spectra():
    """The length that `istft` is asked for, with gradients, beyond the last window, too."""
    window = torch.hann_window(16) + 0.1
    for function in (lambda x: torch.istft(torch.stft(x, 16, 4, 12, window[:12], return_complex=True), 16, 4, 12, window[:12], length=x.shape[1] - 8),
                     lambda x: torch.istft(torch.stft(x[0], 16, 5, window=window, normalized=True, return_complex=True), 16, 5, window=window,
                                           normalized=True, length=x.shape[1] + 9)):
        torch._dynamo.reset()
        fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
        kiln.torch.report.clear()
        for n in (57, 40, 33):
            compared(function, fast, (R(2, n),), True)
        assert sum(one.packages for one in kiln.torch.report) == 2  # the forward and the backward graph


@test
def layers_that_torch_calls_as_one():
    """`nn.TransformerEncoderLayer` and `nn.MultiheadAttention` without gradients, of any length."""
    layer, attention = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(), nn.MultiheadAttention(8, 2, batch_first=True).eval()
    cases = (lambda x, mask: layer(x), lambda x, mask: layer(x, src_key_padding_mask=mask),
             lambda x, mask: attention(x, x, x), lambda x, mask: attention(x, x, x, need_weights=False)[0],
             lambda x, mask: attention(x, x, x, key_padding_mask=mask, average_attn_weights=False))
    with torch.no_grad():
        for function in cases:
            torch._dynamo.reset()
            fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
            for n in (7, 4):
                x, mask = R(n // 2 + 1, n, 8), torch.arange(n).expand(n // 2 + 1, n) > n - 2
                same(fast(x, mask), function(x, mask))


@test
def one_package_for_spectra():
    """The order of strides is no condition that other sizes change."""
    function = lambda x: (torch.fft.rfft(x, dim=1), torch.fft.fftn(x, dim=(0, 2)), torch.fft.rfft2(x))  # noqa: E731
    fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
    kiln.torch.report.clear()
    for n in (7, 4, 9):
        x = R(n, n + 2, 2 * n)
        got, want = fast(x), function(x)
        same(got, want, 1e-4)
        same([one.stride() for one in got], [one.stride() for one in want])
    assert sum(one.packages for one in kiln.torch.report) == 1


@test
def functions_of_any_length():
    torch._dynamo.config.capture_scalar_outputs = torch._dynamo.config.capture_dynamic_output_shape_ops = True
    wrong = []
    for name, (function, given, needs_gradient) in CASES.items():
        torch._dynamo.reset()
        fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
        for n in LENGTHS:
            arguments = given(n)
            try:
                function(*arguments)
            except (RuntimeError, ValueError, ZeroDivisionError):
                continue  # eager refuses that length
            try:
                compared(function, fast, arguments, needs_gradient)
            except Exception as error:
                wrong.append(f"{name} at {n}: {str(error)[:300]}")
                break
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    sys.exit(main())
