# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Roots and triangular equations of large matrices on GPUs, block by block, as JAX functions.

Kernels of the GPU factorise the blocks of the diagonal, and solve equations with them; products do the rest. The loop over
blocks has a constant count, so that the host queues all of it."""
import os

import jax.numpy as jnp
import numpy as np
from jax import lax

from kiln import near


def rows_of_block(a):
    """The largest power of two of rows for which the target has kernels, of matrices like these; 0 if it has none, or if they are
    small enough for them."""
    if a.dtype not in (np.float32, np.float64) or 0 in a.shape or not all(isinstance(n, int) for n in a.shape):
        return 0
    target = os.environ.get("KILN_JAX_TARGET", "cpu")
    size = 1
    while near.holds_matrices(target, 2 * size, 2 * size, a.dtype.itemsize):
        size *= 2
    return size if 1 < size < a.shape[-1] else 0


def padded(a, size):
    """With ones on the diagonal of the rows and columns that complete the last block."""
    missing = -a.shape[-1] % size
    a = jnp.pad(a, [(0, 0)] * (a.ndim - 2) + [(0, missing)] * 2)
    ones = np.arange(a.shape[-1]) >= a.shape[-1] - missing
    return a + jnp.diag(ones.astype(a.dtype)) if missing else a


def product(a, b):
    return jnp.matmul(a, b, precision=lax.Precision.HIGHEST)


def block_at(a, first, size, axis):
    return lax.dynamic_slice_in_dim(a, first, size, axis)


def cholesky(a, size):
    """The lower root. What a column of blocks explains is taken from all that is right of it."""
    count = a.shape[-1]
    a = padded(a, size)
    rows = np.arange(a.shape[-1])[:, None]

    def step(k, state):
        rest, root = state
        first = k * size
        column = block_at(rest, first, size, rest.ndim - 1)
        head = lax.linalg.cholesky(block_at(column, first, size, rest.ndim - 2), symmetrize_input=False)
        below = lax.linalg.triangular_solve(head, column, lower=True, transpose_a=True)
        below = jnp.where(rows >= first + size, below, 0)
        column = lax.dynamic_update_slice_in_dim(below, head, first, rest.ndim - 2)
        return rest - product(below, below.mT), lax.dynamic_update_slice_in_dim(root, column, first, rest.ndim - 1)

    root = lax.fori_loop(0, a.shape[-1] // size, step, (a, jnp.zeros_like(a)))[1][..., :count, :count]
    # If a block has no root, none of the matrix has one.
    exists = jnp.all(jnp.diagonal(root, axis1=-2, axis2=-1) > 0, -1)[..., None, None]
    return jnp.where(exists, root, jnp.tril(jnp.full_like(root, np.nan)))


def triangular_solve(a, b, size, lower, unit):
    """a x = b. Rows that are found are taken from all others."""
    count = a.shape[-1]
    a = padded(a, size)
    b = jnp.pad(b, [(0, 0)] * (b.ndim - 2) + [(0, a.shape[-1] - count), (0, 0)])
    rows, blocks = np.arange(a.shape[-1])[:, None], a.shape[-1] // size

    def step(k, state):
        rest, x = state
        first = (k if lower else blocks - 1 - k) * size
        column = block_at(a, first, size, a.ndim - 1)
        found = lax.linalg.triangular_solve(block_at(column, first, size, a.ndim - 2), block_at(rest, first, size, rest.ndim - 2),
                                            left_side=True, lower=lower, unit_diagonal=unit)
        others = jnp.where(rows >= first + size if lower else rows < first, column, 0)
        return rest - product(others, found), lax.dynamic_update_slice_in_dim(x, found, first, rest.ndim - 2)

    return lax.fori_loop(0, blocks, step, (b, jnp.zeros_like(b)))[1][..., :count, :]
