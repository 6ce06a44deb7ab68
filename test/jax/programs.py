# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as JAX's users write them, run through the PJRT plug-in and by JAX's own CPU backend.

    programs.py [NAME...]        all, or those named; needs jax, and the package `kiln` on PYTHONPATH

Prints a line each and the counts; the exit status is 1 where a result is wrong or a program that is
not among EXPECTED fails. Random inputs come from seeds. A float result that is beyond the tolerance is right where it
is right by what JAX's CPU backend makes of the program in f64 (judge.py)."""
import functools
import os
import sys
import traceback

os.environ["JAX_PLATFORMS"] = "kiln,cpu"
# One test compiles a program for several devices of the CPU backend.
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=1")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from judge import is_near

#: Programs that fail, and why.
EXPECTED = {}

PROGRAMS = {}


def program(*arguments, rtol=1e-5, atol=1e-6):
    """Registers a function with its arguments."""

    def register(function):
        PROGRAMS[function.__name__] = (function, arguments, rtol, atol)
        return function

    return register


def normal(*shape, dtype="float32"):
    seed = sum(shape) * 7919 + len(shape)
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def integers(high, *shape, dtype="int32"):
    return np.random.default_rng(high + len(shape)).integers(0, high, shape, dtype=dtype)


def layers(x, w1, b1, w2, b2):
    return jax.nn.relu(x @ w1 + b1) @ w2 + b2


WEIGHTS = (normal(20, 64), normal(64), normal(64, 10), normal(10))


@program(normal(32, 20), *WEIGHTS)
def mlp(x, *weights):
    return jax.nn.log_softmax(layers(x, *weights))


@program(normal(32, 20), integers(10, 32), *WEIGHTS, rtol=1e-4, atol=1e-5)
def gradient_of_cross_entropy(x, labels, *weights):
    def loss(weights):
        scores = jax.nn.log_softmax(layers(x, *weights))
        return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))

    return jax.grad(loss)(weights)


@program(normal(6, 9), normal(8, 9, 4))
def vmap_of_products(x, w):
    return jax.vmap(lambda m: x @ m)(w)


@program(np.float32(3.0), np.int32(11))
def while_loop(x, n):
    return lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 1.1 + 0.5), (0, x))


@program(normal(40, 8), normal(8, 8))
def scan_of_a_recurrence(xs, w):
    def step(h, x):
        h = jnp.tanh(h @ w + x)
        return h, h.sum()

    return lax.scan(step, jnp.zeros(8), xs)


@program(normal(30, 8), normal(8, 8), rtol=1e-4, atol=1e-5)
def gradient_through_scan(xs, w):
    def loss(w):
        step = lambda h, x: (jnp.tanh(h @ w + x), ())
        return jnp.sum(lax.scan(step, jnp.zeros(8), xs)[0] ** 2)

    return jax.grad(loss)(w)


@program(np.int32(1), normal(5))
def switch_of_branches(index, x):
    return lax.switch(index, [jnp.sin, jnp.cos, lambda y: y * y], x)


@program(np.uint32(42))
def random_numbers(seed):
    key = jax.random.key(seed)
    one, two, three = jax.random.split(key, 3)
    return (jax.random.bits(one, (7, 3)), jax.random.uniform(two, (100,)),
            jax.random.normal(three, (64,)), jax.random.randint(one, (20,), 0, 1000))


@program(np.uint32(3), normal(4, 6))
def categorical_and_permutation(seed, logits):
    key = jax.random.key(seed)
    return jax.random.categorical(key, logits), jax.random.permutation(key, 50)


@program(normal(2, 16, 16, 3), normal(3, 3, 3, 8), rtol=1e-4, atol=1e-4)
def convolution(x, w):
    return lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@program(normal(2, 12, 12, 3), normal(3, 3, 3, 4), rtol=1e-4, atol=1e-4)
def gradient_of_convolution_and_pooling(x, w):
    def loss(w):
        y = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        y = lax.reduce_window(jax.nn.relu(y), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return jnp.sum(y ** 2)

    return jax.grad(loss)(w)


@program(normal(2, 10, 4, 16), normal(2, 10, 4, 16), normal(2, 10, 4, 16), rtol=1e-4, atol=1e-5)
def causal_attention(q, k, v):
    return jax.nn.dot_product_attention(q, k, v, is_causal=True)


@program(normal(50, 12), integers(50, 9))
def embedding_and_its_gradient(table, ids):
    lookup = lambda t: jnp.sum(jnp.take(t, ids, axis=0) ** 2)
    return jax.value_and_grad(lookup)(table)


@program(normal(64), integers(10, 64))
def sort_top_k_and_argsort(x, keys):
    return jnp.sort(x), lax.top_k(x, 5), jnp.argsort(keys, stable=True)


@program(normal(6, 50), rtol=1e-4, atol=1e-5)
def cumulative_sums(x):
    return jnp.cumsum(x, axis=1), jnp.cumprod(x * 0.1 + 1, axis=1), lax.cummax(x, axis=0), lax.cumlogsumexp(x, axis=1)


@program(normal(40), integers(6, 40))
def segment_sums_and_scatters(x, ids):
    return (jax.ops.segment_sum(x, ids, 6), jnp.zeros(6).at[ids].max(x), jnp.zeros(8).at[2:5].set(x[:3]))


@program(normal(2, 8, 4), normal(2, 1, 4), np.int32(5))
def key_value_cache(cache, step, position):
    cache = lax.dynamic_update_slice(cache, step, (0, position, 0))
    return cache, lax.dynamic_slice(cache, (0, position - 1, 0), (2, 2, 4))


@program(np.abs(normal(64)) + 0.1, normal(64) * 0.5, rtol=1e-4, atol=1e-5)
def special_functions(x, y):
    special = jax.scipy.special
    return (special.gammaln(x), special.digamma(x), special.erf(y), special.erfinv(jnp.tanh(y)), special.i0e(y),
            jnp.arctan2(y, x), special.ndtri(jax.nn.sigmoid(y)), special.betainc(x, x + 1, jax.nn.sigmoid(y)))


@program(normal(33), normal(33))
def bits_of_floats_and_integers(x, y):
    a = lax.bitcast_convert_type(x, jnp.uint32)
    b = lax.bitcast_convert_type(y, jnp.uint32)
    return lax.population_count(a), a ^ (b << 3), a // (b | 1), (a >> 7) % 1000, a > b, jnp.clip(a, 5, 1 << 30)


@program(normal(16, 8), normal(8), rtol=1e-4, atol=1e-5)
def hessian_and_jacobian(a, x):
    f = lambda x: jnp.sum(jax.nn.softplus(a @ x))
    return jax.hessian(f)(x), jax.jacfwd(lambda x: jnp.sin(a @ x))(x)


@program(normal(8, 16), normal(16, 4))
def shard_map_on_one_device(x, w):
    mesh = jax.sharding.Mesh(np.array(jax.devices("kiln")[:1]) if jax.default_backend() == "kiln" and not _ON_CPU
                             else np.array(jax.devices("cpu")[:1]), ("d",))
    p = jax.sharding.PartitionSpec
    product = jax.shard_map(lambda a, b: lax.psum(a @ b, "d"), mesh=mesh, in_specs=(p(None, "d"), p("d", None)), out_specs=p())
    return product(x, w)


@program(normal(4, 32, dtype="float16").astype(jnp.bfloat16), normal(32, 8).astype(jnp.bfloat16), rtol=2e-2, atol=2e-2)
def products_in_bfloat16(x, w):
    return jnp.dot(x, w, preferred_element_type=jnp.float32), jax.nn.gelu(x @ w)


@program(normal(12) + 1j * normal(3, 4).reshape(12).astype("float32"), rtol=1e-4, atol=1e-5)
def complex_numbers(z):
    return jnp.abs(z), (z * z.conj()).real, jnp.exp(z), z.sum()


@program(normal(4, 64), normal(64), normal(64), rtol=1e-4, atol=1e-5)
def layer_norm_with_custom_gradient(x, scale, shift):
    @jax.custom_vjp
    def norm(x):
        return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)

    norm.defvjp(lambda x: (norm(x), x), lambda x, g: (g * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5),))
    return jax.value_and_grad(lambda x: jnp.sum((norm(x) * scale + shift) ** 2))(x)


@program(normal(12, 8), normal(8, 8) * 0.3, rtol=1e-4, atol=1e-5)
def gradient_of_a_checkpointed_scan(xs, w):
    @jax.checkpoint
    def step(h, x):
        h = jnp.tanh(h @ w + x)
        return h, jnp.sum(h)

    def loss(w):
        h, sums = lax.scan(lambda h, x: jax.checkpoint(lambda h, x, w: (jnp.tanh(h @ w + x), h.sum()))(h, x, w),
                           jnp.zeros(8), xs)
        return jnp.sum(h) + jnp.mean(sums)

    return jax.grad(loss)(w), lax.scan(step, jnp.zeros(8), xs)


@program(normal(5) * 3, integers(9, 5))
def vmap_of_while_loops(x, limits):
    return jax.vmap(lambda v, n: lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 0.5 + 1), (0, v)))(x, limits)


@program(normal(6, 4), np.int32(3))
def nested_control_flow(x, n):
    def body(i, x):
        return lax.cond(i % 2 == 0, lambda x: lax.fori_loop(0, 3, lambda j, y: y + j * 0.1, x),
                        lambda x: jnp.where(x > 0, x * 0.9, -x), x)

    return lax.fori_loop(0, n, body, x)


@program(normal(6, 6), normal(6, 2), rtol=1e-4, atol=1e-5)
def linear_equations(a, b):
    spd = a @ a.T + jnp.eye(6)
    factor = jax.scipy.linalg.cho_factor(spd, lower=True)
    return (jnp.linalg.solve(a + 4 * jnp.eye(6), b), jnp.linalg.cholesky(spd), jax.scipy.linalg.cho_solve(factor, b),
            jnp.linalg.inv(spd), jnp.linalg.slogdet(spd))


@program(normal(4, 5, 5), rtol=1e-4, atol=1e-5)
def gradient_of_a_determinant(a):
    spd = a @ a.swapaxes(1, 2) + jnp.eye(5)
    return jax.grad(lambda m: jnp.sum(jnp.linalg.slogdet(m)[1]))(spd)


@program(normal(7, 4), normal(6, 6), rtol=1e-4, atol=1e-4)
def decompositions_of_matrices(a, b):
    q, r = jnp.linalg.qr(a)
    w, v = jnp.linalg.eigh(b + b.T)
    u, s, vt = jnp.linalg.svd(a, full_matrices=False)
    return q @ r, jnp.abs(r), w, v * w @ v.T, s, u * s @ vt, jnp.linalg.pinv(a), jnp.linalg.norm(a, 2)


@program(normal(60, 40), normal(50, 50), normal(50, 3), rtol=1e-3, atol=1e-3)
def larger_matrices(a, b, c):
    spd = b @ b.T + 50 * jnp.eye(50)
    q, r = jnp.linalg.qr(a)
    w, v = jnp.linalg.eigh(b + b.T)
    u, s, vt = jnp.linalg.svd(a, full_matrices=False)
    values, vectors = jnp.linalg.eig(b)
    rest = jnp.matmul(b, vectors.real) - (vectors * values).real
    return (q @ r, jnp.abs(r), w, v * w @ v.T, s, u * s @ vt, jnp.linalg.cholesky(spd), jnp.linalg.solve(spd, c),
            jnp.linalg.inv(spd), jnp.linalg.slogdet(spd), jnp.sort(jnp.abs(values)), rest, jax.scipy.linalg.lu(b)[0],
            jax.grad(lambda m: jnp.linalg.slogdet(m)[1])(spd))


@program(np.uint32(7), rtol=1e-4, atol=1e-5)
def random_numbers_of_many_kinds(seed):
    keys = jax.random.split(jax.random.key(seed), 8)
    return (jax.random.gumbel(keys[0], (20,)), jax.random.bernoulli(keys[1], 0.3, (50,)),
            jax.random.truncated_normal(keys[2], -1, 1, (30,)), jax.random.exponential(keys[3], (20,)),
            jax.random.choice(keys[4], 10, (5,), replace=False), jax.random.laplace(keys[5], (10,)),
            jax.random.cauchy(keys[6], (6,)), jax.random.key_data(jax.random.fold_in(keys[7], 3)))


@program(np.uint32(11), rtol=1e-3, atol=1e-4)
def gamma_and_dirichlet(seed):
    key = jax.random.key(seed)
    return jax.random.gamma(key, 2.5, (8,)), jax.random.dirichlet(key, jnp.ones(4)), jax.random.poisson(key, 3.0, (9,))


@program(np.uint32(5), np.linspace(0.05, 9, 600).astype("float32").reshape(30, 20), rtol=1e-3, atol=1e-4)
def many_samples_of_gamma(seed, shape):
    keys = jax.random.split(jax.random.key(seed), 3)
    return (jax.random.gamma(keys[0], shape), jax.random.loggamma(keys[1], shape), jax.random.dirichlet(keys[2], shape),
            jax.vmap(lambda key, a: jax.random.beta(key, a, 2.0))(jax.random.split(keys[0], 30), shape), jax.random.t(keys[1], shape))


@program(normal(3, 9, 9, 2), normal(3, 9, 4, 2), normal(40, 40, 2), rtol=1e-3, atol=1e-4)
def triangular_equations_of_complex_matrices(pairs, right, large):
    a, b, c = (x[..., 0] + 1j * x[..., 1] for x in (pairs, right, large))
    adjoint = lambda x: jnp.conj(x).mT
    solve = functools.partial(lax.linalg.triangular_solve, a + 4 * jnp.eye(9))
    roots = [jnp.linalg.cholesky(x @ adjoint(x) + jnp.eye(x.shape[-1])) for x in (a, c)]
    return (*roots, jnp.linalg.cholesky(a - 9 * jnp.eye(9)).real, solve(b, left_side=True), solve(b, left_side=True, lower=True, unit_diagonal=True),
            solve(b, left_side=True, transpose_a=True), solve(adjoint(b), lower=True, transpose_a=True, conjugate_a=True),
            solve(b, left_side=True, lower=True, conjugate_a=True), solve(adjoint(b)),
            jax.scipy.linalg.cho_solve((roots[1], True), c))


@program(np.arange(4, dtype="uint32"))
def bits_of_the_hardware_generator(seed):
    return lax.rng_bit_generator(seed, (3, 5)), jax.random.normal(jax.random.wrap_key_data(seed, impl="rbg"), (6,))


@program(normal(64, 32), rtol=1e-4, atol=1e-4)
def fourier_transforms(x):
    return (jnp.fft.fft(x), jnp.fft.ifft(jnp.fft.fft(x)).real, jnp.fft.irfft(jnp.fft.rfft(x, axis=0), axis=0),
            jnp.fft.fft2(x[:15, :9]), jnp.abs(jnp.fft.fftshift(jnp.fft.fftn(x[:8, :8]))))


@program(normal(5000), normal(3, 8192), rtol=1e-3, atol=2e-3)
def long_fourier_transforms(x, y):
    return jnp.fft.fft(x), jnp.fft.rfft(y), jnp.fft.irfft(jnp.fft.rfft(y))


@program(normal(40, 3), normal(40, 3), rtol=1e-4, atol=1e-5)
def associative_scans(a, b):
    combine = lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1])
    return lax.associative_scan(combine, (a * 0.5, b)), lax.associative_scan(jnp.maximum, a, reverse=True)


def block(p, x, heads=2):
    """One layer of a transformer."""
    def norm(x, scale):
        return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale

    length, width = x.shape
    q, k, v = [(norm(x, p["n1"]) @ p[name]).reshape(length, heads, -1) for name in ("q", "k", "v")]
    scores = jnp.einsum("qhd,khd->hqk", q, k) / np.sqrt(width // heads)
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    x = x + jnp.einsum("hqk,khd->qhd", jax.nn.softmax(scores), v).reshape(length, width) @ p["o"]
    return x + jax.nn.gelu(norm(x, p["n2"]) @ p["up"]) @ p["down"]


def transformer_weights():
    width = 16
    shapes = {"q": (width, width), "k": (width, width), "v": (width, width), "o": (width, width),
              "up": (width, 4 * width), "down": (4 * width, width)}
    layer = {name: normal(2, *shape) * 0.2 for name, shape in shapes.items()}
    layer.update(n1=np.ones((2, width), "float32"), n2=np.ones((2, width), "float32"))
    return {"embed": normal(30, width) * 0.5, "layers": layer}


@program(transformer_weights(), integers(30, 12), rtol=1e-3, atol=1e-4)
def a_step_of_adam_on_a_transformer(weights, tokens):
    def loss(weights):
        x = weights["embed"][tokens[:-1]]
        x, _ = lax.scan(lambda x, p: (block(p, x), None), x, weights["layers"])
        scores = jax.nn.log_softmax(x @ weights["embed"].T)
        return -jnp.mean(jnp.take_along_axis(scores, tokens[1:, None], 1))

    value, gradients = jax.value_and_grad(loss)(weights)
    first = jax.tree.map(lambda g: 0.1 * g, gradients)
    second = jax.tree.map(lambda g: 0.001 * g * g, gradients)
    step = lambda w, m, v: w - 1e-3 * (m / 0.1) / (jnp.sqrt(v / 0.001) + 1e-3)
    return value, jax.tree.map(step, weights, first, second)


@program(integers(100, 8, 16, dtype="int8"), integers(100, 16, 4, dtype="int8"), normal(4))
def products_of_bytes(x, w, scale):
    sums = lax.dot_general(x, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
    scaled = sums.astype(jnp.float32) * jnp.abs(scale) * 0.01
    return sums, jnp.clip(jnp.round(scaled), -128, 127).astype(jnp.int8), (x.astype(jnp.uint8) >> 2) + jnp.uint8(250)


@program(normal(3, 10), normal(10), rtol=1e-4, atol=1e-5)
def forward_and_reverse_mode(a, x):
    f = lambda x: jnp.sum(jnp.sin(a @ x) ** 2)
    value, pull = jax.vjp(f, x)
    return jax.jvp(f, (x,), (jnp.ones(10),)), pull(jnp.float32(2.0)), jax.linearize(f, x)[1](x), jax.hessian(f)(x)


@program(normal(20, 6), integers(4, 20))
def grouped_statistics(x, groups):
    sums = jax.ops.segment_sum(x, groups, 4)
    counts = jnp.bincount(groups, length=4)
    best = jax.ops.segment_max(x, groups, 4)
    return sums / jnp.maximum(counts, 1)[:, None], best, jnp.median(x, 0), jnp.percentile(x, 30), jnp.histogram(x, 5)[0]


@program(normal(2, 9, 9, 4), normal(3, 3, 2, 8), rtol=1e-4, atol=1e-4)
def grouped_dilated_and_transposed_convolutions(x, w):
    numbers = ("NHWC", "HWIO", "NHWC")
    grouped = lax.conv_general_dilated(x, w, (1, 1), "SAME", rhs_dilation=(2, 2), dimension_numbers=numbers,
                                       feature_group_count=2)
    return grouped, lax.conv_transpose(x[..., :2], w, (2, 2), "SAME")


@program(normal(9), normal(4, 9))
def interpolation_and_searches(x, y):
    grid = jnp.sort(x)
    return (jnp.interp(y, grid, x), jnp.searchsorted(grid, y), jnp.unique(jnp.round(x), size=9, fill_value=0),
            jnp.nonzero(x > 0, size=9, fill_value=-1)[0], jnp.roll(y, 3, axis=1), jnp.convolve(x, x[:3]))


_ON_CPU = False


def run(function, arguments, platform):
    global _ON_CPU
    _ON_CPU = platform == "cpu"
    with jax.default_device(jax.devices(platform)[0]):
        return jax.tree.map(np.asarray, jax.jit(function)(*arguments))


def exact_result(function, arguments, index, change):
    """A result for arguments that `change` has made wider; None where the program has none of that type."""
    try:
        with jax.enable_x64(True):
            return jax.tree.leaves(run(function, jax.tree.map(change, arguments), "cpu"))[index]
    except Exception:  # a type inside
        return None


def exact_type(array):
    return not np.issubdtype(array.dtype, np.inexact) and array.dtype != jnp.bfloat16


def compare(got, want, rtol, atol, exact):
    """What differs, or None. `exact(index, change)` computes a result in wider types."""
    got, want = jax.tree.leaves(got), jax.tree.leaves(want)
    if len(got) != len(want):
        return f"{len(got)} results, expected {len(want)}"
    for index, (a, b) in enumerate(zip(got, want)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"result {index} is {a.dtype}{list(a.shape)}, expected {b.dtype}{list(b.shape)}"
        wide = (lambda v: v) if exact_type(b) or np.iscomplexobj(b) else (lambda v: v.astype(np.float64))
        if not (np.array_equal(a, b) if exact_type(b) else np.allclose(wide(a), wide(b), rtol, atol, equal_nan=True)):
            if not exact_type(b) and is_near(a, b, functools.partial(exact, index)):
                continue
            return f"result {index}: largest difference {np.max(np.abs(wide(a) - wide(b)))}"
    return None


def main():
    names = sys.argv[1:] or list(PROGRAMS)
    right, wrong, failed = 0, [], []
    for name in names:
        function, arguments, rtol, atol = PROGRAMS[name]
        want = run(function, arguments, "cpu")
        try:
            problem = compare(run(function, arguments, "kiln"), want, rtol, atol,
                              functools.partial(exact_result, function, arguments))
        except Exception as error:  # whatever JAX raises
            lines = str(error).strip().split("\n")
            print(f"{name}: failed: {type(error).__name__}: {lines[0][:300]}", flush=True)
            if os.environ.get("KILN_JAX_TRACE"):
                traceback.print_exc()
            failed.append(name)
            continue
        if problem:
            wrong.append(name)
        else:
            right += 1
        print(f"{name}: {'wrong: ' + problem if problem else 'right'}", flush=True)
    print(f"{right} right, {len(wrong)} wrong, {len(failed)} failed")
    unexpected = [name for name in failed if name not in EXPECTED]
    return 1 if wrong or unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
