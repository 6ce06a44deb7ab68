# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits a network to a curve in JAX, every step one program of Kiln's: gradients, Adam, random numbers.

    PYTHONPATH=build/python JAX_PLATFORMS=kiln python examples/train_jax.py [STEPS]
"""
import functools
import sys

import jax
import jax.numpy as jnp


def init(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [(jax.random.normal(k, (m, n)) / jnp.sqrt(m), jnp.zeros(n)) for k, m, n in zip(keys, sizes, sizes[1:])]


def predict(params, x):
    for w, b in params[:-1]:
        x = jnp.tanh(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def loss_of(params, x, y):
    return jnp.mean((predict(params, x) - y) ** 2)


@functools.partial(jax.jit, donate_argnums=(0, 1))
def step(params, moments, number, key):
    x = jax.random.uniform(key, (128, 1), minval=-3.0, maxval=3.0)
    loss, grads = jax.value_and_grad(loss_of)(params, x, jnp.sin(2 * x) + 0.3 * x)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], grads)
    second = jax.tree.map(lambda m, g: 0.999 * m + 0.001 * g * g, moments[1], grads)
    rate = 1e-2 * jnp.sqrt(1 - 0.999 ** number) / (1 - 0.9 ** number)
    params = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), params, first, second)
    return params, (first, second), loss


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    key = jax.random.key(0)
    params = init(key, (1, 64, 64, 1))
    moments = tuple(jax.tree.map(jnp.zeros_like, params) for _ in range(2))
    for number in range(1, steps + 1):
        params, moments, loss = step(params, moments, float(number), jax.random.fold_in(key, number))
        if number % 100 == 0 or number == steps:
            print(f"step {number}: loss {float(loss):.5f}", flush=True)
    print(f"on {jax.devices()[0].platform}")


if __name__ == "__main__":
    main()
