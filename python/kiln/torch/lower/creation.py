# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors from nothing, copies, conversions."""
from . import lowers
from .common import is_float, is_number, operand


def _full(b, out, value):
    return operand(b, value, out.dtype, out.shape)


@lowers("full.default", "full_like.default")
def full(b, out, shape, value, **options):
    return _full(b, out, value)


@lowers("new_full.default")
def new_full(b, out, x, shape, value, **options):
    return _full(b, out, value)


@lowers("zeros", "zeros_like", "new_zeros", "empty", "empty_like", "empty_strided", "empty_permuted", "new_empty",
        "new_empty_strided", "_efficientzerotensor", "_new_zeros_with_same_feature_meta")
def zeros(b, out, *args, **options):
    return _full(b, out, 0)


@lowers("ones", "ones_like", "new_ones")
def ones(b, out, *args, **options):
    return _full(b, out, 1)


@lowers("fill.Scalar", "fill.Tensor")
def fill(b, out, x, value):
    return _full(b, out, value)


@lowers("scalar_tensor.default")
def scalar_tensor(b, out, value, **options):
    return _full(b, out, value)


def arange_of(b, out, start, step):
    dtype = "f64" if is_float(out.dtype) else "i64"
    if dtype == "i64" and not all(float(n).is_integer() for n in (start, step) if is_number(n)):
        dtype = "f64"
    made = b.iota(dtype, out.shape, 0)
    if step != 1:
        made = b.binary("mul", made, operand(b, step, dtype, made.shape))
    if start != 0:
        made = b.binary("add", made, operand(b, start, dtype, made.shape))
    return b.convert(made, out.dtype)


@lowers("arange.default")
def arange(b, out, end, **options):
    return arange_of(b, out, 0, 1)


@lowers("arange.start")
def arange_start(b, out, start, end, **options):
    return arange_of(b, out, start, 1)


@lowers("arange.start_step", "range.default", "range.step")
def arange_step(b, out, start, end, step=1, **options):
    return arange_of(b, out, start, step)


@lowers("iota.default")
def iota(b, out, length, *, start, step, **options):
    return arange_of(b, out, start, step)


@lowers("clone", "alias", "detach", "detach_", "lift_fresh_copy", "lift_fresh", "contiguous", "_to_copy", "convert_element_type",
        "alias_copy", "detach_copy", "view_of", "_conj", "conj", "resolve_conj", "resolve_neg", "positive")
def copy_of(b, out, x, *args, **options):
    if isinstance(x, (bool, int, float)):  # a number that vmap has taken out of its tensor
        return operand(b, x, out.dtype, out.shape)
    return b.convert(x, out.dtype)


@lowers("copy.default")
def copy(b, out, x, source, non_blocking=False):
    return operand(b, source, out.dtype, out.shape)


@lowers("kiln.random_bits.default")
def random_bits(b, out, seed, offset, shape, bits):
    key = b.emit(f"prim.bitcast_convert {seed.name} : {seed.type} -> {b._type('i32', (2,))}", "i32", (2,))
    high = b.emit(f"prim.bitcast_convert {offset.name} : {offset.type} -> {b._type('i32', (2,))}", "i32", (2,))
    counter = b.cat([b.full(0, "i32", (2,)), high], 0)
    return b.emit(f"prim.random_bits philox {key.name}, {counter.name}{b.sizes(out.shape)} : {key.type}, {counter.type} -> "
                  f"{b._type(out.dtype, out.shape)}", out.dtype, out.shape)
