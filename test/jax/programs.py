# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as JAX's users write them, run through the PJRT plug-in and by JAX's own CPU backend.

    programs.py [NAME...]        all, or those named; needs jax, and the package `kiln` on PYTHONPATH

Prints a line each and the counts; the exit status is 1 where a result is wrong or a program that is
not among EXPECTED fails. Random inputs come from seeds."""
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


_ON_CPU = False


def run(function, arguments, platform):
    global _ON_CPU
    _ON_CPU = platform == "cpu"
    with jax.default_device(jax.devices(platform)[0]):
        return jax.tree.map(np.asarray, jax.jit(function)(*arguments))


def compare(got, want, rtol, atol):
    """What differs, or None."""
    got, want = jax.tree.leaves(got), jax.tree.leaves(want)
    if len(got) != len(want):
        return f"{len(got)} results, expected {len(want)}"
    for index, (a, b) in enumerate(zip(got, want)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"result {index} is {a.dtype}{list(a.shape)}, expected {b.dtype}{list(b.shape)}"
        exact = not np.issubdtype(b.dtype, np.inexact) and b.dtype != jnp.bfloat16
        wide = (lambda v: v) if exact or np.iscomplexobj(b) else (lambda v: v.astype(np.float64))
        if not (np.array_equal(a, b) if exact else np.allclose(wide(a), wide(b), rtol, atol, equal_nan=True)):
            return f"result {index}: largest difference {np.max(np.abs(wide(a) - wide(b)))}"
    return None


def main():
    names = sys.argv[1:] or list(PROGRAMS)
    right, wrong, failed = 0, [], []
    for name in names:
        function, arguments, rtol, atol = PROGRAMS[name]
        want = run(function, arguments, "cpu")
        try:
            problem = compare(run(function, arguments, "kiln"), want, rtol, atol)
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
