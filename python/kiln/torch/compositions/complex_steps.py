# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex matrices of open sizes, factorised by loops over their columns: the host's functions take known sizes. A loop carries
real parts and imaginary ones."""
import torch

_loop = torch.ops.higher_order.while_loop


def _parts(*matrices):
    return [part.contiguous().clone() for a in matrices for part in (torch.real(a), torch.imag(a))]


def _start():
    return torch.zeros((), dtype=torch.int64)


def _places(part, dim):
    return torch.arange(part.shape[dim], device=part.device)


def _at(a, dim, k):
    return a.index_select(dim, k.reshape(1))


def _eliminated(k, re, im, order, pivots, fails):
    """One more column of L and row of U."""
    rows, columns = _places(re, -2), _places(re, -1)
    size = (_at(re, -1, k).abs() + _at(im, -1, k).abs()).squeeze(-1)  # as LAPACK measures complex numbers
    best = torch.argmax(torch.where(rows >= k, size, -1.0), -1, keepdim=True)
    at = torch.where(rows == k, best, torch.where(rows == best, k, rows))
    re, im = (part.gather(-2, at.unsqueeze(-1).expand(part.shape)) for part in (re, im))
    a = torch.complex(re, im)
    row, column = _at(a, -2, k), _at(a, -1, k)
    pivot = _at(row, -1, k)
    zero = pivot == 0
    fails = torch.where((fails == 0) & zero.squeeze(-1).squeeze(-1), (k + 1).to(torch.int32), fails)
    below = (rows > k).unsqueeze(-1)
    factor = torch.where(below, column / torch.where(zero, 1.0, pivot), 0.0)
    made = torch.where(below & (columns > k), a - factor * row, torch.where(below & (columns == k) & ~zero, factor, a))
    pivots = torch.where(_places(pivots, -1) == k, (best + 1).to(torch.int32), pivots)
    return k + 1, *_parts(made), order.gather(-1, at), pivots, fails


def lu(a):
    """L and U in one, the rows that were exchanged (from 1 on), the first pivot that is 0, the permutation."""
    lead, m = a.shape[:-2], a.shape[-2]
    order = torch.arange(m).expand([*lead, m]).clone()
    pivots = torch.zeros([*lead, torch.sym_min(*a.shape[-2:])], dtype=torch.int32)
    fails = torch.zeros(lead, dtype=torch.int32)
    if 0 in a.shape:
        return a.clone(), pivots, fails, order
    _, re, im, order, pivots, fails = _loop(lambda k, re, im, order, pivots, fails: k < pivots.shape[-1], _eliminated,
                                            (_start(), *_parts(a), order, pivots, fails), ())
    return torch.complex(re, im), pivots, fails, order


def _multiplied(k, re, im, of_re, of_im):
    x, y = (_at(part, -1, k).squeeze(-1) for part in (of_re, of_im))
    return k + 1, re * x - im * y, re * y + im * x


def product(numbers):
    """Of the elements along the last dimension."""
    one = torch.ones(numbers.shape[:-1], dtype=numbers.dtype)
    if 0 in numbers.shape:
        return one
    _, re, im = _loop(lambda k, re, im, of_re, of_im: k < of_re.shape[-1], _multiplied, (_start(), *_parts(one)), tuple(_parts(numbers)))
    return torch.complex(re, im)


def _reflected(k, re, im, factor_re, factor_im):
    """One more column of R and its reflection."""
    rows, columns, a = _places(re, -2).unsqueeze(-1), _places(re, -1), torch.complex(re, im)
    x = _at(a, -1, k)
    head, tail = _at(x, -2, k), torch.where(rows > k, x, 0.0)
    rest = (torch.real(tail) ** 2 + torch.imag(tail) ** 2).sum(-2, keepdim=True)
    real, imag = torch.real(head), torch.imag(head)
    norm = (real * real + imag * imag + rest).sqrt()
    none = (rest == 0) & (imag == 0)
    beta = torch.where(real >= 0, -norm, norm)
    factor = torch.where(none, 0.0, (beta - head) / torch.where(none, 1.0, beta))
    scaled = tail / torch.where(none, 1.0, head - beta)
    v = torch.where(rows == k, 1.0, scaled)
    dot = (torch.conj_physical(v) * a).sum(-2, keepdim=True)
    own = torch.where(rows > k, scaled, torch.where(rows == k, torch.where(none, head, beta.to(a.dtype)), a))
    made = torch.where(columns > k, a - torch.conj_physical(factor) * v * dot, torch.where(columns == k, own, a))
    factors = torch.where(_places(factor_re, -1) == k, factor.squeeze(-1), torch.complex(factor_re, factor_im))
    return k + 1, *_parts(made, factors)


def householder(a):
    """R and the vectors below it in one, and the factors: as LAPACK's geqrf has them."""
    factors = torch.zeros([*a.shape[:-2], torch.sym_min(*a.shape[-2:])], dtype=a.dtype)
    if 0 in a.shape:
        return a.clone(), factors
    _, re, im, factor_re, factor_im = _loop(lambda k, re, im, factor_re, factor_im: k < factor_re.shape[-1], _reflected,
                                            (_start(), *_parts(a, factors)), ())
    return torch.complex(re, im), torch.complex(factor_re, factor_im)


def _applied(k, re, im, of_re, of_im, factor_re, factor_im):
    """One reflection of a product, from the last on."""
    last = factor_re.shape[-1] - 1 - k
    rows, b = _places(re, -2).unsqueeze(-1), torch.complex(re, im)
    column = _at(torch.complex(of_re, of_im), -1, last)
    v = torch.where(rows > last, column, torch.where(rows == last, 1.0, 0.0).to(b.dtype))
    factor = _at(torch.complex(factor_re, factor_im), -1, last).unsqueeze(-1)
    return k + 1, *_parts(b - factor * v * (torch.conj_physical(v) * b).sum(-2, keepdim=True))


def householder_product(a, factors, columns):
    """The first columns of the product of the reflections."""
    start = torch.eye(a.shape[-2], columns, dtype=a.dtype).expand([*a.shape[:-1], columns])
    if 0 in a.shape or 0 in factors.shape:
        return start.clone()
    _, re, im = _loop(lambda k, re, im, of_re, of_im, factor_re, factor_im: k < factor_re.shape[-1], _applied,
                      (_start(), *_parts(start)), tuple(_parts(a, factors)))
    return torch.complex(re, im)
