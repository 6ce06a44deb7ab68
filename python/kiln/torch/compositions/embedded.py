# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex matrices as real ones of twice the size: each element x + iy is the block [[x, -y], [y, x]]. Sums, products,
inverses, and the triangular root of a Hermitian matrix, are those of the real matrices."""
import torch


def embedded(a):
    re, im = torch.real(a), torch.imag(a)
    blocks = torch.stack([torch.stack([re, -im], -1), torch.stack([im, re], -1)], -3)  # [..., m, 2, n, 2]
    return blocks.reshape([*a.shape[:-2], 2 * a.shape[-2], 2 * a.shape[-1]])


def complex_of(a):
    """The complex matrix of a real one that is made of such blocks."""
    blocks = a.reshape([*a.shape[:-2], a.shape[-2] // 2, 2, a.shape[-1] // 2, 2])
    return torch.complex(blocks[..., 0, :, 0], blocks[..., 1, :, 0])


def rows(b):
    """The first column of each block: what such a matrix is multiplied with."""
    return torch.stack([torch.real(b), torch.imag(b)], -2).reshape([*b.shape[:-2], 2 * b.shape[-2], b.shape[-1]])


def complex_rows(b):
    parts = b.reshape([*b.shape[:-2], b.shape[-2] // 2, 2, b.shape[-1]])
    return torch.complex(parts[..., 0, :], parts[..., 1, :])


def adjoint(a):
    """With a conjugate that is no view."""
    return (torch.conj_physical(a) if a.is_complex() else a).mT


def hermitian(a, lower):
    """A Hermitian matrix, of which one triangle is read."""
    row, column = torch.arange(a.shape[-1]).unsqueeze(-1), torch.arange(a.shape[-1])
    given = row > column if lower else row < column
    diagonal = torch.complex(torch.real(a), torch.zeros_like(torch.real(a)))
    return torch.where(given, a, torch.where(row == column, diagonal, adjoint(a)))


def wide(dtype):
    return torch.complex128 if dtype.is_complex else torch.float64
