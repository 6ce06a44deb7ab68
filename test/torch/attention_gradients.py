# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of scaled_dot_product_attention beside PyTorch's: lengths, element types, grouped heads, masks. What PyTorch's
formula gives in f64 says what is right; narrow types may be as far from it as twice what PyTorch's own kernels are."""
import sys

import torch
from torch.nn import functional as F

import kiln.torch

from behaviours import fast, main, same, test


def attention(q, k, v, mask=None, causal=False, scale=None, grouped=False):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal, scale=scale, enable_gqa=grouped)


def gradients(function, q, k, v, seed, **options):
    given = [t.detach().requires_grad_() for t in (q, k, v)]
    made = function(*given, **options)
    return [made.detach(), *torch.autograd.grad(made, given, seed)]


def compare(q, k, v, **options):
    seed = torch.randn(*q.shape[:-1], v.shape[-1], dtype=q.dtype)
    wide = [t.double() for t in (q, k, v, seed)]
    mask = options.get("mask")
    wide_options = {**options, "mask": mask.double()} if mask is not None and mask.dtype != torch.bool else options
    want = gradients(attention, *wide, **wide_options)
    got = gradients(fast(attention, fullgraph=True), q, k, v, seed, **options)
    limit = 1e-4
    if q.dtype != torch.float32:
        eager = gradients(attention, q, k, v, seed, **options)
        limit = 2 * max(float((one.double() - two).abs().max()) for one, two in zip(eager, want)) + 1e-3
    for one, two in zip(got, want):
        assert one.dtype == q.dtype and one.isfinite().all()
        torch.testing.assert_close(one.double(), two, rtol=limit, atol=limit)
    assert not kiln.torch.report.fallbacks


def tensors(heads, groups, queries, keys, depth, width=None, dtype=torch.float32):
    shapes = ((2, heads, queries, depth), (2, groups, keys, depth), (2, groups, keys, width or depth))
    return [torch.randn(*shape).to(dtype) for shape in shapes]


@test
def lengths():
    for queries, keys in ((1, 1), (1, 17), (17, 1), (17, 17), (100, 37), (100, 100)):
        compare(*tensors(2, 2, queries, keys, 8))
    compare(*tensors(2, 2, 100, 100, 24), causal=True)
    compare(*tensors(2, 2, 100, 37, 8), causal=True, scale=0.7)


@test
def types():
    for dtype in (torch.bfloat16, torch.float16):
        compare(*tensors(2, 2, 100, 100, 16, dtype=dtype), causal=True)
        compare(*tensors(2, 2, 17, 100, 16, dtype=dtype))


@test
def doubles_keep_their_digits():
    """Logarithms of sums, which are large here, are no f32, as PyTorch says while it traces."""
    q, k, v = (8 * t for t in tensors(2, 2, 17, 40, 16, dtype=torch.float64))
    seed = torch.randn(2, 2, 17, 16, dtype=torch.float64)
    for one, two in zip(gradients(fast(attention, fullgraph=True), q, k, v, seed), gradients(attention, q, k, v, seed)):
        same(one, two, 1e-10)


@test
def grouped_heads():
    compare(*tensors(6, 2, 40, 100, 16), grouped=True)
    compare(*tensors(4, 1, 100, 100, 16, dtype=torch.bfloat16), causal=True, grouped=True)


@test
def masks():
    q, k, v = tensors(2, 2, 33, 70, 8)
    compare(q, k, v, mask=torch.randn(33, 70))
    compare(q, k, v, mask=torch.randn(2, 1, 33, 70))
    seen = torch.rand(2, 1, 33, 70) > 0.5
    seen[:, :, 5] = False  # a row that sees nothing
    given = [t.clone().requires_grad_() for t in (q, k, v)]
    made = fast(attention, fullgraph=True)(*given, mask=seen)
    made.sum().backward()
    assert (made[:, :, 5] == 0).all() and (given[0].grad[:, :, 5] == 0).all()
    assert all(t.grad.isfinite().all() for t in given)


@test
def window():
    """A sliding window, as a mask."""
    places = torch.arange(90)
    near = (places[:, None] - places).abs() < 12
    compare(*tensors(2, 2, 90, 90, 16), mask=near)


@test
def open_lengths():
    def function(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    run = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
    for length in (33, 17, 100, 2):
        q, k, v = (torch.randn(1, 2, length, 8) for _ in range(3))
        seed = torch.randn(1, 2, length, 8)
        want, got = gradients(function, q, k, v, seed), gradients(run, q, k, v, seed)
        for one, two in zip(got, want):
            same(one, two, 1e-4)


if __name__ == "__main__":
    sys.exit(main())
