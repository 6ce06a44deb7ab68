# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations whose composition matters, beside eager."""
import math
import sys
import tempfile
import unittest.mock

import torch
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import kiln.torch

from behaviours import fast, main, same, test


@test
def attention_and_its_gradient():
    for causal in (False, True):
        q, k, v = (torch.randn(2, 4, n, 8, requires_grad=True) for n in (6, 6, 6))
        function = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal)  # noqa: E731, B023
        want, got = function(q, k, v), fast(function, fullgraph=True)(q, k, v)
        same(got, want)
        seed = torch.randn_like(want)
        same(torch.autograd.grad(got, (q, k, v), seed), torch.autograd.grad(want, (q, k, v), seed), 1e-4)


@test
def rows_that_see_nothing():
    q = torch.randn(1, 1, 3, 8)
    mask = torch.tensor([[True, False, True], [False, False, False], [True, True, True]])
    function = lambda q: F.scaled_dot_product_attention(q, q, q, attn_mask=mask)  # noqa: E731
    same(fast(function, fullgraph=True)(q), function(q))


@test
def narrow_types_compute_wide():
    x = torch.randn(64).bfloat16()
    function = lambda x: x * 0.1 + x.sum() / 3  # noqa: E731
    same(fast(function, fullgraph=True)(x), function(x), 1.6e-2)


@test
def sums_of_truth_values():
    x, y = torch.tensor([True, False, True, False]), torch.tensor([True, True, False, False])

    def function(x, y):
        sums = [torch.add(x, y, alpha=alpha) for alpha in (True, False, 2)]
        masked = [torch.index_put(x, (mask,), y[:1], accumulate=True) for mask in (y, x)]
        return *sums, *masked, torch.index_put(x, (torch.tensor([1, 1, 3]),), y[:3], accumulate=True)
    same(fast(function, fullgraph=True)(x, y), function(x, y))


@test
def quotients_at_the_ends_of_a_type():
    for kind in (torch.int8, torch.int16, torch.int32, torch.int64):
        low, high = torch.iinfo(kind).min, torch.iinfo(kind).max
        x = torch.tensor([low, low, low, low + 1, high, high, high, -7, 7, 6, 0], dtype=kind)
        y = torch.tensor([3, high, low, -3, -3, low, 2, 2, -2, -3, -5], dtype=kind)
        function = lambda x, y: (x // y, x % y, x // 3, x // -3, torch.div(x, y, rounding_mode="floor"))  # noqa: E731
        for got, want in zip(fast(function, fullgraph=True)(x, y), function(x, y), strict=True):
            assert torch.equal(got, want), (kind, got, want)


@test
def signs_of_zeros():
    x = torch.tensor([-0.0, 0.0, float("nan"), -2.0, 1e-45, -float("inf")])
    function = lambda x: (x.sign(), torch.sgn(x))  # noqa: E731
    for got, want in zip(fast(function, fullgraph=True)(x), function(x), strict=True):
        assert torch.equal(got, want) and torch.equal(torch.signbit(got), torch.signbit(want)), (got, want)


@test
def windows_of_transforms():
    makers = [getattr(torch, f"{name}_window") for name in ("hann", "hamming", "bartlett", "blackman", "kaiser")]

    def function(x):
        made = [maker(size, periodic=periodic, dtype=kind) * x for maker in makers for size in (0, 1, 2, 7, 64)
                for periodic in (True, False) for kind in (torch.float32, torch.float64)]
        return made + [torch.hamming_window(9, True, 0.3, 0.7), torch.kaiser_window(9, False, 5.0), torch.range(0, 4) * x]
    x = torch.tensor(1.0)
    same(fast(function, fullgraph=True)(x), function(x), 1e-6)


@test
def orders_and_scans():
    def function(x):
        ordered, places = torch.sort(x, dim=1, descending=True, stable=True)
        best, where = torch.topk(x, 3, dim=0)
        highest, at = torch.cummax(x, 1)
        return ordered, places, best, where, highest, at, x.cumsum(0), x.logcumsumexp(1), torch.histc(x, 7, -1, 2)
    x = torch.randn(5, 40)
    x[2, 3] = x[2, 7]
    x[1, 4] = float("nan")
    for given in (x, torch.randn(9, 40)):
        torch.testing.assert_close(fast(function, fullgraph=True)(given), function(given), rtol=1e-5, atol=1e-5, equal_nan=True)


@test
def rows_of_experts():
    from transformers.integrations import moe  # noqa: F401
    grouped = torch.ops.transformers.grouped_mm_fallback
    for offsets in ([2, 2, 5, 9], [0, 0, 0, 7], [9, 9, 9, 9]):
        offsets = torch.tensor(offsets, dtype=torch.int32)
        made = []
        for run in (fast(grouped, fullgraph=True), grouped):
            torch.manual_seed(1)
            x, weight = torch.randn(9, 5, requires_grad=True), torch.randn(4, 5, 6, requires_grad=True)
            y = run(x, weight, offsets)
            (y * y).sum().backward()
            made.append((y.detach(), x.grad, weight.grad))
        same(*made)


@test
def rows_of_experts_in_blocks():
    """As on GPUs: blocks of the rows of an expert, as many as the offsets need."""
    from transformers.integrations import moe  # noqa: F401

    from kiln.torch.lower import grouped as lowering
    grouped = torch.ops.transformers.grouped_mm_fallback
    x, weight = torch.randn(70, 5), torch.randn(6, 5, 4)
    with unittest.mock.patch.object(lowering, "takes_blocks", lambda *about: True), torch.no_grad():
        run = fast(grouped, fullgraph=True)
        for offsets in ([1, 33, 33, 50, 66, 70], [0, 0, 0, 0, 0, 70], [70] * 6, [10, 20, 30, 40, 50, 60], [0] * 6, [16, 32, 48, 64, 64, 65]):
            offsets = torch.tensor(offsets, dtype=torch.int32)
            found, expected = run(x, weight, offsets), grouped(x, weight, offsets)
            behind = int(offsets[-1])
            torch.testing.assert_close(found[:behind], expected[:behind], rtol=1e-5, atol=1e-5)
            assert not found[behind:].any()


@test
def loops_and_branches():
    from torch._higher_order_ops.while_loop import while_loop

    def function(n, x):
        return while_loop(lambda i, v: i < n, lambda i, v: (i + 1, v * 1.5), (torch.zeros((), dtype=torch.int64), x))
    x = torch.randn(4)
    for n in (0, 3):
        i, v = fast(function, fullgraph=True)(torch.tensor(n), x)
        assert int(i) == n
        same(v, x * 1.5 ** n)

    def branch(p, x):
        return torch.cond(p, lambda x: x + 1, lambda x: x - 1, (x,))
    for p in (True, False):
        same(fast(branch, fullgraph=True)(torch.tensor(p), x), x + 1 if p else x - 1)


@test
def scans_maps_and_gradients_of_loops():
    from torch._higher_order_ops import map as each_row, scan, while_loop
    x, w, up = torch.randn(6, 4), torch.randn(4, 4), torch.randn(6, 4)
    scanned = lambda x, w: scan(lambda c, v: (torch.tanh(c @ w + v), c * v), torch.zeros(4), x)  # noqa: E731
    same(fast(scanned, fullgraph=True)(x, w), scanned(x, w))

    def looped(x, w):
        return while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, torch.tanh(h @ w)), (torch.tensor(0), x.clone()))[1]
    for function in (looped, lambda x, w: each_row(lambda row, m: torch.sin(row @ m), x, w)):
        leaves = [x.clone().requires_grad_(), w.clone().requires_grad_()]
        made, wanted = fast(function, fullgraph=True)(*leaves), function(*leaves)
        same(made, wanted)
        same(torch.autograd.grad(made, leaves, up), torch.autograd.grad(wanted, leaves, up))


@test
def lists_of_tensors():
    def function(x, y):
        both, apart = [x, y], torch._foreach_abs([x, y])
        torch._foreach_add_(apart, 1.0)
        return (torch._foreach_norm(both, 2), torch._foreach_cosh(both), torch._foreach_lgamma(apart), torch._foreach_clamp_max(both, [0.1, 0.2]),
                torch._foreach_maximum(both, 0.3), torch._foreach_lerp(both, apart, [0.1, 0.2]), torch.nn.utils.get_total_norm(both))
    given = torch.randn(5, 4), torch.randn(3)
    same(fast(function, fullgraph=True)(*given), function(*given))


@test
def weights_of_a_length_and_a_direction():
    layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(4, 6))
    x = torch.randn(3, 4)
    made, wanted = fast(layer, fullgraph=True)(x), layer(x)
    up = torch.randn_like(wanted)
    same(made, wanted)
    same(torch.autograd.grad(made, layer.parameters(), up), torch.autograd.grad(wanted, layer.parameters(), up))


@test
def gradients_of_maxima():
    """Windows that overlap, that leave elements out, that padding begins, with dilation and a last one that is cut."""
    for shape, settings in (((2, 3, 13, 11), (3, 2, 1)), ((2, 3, 13, 11), (3, 2, 0, 2, True)), ((3, 10, 9), (2, 3)), ((2, 2, 7, 8, 9), (3, 2, 1, 1, True)),
                            ((1, 2, 9, 9), (4, 1, 2)), ((1, 2, 9, 9), (5, 1, 2))):
        pool = F.max_pool3d if len(shape) == 5 else F.max_pool2d
        ours, theirs = ((torch.arange(math.prod(shape)) * 7919 % 101 / 4).reshape(shape).requires_grad_() for _ in range(2))  # equal ones, too
        made, wanted = fast(lambda x: pool(x, *settings), fullgraph=True)(ours), pool(theirs, *settings)
        up = torch.linspace(-1, 1, wanted.numel()).reshape(wanted.shape)
        same(torch.autograd.grad(made, ours, up), torch.autograd.grad(wanted, theirs, up))


@test
def gradients_of_filters():
    """Strides that leave out the end of an image, windows of one element and windows as large as the image."""
    torch.manual_seed(5)
    for window, settings in ((1, {"stride": 2}), (3, {"stride": 2, "padding": 1}), (1, {}), ((8, 7), {}), (3, {"dilation": 2, "stride": 3}),
                             (3, {"groups": 2, "stride": 2})):
        layer, x = torch.nn.Conv2d(4, 6, window, **settings), torch.randn(3, 4, 8, 7)
        made, wanted = fast(layer, fullgraph=True)(x), layer(x)
        up = torch.linspace(-1, 1, wanted.numel()).reshape(wanted.shape)
        same(torch.autograd.grad(made, layer.parameters(), up), torch.autograd.grad(wanted, layer.parameters(), up))


@test
def filters_along_time():
    """`conv_tbc`, of any length."""
    torch.manual_seed(6)
    for dynamic in (False, True):
        torch._dynamo.reset()
        run = fast(torch.conv_tbc, fullgraph=True, dynamic=dynamic)
        for length in (7, 5):
            given = [torch.randn(*shape, requires_grad=True) for shape in ((length, 2, 4), (3, 4, 5), (5,))]
            got, want = run(*given, 2), torch.conv_tbc(*given, 2)
            same(got, want)
            up = torch.randn_like(want)
            same(torch.autograd.grad(got, given, up), torch.autograd.grad(want, given, up))


@test
def gradients_of_rows_that_are_read_often():
    """Divided by how often, as `scale_grad_by_freq` asks for."""
    rows = torch.tensor([[0, 1, 1, 3], [1, 0, 0, 9]])
    for padding in (None, 0):
        ours, theirs = (torch.nn.Embedding(10, 4, padding_idx=padding, scale_grad_by_freq=True) for _ in range(2))
        up = torch.randn(2, 4, 4)
        for layer, run in ((ours, fast(ours, fullgraph=True)), (theirs, theirs)):
            run(rows).backward(up)
        same(ours.weight.grad, theirs.weight.grad)
    backward = lambda up: torch.ops.aten.embedding_dense_backward(up, torch.zeros(len(up), dtype=torch.int64), 2, -1, True)  # noqa: E731
    up = torch.ones(70000, 1, dtype=torch.float16)
    assert 0.03 < fast(backward, fullgraph=True)(up)[0] < 1.1  # a sum in f16 loses much, as in eager mode


def ragged(*lengths):
    return torch.nested.nested_tensor([torch.randn(n, 4) for n in lengths], layout=torch.jagged)


@test
def rows_of_different_lengths():
    """Nested tensors as arguments and results, and as dense ones."""
    layer = torch.nn.Linear(4, 4).requires_grad_(False)
    run = fast(lambda n: layer(n).relu(), fullgraph=True)
    for x in (ragged(3, 5), ragged(2, 0, 6)):
        got, want = run(x), layer(x).relu()
        same(got.values(), want.values())
        assert torch.equal(got.offsets(), want.offsets())
    for function in (lambda n: torch.nested.to_padded_tensor(n, -1.0) * 2, lambda n: (n * 2).sum(1), lambda n: torch.softmax(n, 1).values()):
        for x in (ragged(3, 5, 1), ragged(2, 0, 6)):
            same(fast(function, fullgraph=True)(x), function(x))
    x, y = (torch.randn(8, 4).requires_grad_() for _ in range(2))
    y.data.copy_(x.data)
    offsets = torch.tensor([0, 3, 3, 8])
    function = lambda x: torch.nested.nested_tensor_from_jagged(x, offsets).to_padded_tensor(0.0).sin()  # noqa: E731
    for made in (fast(function, fullgraph=True)(x), function(y)):
        made.square().sum().backward()
    same(x.grad, y.grad)


@test
def padded_rows_keep_their_type_and_their_ends():
    offsets, pad, cut = torch.tensor([0, 2, 6]), torch.ops.aten._jagged_to_padded_dense_forward, torch.ops.aten._padded_dense_to_jagged_forward
    for values in (torch.arange(6).reshape(6, 1) + 2**24 + 1, torch.arange(6)[:, None] > 2, torch.arange(6.0)[:, None]):
        function = lambda x: pad(x, [offsets], [5], 1.0)  # noqa: E731
        assert torch.equal(fast(function, fullgraph=True)(values), function(values)) and function(values).dtype == values.dtype
    x = torch.randn(2, 4, 3)
    function = lambda x: cut(x, [offsets], 6)  # noqa: E731
    run = fast(function, fullgraph=True)
    same(run(x), function(x))
    try:
        made = run(x[:, :3])
    except RuntimeError as error:
        assert "longer" in str(error), error
    else:
        raise AssertionError(f"a row that is too long gives {made}")


@test
def numbers_in_steps_and_windows_that_are_spread():
    scales, zeros = torch.tensor([0.05, 0.1, 0.2, 0.01]), torch.tensor([0, 1, -2, 3], dtype=torch.int32)
    samples = torch.tensor([[[0.3, 0.6]] * 4] * 3)

    def function(x):
        image = x.reshape(3, 4, 6, 7)
        return (torch.fake_quantize_per_tensor_affine(x, 0.1, 3, -8, 7), torch.fake_quantize_per_channel_affine(x, scales, zeros, 1, -8, 7),
                *F.fractional_max_pool2d(image, 2, output_size=(3, 4), return_indices=True, _random_samples=samples), F.rrelu(x, training=False))
    ours, theirs = (torch.linspace(-2, 2, 504).sin().reshape(3, 4, 42).requires_grad_() for _ in range(2))
    got, want = fast(function, fullgraph=True)(ours), function(theirs)
    same(got, want)
    for made in (got, want):
        sum((one * one).sum() for one in made if one.is_floating_point()).backward()
    same(ours.grad, theirs.grad)


@test
def numbers_times_complex_tensors():
    def function(x):
        return torch.view_as_real(torch.fft.rfft(x) * 1j), torch.fft.fftfreq(7, 0.5), torch.fft.rfftfreq(8)
    ours, theirs = (torch.arange(9.0).requires_grad_() for _ in range(2))
    got, want = fast(function, fullgraph=True)(ours), function(theirs)
    same(got, want)
    got[0].sum().backward()
    want[0].sum().backward()
    same(ours.grad, theirs.grad)


@test
def recurrent_layers_without_gradients():
    x = torch.randn(5, 3, 4)
    for make in (torch.nn.LSTM, torch.nn.GRU):
        for more in ({"bidirectional": True, "num_layers": 2}, {"bias": False, "batch_first": True}):
            layer = make(4, 6, **more)
            torch._dynamo.reset()
            with torch._dynamo.config.patch(allow_rnn=True), torch.no_grad():
                made, last = torch.compile(layer, backend=kiln.torch.kiln, fullgraph=True)(x)
                wanted, wanted_last = layer(x)
            same(made, wanted)
            for a, b in zip([last] if make is torch.nn.GRU else last, [wanted_last] if make is torch.nn.GRU else wanted_last):
                same(a, b)


@test
def recurrent_layers_with_gradients():
    x = torch.randn(3, 2, 4)
    for make in (torch.nn.LSTM, torch.nn.GRU):
        layer = make(4, 3, bidirectional=True)
        torch._dynamo.reset()
        with torch._dynamo.config.patch(allow_rnn=True):
            made, last = fast(layer, fullgraph=True)(x)
        for a, b in zip(*(one if make is torch.nn.LSTM else [one] for one in (last, layer(x)[1]))):
            same(a, b)
        up = torch.randn_like(made)
        same(torch.autograd.grad(made, layer.parameters(), up), torch.autograd.grad(layer(x)[0], layer.parameters(), up))


@test
def recurrent_layers_in_checkpoints():
    layer, x = torch.nn.LSTM(4, 3, 2), torch.randn(5, 2, 4, requires_grad=True)

    def run(x):
        made, last = layer(x)
        return made, *last

    torch._dynamo.reset()
    with torch._dynamo.config.patch(allow_rnn=True):
        made = fast(lambda x: checkpoint(run, x, use_reentrant=False), fullgraph=True)(x)
    same(made, run(x))


@test
def attention_in_checkpoints():
    x = torch.randn(1, 2, 8, 16, requires_grad=True)

    def run(x):
        return checkpoint(lambda x: F.scaled_dot_product_attention(x, x.sin(), x, is_causal=True).exp(), x, use_reentrant=False) * x

    torch._dynamo.reset()
    made, wanted = fast(run, fullgraph=True)(x), run(x)
    same(made, wanted)
    same(torch.autograd.grad(made.square().sum(), x), torch.autograd.grad(wanted.square().sum(), x))


@test
def order_and_masks():
    x = torch.randn(4, 9)
    x[2, 3] = float("nan")
    def function(x):
        mask = x > 0
        y = x.clone()
        y[mask] = 7.0
        return x.median(1)[0], x.kthvalue(3, 1)[0], x.masked_scatter(mask, x.flip(0)), y, torch.searchsorted(x[0].sort()[0], x[1])
    got, want = fast(function, fullgraph=True)(x), function(x)
    for a, b in zip(got, want):
        torch.testing.assert_close(a, b, equal_nan=True)


@test
def pieces_that_change_places():
    x = torch.randn(6, 7, 5)
    def function(x):
        return (x.roll(2, 1), x.roll(-9, 0), x.roll((3, -2), (0, 2)), x.roll(11), x.roll((1, 2), (1, 1)),
                x.flip(1).roll(3, 1), x[:0].roll(1, 0))
    for options in ({}, {"dynamic": True}):
        for a, b in zip(fast(function, fullgraph=True, **options)(x), function(x), strict=True):
            torch.testing.assert_close(a, b, rtol=0, atol=0)


@test
def elements_by_their_ranks():
    x = torch.randn(5, 40, 3).round(decimals=1)
    x[1, 3, 2] = float("nan")
    def function(x):
        y = (x.nan_to_num() * 4).int()
        return (*x.median(1), *x.nanmedian(0), *x.kthvalue(17, 1, keepdim=True), *y.median(1), x.nanmedian(),
                x.quantile(torch.tensor([0.1, 0.5]), dim=1), x.nanquantile(0.3, dim=0, interpolation="nearest"),
                x.nanquantile(0.7, interpolation="midpoint"))
    got, want = fast(function, fullgraph=True)(x), function(x)
    for a, b in zip(got, want, strict=True):
        assert a.dtype == b.dtype
        if a.dtype.is_floating_point:
            torch.testing.assert_close(a, b, equal_nan=True)
    # Of equal elements any may be named.
    for (values, places), dim in ((got[0:2], 1), (got[2:4], 0), (got[4:6], 1)):
        keep = values.shape if values.dim() == x.dim() else values.unsqueeze(dim).shape
        torch.testing.assert_close(x.gather(dim, places.reshape(keep)), values.reshape(keep), equal_nan=True)


@test
def layers_that_torch_calls_as_one():
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()
    first = torch.nn.TransformerEncoderLayer(16, 4, 32, activation="gelu", batch_first=True, norm_first=True).eval()
    attend = torch.nn.MultiheadAttention(16, 4, batch_first=True).eval()
    x = torch.randn(2, 5, 16)
    padding = torch.tensor([[False, False, False, True, True], [False] * 5])
    causal = torch.nn.Transformer.generate_square_subsequent_mask(5)

    def function(x):
        return (layer(x), layer(x, src_key_padding_mask=padding), first(x, src_mask=causal),
                first(x, src_mask=causal, src_key_padding_mask=padding.float().masked_fill(padding, -torch.inf)),
                attend(x, x, x)[0], *attend(x, x, x, key_padding_mask=padding, average_attn_weights=False),
                attend(x, x, x, need_weights=False)[0])
    with torch.no_grad():
        got, want = fast(function, fullgraph=True)(x), function(x)
    assert len(kiln.torch.report[-1].fallbacks) == 0, kiln.torch.report
    for a, b in zip(got, want):
        same(a, b)


@test
def images_at_other_places():
    """Resized with a filter, and read where a grid says, in each way of both; gradients, too."""
    def function(x, grid):
        resized = F.interpolate(x, (3, 7), mode="bicubic", antialias=True)
        read = [F.grid_sample(x, grid, mode, padding, align_corners=False)
                for mode, padding in (("bicubic", "reflection"), ("bilinear", "border"), ("nearest", "zeros"))]
        return resized.square().sum() + sum(one.square().sum() for one in read)
    x, grid = torch.randn(1, 2, 5, 6), torch.rand(1, 4, 3, 2) * 3 - 1.5
    found = []
    for run in (function, fast(function, fullgraph=True)):
        given = [one.clone().requires_grad_() for one in (x, grid)]
        made = run(*given)
        found.append([made.detach(), *torch.autograd.grad(made, given)])
    same(found[1], found[0], 1e-4)


@test
def norms_and_activations_are_one_node():
    """What torch would take apart while it traces; in each type, for each rank, with gradients."""
    def function(norm, x):
        made = norm(x)
        return F.hardswish(made) + F.hardsigmoid(made) * F.leaky_relu(made, 0.2)
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.bfloat16, 2e-2)):
        for affine in (True, False):
            for made, shape in ((torch.nn.BatchNorm1d, (4, 6)), (torch.nn.BatchNorm1d, (2, 6, 5)), (torch.nn.BatchNorm2d, (2, 6, 3, 5))):
                norm = made(6, affine=affine).eval().to(dtype)
                norm.running_mean.uniform_(-1, 1)
                norm.running_var.uniform_(0.5, 2)
                x = (torch.randn(shape) * 4).to(dtype)
                kiln.torch.report.clear()
                torch._dynamo.reset()
                with torch.no_grad():
                    same(fast(function, fullgraph=True)(norm, x), function(norm, x), tolerance)
                assert kiln.torch.report[0].nodes < 12, kiln.torch.report[0]
    norm, x = torch.nn.BatchNorm2d(3).eval(), torch.randn(2, 3, 4, 4)
    found = []
    torch._dynamo.reset()
    for run in (function, fast(function, fullgraph=True)):
        given = x.clone().requires_grad_()
        found.append(torch.autograd.grad(run(norm, given).square().sum(), [given, *norm.parameters()]))
    for got, want in zip(*reversed(found)):
        same(got, want, 1e-4)


@test
def aligned_sequences_are_trained():
    long, labels = (torch.randn(70, 2, 5).log_softmax(2), torch.tensor([[1, 2, 2], [3, 3, 0]]))  # as many steps are a loop
    given = labels, torch.tensor([70, 33]), torch.tensor([3, 2])
    same(fast(F.ctc_loss, fullgraph=True)(long, *given), F.ctc_loss(long, *given))
    x = torch.randn(12, 3, 5).log_softmax(2)
    targets = torch.tensor([[1, 2, 2, 4], [3, 3, 0, 0], [1, 0, 0, 0]])
    for lengths in (([12, 9, 4], [4, 2, 1]), (torch.tensor([12, 9, 4]), torch.tensor([4, 2, 1]))):
        # What torch makes of lists for the mean it cannot trace.
        for options in ({"reduction": "sum"}, {"zero_infinity": True})[:1 if isinstance(lengths[0], list) else 2]:
            function = lambda x: F.ctc_loss(x, targets, *lengths, **options)  # noqa: E731, B023
            ours, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
            got, want = fast(function, fullgraph=True)(ours), function(theirs)
            same(got, want)
            got.backward()
            want.backward()
            same(ours.grad, theirs.grad)


@test
def labels_before_the_first_that_is_missing():
    target = torch.tensor([[0, 2, -1, 1, 1], [4, -1, -1, -1, 0], [3, 1, 0, 2, 4], [-1, 2, 2, 2, 2]])
    for reduction in ("none", "mean", "sum"):
        function = lambda x, t: F.multilabel_margin_loss(x, t, reduction=reduction)  # noqa: E731, B023
        for shape in ((4, 5), (5,)):
            ours = torch.randn(shape, requires_grad=True)
            theirs = ours.detach().clone().requires_grad_()
            labels = target if len(shape) == 2 else target[0]
            got, want = fast(function, fullgraph=True)(ours, labels), function(theirs, labels)
            same(got, want)
            got.sum().backward()
            want.sum().backward()
            same(ours.grad, theirs.grad)


@test
def windows_beside_what_is_no_number():
    """A mean over windows is a number where no window has NaN or an infinity, and so is its gradient."""
    x = torch.randn(2, 3, 8, 9)
    x[0, 1, 2, 3], x[1, 0, 5, 0] = float("nan"), float("inf")
    function = lambda x: (F.adaptive_avg_pool2d(x, (3, 4)), F.adaptive_avg_pool2d(x, (11, 3)), F.avg_pool2d(x, 3, 2, 1),  # noqa: E731
                          F.avg_pool2d(x, (3, 2), (2, 3), 1, True, False), F.avg_pool2d(x, 2, 3, divisor_override=3))
    ours, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
    got, want = fast(function, fullgraph=True)(ours), function(theirs)
    same(got, want, equal_nan=True)
    for mine, exact in zip(got, want, strict=True):
        seed = torch.randn_like(exact)
        seed[0, 1, 1, 2] = float("nan")
        same(torch.autograd.grad(mine, ours, seed, retain_graph=True), torch.autograd.grad(exact, theirs, seed, retain_graph=True),
             equal_nan=True)


@test
def one_index_for_whole_rows():
    """An index that is repeated along the other dimensions names rows; one that is not, or not along all, elements."""
    x, z, i = torch.randn(50, 7), torch.randn(9, 7), torch.randint(0, 9, (50,))
    for kind in ("sum", "mean", "prod", "amax", "amin"):
        for with_self in (True, False):
            function = lambda z, x, i, t: (  # noqa: E731
                z.scatter_reduce(0, i[:, None].expand(-1, 7), x, kind, include_self=with_self),  # noqa: B023
                t.scatter_reduce(1, i.view(1, 50).expand_as(t[:, :1].expand(7, 50)), x.t(), kind, include_self=with_self),  # noqa: B023
                z[:, 0].scatter_reduce(0, i, x[:, 0], kind, include_self=with_self))  # noqa: B023
            for a, b in ((z, x), ((z * 10).int(), (x * 10).int())):
                torch._dynamo.reset()  # the closures are new ones
                given = a, b, i, a.t().contiguous()
                same(fast(function, fullgraph=True)(*given), function(*given))
    many = torch.ones(255, dtype=torch.uint8)  # and the element itself: 256 wrap to 0
    mean = lambda x: torch.zeros(1, dtype=torch.uint8).scatter_reduce(0, torch.zeros(255, dtype=torch.int64), x, "mean")  # noqa: E731
    same(fast(mean, fullgraph=True)(many), mean(many))
    repeated = lambda z, x, i: (z.scatter_add(0, i[:, None].expand(-1, 7), x), z.scatter_add(0, i[:, None].expand(-1, 5), x),  # noqa: E731
                                z.gather(0, i[:, None].expand(-1, 7)), z.gather(0, i[:, None].expand(-1, 5)),
                                z.gather(1, i[:3].remainder(7).expand(9, 3)), z.gather(-1, i[:3].remainder(7).expand(4, 3)))
    same(fast(repeated, fullgraph=True)(z, x, i), repeated(z, x, i))
    y, k = torch.randn(2, 5, 6), torch.randint(0, 5, (1, 4, 1))
    part = torch.randint(0, 5, (2, 1, 1))
    deep = lambda y, k, p: (y.gather(1, k.expand(2, 4, 6)), y.scatter_add(1, k.expand(2, 4, 6), y[:, :4]), y.gather(1, p.expand(2, 1, 6)))  # noqa: E731
    same(fast(deep, fullgraph=True)(y, k, part), deep(y, k, part))


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(64, 64) for _ in range(6))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).tanh()
        return x


@test
def data_parallel_models_in_parts():
    """DistributedDataParallel has a graph for each of its buckets, of which the first call is for fake tensors."""
    import torch.distributed as dist
    first = dist._DEFAULT_FIRST_BUCKET_BYTES
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
        try:
            dist._DEFAULT_FIRST_BUCKET_BYTES = 1000  # the first bucket is the smallest
            model, other, x = Layers(), Layers(), torch.randn(4, 64)
            other.load_state_dict(model.state_dict())
            run = fast(torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=0.02))
            with torch.no_grad():
                same(run(x), other(x))
            kiln.torch.report.clear()
            for _ in range(2):
                made = run(x)
                same(made, other(x))
            made.sum().backward()
            other(x).sum().backward()
            assert sum(one.kind == "forward" for one in kiln.torch.report) > 1, kiln.torch.report
            for mine, theirs in zip(model.parameters(), other.parameters()):
                same(mine.grad, theirs.grad, 1e-4)
        finally:
            dist._DEFAULT_FIRST_BUCKET_BYTES = first
            dist.destroy_process_group()


@test
def zeros_and_powers_of_two_at_the_edges():
    x = torch.tensor([0.0, -0.0, 1.0, -2.5, 1e-40, 3e38, math.inf, math.nan])
    exponents = torch.tensor([140, -140, 127, 200, 140, -200, -300, 5], dtype=torch.int32)

    def function(x, exponents):
        wide = x.to(torch.float64)
        return (torch.ldexp(x, exponents), torch.ldexp(wide, exponents * 4), torch.frac(x), torch.atan2(x - x, x * 0),
                torch.atan2((x != 0) ^ (x != 0), (x != 0) ^ (x != 0)), x.clamp(min=math.nan), x.clamp(max=math.nan),
                x.clamp(min=math.nan, max=1.0), x.clamp(torch.tensor(math.nan)), torch.clamp_min(x, math.nan),
                torch.clamp_max(x, math.nan), wide.clamp_min(math.nan))
    got, want = fast(function, fullgraph=True)(x, exponents), function(x, exponents)
    for one, other in zip(got, want):
        assert torch.equal(one.isnan(), other.isnan()) and torch.equal(one.nan_to_num(7), other.nan_to_num(7)), (one, other)
        assert torch.equal(torch.signbit(one)[~one.isnan()], torch.signbit(other)[~one.isnan()]), (one, other)


if __name__ == "__main__":
    sys.exit(main())
