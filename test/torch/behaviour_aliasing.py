# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is written, and what shares memory with what, is as in eager."""
import contextlib
import copy
import sys
from unittest import mock

import torch
from torch.nn import functional as F

from kiln.torch import written

from behaviours import fast, main, same, test


@test
def inputs_are_written():
    def function(x, y):
        x.add_(y)
        y[1:3].mul_(2)
        return x.sum()
    a, b = torch.randn(4), torch.randn(4)
    c, d = a.clone(), b.clone()
    want, got = function(a, b), fast(function, fullgraph=True)(c, d)
    same((got, c, d), (want, a, b))


@test
def results_alias_inputs():
    x = torch.randn(3, 4)
    view, scaled = fast(lambda x: (x.t()[1:], x * 2), fullgraph=True)(x)
    assert view._base is x or view.data_ptr() == x.data_ptr() + 4
    x[0, 1] = 7
    assert view[0, 0] == 7
    same(scaled.shape, (3, 4))


@test
def results_alias_results():
    def function(x):
        made = x * 2
        return made.t(), made, made[1:, 2], x.sum(), made.view(-1)
    for options in ({}, {"dynamic": True}):
        compiled = fast(function, fullgraph=True, **options)
        for x in (torch.randn(3, 4), torch.randn(5, 7)):
            got = compiled(x)
            same(got, function(x))
            got[1].zero_()
            assert not got[0].any() and not got[2].any() and not got[4].any() and got[3].item() != 0
    x = torch.randn(3, 4, requires_grad=True)
    y, z = fast(lambda x: ((made := x * 2), made.t()), fullgraph=True)(x)
    assert y.data_ptr() == z.data_ptr()
    (y.sum() + 2 * z[0].sum()).backward()
    same(x.grad, torch.tensor([[6.0, 2, 2, 2]] * 3))


@test
def views_of_one_tensor_are_written():
    def function(x):
        rows, columns = x[0], x[:, 0]
        rows.fill_(1)
        columns.mul_(3)
        return rows + 1, x
    a = torch.randn(3, 3)
    b = a.clone()
    same(fast(function, fullgraph=True)(b), function(a))
    same(a, b)


@test
def arguments_that_are_not_row_major():
    x = torch.randn(6, 8)[::2, ::3].t()
    function = lambda x: x.contiguous() * 2 + x  # noqa: E731
    same(fast(function, fullgraph=True)(x), function(x))


@test
def results_keep_their_strides():
    function = lambda x: (x * 2, F.max_pool2d(x, 2), (x + 1).permute(0, 2, 3, 1).view(-1, 4))  # noqa: E731
    for dynamic in (False, True):
        torch._dynamo.reset()
        run = fast(function, fullgraph=True, dynamic=dynamic)
        for size in (6, 9):
            x = torch.randn(2, 4, size, 6).to(memory_format=torch.channels_last)
            got, want = run(x), function(x)
            same(got, want)
            same([one.stride() for one in got], [one.stride() for one in want])


@test
def convolutions_with_channels_last():
    """Arguments and results that have channels innermost: windows with and without padding, strides and groups, few channels, and
    channels that fill no whole registers."""
    for few, many, groups, window, stride, size in ((32, 32, 32, 7, 1, 14), (48, 48, 48, 3, 2, 9), (20, 20, 20, 5, 1, 8), (16, 24, 1, 3, 1, 10),
                                                    (3, 16, 1, 7, 2, 21), (32, 16, 4, 3, 1, 7), (8, 40, 1, 1, 1, 6), (17, 5, 1, 3, 2, 11)):
        for padding in (0, window // 2):
            model = torch.nn.Conv2d(few, many, window, stride, padding, groups=groups).to(memory_format=torch.channels_last)
            x = torch.randn(3, few, size, size).to(memory_format=torch.channels_last)
            with torch.no_grad():
                for function in (model, lambda x: F.relu(model(x)) + 1):
                    torch._dynamo.reset()
                    got, want = fast(function, fullgraph=True)(x), function(x)
                    same(got, want, 1e-4)
                    same(got.stride(), want.stride())


@test
def moved_images_keep_their_strides():
    """Where torch itself forgets that channels are last while it traces."""
    function = lambda x: (x.roll(1, 2), F.channel_shuffle(x, 2), *(F.pad(x, (1, 2, 1, 0), mode=mode) for mode in (  # noqa: E731
        "reflect", "replicate", "circular", "constant")))
    for order in (torch.channels_last, torch.contiguous_format):
        x = torch.randn(2, 4, 6, 5).to(memory_format=order)
        got, want = fast(function, fullgraph=True)(x), function(x)
        same(got, want)
        same([one.stride() for one in got], [one.stride() for one in want])


@test
def rolled_and_padded_tensors_lie_as_eagers():
    """Where torch traces, for tensors in each order of the dimensions."""
    from torch._subclasses import FakeTensorMode
    image, solid = torch.randn(2, 4, 6, 5), torch.randn(2, 4, 6, 5, 3)
    last, solid_last = image.to(memory_format=torch.channels_last), solid.to(memory_format=torch.channels_last_3d)
    rolls = [lambda x, roll=roll: x.roll(*roll) for roll in ((1,), (1, 0), ((1, 1), (0, 1)), (0, 0), (4, 1))]
    images = [lambda x: F.channel_shuffle(x, 2), *(lambda x, mode=mode: F.pad(x, (1, 1) * (x.dim() - 2), mode) for mode in ("reflect", "replicate"))]
    for x in (torch.randn(6, 4).t(), image, last, image.permute(3, 1, 0, 2), last[:1], last[:, :, ::2], solid, solid_last, solid.permute(3, 1, 0, 2, 4)):
        for function in rolls + (images if x.dim() > 2 else []):
            with FakeTensorMode() as mode:
                got = function(mode.from_tensor(x))
            same(got.stride(), function(x).stride())
    x = torch.randn(6, 4).t()
    same(fast(lambda x: x.roll(1, 0).view(-1), fullgraph=True)(x), x.roll(1, 0).view(-1))


@test
def results_with_gradients_are_written_in_place():
    x = torch.randn(2, 4, 6, 5).to(memory_format=torch.channels_last).requires_grad_()
    y = fast(lambda x: x * 2, fullgraph=True)(x)
    same(y.stride(), x.stride())
    y.add_(1)
    y.sum().backward()
    same((y, x.grad), (x * 2 + 1, torch.full_like(x, 2)))


@test
def complex_results_keep_their_strides():
    for function, x in ((lambda x: torch.stft(x, 16, 4, window=torch.hann_window(16), return_complex=True), torch.randn(3, 64)),
                        (lambda x: (torch.linalg.inv(x), x * 2, x.mT + 1), torch.randn(4, 4, dtype=torch.complex64)),
                        (lambda x: (x.mT.angle(), x.mT.abs(), x[:, ::2].angle(), x.real.mT.angle()), torch.randn(4, 6, dtype=torch.complex64))):
        got, want = fast(function, fullgraph=True)(x), function(x)
        same(got, want)
        got, want = (one if isinstance(one, tuple) else (one,) for one in (got, want))
        same([one.stride() for one in got], [one.stride() for one in want])


@test
def spectra_keep_their_strides():
    """Of tensors that lie in memory in several orders."""
    real = {"rfft": lambda x: torch.fft.rfft(x, dim=0), "rfftn": lambda x: torch.fft.rfftn(x, dim=(0, 2)), "fft": lambda x: torch.fft.fft(x, dim=1)}
    others = {"fft2": torch.fft.fft2, "ifftn": lambda z: torch.fft.ifftn(z, dim=(0, 1)), "irfftn": torch.fft.irfftn,
              "irfft": lambda z: torch.fft.irfft(z, n=4, dim=0)}
    for order in ((0, 1, 2), (1, 0, 2), (2, 1, 0)):
        x = torch.randn([(4, 6, 8)[d] for d in order]).permute(*(order.index(d) for d in range(3)))
        z = torch.complex(x, x.sin())
        made = lambda x, z: [*(one(x) for one in real.values()), *(one(z) for one in others.values())]  # noqa: E731
        got, want = fast(made, fullgraph=True)(x, z), made(x, z)
        same(got, want, 1e-4)
        same([one.stride() for one in got], [one.stride() for one in want])


@test
def conjugates_and_parts_of_arguments():
    function = lambda z: (z.conj(), z.mH, z.real, z.imag, z.conj().imag, torch.resolve_conj(z.conj()), z.conj().imag * 2,  # noqa: E731
                          z.conj()[:z.shape[0] - 1], z[1:].conj().imag[:, :z.shape[0] // 2], -z.conj())
    for dynamic in (False, True):
        torch._dynamo.reset()
        run = fast(function, fullgraph=True, dynamic=dynamic)
        for rows in (3, 5):
            z = torch.randn(rows, 4, dtype=torch.complex64)
            got, want = run(z), function(z)
            for one, other in zip(got, want):
                assert torch.equal(one, other) and one.stride() == other.stride() and one.is_neg() == other.is_neg(), (one, other)
            got[7].zero_()  # which the argument shares
            assert not z[:-1].any() and z[-1].all()


@test
def gradients_of_complex_products():
    """Of any size: the backward graph gets conjugates of what the forward one was given."""
    w, v = torch.randn(4, 3, dtype=torch.complex64), torch.randn(2, 2, 3, dtype=torch.complex64)
    spectrum = lambda x: torch.fft.irfft(torch.einsum("bix,iox->box", torch.fft.rfft(x)[..., :3], v), n=x.shape[-1])  # noqa: E731
    for function, shape in ((lambda x: (torch.complex(x, x.cos()) @ w).abs(), (3, 4)), (spectrum, (2, 2, 8))):
        torch._dynamo.reset()
        run = fast(function, fullgraph=True, dynamic=True)
        for more in (0, 2):
            ours, theirs = (torch.linspace(-1, 1, (shape[0] + more) * shape[1] * (shape[2] if shape[2:] else 1)).reshape(
                shape[0] + more, *shape[1:]).requires_grad_() for _ in range(2))
            got, want = run(ours), function(theirs)
            same(got, want, 1e-4)
            got.square().sum().backward()
            want.square().sum().backward()
            same(ours.grad, theirs.grad, 1e-4)


@test
def nothing_in_any_layout():
    x = torch.empty(0, 7, 5).transpose(1, 2)
    same(fast(lambda x: x * 2, fullgraph=True)(x).shape, (0, 5, 7))
    same(fast(lambda x: x.sum((1, 2)), fullgraph=True)(torch.empty(3, 0, 5).permute(2, 1, 0)), torch.zeros(5))


@contextlib.contextmanager
def copies_at_once():
    """The number of tensors that each call copies at once, as calls on a GPU do."""
    counts = []

    def copied(old, new, copy=torch._foreach_copy_):
        counts.append(len(old))
        return copy(old, new)
    with mock.patch.object(written, "pays", lambda device: True), mock.patch.object(torch, "_foreach_copy_", copied):
        yield counts


@test
def written_arguments_are_copied_at_once():
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Conv2d(4, 5, 1), torch.nn.BatchNorm2d(5))
    other = copy.deepcopy(model)
    with copies_at_once() as counts:
        run = fast(model, fullgraph=True)
        for step in range(3):
            x = torch.randn(2, 3, 6, 5)
            for one in (run, other):
                one(x).square().mean().backward()
        same([*model.buffers()], [*other.buffers()])
        same([one.grad for one in model.parameters()], [one.grad for one in other.parameters()], 1e-4)
        # The counters, which are integers, and means and variances.
        assert counts == [2, 4] * 3, counts

        def write(a, b, c, x):
            a.mul_(x)
            b.add_(a)
            c[1:, 2] = 5
            return a + b, b[1:]
        given = lambda: [torch.arange(6.0).view(2, 3), torch.ones(2, 3), torch.ones(3, 4), torch.full((2, 3), 2.0)]  # noqa: E731
        mine, theirs = given(), given()
        del counts[:]
        compiled = fast(write, fullgraph=True)
        for _ in range(2):
            made, expected = compiled(*mine), write(*theirs)
            same([*made, *mine], [*expected, *theirs])
            assert [one.stride() for one in mine] == [one.stride() for one in theirs]
            made[1][0, 0] = expected[1][0, 0] = 9
            same(mine, theirs)
        assert counts == [3] * 2, counts


@test
def conjugates_and_negatives_are_written_by_themselves():
    def write(a, b, c, d, x):
        for one in (a, b, c, d):
            one.mul_(x)
        return a + b

    def given(is_marked):
        whole = torch.complex(torch.arange(6.0), torch.ones(6)).view(2, 3)
        a, c = whole.clone(), torch.ones(2, 3)
        return [a.conj() if is_marked else a, whole, torch._neg_view(c) if is_marked else c, torch.ones(2, 3), torch.tensor(2.0)]
    with copies_at_once() as counts:
        for first in (False, True):
            torch._dynamo.reset()
            run = fast(write, fullgraph=True)
            # The one that compiles has marks, or a later one.
            for is_marked in (first, not first, first):
                mine, theirs = given(is_marked), given(is_marked)
                same(run(*mine), write(*theirs))
                same([one.resolve_conj().resolve_neg() for one in mine], [one.resolve_conj().resolve_neg() for one in theirs])
                assert [(one.is_conj(), one.is_neg()) for one in mine] == [(one.is_conj(), one.is_neg()) for one in theirs]
        assert counts and all(count <= 2 for count in counts), counts


if __name__ == "__main__":
    sys.exit(main())
