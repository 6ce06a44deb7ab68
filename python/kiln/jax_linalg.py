# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of matrices that StableHLO has no operation for, as JAX functions.

JAX has its own rules for processors and GPUs, which call libraries. These stand for them on Kiln: larger real matrices, and on
processors a few small ones, are for functions of the host. On GPUs kernels factorise small ones by LU and Cholesky. Others have
Householder reflections one column after the other, and rotations of all pairs of a round at once (Jacobi's method)."""
import contextvars
import functools
import math
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from kiln import jax_blocked, jax_small, near


def adjoint(x):
    return jnp.conj(jnp.swapaxes(x, -1, -2))


#: Rows and columns from which on matrices are the host's on every target.
LARGE = 33


#: Rows and columns up to which many matrices at once fill vectors.
TINY = 4


def is_close():
    """Whether the host has the memory that the target computes in."""
    return near.is_near(os.environ.get("KILN_JAX_TARGET", "cpu"))


#: Whether the program that is lowered leaves this process (`jax.export`). It has operations of StableHLO only: a custom call is nothing
#: that JAX lets out, and the decision between the host and the device is not known here.
EXPORTS = contextvars.ContextVar("exports", default=False)


def are_known(a):
    """Whether such matrices may be of a function that this process chooses by their sizes."""
    return not EXPORTS.get() and 0 not in a.shape and all(isinstance(n, int) for n in a.shape[-2:])


def is_large(a):
    """Whether matrices are for functions of the host."""
    if a.dtype not in (np.float32, np.float64) or not are_known(a):
        return False
    lead = a.shape[:-2]
    are_few = all(isinstance(n, int) for n in lead) and math.prod(lead) <= near.SEVERAL
    rows, columns = a.shape[-2:]
    return max(rows, columns) >= LARGE or (min(rows, columns) > 1 and is_close() and (are_few or max(rows, columns) > TINY))


def is_held(a):
    """Whether a GPU has a kernel for such matrices, each in the registers of a block."""
    rows, columns = a.shape[-2:]
    if a.dtype not in (np.float32, np.float64) or not are_known(a):
        return False
    return near.holds_matrices(os.environ.get("KILN_JAX_TARGET", "cpu"), rows, columns, a.dtype.itemsize)


def host(function, *operands, **results):
    """Calls prim's operation of that name; `results` are (shape, dtype) of each, behind the batch."""
    lead = operands[0].shape[:-2]
    types = [jax.ShapeDtypeStruct((*lead, *shape), dtype) for shape, dtype in results.values()]
    return jax.ffi.ffi_call(f"kiln.{function}", types)(*operands)


def host_square(function, a, reals):
    """One with results of one row, or one matrix, and a number behind them."""
    n = a.shape[-1]
    results = {str(i): ((n,) * rank, a.dtype) for i, rank in enumerate(reals)}
    return host(function, a, **results, info=((), np.int32))[:-1]


def lu(a):
    """L and U in one, the exchanges of rows, and the permutation that they come to."""
    from jax._src.lax import linalg

    if jax_small.fits(a):
        return jax_small.lu(a)
    if not all(isinstance(n, int) for n in a.shape[-2:]):
        # JAX's function counts blocks of columns; this one, a loop over columns, has its results in another order.
        unblocked = linalg._lu_unblocked
        for _ in a.shape[:-2]:
            unblocked = jax.vmap(unblocked)
        pivots, rows, factors = unblocked(a)
        return factors, pivots, rows
    if is_paired(a):
        return complex_lu(a)
    if are_known(a) and (size := jax_blocked.columns_of_panel(a)):
        return jax_blocked.lu(a, size)
    if not is_large(a) and not is_one_call(a):
        return linalg._lu_python(a)
    m, n = a.shape[-2:]
    return host("lu", a, lu=((m, n), a.dtype), pivots=((min(m, n),), np.int32), rows=((m,), np.int32), info=((), np.int32))[:3]


def eig(a, *, compute_left_eigenvectors, compute_right_eigenvectors, **_):
    """Values and right vectors of real matrices."""
    if a.dtype not in (np.float32, np.float64) or compute_left_eigenvectors:
        raise NotImplementedError("kiln computes right eigenvectors of real matrices only")
    re, im, vre, vim = host_square("eig", a, (1, 1, 2, 2))
    return (lax.complex(re, im), lax.complex(vre, vim))[:2 if compute_right_eigenvectors else 1]


def geqrf(a):
    """R in the upper triangle, below it the reflections without their leading ones; and their factors."""
    rows, columns = a.shape[-2:]
    count = min(rows, columns)
    if is_large(a):
        return host("householder_qr", a, factors=((rows, columns), a.dtype), scales=((count,), a.dtype))
    if is_paired_call(a):
        kind = a.real.dtype
        a, factors = host("complex_householder_qr", paired(a), factors=((rows, 2 * columns), kind), scales=((2 * count,), kind))
        return unpaired(a), unpaired(factors)
    row, column = np.arange(rows), np.arange(columns)

    def step(k, state):
        a, factors = state
        x = lax.dynamic_index_in_dim(a, k, a.ndim - 1, keepdims=False)
        alpha = lax.dynamic_index_in_dim(x, k, x.ndim - 1)
        below = jnp.where(row > k, x, 0)
        largest = jnp.max(jnp.abs(below), -1, keepdims=True, initial=0)
        unit = below / jnp.where(largest == 0, 1, largest)
        rest = largest * jnp.sqrt(jnp.sum(jnp.abs(unit) ** 2, -1, keepdims=True))
        length = jnp.hypot(jnp.abs(alpha), rest)
        beta = jnp.where(alpha.real < 0, length, -length).astype(a.dtype)
        none = (rest == 0) & (alpha.imag == 0)
        beta = jnp.where(none, alpha, beta)
        factor = jnp.where(none, 0, (beta - alpha) / jnp.where(none, 1, beta))
        v = jnp.where(row == k, 1, below / jnp.where(none, 1, alpha - beta)).astype(a.dtype)
        change = jnp.conj(factor)[..., None] * v[..., None] * jnp.matmul(jnp.conj(v)[..., None, :], a)
        a = a - jnp.where(column > k, change, 0)
        kept = jnp.where(row > k, v, jnp.where(row == k, beta, x))
        a = jnp.where(column == k, kept[..., None], a)
        factors = jnp.where(np.arange(count) == k, factor, factors)
        return a, factors

    return lax.fori_loop(0, count, step, (a, jnp.zeros(a.shape[:-2] + (count,), a.dtype)))


def householder_product(a, factors):
    """The first columns of the product of the reflections that geqrf gives."""
    rows, columns = a.shape[-2:]
    if is_large(a):
        return host("householder_product", a, factors, result=((rows, columns), a.dtype))[0]
    if is_paired_call(a):
        result = ((rows, 2 * columns), a.real.dtype)
        return unpaired(host("complex_householder_product", paired(a), paired(factors), result=result)[0])
    row = np.arange(rows)
    count = factors.shape[-1]

    def step(i, q):
        k = count - 1 - i
        x = lax.dynamic_index_in_dim(a, k, a.ndim - 1, keepdims=False)
        v = jnp.where(row > k, x, jnp.where(row == k, 1, 0)).astype(a.dtype)
        factor = lax.dynamic_index_in_dim(factors, k, factors.ndim - 1)
        return q - factor[..., None] * v[..., None] * jnp.matmul(jnp.conj(v)[..., None, :], q)

    return lax.fori_loop(0, count, step, jnp.broadcast_to(jnp.eye(rows, columns, dtype=a.dtype), a.shape))


def turns(half):
    """Where each of 2 * half players comes from, so that all meet in 2 * half - 1 rounds of pairs (i, half + i)."""
    top, bottom = np.arange(half), np.arange(half, 2 * half)
    if half < 2:
        return np.concatenate([top, bottom])
    return np.concatenate([top[:1], bottom[:1], top[1:-1], bottom[1:], top[-1:]])


def rotation(p, q, pq):
    """Cosine and sine by which pairs with these squares and products become orthogonal; the sine has pq's phase."""
    size = jnp.abs(pq)
    none = size == 0
    safe = jnp.where(none, 1, size)
    slope = (q - p) / (2 * safe)
    tangent = jnp.where(slope < 0, -1, 1) / (jnp.abs(slope) + jnp.sqrt(1 + slope * slope))
    tangent = jnp.where(none, 0, tangent)
    cosine = lax.rsqrt(1 + tangent * tangent)
    return cosine, (tangent * cosine).astype(pq.dtype) * (pq / safe)


def turn(x, cosine, sine):
    """Rotates columns i and half + i of matrices."""
    half = x.shape[-1] // 2
    p, q = x[..., :half], x[..., half:]
    c, s = cosine[..., None, :].astype(x.dtype), sine[..., None, :]
    return jnp.concatenate([c * p - jnp.conj(s) * q, s * p + c * q], -1)


def even(x, axes):
    """A zero row or column more where their number is odd."""
    widths = [(0, 0)] * x.ndim
    for axis in axes:
        widths[axis] = (0, x.shape[axis] % 2)
    return jnp.pad(x, widths)


def sweeps(rounds, step, state):
    """Rounds of rotations until `step`, which ends its state with the worst that a round found, finds little."""

    def go(carry):
        return (carry[0] < 30) & jnp.any(carry[1][-1] > 0)

    def sweep(carry):
        state = carry[1][:-1] + (jnp.zeros_like(carry[1][-1]),)
        return carry[0] + 1, lax.fori_loop(0, rounds, lambda _, state: step(state), state)

    return lax.while_loop(go, sweep, (0, state))[1]


def eigh(a, *, lower=True, sort_eigenvalues=True, subset_by_index=None, algorithm=None, **_):
    """Vectors and values of Hermitian matrices, by ascending values."""
    size = a.shape[-1]
    if subset_by_index not in (None, (0, size)):
        raise NotImplementedError("kiln computes all eigenvalues, not a subset")
    if is_large(a):
        w, v = host_square("eigh", a if lower else adjoint(a), (1, 2))
        return v, w
    if is_paired_call(a):
        kind = a.real.dtype
        w, v, _ = host("complex_eigh", paired(a if lower else adjoint(a)), w=((size,), kind), v=((size, 2 * size), kind), info=((), np.int32))
        return unpaired(v), w
    real = jnp.finfo(a.dtype)
    if size == 0:
        return a, jnp.zeros(a.shape[:-1], real.dtype)
    inner = jnp.tril(a, -1) if lower else jnp.triu(a, 1)
    diagonal = jnp.diagonal(a, axis1=-2, axis2=-1).real
    a = inner + adjoint(inner) + jnp.eye(size, dtype=a.dtype) * diagonal[..., None].astype(a.dtype)
    a = even(a, (-1, -2))
    wide = a.shape[-1]
    half, order = wide // 2, turns(wide // 2)
    eye = jnp.eye(wide, dtype=a.dtype)
    limit = float(real.eps) / wide * jnp.sqrt(jnp.sum(jnp.abs(a) ** 2, (-1, -2)))

    def step(state):
        a, v, worst = state
        diagonal = jnp.diagonal(a, axis1=-2, axis2=-1).real
        pq = jnp.diagonal(a[..., :half, half:], axis1=-2, axis2=-1)
        worst = jnp.maximum(worst, jnp.max(jnp.abs(pq), -1) - limit)
        c, s = rotation(diagonal[..., :half], diagonal[..., half:], pq)
        a = adjoint(turn(adjoint(turn(a, c, s)), c, s))
        return a[..., order, :][..., order], turn(v, c, s)[..., order], worst

    start = (a, jnp.broadcast_to(eye, a.shape), jnp.ones(a.shape[:-2], real.dtype))
    a, v, _ = sweeps(max(wide - 1, 1), step, start)
    w = jnp.diagonal(a, axis1=-2, axis2=-1).real
    # After whole sweeps everything is in its place: what was added is last.
    w, v = w[..., :size], v[..., :size, :size]
    if sort_eigenvalues:
        places = jnp.argsort(w, axis=-1)
        w = jnp.take_along_axis(w, places, -1)
        v = jnp.take_along_axis(v, places[..., None, :], -1)
    return v, w


def svd(a, *, full_matrices=True, compute_uv=True, subset_by_index=None, algorithm=None, **_):
    """Singular values, by descending size, and vectors."""
    rows, columns = a.shape[-2:]
    if subset_by_index not in (None, (0, min(rows, columns))):
        raise NotImplementedError("kiln computes all singular values, not a subset")
    count, full = min(rows, columns), full_matrices and compute_uv
    left, right = (rows, columns) if full else (count, count)
    flag = " full" if full else ""
    if is_large(a):
        u, s, vt, _ = host("svd" + flag, a, u=((rows, left), a.dtype), s=((count,), a.dtype), vt=((right, columns), a.dtype),
                           info=((), np.int32))
        return (s, u, vt) if compute_uv else (s,)
    if is_paired_call(a):
        kind = a.real.dtype
        u, s, vh, _ = host("complex_svd" + flag, paired(a), u=((rows, 2 * left), kind), s=((count,), kind),
                           vh=((right, 2 * columns), kind), info=((), np.int32))
        return (s, unpaired(u), unpaired(vh)) if compute_uv else (s,)
    real = jnp.finfo(a.dtype)
    if rows < columns:
        found = svd(adjoint(a), full_matrices=full_matrices, compute_uv=compute_uv)
        return (found[0], adjoint(found[2]), adjoint(found[1])) if compute_uv else found
    if columns == 0:
        none = jnp.zeros(a.shape[:-2] + (0,), real.dtype)
        u = jnp.broadcast_to(jnp.eye(rows, rows if full_matrices else 0, dtype=a.dtype),
                             a.shape[:-2] + (rows, rows if full_matrices else 0))
        return (none, u, jnp.zeros(a.shape[:-2] + (0, 0), a.dtype)) if compute_uv else (none,)
    # Squares of what is scaled neither overflow nor vanish.
    scale = jnp.max(jnp.abs(a), (-1, -2), keepdims=True)
    scale = jnp.where(scale == 0, 1, scale)
    x = even(a / scale.astype(a.dtype), (-1,))
    wide = x.shape[-1]
    half, order = wide // 2, turns(wide // 2)

    def cosines(x):
        p, q = x[..., :half], x[..., half:]
        squares = jnp.sum(jnp.abs(x) ** 2, -2)
        return squares[..., :half], squares[..., half:], jnp.sum(jnp.conj(p) * q, -2)

    def step(state):
        x, v, worst = state
        p, q, pq = cosines(x)
        lengths = jnp.sqrt(p) * jnp.sqrt(q)
        small = jnp.abs(pq) <= float(real.tiny)
        apart = jnp.where(small, 0, jnp.abs(pq) / jnp.where(lengths == 0, 1, lengths))
        c, s = rotation(p, q, jnp.where(small, 0, pq))
        worst = jnp.maximum(worst, jnp.max(apart, -1) - float(real.eps) * rows ** 0.5)
        return turn(x, c, s)[..., order], turn(v, c, s)[..., order], worst

    eye = jnp.broadcast_to(jnp.eye(wide, dtype=a.dtype), a.shape[:-2] + (wide, wide))
    start = (x, eye, jnp.ones(a.shape[:-2], real.dtype))
    x, v, _ = sweeps(max(wide - 1, 1), step, start)
    x, v = x[..., :columns], v[..., :columns, :columns]
    values = jnp.sqrt(jnp.sum(jnp.abs(x) ** 2, -2))
    places = jnp.argsort(-values, axis=-1)
    values = jnp.take_along_axis(values, places, -1)
    s = values * scale[..., 0]
    if not compute_uv:
        return (s,)
    x = jnp.take_along_axis(x, places[..., None, :], -1)
    v = jnp.take_along_axis(v, places[..., None, :], -1)
    # Columns at right angles: R is diagonal, and Q completes what vanishes.
    u, r = jnp.linalg.qr(x, mode="complete" if full_matrices else "reduced")
    diagonal = jnp.diagonal(r, axis1=-2, axis2=-1)
    size = jnp.abs(diagonal)
    phase = jnp.where(size == 0, 1, diagonal / jnp.where(size == 0, 1, size)).astype(a.dtype)
    phase = jnp.pad(phase, [(0, 0)] * (phase.ndim - 1) + [(0, u.shape[-1] - columns)], constant_values=1)
    return s, u * phase[..., None, :], adjoint(v)


def is_one_call(a):
    """Whether LU, Cholesky or triangular equations are one operation: the host's next to it, or of a GPU's kernels."""
    return is_held(a) or (a.dtype in (np.float32, np.float64) and are_known(a) and min(a.shape[-2:]) > 1 and is_close())


def is_paired(a):
    """Whether complex matrices are the host's."""
    if a.dtype not in (np.complex64, np.complex128) or not are_known(a):
        return False
    return max(a.shape[-2:]) >= LARGE or is_close()


def is_paired_call(a):
    """Whether complex matrices are the host's, except many small ones, which fill vectors."""
    lead = a.shape[:-2]
    are_few = all(isinstance(n, int) for n in lead) and math.prod(lead) <= near.SEVERAL
    return is_paired(a) and (are_few or max(a.shape[-2:]) > TINY)


def paired(a):
    """Each element as two columns, its real part and its imaginary part. A choice by the place is one kernel, to join parts would
    be several."""
    parts = jnp.where(np.arange(2) == 0, a.real[..., None], a.imag[..., None])
    return parts.reshape(*a.shape[:-1], 2 * a.shape[-1])


def unpaired(a):
    """What `paired` was made from."""
    parts = a.reshape(*a.shape[:-1], a.shape[-1] // 2, 2)
    return lax.complex(parts[..., 0], parts[..., 1])


def complex_lu(a):
    """The same as `lu` of complex matrices, by the host."""
    m, n = a.shape[-2:]
    factors, pivots, rows, _ = host("complex_lu", paired(a), lu=((m, 2 * n), a.real.dtype), pivots=((min(m, n),), np.int32),
                                    rows=((m,), np.int32), info=((), np.int32))
    return unpaired(factors), pivots, rows


def complex_cholesky(a):
    """Its result has zeros above the diagonal."""
    n = a.shape[-1]
    root, _ = host("complex_cholesky", paired(a), root=((n, 2 * n), a.real.dtype), info=((), np.int32))
    return unpaired(root)


def complex_triangular_solve(a, b, lower, unit):
    """a x = b."""
    b = paired(b)
    words = ["complex_triangular_solve"] + ["lower"] * lower + ["unit"] * unit
    x, = host(" ".join(words), paired(a), b, x=(b.shape[-2:], b.dtype))
    return unpaired(x)


def rows_of_block(a):
    """Of matrices that are factorised block by block; 0 of others."""
    return jax_blocked.rows_of_block(a) if are_known(a) else 0


def cholesky(context, a):
    """A rule: the host's function, the kernel of a GPU, or StableHLO's operation."""
    from jax.interpreters import mlir
    from jax._src.lax import linalg

    matrix, = context.avals_in
    if jax_small.fits(matrix):
        return mlir.lower_fun(jax_small.cholesky, multiple_results=False)(context, a)
    if size := rows_of_block(matrix):
        return mlir.lower_fun(lambda a: jax_blocked.cholesky(a, size), multiple_results=False)(context, a)
    if is_paired(matrix):
        return mlir.lower_fun(complex_cholesky, multiple_results=False)(context, a)
    if not is_one_call(matrix):
        return linalg._cholesky_lowering(context, a)
    return mlir.lower_fun(lambda a: host_square("cholesky", a, (2,)), multiple_results=True)(context, a)


def triangular_solve(context, a, b, *, left_side, lower, transpose_a, conjugate_a, unit_diagonal):
    """The same for equations with triangular matrices. x a = b is a^T x^T = b^T."""
    from jax.interpreters import mlir
    from jax._src.lax import linalg

    matrix, right = context.avals_in
    is_small, size = jax_small.fits(matrix), rows_of_block(matrix)
    if 0 not in right.shape and (is_small or size or is_paired(matrix)):
        def solve_upright(a, b):
            a = jnp.conj(a) if conjugate_a else a
            turned = transpose_a == left_side
            a = jnp.swapaxes(a, -1, -2) if turned else a
            b = b if left_side else jnp.swapaxes(b, -1, -2)
            solve = jax_small.triangular_solve if is_small else complex_triangular_solve
            if size:
                solve = functools.partial(jax_blocked.triangular_solve, size=size)
            x = solve(a, b, lower=lower != turned, unit=unit_diagonal)
            return x if left_side else jnp.swapaxes(x, -1, -2)

        return mlir.lower_fun(solve_upright, multiple_results=False)(context, a, b)
    if not is_one_call(context.avals_in[0]) or 0 in context.avals_in[1].shape:
        return linalg._triangular_solve_lowering(context, a, b, left_side=left_side, lower=lower, transpose_a=transpose_a,
                                                 conjugate_a=conjugate_a, unit_diagonal=unit_diagonal)
    words = {"lower": lower, "transpose": transpose_a == left_side, "unit": unit_diagonal}
    name = " ".join(["triangular_solve", *(word for word, is_set in words.items() if is_set)])

    def solve(a, b):
        b = b if left_side else jnp.swapaxes(b, -1, -2)
        x, = host(name, a, b, x=(b.shape[-2:], b.dtype))
        return [x if left_side else jnp.swapaxes(x, -1, -2)]

    return mlir.lower_fun(solve, multiple_results=True)(context, a, b)


def aware(rule):
    """The rule, which knows whether the program is exported."""
    @functools.wraps(rule)
    def lower(context, *operands, **parameters):
        token = EXPORTS.set(context.module_context.lowering_parameters.for_export)
        try:
            return rule(context, *operands, **parameters)
        finally:
            EXPORTS.reset(token)

    return lower


def register(platform):
    """Rules for JAX's primitives of these names."""
    from jax.interpreters import mlir
    from jax._src.lax import linalg

    mlir.register_lowering(linalg.cholesky_p, aware(cholesky), platform=platform)
    mlir.register_lowering(linalg.triangular_solve_p, aware(triangular_solve), platform=platform)

    for name, function, several in (("geqrf", geqrf, True), ("householder_product", householder_product, False),
                                    ("eigh", eigh, True), ("svd", svd, True), ("lu", lu, True), ("eig", eig, True)):
        rule = mlir.lower_fun(function, multiple_results=several)
        mlir.register_lowering(getattr(linalg, name + "_p"), aware(rule), platform=platform)
