# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eigenvalues and singular values: of small symmetric matrices, and of small ones, by Jacobi's rotations, loops that stay
loops; others by the operations of the host."""
import torch

from .. import host
from . import composes
from .embedded import adjoint, embedded, hermitian, wide
from .linear import _small, qr

#: Each pair of rows is rotated so often.
SWEEPS = 10


def _partners(turn, n):
    """With whom each row is rotated in a turn: all pairs meet once in as many turns as there are others."""
    even = n + n % 2
    row = torch.arange(n, device=turn.device)
    other = torch.remainder(turn - row, even - 1)
    if n % 2:  # one rests
        return torch.where(other >= n, row, other)
    last = torch.remainder(turn * (even // 2), even - 1)
    return torch.where(row == n - 1, last, torch.where(other == row, n - 1, other))


def _turn(turn, a, vectors):
    n = a.shape[-1]
    row = torch.arange(n, device=turn.device)
    partner = _partners(turn, n)
    own = a.diagonal(dim1=-2, dim2=-1)
    theirs = own.index_select(-1, partner)
    both = a.gather(-1, partner.reshape(1, n, 1).expand(a.shape[0], n, 1)).squeeze(-1)
    first = row < partner
    # Both rows of a pair read one element: the other may differ in its last bit, and in the sign of what is nearly zero.
    both = torch.where(first, both, both.index_select(-1, partner))
    small, large = torch.where(first, own, theirs), torch.where(first, theirs, own)
    none = (both == 0) | (row == partner)
    tau = (large - small) / torch.where(none, 1.0, 2 * both)
    t = torch.where(tau >= 0, 1.0, -1.0) / (tau.abs() + (1 + tau * tau).sqrt())
    t = torch.where(none, 0.0, t)
    cosine = 1 / (1 + t * t).sqrt()
    sine = torch.where(first, t * cosine, -t * cosine)
    column = torch.arange(n, device=turn.device).reshape(1, 1, n)
    rotation = torch.where(column == row.reshape(1, n, 1), cosine.unsqueeze(-1), 0.0)
    rotation = rotation + torch.where((column == partner.reshape(1, n, 1)) & ~none.unsqueeze(-1), sine.unsqueeze(-1), 0.0)
    return turn + 1, torch.bmm(torch.bmm(rotation.mT, a), rotation), torch.bmm(vectors, rotation)


def _complex_turn(turn, re, im, of_re, of_im):
    """As `_turn`, where the second row of each pair is turned in its plane first, so that the element that both have in common is real."""
    n = re.shape[-1]
    row = torch.arange(n, device=turn.device)
    partner = _partners(turn, n)
    own = re.diagonal(dim1=-2, dim2=-1)
    theirs = own.index_select(-1, partner)
    first = row < partner
    at = partner.reshape(1, n, 1).expand(re.shape[0], n, 1)
    x, y = (part.gather(-1, at).squeeze(-1) for part in (re, im))
    x, y = torch.where(first, x, x.index_select(-1, partner)), torch.where(first, y, y.index_select(-1, partner))
    both = torch.hypot(x, y)
    small, large = torch.where(first, own, theirs), torch.where(first, theirs, own)
    none = (both == 0) | (row == partner)
    divisor = torch.where(none, 1.0, both)
    tau = (large - small) / (2 * divisor)
    t = torch.where(tau >= 0, 1.0, -1.0) / (tau.abs() + (1 + tau * tau).sqrt())
    t = torch.where(none, 0.0, t)
    cosine = 1 / (1 + t * t).sqrt()
    sine = torch.where(first, t * cosine, -t * cosine)
    column = torch.arange(n, device=turn.device).reshape(1, 1, n)
    rotation = torch.where(column == row.reshape(1, n, 1), cosine.unsqueeze(-1), 0.0)
    rotation = rotation + torch.where((column == partner.reshape(1, n, 1)) & ~none.unsqueeze(-1), sine.unsqueeze(-1), 0.0)
    stays = (first | none)
    across, up = torch.where(stays, 1.0, x / divisor).unsqueeze(-1), torch.where(stays, 0.0, -y / divisor).unsqueeze(-1)
    p, q = rotation * across, rotation * up  # the rotation's parts
    right = lambda a, c: (torch.bmm(a, p) - torch.bmm(c, q), torch.bmm(a, q) + torch.bmm(c, p))  # noqa: E731
    re, im = right(re, im)
    re, im = (torch.bmm(p.mT, re) + torch.bmm(q.mT, im), torch.bmm(p.mT, im) - torch.bmm(q.mT, re))
    return (turn + 1, re, im, *right(of_re, of_im))


def _complex_eigen(a):
    """As `_eigen`, of Hermitian matrices."""
    n = a.shape[-1]
    re, im = torch.real(a).clone(), torch.imag(a).clone()
    of_re, of_im = torch.eye(n, dtype=re.dtype).expand(re.shape).clone(), torch.zeros_like(re)
    if n > 1:
        turns = SWEEPS * (n + n % 2 - 1)
        start = torch.zeros((), dtype=torch.int64)
        _, re, im, of_re, of_im = torch.ops.higher_order.while_loop(
            lambda turn, *parts: turn < turns, _complex_turn, (start, re, im, of_re, of_im), ())
    values, order = torch.sort(re.diagonal(dim1=-2, dim2=-1), dim=-1, stable=True)
    of_re, of_im = (part.gather(-1, order.unsqueeze(-2).expand(part.shape)) for part in (of_re, of_im))
    return values, torch.complex(of_re, of_im)


def _eigen(a):
    """Values from the least on and their vectors, of [batch, n, n] in f64."""
    if a.is_complex():
        return _complex_eigen(a)
    n = a.shape[-1]
    vectors = torch.eye(n, dtype=a.dtype).expand(a.shape).clone()
    if n > 1:
        turns = SWEEPS * (n + n % 2 - 1)
        start = torch.zeros((), dtype=torch.int64)
        _, a, vectors = torch.ops.higher_order.while_loop(lambda turn, a, v: turn < turns, _turn, (start, a.clone(), vectors), ())
    values, order = torch.sort(a.diagonal(dim1=-2, dim2=-1), dim=-1, stable=True)
    return values, vectors.gather(-1, order.unsqueeze(-2).expand(vectors.shape))


@composes("_linalg_eigh.default")
def eigh(a, UPLO="L", compute_v=True):
    n, lead = a.shape[-1], a.shape[:-2]
    if a.dtype in host.COMPLEX and 0 in a.shape:
        return torch.zeros([*lead, n], dtype=a.dtype.to_real()), torch.zeros(a.shape if compute_v else [0], dtype=a.dtype)
    if a.dtype in host.COMPLEX and _small(a, n):
        values, vectors = _eigen(hermitian(a, UPLO.upper() == "L").to(torch.complex128).reshape([-1, n, n]))
        values = values.to(a.dtype.to_real()).reshape([*lead, n])
        return values, vectors.to(a.dtype).reshape(a.shape) if compute_v else torch.zeros(0, dtype=a.dtype)
    if host.pairs(a):
        values, vectors, _ = torch.ops.kiln.complex_eigh(host.paired(a if UPLO.upper() == "L" else adjoint(a)))
        return values, host.unpaired(vectors) if compute_v else torch.zeros(0, dtype=a.dtype)
    if a.dtype in host.COMPLEX:  # each value twice
        whole = hermitian(a, UPLO.upper() == "L")
        values = eigh(embedded(whole))[0][..., ::2].contiguous()
        return values, torch.ops.kiln.hermitian_vectors(whole) if compute_v else torch.zeros(0, dtype=a.dtype)
    if a.dtype not in host.DTYPES:
        return NotImplemented
    if a.dtype == torch.float64 or not _small(a, n):
        values, vectors, _ = torch.ops.kiln.eigh(a if UPLO.upper() == "L" else a.mT)
        return values, vectors if compute_v else torch.zeros(0, dtype=a.dtype)
    if 0 in a.shape:
        return torch.zeros([*lead, n], dtype=a.dtype), torch.zeros([*lead, n, n] if compute_v else [0], dtype=a.dtype)
    row, column = torch.arange(n).unsqueeze(-1), torch.arange(n)
    keep = row >= column if UPLO.upper() == "L" else row <= column
    values, vectors = _eigen(torch.where(keep, a, a.mT).to(torch.float64).reshape([-1, n, n]))
    values = values.to(a.dtype).reshape([*lead, n])
    return values, vectors.to(a.dtype).reshape(a.shape) if compute_v else torch.zeros(0, dtype=a.dtype)


def _tall(a, full):
    """U, S, V of [batch, m, n] with m >= n: products of the rotated columns are 0, so that R is diagonal."""
    squares, vectors = _eigen(adjoint(a) @ a)
    vectors = vectors.flip(-1)
    q, r = qr(a @ vectors, "complete" if full else "reduced")
    diagonal = torch.real(r.diagonal(dim1=-2, dim2=-1)) if a.is_complex() else r.diagonal(dim1=-2, dim2=-1)
    sign = torch.where(diagonal < 0, -1.0, 1.0)
    n = a.shape[-1]
    q = torch.cat([q[..., :n] * sign.unsqueeze(-2), q[..., n:]], -1) if full else q * sign.unsqueeze(-2)
    size, order = torch.sort(diagonal.abs(), dim=-1, descending=True, stable=True)
    pick = lambda v: v.gather(-1, order.unsqueeze(-2).expand([*v.shape[:-1], n]))  # noqa: E731
    return torch.cat([pick(q[..., :n]), q[..., n:]], -1), size, pick(vectors)


@composes("_linalg_svd.default")
def svd(a, full_matrices=False, compute_uv=True, *, driver=None):
    is_written = a.dtype in host.COMPLEX and (0 in a.shape or a.dtype == torch.complex64 and _small(a, *a.shape[-2:]))
    if host.pairs(a) and not is_written:
        left, size, right, _ = torch.ops.kiln.complex_svd(host.paired(a), full_matrices and compute_uv)
        left, right = map(host.unpaired, (left, right)) if compute_uv else [torch.zeros(0, dtype=a.dtype)] * 2
        return left, size, right
    if a.dtype in host.COMPLEX and not is_written:  # each value twice
        left, right = torch.ops.kiln.singular_vectors(a, full_matrices) if compute_uv else [torch.zeros(0, dtype=a.dtype)] * 2
        return left, svd(embedded(a))[1][..., ::2].contiguous(), right
    if a.dtype not in host.DTYPES and not is_written:
        return NotImplemented
    m, n = a.shape[-2:]
    if a.dtype in host.DTYPES and 0 not in (m, n) and (a.dtype == torch.float64 or not _small(a, m, n)):
        left, size, right, _ = torch.ops.kiln.svd(a, full_matrices and compute_uv)
        none = torch.zeros(0, dtype=a.dtype)
        return (left, size, right) if compute_uv else (none, size, none)
    lead, k = a.shape[:-2], min(m, n)
    none = torch.zeros(0, dtype=a.dtype)
    if 0 in a.shape:
        eye = lambda r, c: torch.eye(r, c, dtype=a.dtype).expand([*lead, r, c]).clone()  # noqa: E731
        size = torch.zeros([*lead, k], dtype=a.dtype.to_real())
        return (eye(m, m if full_matrices else k), size, eye(n if full_matrices else k, n)) if compute_uv else (none, size, none)
    exact = a.to(wide(a.dtype)).reshape([-1, m, n])
    left, size, right = _tall(exact if m >= n else adjoint(exact), full_matrices)
    left, right = (left, adjoint(right)) if m >= n else (right, adjoint(left))
    size = size.to(a.dtype.to_real()).reshape([*lead, k])
    if not compute_uv:
        return none, size, none
    shaped = lambda v: v.to(a.dtype).reshape([*lead, *v.shape[-2:]]).contiguous()  # noqa: E731
    return shaped(left), size, shaped(right)


@composes("linalg_pinv.atol_rtol_tensor")
def pinv(a, *, atol=None, rtol=None, hermitian=False):
    if a.dtype not in (*host.DTYPES, *host.COMPLEX):
        return NotImplemented
    if 0 in a.shape:
        return torch.zeros([*a.shape[:-2], a.shape[-1], a.shape[-2]], dtype=a.dtype)
    real = a.dtype.to_real()
    default = torch.finfo(a.dtype).eps * torch.sym_max(*a.shape[-2:])
    atol = torch.zeros((), dtype=real) if atol is None else atol
    rtol = torch.where(atol > 0, 0.0, default).to(real) if rtol is None else rtol
    if hermitian:
        values, left = torch.linalg.eigh(a)
        size, right = values.abs(), left
    else:
        left, values, right = torch.linalg.svd(a, full_matrices=False)
        size, right = values, adjoint(right)
    least = torch.maximum(atol.unsqueeze(-1), rtol.unsqueeze(-1) * size.amax(-1, keepdim=True))
    inverse = torch.where(size > least, 1 / values, 0.0)
    return (right * inverse.unsqueeze(-2)) @ adjoint(left)


@composes("linalg_eig.default")
def eig(a):
    if a.dtype not in host.DTYPES:
        return NotImplemented
    re, im, vre, vim, _ = torch.ops.kiln.eig(a)
    return torch.complex(re, im), torch.complex(vre, vim)


@composes("linalg_eigvals.default")
def eigvals(a):
    return eig(a)[0] if a.dtype in host.DTYPES else NotImplemented
