# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra and complex numbers, beside eager."""
import sys

import torch

from behaviours import fast, main, same, test


@test
def complex_numbers():
    x = torch.randn(3, 130)
    same(fast(lambda x: torch.fft.irfft(torch.fft.rfft(x) * 2j, n=130).abs(), fullgraph=True)(x),
         torch.fft.irfft(torch.fft.rfft(x) * 2j, n=130).abs())
    z = torch.complex(x, x.flip(0))
    same(fast(lambda z: (z * z.conj() + 1) / z, fullgraph=True)(z), (z * z.conj() + 1) / z)


@test
def small_matrices_by_kernels_of_gpus():
    """On the simulated device: operations of prim, each of which is one kernel there."""
    def solved(a, b):
        return torch.linalg.solve_ex(a, b)[0], torch.linalg.cholesky_ex(a)[0], torch.linalg.slogdet(a)[1]

    options = {"target": "amd:gfx942,device=sim"}
    for n in (4, 6):  # those of 4 are written out
        x, b = torch.randn(3, n, n), torch.randn(3, n, 2)
        a = x @ x.mT + torch.eye(n)
        same(fast(solved, fullgraph=True, options=options)(a, b), solved(a, b), 1e-3)


@test
def fourier_transforms_of_any_length():
    def transformed(*several):
        made = []
        for x in several:
            z = torch.fft.rfft(x, dim=0)
            made += [torch.view_as_real(torch.fft.fft(x, dim=0)), torch.view_as_real(z), torch.view_as_real(torch.fft.ifft(z, dim=0)),
                     torch.fft.irfft(z * 1j, n=x.shape[0], dim=0)]
        return made

    for dtype, tolerance in ((torch.float32, 2e-5), (torch.float64, 1e-12)):
        # One, a few, a prime that is one product, factors, primes that are convolutions.
        several = [torch.randn(n, 3, dtype=dtype) for n in (1, 2, 97, 130, 4 * 67, 1009, 4099)]
        for got, want in zip(fast(transformed, fullgraph=True)(*several), transformed(*several), strict=True):
            same(got / want.abs().max().clamp(min=1e-9), want / want.abs().max().clamp(min=1e-9), tolerance)


@test
def small_linear_algebra():
    a = torch.randn(3, 5, 5) + 5 * torch.eye(5)
    def function(a):
        return torch.linalg.solve(a, a.sum(-1)), torch.linalg.det(a), torch.linalg.svdvals(a), torch.linalg.cholesky(a @ a.mT)
    same(fast(function, fullgraph=True)(a), function(a), 1e-4)


@test
def linear_algebra_of_the_host():
    a = torch.randn(2, 50, 50, dtype=torch.float64)
    b = torch.randn(2, 50, 3, dtype=torch.float64)
    spd = a @ a.mT + 50 * torch.eye(50, dtype=torch.float64)

    def function(a, b, spd):
        q, r = torch.linalg.qr(a[:, :, :40])
        u, s, vt = torch.linalg.svd(a[:, :40])
        w, v = torch.linalg.eigh(spd)
        root = torch.linalg.cholesky(spd)
        upper = torch.linalg.cholesky(spd, upper=True)
        lu, pivots = torch.linalg.lu_factor(a)
        return (q @ r, q.mT @ q, (u[..., :40] * s.unsqueeze(-2)) @ vt[..., :40, :], s, w, (v * w.unsqueeze(-2)) @ v.mT, root, upper,
                torch.cholesky_solve(b, root), torch.linalg.solve_triangular(root, b, upper=False), torch.linalg.solve(a, b),
                torch.linalg.solve(a.mT, b[..., 0]), torch.linalg.inv(a), torch.linalg.det(a), *torch.linalg.slogdet(a),
                *torch.linalg.lu(a), lu, pivots, torch.lu_solve(b, lu, pivots), torch.linalg.pinv(a[:, :30]), torch.linalg.matrix_rank(a),
                torch.ormqr(*torch.geqrf(a[:, :, :40]), b), torch.linalg.eigvals(a).abs().sort(-1).values)
    for x, y in zip(fast(function, fullgraph=True)(a, b, spd), function(a, b, spd)):
        same(x, y, 1e-8 * max(1.0, float(y.abs().max())))
    # Sizes that are not known, and gradients through the factors.
    dynamic = fast(torch.linalg.inv, fullgraph=True, dynamic=True)
    for n in (40, 41):
        same(dynamic(a[:, :n, :n]), torch.linalg.inv(a[:, :n, :n]), 1e-7)
    grads = []
    for compiled in (False, True):
        x = spd.clone().requires_grad_()
        def loss(x):
            return torch.linalg.slogdet(x)[1].sum() + torch.linalg.solve(x, b).sum() + torch.linalg.eigvalsh(x).sin().sum() \
                + torch.linalg.cholesky(x).sum() + torch.linalg.svdvals(x).log().sum()
        (fast(loss, fullgraph=True) if compiled else loss)(x).backward()
        grads.append(x.grad)
    same(grads[1], grads[0], 1e-8)


@test
def least_squares_are_compiled_whole():
    for shape, columns in (((5, 3), 2), ((3, 5), 2), ((2, 40, 36), 2), ((5, 3), 0), ((2, 3, 3), 0)):
        torch._dynamo.reset()
        a, b = torch.randn(*shape), torch.randn(*shape[:-1], columns)
        for driver in ("gels", "gelsy"):
            function = lambda a, b: torch.linalg.lstsq(a, b, driver=driver)  # noqa: E731, B023
            got, want = fast(function, fullgraph=True)(a, b), function(a, b)
            same(got.solution, want.solution, 1e-3)
            same(got.residuals, want.residuals, 1e-3)
            assert torch.equal(got.rank, want.rank)


@test
def complex_matrices_are_factored():
    linear = torch.linalg
    for n in (4, 36):
        torch._dynamo.reset()
        a = torch.randn(n, n, dtype=torch.complex128)
        h = a @ a.mH + torch.eye(n)
        for function in (linear.cholesky, lambda x: linear.cholesky(x, upper=True), linear.eigvalsh, linear.svdvals,
                         lambda x: linear.solve_triangular(x.tril(), x[:, :2], upper=False), lambda x: linear.matrix_exp(x / n),
                         linear.inv, lambda x: linear.solve(x, x.conj().sum(-1)), lambda x: linear.slogdet(x / n), linear.lu,
                         lambda x: torch.lu_solve(x[:, :2], *linear.lu_factor(x))):
            same(fast(function, fullgraph=True, dynamic=False)(h), function(h), 1e-8)
    torch._dynamo.reset()
    small = a[:5, :4]
    q, r = fast(linear.qr, fullgraph=True, dynamic=False)(small)
    same(q @ r, small, 1e-10)
    same(fast(linear.det, fullgraph=True, dynamic=False)(small[:4]), linear.det(small[:4]), 1e-9)
    values, vectors = fast(linear.eigh, dynamic=False)(h)  # of the vectors torch takes care
    same((vectors * values) @ vectors.mH, h, 1e-8)


@test
def complex_matrices_of_open_sizes_are_factored():
    linear = torch.linalg

    def function(x):
        return linear.inv(x), linear.det(x), *linear.lu(x), linear.solve(x, x.mT + 1)
    run = fast(function, fullgraph=True, dynamic=True)
    for n in (5, 36):
        x = torch.randn(2, n, n, dtype=torch.complex128)
        for got, want in zip(run(x), function(x), strict=True):
            same(got, want, 1e-8 * max(1.0, float(want.abs().max())))
    run = fast(lambda x: tuple(linear.qr(x)), fullgraph=True, dynamic=True)
    for shape in ((7, 3), (40, 36)):
        x = torch.randn(*shape, dtype=torch.complex64)
        same(run(x), tuple(linear.qr(x)), 1e-4)


def whole(function):
    torch._dynamo.reset()
    return fast(function, fullgraph=True, dynamic=False)


@test
def complex_matrices_have_vectors():
    """Up to a factor of length 1 each, so that products are compared; of equal eigenvalues, too."""
    linear = torch.linalg
    turned = linear.qr(torch.randn(4, 4, dtype=torch.complex128))[0]
    equal = turned @ torch.diag(torch.tensor([2.0, 2, 1, 1], dtype=torch.complex128)) @ turned.mH
    for h in (equal, equal.to(torch.complex64), torch.randn(2, 5, 5, dtype=torch.complex64), torch.randn(36, 36, dtype=torch.complex128)):
        h = (h + h.mH) / 2
        values, vectors = whole(linear.eigh)(h)
        accuracy = 1e-12 if h.dtype == torch.complex128 else 1e-4
        same(values, linear.eigvalsh(h), accuracy)
        same((vectors * values.unsqueeze(-2)) @ vectors.mH, h, accuracy)
        same(vectors.mH @ vectors, torch.eye(h.shape[-1], dtype=h.dtype).expand(h.shape), accuracy)
    for m, n, dtype in ((5, 3, torch.complex64), (3, 5, torch.complex64), (36, 3, torch.complex128)):
        a, b = torch.randn(m, n, dtype=dtype), torch.randn(m, 2, dtype=dtype)
        left, size, right, inverse, least = whole(lambda a, b: (*linear.svd(a), linear.pinv(a), linear.lstsq(a, b)[0]))(a, b)
        same(size, linear.svdvals(a), 1e-4)
        same((left[:, :3] * size) @ right[:3], a, 1e-4)
        same(left.mH @ left, torch.eye(m, dtype=a.dtype), 1e-4)
        same(inverse, linear.pinv(a), 1e-4)
        same(least, linear.pinv(a) @ b, 1e-4)
    for shape in ((0, 3), (3, 0), (0, 2, 3)):
        empty = torch.zeros(shape, dtype=torch.complex64)
        same(whole(linear.svd)(empty), linear.svd(empty))
    a, factors = torch.geqrf(torch.randn(4, 3, dtype=torch.complex64))
    b = torch.randn(4, 4, dtype=torch.complex64)
    sides = lambda a, factors, b: [torch.ormqr(a, factors, b, left, adjoint) for left in (True, False) for adjoint in (True, False)]  # noqa: E731
    same(whole(sides)(a, factors, b), sides(a, factors, b), 1e-4)


@test
def equal_values_have_orthogonal_vectors():
    """Of eigenvalues and singular values that are equal in pairs, as those of real matrices that stand for complex ones."""
    x = torch.randn(3, 3, 2, dtype=torch.complex64)
    same(fast(torch.linalg.svdvals, fullgraph=True)(x), torch.linalg.svdvals(x))
    real = torch.cat([torch.cat([x.real, -x.imag], -1), torch.cat([x.imag, x.real], -1)], -2)
    left, size, right = fast(lambda a: torch.linalg.svd(a, full_matrices=False), fullgraph=True)(real)
    same((left * size.unsqueeze(-2)) @ right, real)
    same(left.mT @ left, torch.eye(4).expand(3, 4, 4))


@test
def complex_functions():
    x, y = torch.randn(40, dtype=torch.complex64) * 3, torch.randn(40, dtype=torch.complex64)
    names = ("sqrt rsqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh log1p log2 log10 exp2 expm1 sigmoid square "
             "isnan isinf isfinite logical_not prod").split()
    function = lambda x, y: [getattr(torch, name)(x) for name in names if name != "prod"]  # noqa: E731
    same(fast(function, fullgraph=True)(x, y), function(x, y))

    def others(x, y):
        a, b = x.view(4, 10), y.view(10, 4)
        return (x ** y, x ** 3, x ** 0.5, torch.addcmul(x, x, y, value=2), torch.addcdiv(x, x, y), torch.lerp(x, y, 0.3),
                x.masked_fill(x.real > 0, 2 + 1j), y.cumprod(0), y.prod(), b.prod(1), x.var(), x.std(), *torch.var_mean(a, 1),
                torch.vdot(x, y), torch.addmm(a @ b, a, b, beta=1j, alpha=2j), torch.logical_or(x, y), x.any(), torch.zeros_like(x, dtype=torch.float64))
    same(fast(others, fullgraph=True)(x, y), others(x, y), 1e-4)
    squares = torch.randn(2, 3, 3, dtype=torch.complex64)
    ours, theirs = (squares.clone().requires_grad_() for _ in range(2))
    for run, matrix in ((fast(torch.linalg.det, fullgraph=True, dynamic=False), ours), (torch.linalg.det, theirs)):
        run(matrix).abs().sum().backward()
    same(ours.grad, theirs.grad, 1e-4)
    written = lambda x: (x.scatter(0, torch.tensor([1]), 2.5), torch.linalg.solve(squares, squares.mH))  # noqa: E731
    same(fast(written, fullgraph=True, dynamic=False)(x), written(x), 1e-3)
    packed = torch.randn(2, 4, 3, dtype=torch.complex64)
    same(fast(torch.linalg.lu_factor, fullgraph=True, dynamic=False)(packed), torch.linalg.lu_factor(packed))


if __name__ == "__main__":
    sys.exit(main())
