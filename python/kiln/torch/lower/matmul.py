# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices."""
from . import lowers
from .common import Unsupported, is_float, is_narrow, is_number, is_small, is_unsigned, operand, wide


def product(b, x, y, batch, contract, dtype):
    """Summed in a type that holds the sum, then converted."""
    if x.dtype == "i1" or (is_unsigned(x.dtype) and dtype != x.dtype):
        raise Unsupported(f"products of {x.dtype}")
    x, y = b.as_signed(x), b.as_signed(b.convert(y, x.dtype))  # sums that wrap have the same bits
    total = x.dtype if is_float(x.dtype) else "i64" if x.dtype == "i64" else "i32"
    if dtype == "f32" and is_narrow(x.dtype):
        total = "f32"
    return b.convert(b.dot(x, y, batch, contract, total, kind="dot"), dtype)


def _multiply(b, x, y, batch, contract, dtype):
    """A product of factors that eager mode multiplies: of one type."""
    if x.dtype != y.dtype:
        raise Unsupported(f"a product of {x.dtype} and {y.dtype}: factors have to have one type")
    return product(b, x, y, batch, contract, dtype)


@lowers("mm.default", "_int_mm.default")
def mm(b, out, x, y, **options):
    return _multiply(b, x, y, ([], []), ([1], [0]), out.dtype)


@lowers("bmm.default")
def bmm(b, out, x, y, **options):
    return _multiply(b, x, y, ([0], [0]), ([2], [1]), out.dtype)


@lowers("mv.default")
def mv(b, out, x, y):
    return _multiply(b, x, y, ([], []), ([1], [0]), out.dtype)


@lowers("dot.default", "vdot.default")
def dot(b, out, x, y):
    return _multiply(b, x, y, ([], []), ([0], [0]), out.dtype)


def _scale(b, x, factor):
    if is_number(factor) and not is_float(x.dtype):
        factor = int(factor)  # as torch cuts it
    return x if factor == 1 else b.binary("mul", x, b.full_like(factor, x))


def added(b, out, x, made, beta, alpha):
    """beta * x + alpha * made, where beta 0 forgets x. `made` has the type of the sums."""
    made = _scale(b, made, alpha)
    if not is_number(beta) or (beta if is_float(out.dtype) else int(beta)) != 0:
        more = _scale(b, operand(b, x, made.dtype, out.shape), beta)
        if not is_number(beta):
            more = b.where(b.compare("eq", b.full_like(beta, more), b.full_like(0, more)), b.full_like(0, more), more)
        made = b.binary("add", more, made)
    return b.convert(made, out.dtype)


def _sum_type(out):
    return wide(out.dtype)


def _known_product(b, out, y, z, alpha):
    """The product of a matrix, of whose factors BLAS reads nothing where alpha is 0: they may be infinite."""
    if is_number(alpha) and alpha == 0 and y.dtype == z.dtype:
        return b.full(0, _sum_type(out), out.shape)
    return _multiply(b, y, z, ([], []), ([1], [0]), _sum_type(out))


@lowers("addmm.default")
def addmm(b, out, x, y, z, *, beta=1, alpha=1):
    return added(b, out, x, _known_product(b, out, y, z, alpha), beta, alpha)


@lowers("baddbmm.default")
def baddbmm(b, out, x, y, z, *, beta=1, alpha=1):
    return added(b, out, x, _multiply(b, y, z, ([0], [0]), ([2], [1]), _sum_type(out)), beta, alpha)


@lowers("addmv.default")
def addmv(b, out, x, y, z, *, beta=1, alpha=1):
    return added(b, out, x, _known_product(b, out, y, z, alpha), beta, alpha)


def _spread(b, scale, shape):
    """One scale for all elements of a matrix, or for those of each row or column."""
    scale = b.convert(scale, "f32")
    if all(size == 1 for size in scale.shape):
        return b.broadcast_in_dim(b.reshape(scale, []), [], shape)
    if scale.rank != 2 or any(size not in (1, full) for size, full in zip(scale.shape, shape)):
        raise Unsupported(f"scales of shape {list(scale.shape)}, neither one nor one for each row and column")
    return b.broadcast(scale, shape)


@lowers("_scaled_mm.default")
def scaled_mm(b, out, x, y, scale_x, scale_y, bias=None, scale_result=None, out_dtype=None, use_fast_accum=False):
    if "f8E8M0FNU" in (scale_x.dtype, scale_y.dtype):
        raise Unsupported("scales of blocks")
    if x.dtype != y.dtype:  # bf16 has all numbers of both
        x, y = b.convert(x, "bf16"), b.convert(y, "bf16")
    # What cuBLAS does: 128 products at a time are summed with few bits, or all of them.
    imprecise = (1 << 30 if use_fast_accum else 128) if is_small(x.dtype) else 0
    made = b.dot(x, y, ([], []), ([1], [0]), "f32", imprecise)
    made = b.binary("mul", made, _spread(b, scale_x, made.shape))
    made = b.binary("mul", made, _spread(b, scale_y, made.shape))
    if bias is not None:
        made = b.binary("add", made, b.broadcast(b.convert(bias, "f32"), made.shape))
    if scale_result is not None and is_small(out.dtype):
        made = b.binary("mul", made, _spread(b, scale_result, made.shape))
    return b.convert(made, out.dtype)
