# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that ATen composes of others, sums over segments, and what is chosen by data, beside eager: whole graphs, with gradients."""
import math
import sys

import kiln.torch
import torch
import torch.nn.functional as F
from torch._dispatch.python import enable_python_dispatcher
from torch.fx.experimental.proxy_tensor import make_fx

from behaviours import fast, main, same, test
from kiln.torch.compositions.enlarged import by_windows


def like_eager(function, *given, tolerance=1e-5):
    """Results and gradients."""
    def run(function):
        mine = [t.detach().clone().requires_grad_(t.requires_grad) for t in given]
        made = function(*mine)
        if any(t.requires_grad for t in given):
            torch.manual_seed(2)
            made.backward(torch.randn_like(made))
        return [made.detach(), *(t.grad for t in mine)]
    torch._dynamo.reset()
    for got, want in zip(run(fast(function, fullgraph=True)), run(function), strict=True):
        torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance, equal_nan=True)


@test
def quantiles():
    x = torch.randn(5, 7, 4, requires_grad=True)
    holes = torch.where(torch.rand(5, 7) < 0.3, math.nan, torch.randn(5, 7))
    holes[2] = math.nan
    for interpolation in ("linear", "lower", "higher", "midpoint", "nearest"):
        like_eager(lambda x: torch.quantile(x, 0.3, dim=1, interpolation=interpolation), x)
        like_eager(lambda x: torch.nanquantile(x, torch.tensor([0.0, 0.35, 1.0]), dim=1, interpolation=interpolation), holes)
    like_eager(lambda x: torch.quantile(x, torch.tensor([0.25, 0.5]), dim=-2, keepdim=True), x)
    like_eager(lambda x: torch.quantile(x, 0.9), x)
    like_eager(lambda x: torch.quantile(x, torch.tensor([0.1, 0.9]), keepdim=True), x)
    like_eager(lambda x: torch.quantile(x, 0.5, dim=1, keepdim=True), holes)
    like_eager(lambda x: torch.quantile(x, 0.5), torch.tensor(3.0))


@test
def linear_sizes():
    """Lines, images and volumes of other sizes; the order of an image's dimensions stays, and so do sizes that are the same."""
    def resized(mode, aligned, **size):
        return lambda x: F.interpolate(x, mode=mode, align_corners=aligned, **size)
    for aligned in (False, True):
        like_eager(resized("linear", aligned, scale_factor=1.7), torch.randn(2, 3, 11, requires_grad=True))
        like_eager(resized("bilinear", aligned, size=(20, 9)), torch.randn(2, 2, 7, 13, requires_grad=True))
        like_eager(resized("bilinear", aligned, size=(13, 40)), torch.randn(1, 2, 13, 10, requires_grad=True))
        like_eager(resized("trilinear", aligned, size=(6, 4, 10)), torch.randn(1, 2, 3, 4, 5, requires_grad=True))
        image = torch.randn(1, 16, 8, 8).contiguous(memory_format=torch.channels_last).requires_grad_()
        like_eager(resized("bilinear", aligned, size=(32, 32)), image)
        assert fast(resized("bilinear", aligned, size=(32, 32)), fullgraph=True)(image).is_contiguous(memory_format=torch.channels_last)
    half = torch.randn(1, 2, 5, 5, requires_grad=True, dtype=torch.float16)
    like_eager(resized("bilinear", False, scale_factor=4), half, tolerance=2e-2)
    turned = torch.randn(1, 3, 8, 8).transpose(2, 3)
    like_eager(lambda x: F.interpolate(x, size=(8, 8), mode="bilinear", align_corners=True).view(-1), turned)
    like_eager(resized("linear", False, size=3), torch.randn(1, 1, 1 << 18))


@test
def infinite_elements_of_images():
    """Between an infinite element and a finite one all is infinite."""
    def resized(mode, aligned, **size):
        return lambda x: F.interpolate(x, mode=mode, align_corners=aligned, **size)
    for bad in (float("inf"), float("nan")):
        line, image, volume = torch.randn(1, 2, 9), torch.randn(1, 2, 9, 10), torch.randn(1, 2, 5, 6, 4)
        for x in (line, image, volume):
            x.view(-1)[x.numel() // 3] = bad
        cases = [(resized("linear", False, scale_factor=2.0), line), (resized("bilinear", True, scale_factor=1.7), image),
                 (resized("trilinear", False, scale_factor=0.6), volume)]
        for function, x in cases:
            torch._dynamo.reset()
            same(fast(function, fullgraph=True, dynamic=False)(x), function(x), equal_nan=True)


@test
def linear_sizes_that_are_open():
    """One graph for all sizes of an image whose result's sizes are a factor of them."""
    def enlarge(x):
        return F.interpolate(x, scale_factor=2.0, mode="bilinear")
    torch._dynamo.reset()
    kiln.torch.report.clear()
    run = fast(enlarge, fullgraph=True, dynamic=True)
    for size in (8, 9, 11):
        x = torch.randn(1, 3, size, size + 1)
        torch.testing.assert_close(run(x), enlarge(x))
    assert len(list(kiln.torch.report)) == 1, list(kiln.torch.report)


@test
def threads_that_trace_for_others():
    """Kernels of other threads stay torch's while a graph is traced for Kiln, and afterwards, in whatever order tracing ends."""
    kernels = lambda: dict(torch.ops.aten.upsample_bilinear2d.vec.py_kernels)  # noqa: E731
    before, one, other = kernels(), by_windows(), by_windows()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    other.__exit__(None, None, None)
    assert kernels() == before


@test
def linear_sizes_without_atomics():
    """Gradients of linear interpolation read windows, add nowhere, and spread what is not finite to its neighbours alone."""
    resize = lambda x: F.interpolate(x, size=(24, 24), mode="bilinear")  # noqa: E731
    with enable_python_dispatcher(), by_windows():
        graph = make_fx(lambda x, g: torch.autograd.grad(resize(x), x, g)[0], tracing_mode="fake")(
            torch.randn(1, 2, 6, 6, requires_grad=True), torch.randn(1, 2, 24, 24))
    named = " ".join(str(node.target) for node in graph.graph.nodes)
    assert "index_put" not in named and "scatter" not in named and "sum" in named, named
    x, grad = torch.randn(1, 1, 6, 6, requires_grad=True), torch.randn(1, 1, 24, 24)
    grad[0, 0, 9, 2] = math.inf
    for run in (resize, fast(resize, fullgraph=True)):
        found, = torch.autograd.grad(run(x), x, grad)
        finite = found.isfinite()
        assert not finite[0, 0, 1:3, :2].any() and finite.sum() == 32, finite


@test
def grouped_products():
    """Groups of rows, of columns and of what is summed, and products of single matrices, with gradients."""
    def b(*shape):
        return torch.randn(*shape, dtype=torch.bfloat16, requires_grad=True)
    for ends in ([8, 8, 24, 40], [0, 0, 16, 40]):
        offsets = torch.tensor(ends, dtype=torch.int32)
        like_eager(lambda x, y: torch._grouped_mm(x, y, offs=offsets), b(40, 16), b(4, 16, 24), tolerance=2e-2)
        like_eager(lambda x, y: torch._grouped_mm(x, y.T, offs=offsets), b(4, 8, 16), b(40, 16), tolerance=2e-2)
        like_eager(lambda x, y: torch._grouped_mm(x.T, y, offs=offsets), b(40, 16), b(40, 24), tolerance=2e-2)
    like_eager(lambda x, y: torch._grouped_mm(x, y.mT), b(4, 8, 16), b(4, 24, 16), tolerance=2e-2)


@test
def covariances():
    x = torch.randn(4, 9, requires_grad=True)
    often, weights = torch.randint(1, 5, (9,)), torch.rand(9)
    like_eager(torch.cov, x)
    like_eager(torch.cov, x[0].detach())
    like_eager(torch.corrcoef, x)
    like_eager(lambda x: torch.cov(x, correction=0), torch.complex(x, x.flip(0)).detach())
    like_eager(lambda x, often, weights: torch.cov(x, correction=1, fweights=often, aweights=weights), x, often, weights)
    like_eager(lambda x, often: torch.cov(x, correction=2, fweights=often), x, often)
    like_eager(torch.cov, torch.randint(-9, 9, (3, 8)))


@test
def combinations_of_elements():
    x = torch.randn(6, requires_grad=True)
    for length, again in ((2, False), (3, True), (1, False), (6, False), (7, False)):
        like_eager(lambda x: torch.combinations(x, length, again), x)
    assert fast(lambda x: torch.combinations(x, 0), fullgraph=True)(x.detach()).shape == (0,)


@test
def segments_of_any_axis():
    x = torch.randn(3, 8, 2)
    x[0, 3:5], x[1, 0, 1], x[2, 6] = x[0, 3], math.nan, 0
    lengths = torch.tensor([[2, 0, 6], [1, 3, 4], [0, 8, 0]])
    offsets = torch.tensor([0, 1, 1, 3])
    for kind in ("sum", "mean", "max", "min", "prod"):
        like_eager(lambda x: torch.segment_reduce(x, kind, lengths=lengths, axis=1), x.requires_grad_())
        like_eager(lambda x: torch.segment_reduce(x, kind, offsets=offsets, axis=0, initial=1.5), x)
        like_eager(lambda x: torch.segment_reduce(x, kind, lengths=lengths, axis=1, initial=-0.5), x.nan_to_num().detach().requires_grad_())


@test
def chosen_by_data():
    x, mask = torch.randn(4, 5, requires_grad=True), torch.rand(4, 5) > 0.5
    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    try:
        like_eager(lambda x, mask: torch.masked_select(x, mask), x, mask)
        like_eager(lambda x, mask: torch.masked_select(x, mask).sum() * 2, x, torch.zeros_like(mask))
    finally:
        torch._dynamo.config.capture_dynamic_output_shape_ops = False
    # The gradient of the value counts each place once.
    value = torch.randn((), requires_grad=True)
    like_eager(lambda x, i, value: x.index_fill(1, i, value), x, torch.tensor([2, 1, 4, 2, 2]), value)


@test
def scans_and_products_of_complex_numbers():
    x = torch.complex(3 * torch.randn(5, 40), 3 * torch.randn(5, 40))
    like_eager(lambda x: torch.logcumsumexp(x, 1), x)
    like_eager(lambda x: torch.logcumsumexp(x, 0), torch.where(torch.rand(5, 40) < 0.2, complex(-math.inf, 0), x))
    long = torch.complex(torch.randn(300), torch.randn(300))
    like_eager(lambda x: torch.exp(torch.logcumsumexp(x, 0)), long, tolerance=1e-4)
    places = torch.randint(0, 5, (7, 40))
    factors = torch.complex(torch.randn(7, 40), torch.randn(7, 40))
    for kind in ("add", "multiply"):
        like_eager(lambda x: x.scatter(0, places, factors, reduce=kind), x, tolerance=1e-4)
        like_eager(lambda x: x.scatter(0, places[:3, :9], 2 - 1j, reduce=kind), x)


@test
def bits_of_tensors():
    for x in (torch.randn(5, 9), torch.randint(-99, 99, (3, 4, 5)), torch.rand(7) > 0.5, torch.randn(6).to(torch.bfloat16)):
        assert torch.equal(fast(torch.hash_tensor, fullgraph=True)(x), torch.hash_tensor(x))
        torch._dynamo.reset()
    x = torch.randn(5, 9)
    assert torch.equal(fast(lambda x: torch.hash_tensor(x, 1, keepdim=True), fullgraph=True)(x), torch.hash_tensor(x, 1, keepdim=True))


@test
def norms_with_a_negative_eps():
    x, weight = torch.randn(4, 6, requires_grad=True), torch.randn(6)
    like_eager(lambda x, w: torch.nn.functional.layer_norm(x, (6,), w, w - 1, eps=-0.05), x, weight)
    like_eager(lambda x: torch.nn.functional.layer_norm(x, (6,), eps=-9.0), x)


@test
def gradients_of_layer_norms():
    def norm(x, *weights, shape=(6,)):
        return torch.nn.functional.layer_norm(x, shape, *weights, eps=1e-3)

    weight, bias = (torch.randn(6, dtype=torch.float64, requires_grad=True) for _ in range(2))
    for shape in ((4, 6), (6,), (2, 3, 5, 6), (0, 6)):
        x = (torch.randn(shape, dtype=torch.float64) + 1).requires_grad_()
        like_eager(norm, x)
        like_eager(norm, x, weight, bias)
        like_eager(lambda x, w: norm(x.square(), w), x, weight)
        like_eager(lambda w, b: norm(x.detach(), w, b), weight, bias)
    two = torch.randn(3, 4, 6, requires_grad=True), torch.randn(4, 6, requires_grad=True)
    like_eager(lambda x, w: norm(x, w, shape=(4, 6)), *two)
    like_eager(lambda x, w: norm(x.mT, w.mT, shape=(6, 4)), *two)


@test
def gradients_of_norms_of_groups():
    def norm(x, weight=None, bias=None):
        return torch.nn.functional.group_norm(x, 3, weight, bias, eps=1e-3)

    weight, bias = (torch.randn(12, dtype=torch.float64, requires_grad=True) for _ in range(2))
    for shape in ((2, 12, 5, 7), (3, 12, 4), (4, 12), (1, 12, 2, 3, 2), (2, 3, 1)):
        x = (torch.randn(shape, dtype=torch.float64) + 1).requires_grad_()
        like_eager(norm, x)
        if shape[1] == 12:
            like_eager(norm, x, weight, bias)
            like_eager(lambda x, w: norm(x.square(), w), x, weight)
    last = torch.randn(2, 12, 6, 5).to(memory_format=torch.channels_last).requires_grad_()
    like_eager(lambda x: norm(x, torch.arange(12.0), torch.ones(12)), last)
    frozen = torch.randn(2, 12, 6)
    like_eager(lambda w, b: norm(frozen, w, b), *(one.detach().float().requires_grad_() for one in (weight, bias)))
    torch._dynamo.reset()
    open_size = fast(norm, fullgraph=True, dynamic=True)
    for size in (4, 7):
        x, other = (torch.linspace(-1, 2, 24 * size).reshape(2, 12, size).square().requires_grad_() for _ in range(2))
        open_size(x).pow(3).sum().backward()
        norm(other).pow(3).sum().backward()
        same(x.grad, other.grad)


@test
def functions_of_f64_keep_their_digits():
    a = torch.tensor([0.1, 0.5, 3, 30, 90, 150, 1e3, 1e5, 0, 2, 1, float("inf")], dtype=torch.float64)
    x = torch.tensor([0.01, 4, 2, 31, 80, 160, 990, 1.002e5, 1, 0, float("inf"), 1], dtype=torch.float64)
    lower, upper = fast(lambda a, x: (torch.special.gammainc(a, x), torch.special.gammaincc(a, x)), fullgraph=True)(a, x)
    same(lower, torch.special.gammainc(a, x), 5e-9)
    same(lower + upper, torch.ones_like(lower), 1e-14)
    places = torch.arange(12, dtype=torch.float64) + 1  # the distribution of a sum: exp(-x) x^k / k! below 12
    mean = torch.tensor(5.5, dtype=torch.float64)
    steps = fast(lambda n, x: torch.special.gammaincc(n, x.expand(12)), fullgraph=True)(places, mean)
    same(steps, torch.exp((places - 1) * mean.log() - mean - torch.lgamma(places)).cumsum(0), 1e-13)
    # Parameters far from 1: by the normal distribution's 1/2 + 1/(3 sqrt(2 pi a)), and by the exponential integral at 1/2 times a.
    huge, tiny = torch.tensor([1e20, 1e24, 1e300], dtype=torch.float64), torch.tensor([1e-10, 1e-15], dtype=torch.float64)
    made = fast(lambda a, b: (torch.igamma(a, a), torch.igammac(b, torch.full_like(b, 0.5))), fullgraph=True)(huge, tiny)
    expected = (0.5 + 1 / (3 * torch.sqrt(2 * math.pi * huge)), tiny * 0.5597735947761608)
    torch.testing.assert_close(made, expected, rtol=1e-9, atol=0)
    n, y = torch.arange(12), torch.linspace(-2, 2, 12, dtype=torch.float64)
    functions = lambda y, n: (torch.special.hermite_polynomial_h(y, n), torch.special.hermite_polynomial_he(y, n))  # noqa: E731
    same(fast(functions, fullgraph=True)(y, n), functions(y, n), 1e-12)
    z = torch.tensor([-20.0, -7.5, -6.9, -1, 0, 0.9, 1.1, 5, 10], dtype=torch.float64)
    same(fast(torch.special.airy_ai, fullgraph=True)(z), torch.special.airy_ai(z), 1e-9)
    far = torch.tensor([1.1, 5, 10, 20], dtype=torch.float64)
    same(fast(torch.special.airy_ai, fullgraph=True)(far) / torch.special.airy_ai(far), torch.ones_like(far), 1e-12)


@test
def factors_and_histograms_are_one_graph():
    x, weight = torch.randn(40, 3), torch.rand(40)
    edges = [torch.tensor([-1.0, 0, 0.5]), torch.linspace(-2, 2, 5), torch.tensor([-3.0, 3])]

    def counted(x, weight):
        made = [torch.histogramdd(x, [2, 3, 4]), torch.histogramdd(x, [2, 1, 3], range=[-1, 1, -2, 2, 0, 1], weight=weight, density=True),
                torch.histogramdd(x, edges)]
        return torch.geqrf(x), *[(one.hist, *one.bin_edges) for one in made], torch.histogram(x, 5), torch.histogram(x, edges[1], density=True)

    for dynamic in (False, True):
        torch._dynamo.reset()
        same(fast(counted, fullgraph=True, dynamic=dynamic)(x, weight), counted(x, weight))

    def degenerate(ones, none):
        made = [torch.histogramdd(ones, [4, 5], range=[1.0, 1, 0, 1]), torch.histogramdd(none, [2, 3])]
        return [*[(one.hist, *one.bin_edges) for one in made], torch.histogram(ones, 5, range=(1.0, 1.0)), torch.histogram(none, 3)]
    same(fast(degenerate, fullgraph=True)(torch.ones(5, 2), torch.zeros(0, 2)), degenerate(torch.ones(5, 2), torch.zeros(0, 2)))
    assert fast(torch.geqrf, fullgraph=True)(x)[0].stride() == torch.geqrf(x)[0].stride()


@test
def transforms_of_functions():
    """Gradients and batches that torch.func makes of functions, whose values have no storage while they are traced."""
    def square(x):
        return (x * x.sin()).sum() + x[1:].abs().sum()

    def written(x):
        made = x * 1
        made[0] += x[-1].abs()
        return (made * x).sum()

    def batched(function):
        return torch.func.vmap(function, 1)

    x = torch.randn(5, 3)
    for function, transform, dynamic in ((square, torch.func.grad, True), (written, torch.func.grad, False), (square, torch.func.jacfwd, False),
                                         (written, torch.func.hessian, False), (written, batched, False)):
        torch._dynamo.reset()

        def part(x, made=transform(function)):
            return made(x)[..., 1:]
        same(fast(part, fullgraph=True, dynamic=dynamic)(x), part(x))


if __name__ == "__main__":
    sys.exit(main())
