# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Roots, LU and triangular equations of large matrices on GPUs, block by block, as JAX functions.

Kernels of the GPU factorise the blocks of the diagonal, or of all rows of a few columns for LU, and solve equations with them; products
do the rest. The loop over blocks has a constant count, so that the host queues all of it."""
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


#: Bytes of the columns of a block that a kernel keeps in registers while it factorises them.
PANEL = 1 << 16
#: Rows and columns from which on LU goes block by block: each block takes many launches, which take the host longer than smaller matrices do.
LEAST = 512


def columns_of_panel(a):
    """How many columns LU factorises at once, or 0 for matrices that it does not factorise by blocks, such as several at once."""
    if a.dtype not in (np.float32, np.float64) or not all(isinstance(n, int) for n in a.shape) or min(a.shape[-2:]) < LEAST:
        return 0
    if int(np.prod(a.shape[:-2])) != 1:
        return 0
    size = a.dtype.itemsize
    if not near.holds_matrices(os.environ.get("KILN_JAX_TARGET", "cpu"), 2, 2, size):
        return 0
    held = PANEL // (size << (a.shape[-2] - 1).bit_length())
    return min(held, 32) if held >= 4 else 0


def panel_lu(panel, first):
    """L and U of the columns of a block in one, with rows in the order in which they come; where each row goes; and the exchanges of
    rows. Rows above `first` are those of earlier blocks. Rows stay in their places, where a kernel may hold them in registers."""
    rows, size = panel.shape[-2:]
    count = 1 << (rows - 1).bit_length()
    panel = jnp.pad(panel, [(0, 0)] * (panel.ndim - 2) + [(0, count - rows), (0, 0)])
    column = np.arange(size)

    def step(j, state):
        panel, place, pivots = state
        target = first + j
        here = jnp.sum(jnp.where(column == j, panel, 0), -1)
        left = place >= target
        # A NaN is taken as the largest.
        length = jnp.where(left, jnp.where(here == here, jnp.abs(here), np.inf), -1)
        largest = length == jnp.max(length, -1, keepdims=True)
        pivot = jnp.min(jnp.where(largest, place, count), -1, keepdims=True)
        chosen = place == pivot
        row = jnp.sum(jnp.where(chosen[..., None], panel, 0), -2)
        head = jnp.sum(jnp.where(column == j, row, 0), -1, keepdims=True)
        place = jnp.where(chosen, target, jnp.where(place == target, pivot, place))
        factor = jnp.where(place > target, here / jnp.where(head == 0, 1, head), 0)[..., None]
        # What is finished stays as it is: zero times a NaN is a NaN.
        below = (place > target)[..., None]
        panel = jnp.where(below & (column > j), panel - factor * row[..., None, :], jnp.where(below & (column == j), factor, panel))
        return panel, place, jnp.where(column == j, pivot, pivots)

    place = jnp.broadcast_to(np.arange(count, dtype=np.int32), panel.shape[:-1])
    panel, place, pivots = lax.fori_loop(0, size, step, (panel, place, jnp.zeros((*panel.shape[:-2], size), np.int32)))
    return panel[..., :rows, :], place[..., :rows], pivots


def lu(a, size):
    """L and U in one, the exchanges of rows, and the permutation that they come to. Columns are factorised by blocks, and the products
    of a block's columns and rows are taken from what is right of it and below."""
    given_rows, given_columns = a.shape[-2:]
    if given_rows < given_columns:
        factors, pivots, rows = lu(a[..., :given_rows], size)
        right = jnp.take_along_axis(a[..., given_rows:], rows[..., None], -2)
        right = lax.linalg.triangular_solve(factors, right, left_side=True, lower=True, unit_diagonal=True)
        return jnp.concatenate([factors, right], -1), pivots, rows
    # Zeros complete the last block: no row goes before another there.
    width = given_columns + -given_columns % size
    a = jnp.pad(a, [(0, 0)] * (a.ndim - 2) + [(0, max(width - given_rows, 0)), (0, width - given_columns)])
    count = a.shape[-2]
    row, column = np.arange(count)[:, None], np.arange(width)

    def step(k, state):
        a, pivots, rows = state
        first = k * size
        panel, place, found = panel_lu(block_at(a, first, size, a.ndim - 1), first)
        source = jnp.argsort(place, -1)[..., None]
        a = lax.dynamic_update_slice_in_dim(a, panel, first, a.ndim - 1)
        a = jnp.take_along_axis(a, source, -2)
        rows = jnp.take_along_axis(rows, source[..., 0], -1)
        columns = block_at(a, first, size, a.ndim - 1)
        across = lax.linalg.triangular_solve(block_at(columns, first, size, a.ndim - 2), block_at(a, first, size, a.ndim - 2),
                                             left_side=True, lower=True, unit_diagonal=True)
        across = jnp.where(column >= first + size, across, 0)
        below = jnp.where(row >= first + size, columns, 0)
        own = lax.dynamic_update_slice_in_dim(jnp.zeros_like(a), across, first, a.ndim - 2)
        right = column >= first + size
        a = jnp.where((row >= first + size) & right, a - product(below, across), jnp.where((row >= first) & right, own, a))
        return a, lax.dynamic_update_slice_in_dim(pivots, found, first, pivots.ndim - 1), rows

    lead = a.shape[:-2]
    start = (a, jnp.zeros((*lead, width), np.int32), jnp.broadcast_to(np.arange(count, dtype=np.int32), (*lead, count)))
    a, pivots, rows = lax.fori_loop(0, width // size, step, start)
    return a[..., :given_rows, :given_columns], pivots[..., :given_columns], rows[..., :given_rows]
