# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra on the host as operations of torch, torch.ops.kiln.lu and others: what prim has whole. Compositions of
ATen's operations are written in them where matrices are too large to be written out. torch runs them by its own."""
import contextlib
import contextvars
import math

import torch

from kiln import near

#: Element types that there are.
DTYPES = (torch.float32, torch.float64)
#: Of known sizes they are matrices whose elements are two columns each, see `paired`. Values of others follow from real
#: matrices, see compositions/embedded.py.
COMPLEX = (torch.complex64, torch.complex128)
_LIBRARY = torch.library.Library("kiln", "FRAGMENT")
#: Whether what is compiled computes in the host's memory.
_IS_NEAR = contextvars.ContextVar("is_near", default=False)
#: The target that a graph is traced for.
_TARGET = contextvars.ContextVar("target", default="cpu")


@contextlib.contextmanager
def target(name):
    """While a graph is traced for a target."""
    tokens = _IS_NEAR.set(near.is_near(name)), _TARGET.set(name)
    try:
        yield
    finally:
        for variable, token in zip((_IS_NEAR, _TARGET), tokens):
            variable.reset(token)


def takes(a):
    """Whether small matrices are the host's, too: one of them takes less time there than to be written out."""
    lead = a.shape[:-2]
    return _IS_NEAR.get() and (a.dtype in DTYPES or pairs(a)) and all(isinstance(n, int) for n in lead) and math.prod(lead) <= near.SEVERAL


def pairs(*matrices):
    """Whether complex matrices may be the host's: their last two sizes are known."""
    return all(a.dtype in COMPLEX and all(isinstance(n, int) for n in a.shape[-2:]) for a in matrices)


def paired(a):
    """Complex numbers as real ones, each element two columns: its real part and its imaginary part."""
    return torch.stack([torch.real(a), torch.imag(a)], -1).flatten(-2)


def unpaired(a):
    """What `paired` was made from."""
    parts = a.unflatten(-1, (a.shape[-1] // 2, 2))
    return torch.complex(parts[..., 0], parts[..., 1])


def is_held(a):
    """Whether a GPU's kernels factorise such matrices, and solve equations with them. The smallest ones are written out."""
    rows, columns = a.shape[-2:]
    return a.dtype in DTYPES and isinstance(rows, int) and isinstance(columns, int) and max(rows, columns) > 4 and 0 not in a.shape \
        and near.holds_matrices(_TARGET.get(), rows, columns, a.dtype.itemsize)


def _operation(schema, eager):
    """Defines an operation; `shapes` of the decorated function gives what its results look like."""
    def register(shapes):
        name = shapes.__name__
        _LIBRARY.define(f"{name}{schema}", tags=torch.Tag.pt2_compliant_tag)
        _LIBRARY.impl(name, eager, "CompositeExplicitAutograd")
        torch.library.register_fake(f"kiln::{name}", shapes, lib=_LIBRARY)
        return shapes
    return register


def _numbers(a, *sizes, dtype=torch.int32):
    return a.new_empty([*a.shape[:-2], *sizes], dtype=dtype)


def _less(a):
    return torch.sym_min(*a.shape[-2:])


def _eager_lu(a):
    factors, pivots, info = torch.linalg.lu_factor_ex(a)
    pivots = pivots - 1
    return factors, pivots, _eager_rows(pivots, a.shape[-2]), info


def _eager_rows(pivots, rows):
    made = torch.arange(rows, dtype=torch.int32, device=pivots.device).expand([*pivots.shape[:-1], rows]).clone()
    for k in range(pivots.shape[-1]):
        other = pivots[..., k:k + 1].long()
        here, there = made[..., k:k + 1].clone(), made.gather(-1, other)
        made[..., k:k + 1] = there
        made.scatter_(-1, other, here)
    return made


def _eager_eig(a):
    values, vectors = torch.linalg.eig(a)
    return (*(one.contiguous() for one in (values.real, values.imag, vectors.real, vectors.imag)), _numbers(a).zero_())


@_operation("(Tensor a) -> (Tensor, Tensor)", lambda a: tuple(torch.linalg.cholesky_ex(a)))
def cholesky(a):
    return a.new_empty(a.shape), _numbers(a)


@_operation("(Tensor a) -> (Tensor, Tensor, Tensor, Tensor)", _eager_lu)
def lu(a):
    return a.new_empty(a.shape), _numbers(a, _less(a)), _numbers(a, a.shape[-2]), _numbers(a)


@_operation("(Tensor pivots, int rows) -> Tensor", _eager_rows)
def pivots_to_permutation(pivots, rows):
    return pivots.new_empty([*pivots.shape[:-1], rows])


@_operation("(Tensor a, Tensor b, bool lower, bool unit) -> Tensor",
            lambda a, b, lower, unit: torch.linalg.solve_triangular(a, b, upper=not lower, unitriangular=unit).contiguous())
def triangular_solve(a, b, lower, unit):
    return b.new_empty(b.shape)


@_operation("(Tensor a) -> (Tensor, Tensor)", lambda a: tuple(torch.geqrf(a)))
def householder_qr(a):
    return a.new_empty(a.shape), _numbers(a, _less(a), dtype=a.dtype)


@_operation("(Tensor a, Tensor scales) -> Tensor", lambda a, scales: torch.linalg.householder_product(a, scales).contiguous())
def householder_product(a, scales):
    return a.new_empty(a.shape)


@_operation("(Tensor a) -> (Tensor, Tensor, Tensor)", lambda a: (*torch.linalg.eigh(a), _numbers(a).zero_()))
def eigh(a):
    return _numbers(a, a.shape[-1], dtype=a.dtype), a.new_empty(a.shape), _numbers(a)


@_operation("(Tensor a) -> (Tensor, Tensor, Tensor, Tensor, Tensor)", _eager_eig)
def eig(a):
    values = [_numbers(a, a.shape[-1], dtype=a.dtype) for _ in range(2)]
    return (*values, a.new_empty(a.shape), a.new_empty(a.shape), _numbers(a))


@_operation("(Tensor a, bool full) -> (Tensor, Tensor, Tensor, Tensor)",
            lambda a, full: (*torch.linalg.svd(a, full_matrices=full), _numbers(a).zero_()))
def svd(a, full):
    (m, n), k = a.shape[-2:], _less(a)
    left, right = (m, n) if full else (k, k)
    return (_numbers(a, m, left, dtype=a.dtype), _numbers(a, k, dtype=a.dtype), _numbers(a, right, n, dtype=a.dtype), _numbers(a))


def _eager_complex_lu(a):
    factors, *rest = _eager_lu(unpaired(a))
    return (paired(factors), *rest)


def _eager_complex_svd(a, full):
    left, values, right = torch.linalg.svd(unpaired(a), full_matrices=full)
    return paired(left), values, paired(right), _numbers(a).zero_()


@_operation("(Tensor a) -> (Tensor, Tensor)", lambda a: (paired((made := torch.linalg.cholesky_ex(unpaired(a)))[0]), made[1]))
def complex_cholesky(a):
    return a.new_empty(a.shape), _numbers(a)


@_operation("(Tensor a) -> (Tensor, Tensor, Tensor, Tensor)", _eager_complex_lu)
def complex_lu(a):
    m, n = a.shape[-2:]
    return a.new_empty(a.shape), _numbers(a, min(m, n // 2)), _numbers(a, m), _numbers(a)


@_operation("(Tensor a, Tensor b, bool lower, bool unit) -> Tensor", lambda a, b, lower, unit: paired(
    torch.linalg.solve_triangular(unpaired(a), unpaired(b), upper=not lower, unitriangular=unit)))
def complex_triangular_solve(a, b, lower, unit):
    return b.new_empty(b.shape)


@_operation("(Tensor a) -> (Tensor, Tensor)", lambda a: tuple(map(paired, torch.geqrf(unpaired(a)))))
def complex_householder_qr(a):
    m, n = a.shape[-2:]
    return a.new_empty(a.shape), _numbers(a, 2 * min(m, n // 2), dtype=a.dtype)


@_operation("(Tensor a, Tensor scales) -> Tensor",
            lambda a, scales: paired(torch.linalg.householder_product(unpaired(a), unpaired(scales))))
def complex_householder_product(a, scales):
    return a.new_empty(a.shape)


@_operation("(Tensor a) -> (Tensor, Tensor, Tensor)", lambda a: (
    (made := torch.linalg.eigh(unpaired(a)))[0], paired(made[1]), _numbers(a).zero_()))
def complex_eigh(a):
    return _numbers(a, a.shape[-2], dtype=a.dtype), a.new_empty(a.shape), _numbers(a)


@_operation("(Tensor a, bool full) -> (Tensor, Tensor, Tensor, Tensor)", _eager_complex_svd)
def complex_svd(a, full):
    m, n = a.shape[-2], a.shape[-1] // 2
    k = min(m, n)
    left, right = (m, n) if full else (k, k)
    return (_numbers(a, m, 2 * left, dtype=a.dtype), _numbers(a, k, dtype=a.dtype), _numbers(a, right, 2 * n, dtype=a.dtype), _numbers(a))


# Vectors of complex matrices of open sizes, which prim has not: torch's own where a program uses them, and nothing where it asks for
# values alone, as torch asks for vectors whenever it traces.
@_operation("(Tensor a) -> Tensor", lambda a: torch.linalg.eigh(a)[1].contiguous())
def hermitian_vectors(a):
    return a.new_empty(a.shape)


@_operation("(Tensor a, bool full) -> (Tensor, Tensor)",
            lambda a, full: tuple(one.contiguous() for one in torch.linalg.svd(a, full_matrices=full)[::2]))
def singular_vectors(a, full):
    (m, n), k = a.shape[-2:], _less(a)
    left, right = (m, n) if full else (k, k)
    return _numbers(a, m, left, dtype=a.dtype), _numbers(a, right, n, dtype=a.dtype)
