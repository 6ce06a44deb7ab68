# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops, branches and functions that a graph holds once, with operands that are complex tensors or numbers."""
import sys

import torch
from torch._higher_order_ops import associative_scan, map as each_row, scan, while_loop

from behaviours import fast, main, same, test


def complex_tensor(*shape):
    return torch.randn(*shape, dtype=torch.complex64) / 2


@test
def branches_of_complex_tensors():
    function = lambda z: torch.cond(z.real.sum() > 0, lambda z: (z * 2, z.abs()), lambda z: (z.conj() * 1j, z.abs() + 1), (z,))  # noqa: E731
    for dynamic in (False, True):
        torch._dynamo.reset()
        run = fast(function, fullgraph=True, dynamic=dynamic)
        for size in (4, 7):
            z = complex_tensor(size)
            for given in (z, -z):
                same(run(given), function(given))


@test
def loops_over_complex_tensors():
    looped = lambda z: while_loop(lambda i, z: (i < 5) & (z.abs().max() < 4), lambda i, z: (i + 1, z * z + 0.3), (torch.tensor(0), z))  # noqa: E731
    z = complex_tensor(4)
    same(fast(looped, fullgraph=True)(z), looped(z))
    scanned = lambda h, x: scan(lambda h, x: (h * 0.9j + x, (h * x, h.abs())), h, x)  # noqa: E731
    for dynamic in (False, True):
        torch._dynamo.reset()
        run = fast(scanned, fullgraph=True, dynamic=dynamic)
        for steps, width in ((6, 4), (9, 5)):
            given = complex_tensor(width), complex_tensor(steps, width)
            same(run(*given), scanned(*given))


@test
def rows_of_complex_tensors():
    x = complex_tensor(7, 4)
    spectra = lambda x: each_row(lambda row: torch.fft.fft(row) * row, x)  # noqa: E731
    same(fast(spectra, fullgraph=True)(x), spectra(x))
    summed = lambda x: associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (x, x * 2), 0, combine_mode="generic")  # noqa: E731
    same(fast(summed, fullgraph=True)(x), summed(x))


@test
def loops_that_count_with_numbers():
    def function(x):
        count, made = while_loop(lambda i, x: i < 5, lambda i, x: (i + 2, x * x.shape[0] + i), (1, x))
        return made, count + 1
    for dynamic in (False, True):
        torch._dynamo.reset()
        run = fast(function, fullgraph=True, dynamic=dynamic)
        for size in (4, 6):
            x = torch.randn(size)
            same(run(x), function(x))


@torch.compiler.nested_compile_region
def shared(x):
    return x.sin() * 2, x[1:] * x[0]


@test
def functions_that_a_graph_holds_once():
    def function(x):
        (a, b), (c, d) = shared(x), shared(x * 2)
        return a + c, b.sum() + d.prod(0)
    ours, theirs = (torch.linspace(-1, 1, 12).reshape(3, 4).requires_grad_() for _ in range(2))
    with torch.no_grad():
        same(fast(function, fullgraph=True)(ours), function(theirs))
    got, want = fast(function, fullgraph=True)(ours), function(theirs)
    same(got, want)
    for made in (got, want):
        sum((one * one).sum() for one in made).backward()
    same(ours.grad, theirs.grad)


if __name__ == "__main__":
    sys.exit(main())
