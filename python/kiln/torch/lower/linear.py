# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra on the host: torch.ops.kiln, whose operations are those of prim."""
from . import lowers


#: The dimension of a result, by its number, that is the smaller size of the matrix.
_LESS = {"lu": {1: -1}, "householder_qr": {1: -1}, "svd": {0: -1, 1: -1, 2: -2}, "svd full": {1: -1}}


def _emit(b, out, text, *operands, kind=None):
    wanted = out if isinstance(out, list) else [out]
    types = [(one.dtype, list(one.shape)) for one in wanted]
    for number, dim in _LESS.get(kind, {}).items():
        # torch knows that the smaller of 1 and an open size is 1; prim says `?`, as the other may be 0
        types[number][1][dim] = next((n for n in operands[0].shape[-2:] if not isinstance(n, int)), types[number][1][dim])
    made = b.emit_many(f"prim.{text} : {', '.join(x.type for x in operands)}", types)
    made = [b.reshape(one, other.shape) for one, other in zip(made, wanted)]
    return made if isinstance(out, list) else made[0]


@lowers(*(f"kiln.{name}.default" for name in (
    "cholesky", "lu", "householder_qr", "householder_product", "eigh", "eig", "complex_cholesky", "complex_lu", "complex_householder_qr",
    "complex_householder_product", "complex_eigh")))
def whole(b, out, *operands):
    operation = (out[0] if isinstance(out, list) else out).operation
    kind = operation.split(".")[1]
    return _emit(b, out, f"{kind} {', '.join(x.name for x in operands)}", *operands, kind=kind)


@lowers("kiln.pivots_to_permutation.default")
def pivots_to_permutation(b, out, pivots, rows):
    return _emit(b, out, f"pivots_to_permutation {pivots.name} rows {rows}", pivots)


@lowers("kiln.triangular_solve.default", "kiln.complex_triangular_solve.default")
def triangular_solve(b, out, x, y, lower, unit):
    kind = out.operation.split(".")[1]
    return _emit(b, out, f"{kind} {x.name}, {y.name}{' lower' if lower else ''}{' unit' if unit else ''}", x, y)


@lowers("kiln.complex_svd.default")
def complex_svd(b, out, x, full):
    return _emit(b, out, f"complex_svd {x.name}{' full' if full else ''}", x)


@lowers("kiln.svd.default")
def svd(b, out, x, full):
    return _emit(b, out, f"svd {x.name}{' full' if full else ''}", x, kind="svd full" if full else "svd")
