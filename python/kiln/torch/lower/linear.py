# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra on the host: torch.ops.kiln, whose operations are those of prim."""
from . import lowers


def _emit(b, out, text, *operands):
    types = [(one.dtype, one.shape) for one in (out if isinstance(out, list) else [out])]
    made = b.emit_many(f"prim.{text} : {', '.join(x.type for x in operands)}", types)
    return made if isinstance(out, list) else made[0]


@lowers(*(f"kiln.{name}.default" for name in ("cholesky", "lu", "householder_qr", "householder_product", "eigh", "eig")))
def whole(b, out, *operands):
    operation = (out[0] if isinstance(out, list) else out).operation
    return _emit(b, out, f"{operation.split('.')[1]} {', '.join(x.name for x in operands)}", *operands)


@lowers("kiln.pivots_to_permutation.default")
def pivots_to_permutation(b, out, pivots, rows):
    return _emit(b, out, f"pivots_to_permutation {pivots.name} rows {rows}", pivots)


@lowers("kiln.triangular_solve.default")
def triangular_solve(b, out, x, y, lower, unit):
    return _emit(b, out, f"triangular_solve {x.name}, {y.name}{' lower' if lower else ''}{' unit' if unit else ''}", x, y)


@lowers("kiln.svd.default")
def svd(b, out, x, full):
    return _emit(b, out, f"svd {x.name}{' full' if full else ''}", x)
