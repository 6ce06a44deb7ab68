# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra: small matrices a column after the other, larger ones by the operations of the host, which GPUs have kernels for where
a block of threads holds a matrix."""
import torch

from .. import host
from ..checks import UNFACTORED
from . import complex_steps, composes
from .embedded import adjoint, complex_of, complex_rows, embedded, rows, wide

#: Rows and columns up to which the steps are written out.
LIMIT = 32


def _small(a, *sizes):
    """Whether a matrix is written out."""
    limit = 1 if host.takes(a) else LIMIT
    return all(isinstance(n, int) and n <= limit for n in sizes)


def _taken(a, *sizes):
    """Whether a matrix is written out, or one for the host."""
    return a.dtype in host.DTYPES or a.dtype in host.COMPLEX or _small(a, *sizes)


def _is_open(a):
    """Whether a complex matrix is factorised by loops over its columns."""
    return a.dtype in host.COMPLEX and not host.pairs(a)


def _cholesky(a):
    """L of a Hermitian matrix whose lower triangle is read, and the first step that fails, from 1 on."""
    n = a.shape[-1]
    if host.pairs(a) and not _small(a, n):
        made, fails = torch.ops.kiln.complex_cholesky(host.paired(a))
        return host.unpaired(made), fails
    if a.is_complex():
        made, fails = _cholesky(embedded(a))
        return complex_of(made), (fails + 1) // 2
    if not _small(a, n) or host.is_held(a):
        return torch.ops.kiln.cholesky(a)
    rows = torch.arange(n)
    columns = []
    fails = torch.zeros(a.shape[:-2], dtype=torch.int32)
    for k in range(n):
        rest = a[..., :, k]
        for column in columns:
            rest = rest - column * column[..., k:k + 1]
        pivot = rest[..., k:k + 1]
        bad = ~(pivot.squeeze(-1) > 0)
        fails = torch.where((fails == 0) & bad, k + 1, fails)
        columns.append(torch.where(rows >= k, rest / pivot.sqrt(), 0.0))
    return torch.stack(columns, -1) if columns else a.clone(), fails.to(torch.int32)


@composes("linalg_cholesky_ex.default")
def cholesky_ex(a, *, upper=False, check_errors=False):
    if not _taken(a, a.shape[-1]) and not a.is_complex():
        return NotImplemented
    made, fails = _cholesky(adjoint(a) if upper else a)
    if check_errors:
        _check(fails, "linalg.cholesky_ex", a)
    return (adjoint(made) if upper else made).contiguous(), fails


#: Why a matrix is refused, by parts of the names of functions: the ends of messages for which torch has a type of errors, and one for which not.
_WHY = {"cholesky": UNFACTORED[0], "inv": UNFACTORED[1], "solve": UNFACTORED[1], "lu_factor": "has a U with a zero on its diagonal"}


@composes("_linalg_check_errors.default")
def check_errors(fails, name, *, is_matrix):
    """An error, as in eager mode, if a step failed. On a GPU the host would have to wait for that."""
    if fails.device.type == "cpu":
        why = next((why for part, why in _WHY.items() if part in name), UNFACTORED[2])
        torch.ops.aten._assert_async.msg((fails == 0).all(), f"{name}: {'the' if is_matrix else 'a'} matrix {why}")


def _check(fails, name, a):
    check_errors(fails, name, is_matrix=a.dim() == 2)


@composes("cholesky.default")
def cholesky(a, upper=False):
    made = cholesky_ex(a, upper=upper)
    if made is NotImplemented:
        return made
    _check(made[1], "cholesky", a)
    return made[0]


def _triangular(a, b, upper, unit):
    """X of A X = B."""
    n = a.shape[-1]
    if host.pairs(a, b) and not _small(a, n) and 0 not in b.shape:
        return host.unpaired(torch.ops.kiln.complex_triangular_solve(host.paired(a), host.paired(b), not upper, unit))
    if a.is_complex():
        if not unit:
            diagonal = a.diagonal(dim1=-2, dim2=-1).unsqueeze(-1)
            a, b = a / diagonal, b / diagonal
        a = torch.where(torch.eye(n, dtype=torch.bool), torch.ones((), dtype=a.dtype), a)
        return complex_rows(_triangular(embedded(a), rows(b), upper, True))
    if not _small(a, n) or (host.is_held(a) and 0 not in b.shape):
        return torch.ops.kiln.triangular_solve(a, b, not upper, unit)
    order = range(n - 1, -1, -1) if upper else range(n)
    made, x = {}, b
    for k in order:
        row = x[..., k:k + 1, :]
        row = row if unit else row / a[..., k:k + 1, k:k + 1]
        made[k] = row
        below = torch.arange(n).unsqueeze(-1)
        column = torch.where(below < k if upper else below > k, a[..., :, k:k + 1], 0.0)
        x = x - column * row
    return torch.cat([made[k] for k in range(n)], -2)


def _batched(a, b):
    lead = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return a.expand([*lead, *a.shape[-2:]]), b.expand([*lead, *b.shape[-2:]])


def _solve_triangular(a, b, upper, left, unit):
    if not left:
        return _solve_triangular(a.mT, b.mT, not upper, True, unit).mT
    a, b = _batched(a, b)
    return b.clone() if 0 in b.shape else _triangular(a, b, upper, unit)


@composes("linalg_solve_triangular.default")
def solve_triangular(a, b, *, upper, left=True, unitriangular=False):
    taken = _taken(a, a.shape[-1]) or a.is_complex()
    return _solve_triangular(a, b, upper, left, unitriangular) if taken else NotImplemented


@composes("triangular_solve.default")
def triangular_solve(b, a, upper=True, transpose=False, unitriangular=False):
    if not _taken(a, a.shape[-1]) and not a.is_complex():
        return NotImplemented
    made = _solve_triangular(a.mT if transpose else a, b, upper != transpose, True, unitriangular)
    return made, a.expand([*made.shape[:-2], *a.shape[-2:]]).clone()


@composes("cholesky_solve.default")
def cholesky_solve(b, factor, upper=False):
    if not _taken(factor, factor.shape[-1]) and not factor.is_complex():
        return NotImplemented
    lower = adjoint(factor) if upper else factor
    return _solve_triangular(adjoint(lower), _solve_triangular(lower, b, False, True, False), True, True, False)


@composes("cholesky_inverse.default")
def cholesky_inverse(factor, upper=False):
    return cholesky_solve(torch.eye(factor.shape[-1], dtype=factor.dtype), factor, upper)


def _lu(a):
    """L and U in one, the rows that were exchanged (from 1 on), the first pivot that is 0, the permutation."""
    m, n = a.shape[-2:]
    if _is_open(a):
        return complex_steps.lu(a)
    if not _small(a, m, n) or host.is_held(a):
        made, pivots, order, fails = torch.ops.kiln.complex_lu(host.paired(a)) if a.is_complex() else torch.ops.kiln.lu(a)
        made = host.unpaired(made) if a.is_complex() else made
        return made, pivots + 1, fails, order.to(torch.int64)
    lead = a.shape[:-2]
    rows = torch.arange(m)
    order = rows.expand([*lead, m])
    pivots = []
    fails = torch.zeros(lead, dtype=torch.int32)
    for k in range(min(m, n)):
        column = a[..., :, k]  # complex numbers are as large for LAPACK as their parts together
        size = column.real.abs() + column.imag.abs() if a.is_complex() else column.abs()
        size = torch.where(rows >= k, size, -1.0)
        best = torch.argmax(size, -1, keepdim=True)  # [..., 1]
        pivots.append(best + 1)
        at = torch.where(rows == k, best, torch.where(rows == best, k, rows))  # the rows after the exchange
        a = a.gather(-2, at.unsqueeze(-1).expand(a.shape))
        order = order.gather(-1, at)
        pivot = a[..., k:k + 1, k:k + 1]
        zero = (pivot == 0)
        fails = torch.where((fails == 0) & zero.squeeze(-1).squeeze(-1), k + 1, fails)
        below = (rows > k).unsqueeze(-1)
        factor = torch.where(below, a[..., :, k:k + 1] / torch.where(zero, 1.0, pivot), 0.0)
        right = torch.arange(n) > k
        a = torch.where(right & below, a - factor * a[..., k:k + 1, :], torch.where(
            below & (torch.arange(n) == k) & ~zero, factor, a))
    pivots = torch.cat(pivots, -1).to(torch.int32) if pivots else torch.zeros([*lead, 0], dtype=torch.int32)
    return a, pivots, fails.to(torch.int32), order


def _unpacked(lu):
    m, n = lu.shape[-2:]
    k = min(m, n)
    row, column = torch.arange(m).unsqueeze(-1), torch.arange(n)
    lower = torch.where(row > column, lu, torch.where(row == column, 1.0, 0.0).to(lu.dtype))[..., :, :k]
    return lower, torch.where(row <= column, lu, 0.0)[..., :k, :]


def _permutation(order):
    """P of P L U, where row i of L U is row order[i] of the matrix."""
    return (torch.arange(order.shape[-1]).unsqueeze(-1) == order.unsqueeze(-2))


@composes("linalg_lu_factor_ex.default")
def lu_factor_ex(a, *, pivot=True, check_errors=False):
    if not pivot or not _taken(a, *a.shape[-2:]):
        return NotImplemented
    made = _lu(a)[:3]
    if check_errors:
        _check(made[2], "torch.linalg.lu_factor_ex", a)
    return made


@composes("linalg_lu.default")
def lu(a, *, pivot=True):
    if not pivot or not _taken(a, *a.shape[-2:]):
        return NotImplemented
    made, _, _, order = _lu(a)
    return (_permutation(order).to(a.dtype), *_unpacked(made))


def _exchanged(k, order, pivots):
    """One more exchange of rows, and the number of the next."""
    rows = torch.arange(order.shape[-1], device=order.device)
    best = pivots.index_select(-1, k.reshape(1)) - 1
    at = torch.where(rows == k, best, torch.where(rows == best, k, rows))
    return k + 1, order.gather(-1, at)


def _order_of(pivots, m):
    """The permutation that the exchanges of m rows come to."""
    if not isinstance(m, int) or not isinstance(pivots.shape[-1], int):  # a loop over the exchanges
        order = torch.arange(m).expand([*pivots.shape[:-1], m]).clone()
        if 0 in pivots.shape:
            return order
        start = torch.zeros((), dtype=torch.int64)
        return torch.ops.higher_order.while_loop(lambda k, order, pivots: k < pivots.shape[-1], _exchanged, (start, order),
                                                 (pivots.to(torch.int64),))[1]
    if not _small(pivots, m):
        return torch.ops.kiln.pivots_to_permutation(pivots.to(torch.int32) - 1, m).to(torch.int64)
    rows = torch.arange(m)
    order = rows.expand([*pivots.shape[:-1], m])
    for k in range(pivots.shape[-1]):
        best = pivots[..., k:k + 1].to(torch.int64) - 1
        at = torch.where(rows == k, best, torch.where(rows == best, k, rows))
        order = order.gather(-1, at)
    return order


@composes("lu_unpack.default")
def lu_unpack(data, pivots, unpack_data=True, unpack_pivots=True):
    if not _taken(data, *data.shape[-2:]):
        return NotImplemented
    none = torch.zeros(0, dtype=data.dtype)
    lower, upper = _unpacked(data) if unpack_data else (none, none)
    matrix = _permutation(_order_of(pivots, data.shape[-2])).to(data.dtype) if unpack_pivots else none
    return matrix, lower, upper


def _solve(lu, order, b, transposed=False):
    lead = torch.broadcast_shapes(lu.shape[:-2], b.shape[:-2])
    b = b.expand([*lead, *b.shape[-2:]])
    order = order.expand([*lead, order.shape[-1]])
    lower, upper = _unpacked(lu)
    if transposed:
        made = _solve_triangular(lower.mT, _solve_triangular(upper.mT, b, False, True, False), True, True, True)
        return made.gather(-2, torch.argsort(order, -1).unsqueeze(-1).expand(made.shape))
    moved = b.gather(-2, order.unsqueeze(-1).expand(b.shape))
    return _solve_triangular(upper, _solve_triangular(lower, moved, False, True, True), True, True, False)


@composes("linalg_lu_solve.default")
def lu_solve(data, pivots, b, *, left=True, adjoint=False):
    if not _taken(data, data.shape[-1]):
        return NotImplemented
    order = _order_of(pivots, data.shape[-2])
    if 0 in b.shape:
        return b.clone()
    conjugated = lambda x: torch.conj_physical(x) if adjoint and x.is_complex() else x  # noqa: E731
    made = conjugated(_solve(data, order, conjugated(b if left else b.mT), adjoint == left))
    return made if left else made.mT


@composes("_linalg_solve_ex.default")
def solve_ex(a, b, *, left=True, check_errors=False):
    if not _taken(a, a.shape[-1]):
        return NotImplemented
    made, pivots, fails, order = _lu(a)
    if check_errors:
        _check(fails, "torch.linalg.solve_ex", a)
    vector = b.dim() == 1 or (b.dim() == a.dim() - 1 and b.shape == a.shape[:-1])
    right = b.unsqueeze(-1) if vector else b
    if 0 in right.shape or 0 in a.shape:
        lead = torch.broadcast_shapes(a.shape[:-2], right.shape[:-2])
        x = right.expand([*lead, *right.shape[-2:]]).clone()
    else:
        x = _solve(made, order, right) if left or vector else _solve(made, order, right.mT, True).mT
    return x.squeeze(-1) if vector else x, made, pivots, fails


@composes("linalg_inv_ex.default")
def inv_ex(a, *, check_errors=False):
    if not _taken(a, a.shape[-1]):
        return NotImplemented
    if 0 in a.shape:
        return a.clone(), torch.zeros(a.shape[:-2], dtype=torch.int32)
    made, _, fails, order = _lu(a)
    if check_errors:
        _check(fails, "linalg.inv_ex", a)
    return _solve(made, order, torch.eye(a.shape[-1], dtype=a.dtype)), fails


def _transposed(a):
    """Whether torch factors the transpose for a determinant: its gradient counts on it."""
    return not a.is_complex() and a.is_contiguous()


def _sign(pivots):
    n = pivots.shape[-1]
    moved = (pivots != torch.arange(1, n + 1, dtype=pivots.dtype)).sum(-1)
    return 1 - 2 * (moved % 2)


def _product_of(diagonal):
    """Of the elements along the last dimension."""
    if not diagonal.is_complex():
        return diagonal.prod(-1)
    if not isinstance(diagonal.shape[-1], int):
        return complex_steps.product(diagonal)
    made = torch.ones(diagonal.shape[:-1], dtype=diagonal.dtype)
    for k in range(diagonal.shape[-1]):
        made = made * diagonal[..., k]
    return made


@composes("_linalg_det.default")
def det(a):
    if not _taken(a, a.shape[-1]):
        return NotImplemented
    made, pivots, _, _ = _lu(a.mT if _transposed(a) else a)
    return _product_of(made.diagonal(dim1=-2, dim2=-1)) * _sign(pivots).to(a.dtype), made, pivots


@composes("_linalg_slogdet.default")
def slogdet(a):
    if not _taken(a, a.shape[-1]):
        return NotImplemented
    made, pivots, _, _ = _lu(a.mT if _transposed(a) else a)
    diagonal = made.diagonal(dim1=-2, dim2=-1)
    return _product_of(torch.sgn(diagonal)) * _sign(pivots).to(a.dtype), diagonal.abs().log().sum(-1), made, pivots


def _conj(x):
    return torch.conj_physical(x) if x.is_complex() else x


def _squares(x):
    return torch.real(x) ** 2 + torch.imag(x) ** 2 if x.is_complex() else x * x


def _householder(a):
    """R and the vectors below it in one, and the factors: as LAPACK's geqrf has them."""
    m, n = a.shape[-2:]
    if _is_open(a):
        return complex_steps.householder(a)
    if 0 in (m, n):
        return a.clone(), torch.zeros([*a.shape[:-2], 0], dtype=a.dtype)
    if not _small(a, m, n):
        if a.is_complex():
            return tuple(map(host.unpaired, torch.ops.kiln.complex_householder_qr(host.paired(a))))
        return torch.ops.kiln.householder_qr(a)
    rows = torch.arange(m)
    factors = []
    for k in range(min(m, n)):
        x = a[..., :, k]
        head = x[..., k:k + 1]
        tail = torch.where(rows > k, x, 0.0)
        rest = _squares(tail).sum(-1, keepdim=True)
        norm = (_squares(head) + rest).sqrt()
        real = torch.real(head) if a.is_complex() else head
        beta = torch.where(real >= 0, -norm, norm)
        none = rest == 0
        if a.is_complex():  # the diagonal becomes real
            none = none & (torch.imag(head) == 0)
        tau = torch.where(none, 0.0, (beta - head) / torch.where(none, 1.0, beta))
        scaled = tail / torch.where(none, 1.0, head - beta)
        v = torch.where(rows == k, 1.0, scaled)
        dot = (_conj(v).unsqueeze(-1) * a).sum(-2, keepdim=True)
        changed = a - _conj(tau).unsqueeze(-1) * v.unsqueeze(-1) * dot
        columns = torch.arange(n)
        a = torch.where(columns > k, changed, torch.where(columns < k, a, torch.where(
            (rows > k).unsqueeze(-1), scaled.unsqueeze(-1), torch.where((rows == k).unsqueeze(-1), torch.where(
                none, head, beta).unsqueeze(-1), a))))
        factors.append(tau)
    return a, torch.cat(factors, -1) if factors else torch.zeros([*a.shape[:-2], 0], dtype=a.dtype)


def _host_product(a, factors):
    if _is_open(a) or _is_open(factors.unsqueeze(-2)):
        return complex_steps.householder_product(a, factors, a.shape[-1])
    if a.is_complex():
        return host.unpaired(torch.ops.kiln.complex_householder_product(host.paired(a), host.paired(factors)))
    return torch.ops.kiln.householder_product(a, factors)


def _product(a, factors, columns):
    """The first columns of Q as the host makes them."""
    if _is_open(a):
        return complex_steps.householder_product(a, factors, columns)
    given = a[..., :columns]
    given = torch.nn.functional.pad(given, (0, columns - given.shape[-1]))
    return _host_product(given, factors)


def _apply(reflectors, factors, b, order):
    """The product of I - tau v v^T, in an order, with b."""
    rows = torch.arange(reflectors.shape[-2])
    for k in order:
        v = torch.where(rows > k, reflectors[..., :, k], torch.where(rows == k, 1.0, 0.0).to(b.dtype)).unsqueeze(-1)
        b = b - factors[..., k:k + 1].unsqueeze(-1) * v * (_conj(v) * b).sum(-2, keepdim=True)
    return b


@composes("geqrf.default")
def geqrf(a):
    return _householder(a) if _taken(a, *a.shape[-2:]) else NotImplemented


@composes("linalg_householder_product.default")
def householder_product(a, factors):
    if not _small(a, *a.shape[-2:]):
        return _host_product(a, factors) if _taken(a, *a.shape[-2:]) else NotImplemented
    exact = wide(a.dtype)  # errors add up over the columns
    start = torch.eye(a.shape[-2], a.shape[-1], dtype=exact).expand(a.shape)
    return _apply(a.to(exact), factors.to(exact), start, range(factors.shape[-1] - 1, -1, -1)).to(a.dtype)


@composes("ormqr.default")
def ormqr(a, factors, b, left=True, transpose=False):
    if not _small(a, *a.shape[-2:]):
        if not _taken(a, *a.shape[-2:]):
            return NotImplemented
        q = _product(a, factors, a.shape[-2])
        q = adjoint(q) if transpose else q
        return q @ b if left else b @ q
    count = factors.shape[-1]
    if not left:  # B Q is the adjoint of Q* B*
        return adjoint(ormqr(a, factors, adjoint(b), True, not transpose))
    factors = _conj(factors) if transpose else factors
    return _apply(a, factors, b, range(count - 1, -1, -1) if not transpose else range(count))


@composes("linalg_qr.default")
def qr(a, mode="reduced"):
    m, n = a.shape[-2:]
    if not _taken(a, m, n):
        return NotImplemented
    made, factors = _householder(a)
    k = m if mode == "complete" else min(m, n)
    r = torch.triu(made)[..., :k, :]
    if mode == "r":
        return torch.zeros(0, dtype=a.dtype), torch.triu(made)[..., :min(m, n), :]
    if not _small(a, m, n):
        return _product(made, factors, k), r
    start = torch.eye(m, k, dtype=a.dtype).expand([*a.shape[:-2], m, k])
    return _apply(made, factors, start, range(min(m, n) - 1, -1, -1)), r


@composes("linalg_matrix_exp.default")
def matrix_exp(a):
    """A series of the matrix divided by a power of 2 that its norm asks for, squared as often."""
    n = a.shape[-1]
    if 0 in a.shape:
        return a.clone()
    exact = a.to(wide(a.dtype))
    norm = exact.abs().sum(-2).amax(-1)
    times = torch.clamp(torch.ceil(torch.log2(torch.clamp(norm, min=1e-30))) + 2, 0, 40).unsqueeze(-1).unsqueeze(-1)
    scaled = exact / torch.exp2(times)
    one = torch.eye(n, dtype=exact.dtype)
    made = one + scaled / 16
    for k in range(15, 0, -1):
        made = one + scaled @ made / k
    for k in range(24):
        made = torch.where(times > k, made @ made, made)
    return made.to(a.dtype)


@composes("linalg_lstsq.default")
def lstsq(a, b, rcond=None, *, driver=None):
    """By singular values, of which those that are small beside the largest count as 0."""
    m, n = a.shape[-2:]
    driver = driver or "gelsy"
    if not has_known_shapes(a, b, driver) or a.dtype not in (*host.DTYPES, *host.COMPLEX) or 0 in a.shape or 0 in b.shape[:-1]:
        return NotImplemented
    if b.shape[-1] == 0:
        return NotImplemented if driver in ("gelss", "gelsd") else _solves_nothing(a, b, driver)
    a, b = _batched(a, b)
    left, size, right = torch.linalg.svd(a, full_matrices=False)
    least = (torch.finfo(a.dtype).eps * max(m, n) if rcond is None else rcond) * size.amax(-1, keepdim=True)
    kept = torch.ones_like(size, dtype=torch.bool) if driver == "gels" else size > least
    inverse = torch.where(kept, 1 / size, 0.0)
    x = adjoint(right) @ (inverse.unsqueeze(-1) * (adjoint(left) @ b))
    none = torch.zeros(0, dtype=a.dtype.to_real())
    rest = _squares(a @ x - b).sum(-2) if driver == "gels" and m > n else none
    rank = torch.zeros(0, dtype=torch.int64) if driver == "gels" else kept.sum(-1)
    return x, rest, rank, size if driver in ("gelss", "gelsd") else none


def _solves_nothing(a, b, driver):
    """What lstsq gives for a right side without columns: the rank, where it is one of the results, counts as 0."""
    lead, (m, n) = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2:]
    none, rank = torch.zeros(0, dtype=a.dtype.to_real()), torch.zeros([0] if driver == "gels" else lead, dtype=torch.int64)
    rest = none.new_zeros([*lead, 0]) if driver == "gels" and m > n else none
    return a.new_zeros([*lead, n, 0]), rest, rank, none


def has_known_shapes(a, b, driver):
    """Whether the shapes of what lstsq gives do not depend on the rank that it finds."""
    if b.dim() == 1 or (b.dim() == a.dim() - 1 and b.shape == a.shape[:-1]):
        return False
    return driver in ("gels", "gelsy") or a.shape[-2] <= a.shape[-1]
