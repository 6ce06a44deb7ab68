# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factorisations of matrices of a few rows, element by element, as JAX functions.

Each element of a matrix is a tensor of the batch. So they are elementwise operations, which become a part of the kernel
around them, also in a loop such as a Kalman filter's: a function of the host would be called in each of its steps."""
import jax.numpy as jnp
import numpy as np
from jax import lax

#: Rows and columns.
MOST = 4


def fits(a):
    """Whether matrices are of that size."""
    return 0 not in a.shape and all(isinstance(n, int) and n <= MOST for n in a.shape[-2:])


def elements(a):
    rows, columns = a.shape[-2:]
    return [[a[..., i, j] for j in range(columns)] for i in range(rows)]


def joined(rows):
    return jnp.stack([jnp.stack(row, -1) for row in rows], -2)


def size(x):
    """By which LAPACK chooses a pivot."""
    return jnp.abs(x.real) + jnp.abs(x.imag) if jnp.iscomplexobj(x) else jnp.abs(x)


def lu(a):
    """L and U in one, the exchanges of rows, and the permutation that they come to."""
    rows = elements(a)
    count, width = len(rows), len(rows[0])
    order = [jnp.full(a.shape[:-2], i, np.int32) for i in range(count)]
    pivots = []
    for k in range(min(count, width)):
        best, pivot = size(rows[k][k]), order[k] * 0 + k
        for i in range(k + 1, count):
            is_better = size(rows[i][k]) > best
            best, pivot = jnp.where(is_better, size(rows[i][k]), best), jnp.where(is_better, np.int32(i), pivot)
        pivots.append(pivot)
        for i in range(k + 1, count):
            here = pivot == i
            both = list(zip(rows[k], rows[i]))
            rows[k] = [jnp.where(here, y, x) for x, y in both]
            rows[i] = [jnp.where(here, x, y) for x, y in both]
            order[k], order[i] = jnp.where(here, order[i], order[k]), jnp.where(here, order[k], order[i])
        head = rows[k][k]
        safe = jnp.where(head == 0, 1, head)
        for i in range(k + 1, count):
            factor = rows[i][k] / safe
            rest = [y - factor * x for x, y in zip(rows[k][k + 1:], rows[i][k + 1:])]
            rows[i] = [*rows[i][:k], factor, *rest]
    return joined(rows), jnp.stack(pivots, -1), jnp.stack(order, -1)


def cholesky(a):
    """The lower root; all of it is NaN if there is none."""
    given = elements(a)
    count = len(given)
    root = [[jnp.zeros_like(given[0][0])] * count for _ in range(count)]
    exists = True
    for j in range(count):
        square = given[j][j].real - sum(lax.square(jnp.abs(x)) for x in root[j][:j])
        exists = exists & (square > 0)
        head = jnp.sqrt(square)
        root[j][j] = head.astype(a.dtype)
        for i in range(j + 1, count):
            rest = given[i][j] - sum(x * jnp.conj(y) for x, y in zip(root[i][:j], root[j][:j]))
            root[i][j] = rest / head.astype(a.dtype)
    none = jnp.asarray(np.nan, a.dtype)
    return joined([[jnp.where(exists, x, none) if j <= i else x for j, x in enumerate(row)] for i, row in enumerate(root)])


def triangular_solve(a, b, lower, unit):
    """a x = b, with any number of columns on the right."""
    matrix = elements(a)
    count = len(matrix)
    found = {}
    for i in range(count) if lower else reversed(range(count)):
        rest = b[..., i, :]
        for j, x in found.items():
            rest = rest - matrix[i][j][..., None] * x
        found[i] = rest if unit else rest / matrix[i][i][..., None]
    return jnp.stack([found[i] for i in range(count)], -2)
