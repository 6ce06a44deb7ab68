#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times loops of JAX programs on Kiln beside XLA's CPU backend, by turns, in one process.

loops.py [NAME...] [--rounds=N]

Needs jax, and kiln for Python. Results are compared. Prints the smallest time of each, and their ratio: below 1, Kiln
is faster.
"""
import argparse
import os
import time

os.environ["JAX_PLATFORMS"] = "kiln,cpu"
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

STEPS = 100_000
LOOPS = {}


def loop(example):
    def add(function):
        LOOPS[function.__name__] = function, example
        return function
    return add


@loop(np.float32(1))
def fori(x):
    return lax.fori_loop(0, STEPS, lambda i, s: s + jnp.sin(s) * 1e-3, x)


@loop(np.float32(1))
def while_loop(x):
    return lax.while_loop(lambda c: c[0] < STEPS, lambda c: (c[0] + 1, c[1] + jnp.sin(c[1]) * 1e-3), (0, x))


@loop(np.float32(1))
def scan(x):
    return lax.scan(lambda s, _: (s + jnp.sin(s) * 1e-3, s), x, None, length=STEPS)


@loop(np.linspace(0, 1, 10_000, dtype=np.float32))
def scattered(a):
    n = a.shape[0]

    def body(i, a):
        j = (i * 7919) % n
        return a.at[j].set(a[(j * 31 + 1) % n] * 0.5 + a[j])
    return lax.fori_loop(0, n, body, a)


@loop(np.linspace(0, 1, 10_100, dtype=np.float32))
def updated_slices(a):
    def body(i, a):
        return lax.dynamic_update_slice(a, lax.dynamic_slice(a, (i,), (8,)) * 0.5 + 1, (i + 8,))
    return lax.fori_loop(0, 10_000, body, a)


@loop(np.array([1, 0.5], np.float32))
def gradient_of_an_equation(start):
    """Of a pendulum's place after 1,000 steps of Runge and Kutta's method."""
    def slope(y):
        return jnp.stack([y[1], -jnp.sin(y[0])])

    def step(y, _, h=0.01):
        a = slope(y)
        b = slope(y + h / 2 * a)
        c = slope(y + h / 2 * b)
        d = slope(y + h * c)
        return y + h / 6 * (a + 2 * b + 2 * c + d), None
    return jax.grad(lambda y: (lax.scan(step, y, None, length=1000)[0] ** 2).sum())(start)


@loop(np.linspace(0, 1, 8000, dtype=np.float32).reshape(1000, 8))
def recurrent(xs):
    weights = jnp.eye(8) * 0.5
    return lax.scan(lambda h, x: (jnp.tanh(weights @ h + x), h.sum()), jnp.zeros(8), xs)[1]


def measure(name, rounds):
    function, example = LOOPS[name]
    runs, results = [], []
    for device in (jax.devices("kiln")[0], jax.devices("cpu")[0]):
        given, compiled = jax.device_put(example, device), jax.jit(function)
        results.append(jax.tree.leaves(jax.tree.map(np.asarray, compiled(given))))
        runs.append(lambda compiled=compiled, given=given: jax.block_until_ready(compiled(given)))
    best = [float("inf")] * 2
    for _ in range(rounds):
        for number, run in enumerate(runs):
            start = time.perf_counter()
            run()
            best[number] = min(best[number], time.perf_counter() - start)
    for got, want in zip(*results):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    print(f"{name:24} kiln {best[0] * 1e3:8.3f} ms, xla {best[1] * 1e3:8.3f} ms, ratio {best[0] / best[1]:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    for name in options.names or LOOPS:
        measure(name, options.rounds)


if __name__ == "__main__":
    main()
