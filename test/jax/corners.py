# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More programs like those of programs.py: modes, narrow and wide types, and numbers at the edges.

    corners.py [NAME...]        all, or those named
"""
import sys
from functools import partial

import programs
from programs import integers, normal, program

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.ad_checkpoint import checkpoint_name

programs.PROGRAMS.clear()
INF, NAN = np.inf, np.nan
EDGES = np.array([0.0, -0.0, 1.0, -1.5, 2.5, 0.5, -0.5, 3e38, 1e-37, INF, -INF, NAN], "float32")


def pairs(values):
    a, b = np.meshgrid(values, values)
    return a.ravel(), b.ravel()


@program(normal(7, 5), np.array([[-1], [0], [3], [6], [7], [99], [-8]], "int32"))
def modes_of_gathers(x, i):
    i = i[:, 0]
    numbers = lax.GatherDimensionNumbers((1,), (0,), (0,))
    clipped = lax.gather(x, i[:, None], numbers, (1, 5), mode="clip")
    return (x.at[i].get(mode="fill", fill_value=-3.0), x.at[i].get(mode="clip"), jnp.take(x, i, 0, mode="wrap"), clipped,
            x.at[i].get(mode="fill"), jnp.take_along_axis(x, i[:, None], 1, mode="clip"))


@program(normal(7, 5), np.array([-1, 0, 3, 6, 7, 99, -8, 3], "int32"), normal(8, 5))
def modes_of_scatters(x, i, u):
    return (x.at[i].set(u[0], mode="drop"), x.at[i].add(u, mode="clip"), x.at[i].multiply(u, mode="drop"),
            x.at[i].min(u), x.at[i].max(u, mode="clip"), x.at[i[:4]].divide(2.0), x.at[i].power(2.0, mode="drop"),
            x.at[2:5, ::2].set(7.0), x.at[jnp.array([0, 2]), jnp.array([1, 4])].apply(jnp.sin))


@program(normal(7), np.array([[0], [5], [-1], [4]], "int32"), normal(4, 3))
def windows_partly_outside(x, i, u):
    numbers = lax.ScatterDimensionNumbers((1,), (), (0,))

    def read(x):
        return lax.gather(x, i, lax.GatherDimensionNumbers((1,), (), (0,)), (3,), mode="fill", fill_value=0.0)

    return (read(x), jax.grad(lambda x: (read(x) * u).sum())(x), lax.scatter(x, i, u, numbers, mode="drop"), lax.scatter_add(x, i, u, numbers, mode="drop"),
            lax.scatter_max(x, i, u, numbers, mode="drop"), lax.scatter_add(x, i, u, numbers, mode="clip"))


@program(integers(200, 12, dtype="uint8"), integers(12, 12))
def scatters_of_bytes(x, i):
    return x.at[i].add(jnp.uint8(200)), x.at[i].max(jnp.uint8(77)), x.astype(bool).at[i].set(True), x[i[::-1]]


@program(normal(5, 4, 4), normal(2, 3, 3), normal(3, 4, 2), normal(5, 4, 3), rtol=1e-3, atol=1e-4)
def matrices_of_a_few_rows(a, b, tall, right):
    exchanged = a.at[:, 0, 0].set(0)
    z = b[0] + 1j * b[1]
    hermitian = z @ jnp.conj(z).T + jnp.eye(3)
    spd = a @ a.mT + jnp.eye(4)
    solve = partial(lax.linalg.triangular_solve, spd)
    return (lax.linalg.lu(exchanged), lax.linalg.lu(tall), lax.linalg.lu(tall.mT), lax.linalg.lu(z), lax.linalg.lu(jnp.ones((3, 3))),
            jnp.linalg.cholesky(spd), jnp.linalg.cholesky(a - 9 * jnp.eye(4)), jnp.linalg.cholesky(hermitian),
            jnp.linalg.cholesky(jnp.array([[2.0, 1.0], [1.0, -3.0]])), jnp.linalg.slogdet(b), jnp.linalg.inv(z), jnp.linalg.solve(exchanged, right),
            solve(right, left_side=True), solve(right, left_side=True, lower=True, transpose_a=True, unit_diagonal=True),
            solve(right.mT, lower=True), solve(right.mT, transpose_a=True),
            lax.linalg.triangular_solve(hermitian, z, lower=True, transpose_a=True, conjugate_a=True))


@program(normal(30, 2), rtol=1e-3, atol=1e-4)
def filter_of_kalman(seen):
    move, look = jnp.eye(4) + jnp.eye(4, k=2) / 8, jnp.eye(2, 4)

    def step(state, z):
        x, p = state
        x, p = move @ x, move @ p @ move.T + jnp.eye(4) / 64
        spread = look @ p @ look.T + jnp.eye(2) / 8
        gain = jnp.linalg.solve(spread, look @ p).T
        x, p = x + gain @ (z - look @ x), p - gain @ look @ p
        return (x, p), (x, jnp.linalg.slogdet(spread)[1])

    return lax.scan(step, (jnp.zeros(4), jnp.eye(4)), seen)


@program(*pairs(EDGES))
def real_edges(x, y):
    return (x / y, jnp.maximum(x, y), jnp.minimum(x, y), jnp.fmod(x, y), jnp.remainder(x, y), jnp.power(x, y),
            jnp.arctan2(x, y), jnp.copysign(x, y), jnp.nextafter(x, y), jnp.floor_divide(x, y), x < y, x == y,
            jnp.fmax(x, y), jnp.fmin(x, y), jnp.hypot(x, y), jnp.logaddexp(x, y), jnp.heaviside(x, y))


@program(EDGES)
def functions_at_edges(x):
    return (jnp.exp(x), jnp.log(x), jnp.log1p(x), jnp.expm1(x), jnp.sqrt(x), lax.rsqrt(x), jnp.tanh(x), jnp.sign(x),
            jnp.round(x), jnp.floor(x), jnp.ceil(x), jnp.cbrt(x), jax.nn.sigmoid(x), lax.erf(x), lax.erfc(x), jnp.arcsin(x),
            jnp.arctanh(x), jnp.isnan(x), jnp.isinf(x), jnp.nan_to_num(x), jnp.signbit(x), jnp.trunc(x), lax.is_finite(x),
            jnp.arccosh(x), jnp.arcsinh(x), jnp.sinh(x), jnp.cosh(x), lax.integer_pow(x, 3), lax.integer_pow(x, -2))


COMPLEX_EDGES = [complex(a, b) for a in (0.0, -0.0, 1.0, -2.5, INF, -INF, NAN) for b in (0.0, 3.0, -INF, NAN)]


@program(*[v.astype("complex64") for v in pairs(np.array(COMPLEX_EDGES))])
def complex_edges(x, y):
    return x / y, x * y, x + y, x - y, x == y, x != y


@program((normal(200) * np.exp(normal(200) * 3) + 1j * normal(200)[::-1] * 4).astype("complex64"), rtol=2e-5, atol=1e-6)
def complex_functions(z):
    return (jnp.sqrt(z), jnp.log(z), jnp.sin(z), jnp.cos(z), jnp.tan(z), jnp.tanh(z), jnp.arcsin(z), jnp.arccos(z),
            jnp.arctan(z), jnp.arcsinh(z), jnp.arctanh(z), jnp.abs(z), jnp.angle(z), 1 / z, jnp.square(z), jnp.sign(z),
            jnp.log1p(z), jnp.expm1(z * 0.1), lax.rsqrt(z), jnp.sinh(z * 0.1), jnp.exp(z * 0.1))


@program((normal(40) + 1j * normal(40)[::-1]).astype("complex64"), (normal(40)[::-1] + 1j * normal(40)).astype("complex64"),
         rtol=2e-5, atol=1e-5)
def complex_powers_and_products(x, y):
    a, b = x.reshape(5, 8), y.reshape(8, 5)
    return (x ** y, x ** 2, x ** 0.5, jnp.vdot(x, y), a @ b, jnp.einsum("ij,kj->ik", a, b.T.conj()), jnp.cumsum(x),
            jnp.cumprod(x[:6]), jnp.mean(x), jnp.sort(x), jnp.linalg.norm(x), jnp.prod(x[:5]), jnp.var(x))


@program((normal(3, 9, 9) + 1j * normal(3, 9, 9)[::-1]).astype("complex64"), (normal(40, 40) + 1j * normal(40, 40).T).astype("complex64"),
         rtol=1e-4, atol=1e-4)
def decompositions_of_complex_matrices(few, large):
    adjoint = lambda x: jnp.conj(x).mT
    found = []
    for a in (few, large, few[:, :, :5], few[:, :5]):
        q, r = jnp.linalg.qr(a)
        factors, pivots, rows = lax.linalg.lu(a)
        found += [q @ r, adjoint(q) @ q, jnp.abs(r), factors, pivots, rows, jnp.linalg.svd(a, compute_uv=False)]
        for full in (False, True):
            u, s, vh = jnp.linalg.svd(a, full_matrices=full)
            k = s.shape[-1]
            found += [(u[..., :k] * s[..., None, :]) @ vh[..., :k, :], adjoint(u) @ u, vh @ adjoint(vh)]
    for a in (few, large):
        w, v = jnp.linalg.eigh(a + adjoint(a))
        found += [w, (v * w[..., None, :]) @ adjoint(v), adjoint(v) @ v, jnp.linalg.solve(a, a[..., :3]), jnp.linalg.inv(a), jnp.linalg.slogdet(a)]
    many = jnp.tile(few[:, :3, :3], (50, 1, 1))
    return (*found, jnp.abs(jnp.linalg.qr(many)[1]), jnp.linalg.eigvalsh(many + adjoint(many)), jnp.linalg.solve(many, many + 1),
            jax.grad(lambda a: jnp.abs(jnp.linalg.solve(a, a[:, :2] ** 2)).sum())(few[0]))


@program(np.zeros((2, 0, 0), "float32"))
def equations_of_no_elements(x):
    right = jnp.zeros((2, 0, 3))
    return (jnp.linalg.inv(x), jnp.linalg.cholesky(x), jnp.linalg.solve(x, right), jnp.linalg.solve(jnp.eye(3), right.mT[0]), jnp.linalg.det(x),
            jax.scipy.linalg.expm(x), lax.linalg.triangular_solve(x, right.mT, lower=True), jnp.linalg.inv(x + 1j))


@program(normal(5, 9, 4), normal(4, 4) * 0.5, rtol=1e-4, atol=1e-5)
def vmap_of_scans(xs, w):
    step = lambda c, x: (jnp.tanh(c @ w + x), c.sum())
    scan = lambda x, reverse: lax.scan(step, jnp.ones(4), x, reverse=reverse, unroll=3)
    grads = jax.vmap(jax.grad(lambda x: scan(x, False)[0].sum()))(xs)
    return jax.vmap(partial(scan, reverse=True))(xs), grads


@program(normal(6, 6), normal(6), rtol=1e-4, atol=1e-5)
def implicit_gradients(a, b):
    spd = a @ a.T + 6 * jnp.eye(6)
    solve = lambda a, b: lax.custom_linear_solve(lambda x: a @ x, b, lambda mv, b: jnp.linalg.solve(a, b), symmetric=True)
    root = lambda c: lax.custom_root(lambda x: x ** 3 - c, jnp.float32(1.0),
                                     lambda f, x: lax.fori_loop(0, 12, lambda _, x: x - f(x) / (3 * x * x), x),
                                     lambda g, y: y / g(1.0))
    return jax.grad(lambda a: solve(a, b).sum())(spd), jax.grad(root)(jnp.float32(5.0)), jax.scipy.sparse.linalg.cg(lambda x: spd @ x, b)[0]


@program(normal(4, 8), normal(8, 8) * 0.3, rtol=1e-4, atol=1e-5)
def policies_of_checkpoints(x, w):
    def f(w, x):
        for _ in range(3):
            x = jnp.sin(checkpoint_name(x @ w, "product"))
        return x.sum()

    policies = jax.checkpoint_policies
    return [jax.grad(jax.checkpoint(f, policy=policy))(w, x) for policy in
            (policies.dots_saveable, policies.nothing_saveable, policies.save_only_these_names("product"))]


@program(np.uint32(5), rtol=1e-4, atol=1e-5)
def distributions(seed):
    r, keys = jax.random, jax.random.split(jax.random.key(seed), 20)
    return (r.beta(keys[0], 2.0, 3.0, (6,)), r.binomial(keys[1], 9, 0.4, (6,)), r.chisquare(keys[2], 3.0, (6,)),
            r.geometric(keys[3], 0.3, (6,)), r.logistic(keys[4], (6,)), r.lognormal(keys[5], 1.0, (6,)),
            r.maxwell(keys[6], (6,)), r.multivariate_normal(keys[7], jnp.zeros(2), jnp.eye(2) * 2, (3,)),
            r.pareto(keys[8], 2.0, (6,)), r.rademacher(keys[9], (6,)), r.rayleigh(keys[10], 1.0, (6,)),
            r.t(keys[11], 4.0, (6,)), r.triangular(keys[12], 0.0, 0.5, 1.0, (6,)), r.weibull_min(keys[13], 1.0, 2.0, (6,)),
            r.ball(keys[14], 3, shape=(4,)), r.orthogonal(keys[15], 3) @ r.orthogonal(keys[15], 3).T,
            r.multinomial(keys[16], 20, jnp.array([0.2, 0.3, 0.5])), r.uniform(keys[17], (6,), jnp.bfloat16), r.wald(keys[18], 1.0, (6,)))


@program(np.abs(normal(30)) + 0.2, np.abs(normal(30)[::-1]) + 0.1, rtol=1e-4, atol=1e-5)
def more_special_functions(x, y):
    s = jax.scipy.special
    return (s.gammainc(x, y), s.gammaincc(x, y), s.betaln(x, y), s.polygamma(1, x), s.zeta(x + 1.5, y), s.i0(x), s.i1(y),
            s.i1e(x), s.entr(x), s.expit(x), s.logit(x / 4), s.xlogy(x, y), s.xlog1py(x, y), s.rel_entr(x, y), s.kl_div(x, y),
            s.logsumexp(x), s.softmax(x), s.log_ndtr(-x * 4), s.factorial(x),
            s.expi(x), s.exp1(x), s.expn(2, x), s.spence(x), s.bernoulli(6), s.poch(x, y), s.beta(x, y), s.multigammaln(x + 2, 2))


@program(normal(3, 40), normal(3, 12) , rtol=1e-4, atol=1e-4)
def fourier_of_all_lengths(x, y):
    f = jnp.fft
    return ([f.fft(x[:, :n]) for n in (1, 2, 3, 4, 5, 17, 32, 33)], [f.rfft(x[:, :n]) for n in (1, 2, 7, 8, 31)],
            [f.irfft(y + 1j * y[::-1], n) for n in (1, 2, 7, 8, 16, 22)], f.hfft(y), f.ihfft(y), f.rfft2(x), f.irfftn(f.rfftn(x), x.shape))


@program(normal(3, 20, 300), rtol=1e-3, atol=1e-3)
def fourier_of_longer_rows(x):
    f = jnp.fft
    return f.fft(x), f.rfft(x), f.irfft(f.rfft(x)), f.ifft2(x), f.fft(x[..., :251]), f.irfft(x[..., :126] + 0j, 251)


@program(normal(50, 6), integers(9, 50) - 1, np.sort(integers(7, 50)))
def segments(x, i, ordered):
    s = jax.ops
    return (s.segment_sum(x, i, 7), s.segment_prod(x, i, 7), s.segment_min(x, ordered, 7, indices_are_sorted=True),
            s.segment_max(x, i, 7, mode="drop"), s.segment_sum(x, ordered, 7, bucket_size=10), jnp.bincount(i + 1, x[:, 0], length=12))


@program(normal(4, 30), integers(5, 4, 30), rtol=1e-4, atol=1e-5)
def more_scans(x, k):
    pair = lambda a, b: (jnp.where(b[1] > 0, b[0], a[0] + b[0]), a[1] + b[1])
    return (lax.associative_scan(pair, (x, k), axis=1), lax.cumlogsumexp(x, 1, reverse=True), lax.cummin(x, 1, reverse=True),
            lax.cumprod(x, 1), lax.cumsum(k, 0, reverse=True), lax.cummax(k, 1),
            lax.associative_scan(jnp.matmul, jnp.broadcast_to(x[:, :9].reshape(4, 3, 3), (4, 3, 3))), jnp.nancumsum(x))


@program(normal(64) * 100, EDGES)
def reduced_precision(x, y):
    return [lax.reduce_precision(v, e, m) for v in (x, y) for e, m in ((5, 10), (8, 7), (4, 3), (8, 23), (2, 2))]


@program(normal(2, 3, 11), normal(4, 3, 3), normal(2, 10, 12, 3), normal(3, 2, 3, 6), rtol=1e-4, atol=1e-4)
def convolutions(a, k, x, w):
    conv, numbers = lax.conv_general_dilated, ("NHWC", "HWIO", "NHWC")
    return (conv(a, k, (2,), [(3, 1)]), conv(a, k, (1,), [(-1, 4)], lhs_dilation=(3,)), conv(a, k, (1,), "VALID", rhs_dilation=(2,)),
            conv(x, w, (2, 1), [(1, 2), (0, 3)], lhs_dilation=(2, 1), rhs_dilation=(1, 3), dimension_numbers=numbers),
            lax.conv_transpose(x, w, (2, 3), "VALID", dimension_numbers=numbers),
            lax.conv_transpose(x, jnp.swapaxes(w, 2, 3), (1, 2), "SAME", dimension_numbers=numbers, transpose_kernel=True),
            conv(x, w.reshape(3, 2, 1, 18), (1, 1), "SAME", dimension_numbers=numbers, feature_group_count=3),
            conv(jnp.swapaxes(x, 0, 3), w[:, :, :2], (1, 1), "SAME", dimension_numbers=numbers, batch_group_count=3),
            lax.conv_general_dilated_patches(x, (2, 2), (1, 1), "VALID", dimension_numbers=numbers),
            jax.grad(lambda w: conv(x, w, (2, 1), "SAME", rhs_dilation=(1, 2), dimension_numbers=numbers).sum())(w))


@program(normal(3, 4, 5), normal(3, 5, 6), integers(100, 4, 5, dtype="int8"), integers(250, 5, 3, dtype="uint8"), rtol=2e-2, atol=2e-2)
def preferred_types(a, b, i, u):
    dims, flat = (((2,), (1,)), ((0,), (0,))), (((1,), (0,)), ((), ()))
    h, g = a.astype(jnp.bfloat16), b.astype(jnp.bfloat16)
    return (lax.dot_general(h, g, dims, preferred_element_type=jnp.float32), lax.dot_general(a.astype("float16"), b.astype("float16"), dims),
            lax.dot_general(i, i.T, flat, preferred_element_type=jnp.int32), lax.dot_general(u.T, u, flat, preferred_element_type=jnp.uint32),
            lax.dot_general(i, i.T, flat), lax.dot_general(a, b, dims, precision="highest"), jnp.matmul(i > 50, u > 100),
            lax.dot_general(h, g, dims, preferred_element_type=jnp.bfloat16), jnp.einsum("bij,bjk,bk->i", a, b, b[:, 0]))


@program(integers(4, 30), normal(30), integers(3, 30))
def sorts_of_several(k, x, t):
    y = x.at[3].set(jnp.nan).at[7].set(-0.0).at[9].set(0.0)
    return (lax.sort((k, t, x), num_keys=2), lax.sort((k, x), num_keys=1, is_stable=True), jnp.lexsort((x, k)), jnp.sort(y), jnp.argsort(-y),
            jnp.argmax(y), jnp.nanargmin(y), jnp.sort(x.astype(jnp.bfloat16), descending=True), jnp.unique(k, size=6, fill_value=9),
            jnp.partition(x, 9)[9], jnp.median(y), jnp.nanmedian(y), jnp.quantile(x, jnp.array([0.1, 0.9])), jnp.sort(x > 0))


@program(np.concatenate([EDGES, -EDGES]), integers(9, 2, 12), integers(200, 12, dtype="uint8"))
def largest_elements(x, k, u):
    return (lax.top_k(x, 24), lax.top_k(x.astype(jnp.bfloat16), 7), lax.top_k(k, 4), lax.top_k(u, 12), lax.top_k(k > 4, 3),
            lax.approx_max_k(x[2:7], 2), lax.top_k(x.astype("float16"), 3), lax.argmax(x, 0, jnp.int32))


@program(EDGES, normal(40) * 300)
def conversions(x, y):
    finite = jnp.nan_to_num(y)
    kinds = (jnp.int8, jnp.uint8, jnp.int16, jnp.uint32, jnp.int32, jnp.bfloat16, jnp.float16, bool, jnp.complex64)
    return [finite.astype(k) for k in kinds if k not in (jnp.int8, jnp.uint8, jnp.uint32)] + [jnp.abs(finite).astype(jnp.uint32)] + \
        [x.astype(k) for k in (jnp.int32, jnp.bfloat16, jnp.float16, bool)] + [lax.convert_element_type(y.astype(jnp.int32), k) for k in kinds]


@program(normal(30).astype(jnp.bfloat16), normal(30)[::-1].astype(jnp.bfloat16), rtol=1e-2, atol=1e-2)
def bfloat16_arithmetic(x, y):
    return (x + y, x * y, x / y, jnp.exp(x), jnp.sum(x), jnp.mean(x), jnp.var(x), jax.nn.softmax(x), jnp.sqrt(jnp.abs(x)), x > y, jnp.tanh(x),
            jnp.maximum(x, y), jnp.floor(x * 3), jnp.cumsum(x), jax.grad(lambda x: jnp.sum(jnp.sin(x) * y))(x), jax.nn.silu(x), x % y, jnp.dot(x, y))


@program(np.where(np.arange(24) % 5 == 0, NAN, normal(24)).astype("float32").reshape(4, 6))
def reductions_with_nan(x):
    return (jnp.nansum(x), jnp.nanmean(x, 0), jnp.nanmax(x, 1), jnp.nanmin(x), jnp.nanstd(x), jnp.nanargmax(x, 1), jnp.max(x), jnp.min(x, 0),
            jnp.argmax(x), jnp.argmin(x, 1), jnp.any(jnp.isnan(x), 0), jnp.where(jnp.isnan(x), 0.0, x), jnp.nanprod(x), jnp.nanquantile(x, 0.3),
            jnp.nancumprod(x), jnp.nan_to_num(x, nan=3.0), jax.nn.relu(x), jnp.clip(x, -0.5, 0.5), jnp.sort(x, 1), jnp.isclose(x, x, equal_nan=True))


@program(normal(5, 5), normal(4, 3), rtol=1e-4, atol=1e-4)
def linear_algebra(a, b):
    la, sl = jnp.linalg, jax.scipy.linalg
    spd = a @ a.T + jnp.eye(5)
    return (la.det(a), la.matrix_power(a, 3), la.lstsq(b, b[:, 0])[0], la.matrix_rank(b), la.cond(a), la.multi_dot([b, b.T, b]), la.eigvalsh(spd),
            sl.expm(a), sl.solve_triangular(jnp.tril(spd), b[:1].repeat(5, 0), lower=True, trans="T"), sl.cho_solve((la.cholesky(spd), True), a[:, 0]),
            sl.lu(a)[1:], sl.block_diag(a, b), la.norm(b, "nuc"), jnp.kron(b, b), sl.toeplitz(a[0]), la.tensorinv(a.reshape(5, 5), 1), jnp.trace(a),
            jax.grad(lambda m: la.norm(la.inv(m)))(spd), jax.jvp(la.cholesky, (spd,), (a + a.T,))[1], la.svdvals(b),
            sl.polar(spd)[1], jnp.cov(b), jnp.corrcoef(b), jnp.cross(b, b[::-1]))


@program(normal(4, 9), normal(9))
def donated_and_static(x, y):
    inner = jax.jit(lambda x, y, n: (x * n + y, jnp.pad(x, n)), static_argnums=2, donate_argnums=0)
    return inner(x + 1, y, 3), jax.jit(lambda d: d["a"] + d["b"][0], keep_unused=True)({"a": x, "b": (y, y)})


@program(normal(3, 4, 5), np.float32(2))
def pads(x, v):
    return (lax.pad(x, v, ((1, 2, 0), (-1, 0, 2), (0, -2, 1))), *[jnp.pad(x, ((1, 1), (2, 0), (0, 3)), mode=m) for m in
            ("constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "mean")], jnp.pad(x > 0, 1), lax.pad(x, v, ((0, 0, 0), (5, -3, 0), (-9, 9, 0))))


@program(normal(2, 12, 10, 3), rtol=1e-4, atol=1e-5)
def windows(x):
    pool = lambda f, init, op: lax.reduce_window(x, init, op, (1, 3, 2, 1), (1, 2, 1, 1), ((0, 0), (1, 1), (0, 1), (0, 0)), (1, 1, 2, 1), (1, 1, 3, 1))
    mean = lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")
    return (pool(None, -INF, lax.max), pool(None, 0.0, lax.add), pool(None, INF, lax.min), jax.grad(lambda x: (mean(x) ** 2).sum())(x),
            jax.grad(lambda x: lax.reduce_window(x, -INF, lax.max, (1, 3, 3, 1), (1, 1, 2, 1), "SAME").sum())(x), jax.image.resize(x, (2, 7, 15, 3), "bilinear"),
            jax.image.resize(x, (2, 6, 5, 3), "cubic"), jax.scipy.ndimage.map_coordinates(x[0, ..., 0], [x[0, ..., 1] * 3 + 4, x[0, ..., 2] + 5], 1, mode="nearest"),
            lax.reduce(x, (0.0), lambda a, b: a + b, (1, 2)), lax.reduce((x, x * 2), (0.0, -INF), lambda a, b: (a[0] + b[0], jnp.maximum(a[1], b[1])), (0, 3)))


@program(normal(6, 8), normal(8, 3), rtol=1e-4, atol=1e-5)
def transformed_functions(x, w):
    @jax.custom_jvp
    def soft(x):
        return jnp.log1p(jnp.exp(-jnp.abs(x))) + jnp.maximum(x, 0)

    soft.defjvp(lambda p, t: (soft(p[0]), jax.nn.sigmoid(p[0]) * t[0]))
    f = lambda x: soft(x @ w).sum()
    clip = jax.custom_vjp(lambda x: x)
    clip.defvjp(lambda x: (x, ()), lambda _, g: (jnp.clip(g, -0.1, 0.1),))
    return (jax.grad(f)(x), jax.hessian(f)(x[0]), jax.vmap(jax.jacrev(lambda r: jnp.tanh(r @ w)))(x), jax.grad(lambda x: (clip(x) ** 3).sum())(x),
            jax.vmap(jnp.outer, (0, None), 1)(x, w[:, 0]), jax.vmap(jax.vmap(jnp.dot, (None, 1)), (0, None))(x, w), jax.lax.map(lambda r: r.sum(), x, batch_size=4),
            jax.lax.stop_gradient(x) * 2, jnp.vectorize(lambda a, b: (a * b).sum(), signature="(n),(n)->()")(x, w[:, 1]), jax.tree.map(jnp.sum, {"a": x, "b": [w]}))


@program(normal(7, 5), integers(5, 7))
def networks_of_jax_nn(x, labels):
    n = jax.nn
    return (n.one_hot(labels, 5), n.log_softmax(x), n.logsumexp(x, 1), n.elu(x), n.selu(x), n.celu(x), n.gelu(x, approximate=False), n.hard_swish(x), n.mish(x),
            n.standardize(x), n.glu(x[:, :4]), n.leaky_relu(x), n.softplus(x), n.soft_sign(x), n.squareplus(x), n.log_sigmoid(x), n.hard_tanh(x), n.relu6(x * 5),
            n.sparse_plus(x), n.softmax(x, where=x > 0, axis=1), n.swish(x), jnp.take_along_axis(n.log_softmax(x), labels[:, None], 1).mean())


@program(np.float32(1.5), np.int32(7))
def loops(x, n):
    def cond(c):
        return (c[0] < n) & (c[1] < 100)

    many = lax.while_loop(cond, lambda c: (c[0] + 1, c[1] * 1.3, c[2].at[c[0]].set(c[1])), (0, x, jnp.zeros(10)))
    each = lax.fori_loop(0, n, lambda i, v: lax.cond(v > 5, lambda v: v - i, lambda v: v * 2 + i, v), x)
    both = lax.scan(lambda c, i: (lax.switch(i % 3, [lambda c: c + 1, lambda c: c * 2, lambda c: -c], c), c), x, jnp.arange(9))
    return many, each, both, lax.while_loop(lambda c: c[0] != 1, lambda c: (jnp.where(c[0] % 2 == 0, c[0] // 2, 3 * c[0] + 1), c[1] + 1), (n, 0)), \
        jax.grad(lambda x: lax.scan(lambda c, _: (jnp.sin(c) * x, c), x, None, length=5)[0])(x)


@program(normal(20), normal(20)[::-1])
def polynomials_and_signals(x, y):
    return (jnp.polyfit(jnp.arange(20.0) / 20, x, 2), jnp.polyval(x[:4], y), jnp.polymul(x[:3], y[:4]), jnp.correlate(x, y[:5], "same"), jnp.gradient(x), jnp.diff(x, 2),
            jnp.trapezoid(x), jnp.ediff1d(x), jax.scipy.signal.convolve(x, y, "full"), jax.scipy.signal.fftconvolve(x, y[:7], "same"), jnp.digitize(x, jnp.array([-1.0, 0, 1])),
            jnp.histogram2d(x, y, 4)[0], jnp.unwrap(x * 3), jnp.sinc(x), jnp.i0(x), jnp.piecewise(x, [x < 0, x > 1], [lambda v: -v, lambda v: v * v, 0.0]), jnp.ptp(x), jnp.average(x, weights=y * y))


@program(normal(6), np.array([3, 1, 0, 2, 6], "int32"))
def sizes_given(x, counts):
    return (jnp.repeat(x[:5], counts, total_repeat_length=12), jnp.nonzero(x > 0, size=6, fill_value=7), jnp.where(x > 0, size=3, fill_value=-1),
            jnp.unique(counts, return_counts=True, size=5), jnp.setdiff1d(counts, jnp.array([1, 2]), size=4), jnp.isin(counts, jnp.array([0, 6])), jnp.tile(x, (2, 2)),
            jnp.flatnonzero(x < 0, size=6), jnp.compress(jnp.array([1, 0, 1, 1, 0, 1], bool), x, size=4), jnp.searchsorted(jnp.sort(x), 0.3, side="right"))


if __name__ == "__main__":
    sys.exit(programs.main())
