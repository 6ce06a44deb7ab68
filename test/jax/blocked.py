# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Roots, LU and triangular equations of matrices that are larger than the blocks a GPU has kernels for, against NumPy.

    blocked.py      needs jax, the package `kiln` on PYTHONPATH, and KILN_JAX_TARGET for a GPU or its simulator

Prints a line each; the exit status is 1 where one is wrong."""
import itertools
import os
import sys

os.environ["JAX_PLATFORMS"] = "kiln"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from kiln import jax_blocked


def loops(function, *arguments):
    """How often the program of one device has a loop over blocks, and a function of the host."""
    text = jax.jit(function).lower(*arguments).as_text()
    return text.count("stablehlo.while"), text.count("@kiln.")


def main():
    rng = np.random.default_rng(0)
    wrong = 0

    def check(name, error, limit):
        nonlocal wrong
        is_right = error <= limit
        wrong += not is_right
        print(f"{name}: {'right' if is_right else f'wrong: {error}'}", flush=True)

    for shape in (130, 130), (2, 65, 65):
        count = shape[-1]
        a = rng.standard_normal(shape).astype("float32")
        spd = a @ np.swapaxes(a, -1, -2) / count + np.eye(count, dtype="float32")
        name = "x".join(map(str, shape))
        assert loops(jnp.linalg.cholesky, spd)[0] == 1, "not block by block"
        root = np.asarray(jax.jit(jnp.linalg.cholesky)(spd))
        check(f"root of {name}", abs(root - np.linalg.cholesky(spd.astype("float64"))).max(), 1e-5)
        # Of several matrices one has no root.
        mixed = np.concatenate([spd.reshape(-1, count, count)[:1], -spd.reshape(-1, count, count)[:1]])
        found = np.asarray(jax.jit(jnp.linalg.cholesky)(mixed))
        below = np.tril(np.ones((count, count), bool))
        check(f"no root of {name}", float(not np.isnan(found[1][below]).all() or np.isnan(found[0]).any() or (found[1][~below] != 0).any()), 0)
        for left, lower, transposed in itertools.product((True, False), repeat=3):
            b = rng.standard_normal((*shape[:-1], 5)).astype("float32")
            b = b if left else np.ascontiguousarray(np.swapaxes(b, -1, -2))
            x = np.asarray(jax.jit(lambda a, b: lax.linalg.triangular_solve(
                a, b, left_side=left, lower=lower, transpose_a=transposed))(spd, b), "float64")
            used = (np.tril if lower else np.triu)(spd).astype("float64")
            used = np.swapaxes(used, -1, -2) if transposed else used
            check(f"equations of {name} {left} {lower} {transposed}", abs((used @ x if left else x @ used) - b).max(), 1e-4)
    jax_blocked.LEAST = 36  # smaller matrices than those for which it pays
    several = np.zeros((2, 65, 65), "float32")
    assert loops(lax.linalg.lu, several) == (0, 1), "several matrices are not left to LAPACK"
    for shape in (70, 70), (1, 65, 65), (80, 36), (36, 80):
        a = rng.standard_normal(shape).astype("float32")
        assert loops(lax.linalg.lu, a)[0] >= 2, "not block by block"
        factors, pivots, rows = (np.asarray(one) for one in jax.jit(lax.linalg.lu)(a))
        count = min(shape[-2:])
        lower = np.tril(factors.astype("float64"), -1)[..., :count] + np.eye(shape[-2], count)
        upper = np.triu(factors.astype("float64"))[..., :count, :]
        name = "x".join(map(str, shape))
        check(f"LU of {name}", abs(lower @ upper - np.take_along_axis(a, rows[..., None], -2)).max(), 1e-5)
        check(f"largest factor of {name}", abs(lower).max(), 1)
        # The exchanges of rows come to the permutation.
        for one, order in zip(pivots.reshape(-1, count), rows.reshape(-1, shape[-2])):
            changed = np.arange(shape[-2])
            for k, pivot in enumerate(one):
                changed[[k, pivot]] = changed[[pivot, k]]
            check(f"exchanges of {name}", float((changed != order).any()), 0)
        # What is before a column and above it depends on nothing in it.
        for value in (np.nan, np.inf):
            changed = a.copy()
            changed[..., 20:23, 34] = value
            found = np.asarray(jax.jit(lax.linalg.lu)(changed)[0])
            check(f"columns before {value} of {name}", float((found[..., :34, :34] != factors[..., :34, :34]).any()), 0)
    a = rng.standard_normal((2, 65, 65)).astype("float32")
    unit = np.asarray(jax.jit(lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True, unit_diagonal=True))(a[0] / 9, b[0].T))
    used = np.tril(a[0] / 9, -1) + np.eye(65)
    check("ones on the diagonal", abs(used @ unit - b[0].T).max(), 1e-3 * abs(unit).max())
    print(f"{wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
