# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic and functions of one element each."""
import math

from . import lowers
from .common import Unsupported, arithmetic, is_float, is_number, is_unsigned, operand, result_type, rounded, wide

#: Functions of floats that prim has under another name or the same; integers become floats first.
FUNCTIONS = {
    "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log1p": "log1p", "sin": "sin", "cos": "cos",
    "tanh": "tanh", "erf": "erf", "sqrt": "sqrt", "rsqrt": "rsqrt", "reciprocal": "reciprocal", "sigmoid": "sigmoid",
    "silu": "silu", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh", "cosh": "cosh",
    "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "log2": "log2", "log10": "log10", "erfc": "erfc",
    "lgamma": "lgamma", "digamma": "digamma", "erfinv": "erfinv", "erf_inv": "erfinv", "special_erfcx": "erfcx",
    "erfcx": "erfcx", "special_ndtri": "ndtri", "ndtri": "ndtri", "i0": "bessel_i0", "bessel_i0": "bessel_i0",
    "special_modified_bessel_i0": "bessel_i0", "special_i0e": "bessel_i0e", "bessel_i0e": "bessel_i0e", "special_i1": "bessel_i1",
    "bessel_i1": "bessel_i1", "special_modified_bessel_i1": "bessel_i1", "special_i1e": "bessel_i1e", "bessel_i1e": "bessel_i1e",
    "special_bessel_j0": "bessel_j0", "bessel_j0": "bessel_j0", "special_bessel_j1": "bessel_j1", "bessel_j1": "bessel_j1",
    "special_bessel_y0": "bessel_y0", "special_bessel_y1": "bessel_y1", "cbrt": "cbrt",
    "special_spherical_bessel_j0": "spherical_bessel_j0", "spherical_bessel_j0": "spherical_bessel_j0",
}
#: Functions that leave integers as they are.
ROUNDINGS = {"ceil": "ceil", "floor": "floor", "round": "round", "trunc": "trunc"}


def _function(prim):
    return lambda b, out, x: b.unary(prim, b.convert(x, out.dtype))


def _rounding(prim):
    return lambda b, out, x: b.unary(prim, x) if is_float(x.dtype) else x


for _aten, _prim in FUNCTIONS.items():
    lowers(f"{_aten}.default")(_function(_prim))
for _aten, _prim in ROUNDINGS.items():
    lowers(f"{_aten}.default")(_rounding(_prim))
for _name in ("abs", "neg"):
    lowers(f"{_name}.default")(lambda b, out, x, _name=_name: b.unary(_name, x))
lowers("_neg_view.default", "_neg_view_copy.default")(lambda b, out, x: b.unary("neg", x))


@lowers("sign.default", "sgn.default")
def sign(b, out, x):
    if x.dtype == "i1":
        return x
    if is_float(x.dtype):  # of NaN and of -0 torch makes 0
        zeros = b.full_like(0, x)
        return b.where(b.compare("gt", b.unary("abs", x), zeros), b.unary("sign", x), zeros)
    return b.unary("sign", x)


@lowers("relu.default")
def relu(b, out, x):
    return b.unary("relu", x) if is_float(x.dtype) else b.binary("maximum", x, b.full_like(0, x))


@lowers("gelu.default")
def gelu(b, out, x, *, approximate="none"):
    return b.unary("gelu", x, " tanh" if approximate == "tanh" else " exact")


def _gate(b, x):
    """x + 3 between 0 and 6."""
    above = b.binary("maximum", b.binary("add", x, b.full_like(3, x)), b.full_like(0, x))
    return b.binary("minimum", above, b.full_like(6, x))


@lowers("hardsigmoid.default")
def hardsigmoid(b, out, x):
    return arithmetic(b, out, lambda p: b.binary("div", _gate(b, p), b.full_like(6, p)), x)


@lowers("hardswish.default")
def hardswish(b, out, x):
    return arithmetic(b, out, lambda p: b.binary("div", b.binary("mul", p, _gate(b, p)), b.full_like(6, p)), x)


@lowers("leaky_relu.default")
def leaky_relu(b, out, x, negative_slope=0.01):
    return arithmetic(b, out, lambda p: b.where(b.compare("gt", p, b.full_like(0, p)), p,
                                                b.binary("mul", p, b.full_like(negative_slope, p))), x)


def _scaled(b, out, y, alpha):
    alpha = rounded(b, alpha, out.dtype)
    return y if alpha == 1 else b.binary("mul", y, operand(b, alpha, y.dtype, y.shape))


@lowers("add.Tensor", "add.Scalar", "add.default")
def add(b, out, x, y, *, alpha=1):
    if out.dtype == "i1":
        x = operand(b, x, "i1", out.shape)
        return b.binary("bitwise_or", x, operand(b, y, "i1", out.shape)) if alpha else x
    return arithmetic(b, out, lambda p, q: b.binary("add", p, _scaled(b, out, q, alpha)), x, y)


@lowers("sub.Tensor", "sub.Scalar", "sub.default")
def sub(b, out, x, y, *, alpha=1):
    return arithmetic(b, out, lambda p, q: b.binary("sub", p, _scaled(b, out, q, alpha)), x, y)


@lowers("rsub.Tensor", "rsub.Scalar")
def rsub(b, out, x, y, alpha=1):
    return sub(b, out, y, x, alpha=alpha)


@lowers("mul.Tensor", "mul.Scalar", "mul.default")
def mul(b, out, x, y):
    if out.dtype == "i1":
        return b.binary("bitwise_and", operand(b, x, "i1", out.shape), operand(b, y, "i1", out.shape))
    return arithmetic(b, out, lambda p, q: b.binary("mul", p, q), x, y, exact=(1,))


def _floor_divide_integers(b, p, q):
    """One less than the quotient rounded to zero, where a rest has not the sign of the divisor. To subtract the rest first would leave
    the type at its ends."""
    rest = b.binary("fmod", p, q)
    zeros = b.full_like(0, p)
    differ = b.compare("lt", b.binary("bitwise_xor", rest, q), zeros)
    lower = b.binary("bitwise_and", b.compare("ne", rest, zeros), differ)
    quotient = b.binary("div", p, q)
    return b.where(lower, b.binary("sub", quotient, b.full_like(1, p)), quotient)


def floor_divide(b, p, q):
    """The quotient rounded down, as Python and C++ find it with fmod."""
    if is_unsigned(p.dtype):
        return b.binary("div", p, q)
    if not is_float(p.dtype):
        return _floor_divide_integers(b, p, q)
    zeros = b.full_like(0, p)
    rest = b.binary("fmod", p, q)
    quotient = b.binary("div", b.binary("sub", p, rest), q)
    differ = b.compare("ne", b.convert(b.compare("lt", q, zeros), "i8"), b.convert(b.compare("lt", rest, zeros), "i8"))
    lower = b.binary("bitwise_and", b.compare("ne", rest, zeros), differ)
    quotient = b.where(lower, b.binary("sub", quotient, b.full_like(1, p)), quotient)
    floor = b.unary("floor", quotient)
    above = b.compare("gt", b.binary("sub", quotient, floor), b.full_like(0.5, p))
    floor = b.where(above, b.binary("add", floor, b.full_like(1, p)), floor)
    exact = b.binary("div", p, q)
    signed = b.binary("mul", zeros, exact)  # a zero with the sign of the quotient
    floor = b.where(b.compare("eq", quotient, zeros), signed, floor)
    return b.where(b.compare("eq", q, zeros), exact, floor)


@lowers("div.Tensor", "div.Scalar", "div.default", "div.Tensor_mode", "div.Scalar_mode", "true_divide.Tensor")
def div(b, out, x, y, *, rounding_mode=None):
    if rounding_mode is None:
        return arithmetic(b, out, lambda p, q: b.binary("div", p, q), x, y, exact=(1,))
    if rounding_mode == "floor":
        return arithmetic(b, out, lambda p, q: floor_divide(b, p, q), x, y, exact=(1,))
    if not is_float(out.dtype):
        return arithmetic(b, out, lambda p, q: b.binary("div", p, q), x, y, exact=(1,))
    return arithmetic(b, out, lambda p, q: b.unary("trunc", b.binary("div", p, q)), x, y, exact=(1,))


@lowers("floor_divide.default")
def floor_division(b, out, x, y):
    return div(b, out, x, y, rounding_mode="floor")


@lowers("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")
def remainder(b, out, x, y):
    def compute(p, q):
        if not is_float(p.dtype):
            return b.binary("remainder", p, q)
        zeros, rest = b.full_like(0, p), b.binary("fmod", p, q)
        differ = b.compare("ne", b.convert(b.compare("lt", q, zeros), "i8"), b.convert(b.compare("lt", rest, zeros), "i8"))
        other = b.binary("bitwise_and", b.compare("ne", rest, zeros), differ)
        return b.where(other, b.binary("add", rest, q), rest)
    return arithmetic(b, out, compute, x, y)


@lowers("fmod.Tensor", "fmod.Scalar")
def fmod(b, out, x, y):
    return arithmetic(b, out, lambda p, q: b.binary("fmod", p, q), x, y)


for _aten, _prim in {"maximum.default": "maximum", "minimum.default": "minimum", "fmax.default": "fmax",
                     "fmin.default": "fmin"}.items():
    def _extremum(b, out, x, y, _prim=_prim):
        prim = _prim if is_float(out.dtype) else {"fmax": "maximum", "fmin": "minimum"}.get(_prim, _prim)
        return b.binary(prim, operand(b, x, out.dtype, out.shape), operand(b, y, out.dtype, out.shape))
    lowers(_aten)(_extremum)


@lowers("pow.Tensor_Scalar")
def pow_scalar(b, out, x, exponent):
    if out.dtype == "i1":
        raise Unsupported("pow of truth values")
    x = b.convert(rounded(b, x, out.dtype), wide(out.dtype))
    exponent = rounded(b, exponent, out.dtype)
    square = lambda: b.binary("mul", x, x)  # noqa: E731
    if exponent == 0:
        made = b.full_like(1, x)
    elif exponent == 1:
        made = x
    elif exponent == 2:
        made = square()
    elif exponent == 3:
        made = b.binary("mul", square(), x)
    elif is_float(x.dtype) and exponent == 0.5:
        made = b.unary("sqrt", x)
    elif is_float(x.dtype) and exponent == -0.5:
        made = b.unary("rsqrt", x)
    elif is_float(x.dtype) and exponent == -1:
        made = b.unary("reciprocal", x)
    elif is_float(x.dtype) and exponent == -2:
        made = b.unary("reciprocal", square())
    else:
        made = b.binary("pow", x, operand(b, exponent, x.dtype, x.shape))
    return b.convert(made, out.dtype)


@lowers("pow.Tensor_Tensor", "pow.Scalar")
def pow_tensor(b, out, x, y):
    if out.dtype == "i1":
        raise Unsupported("pow of truth values")
    return arithmetic(b, out, lambda p, q: b.binary("pow", p, q), x, y)


@lowers("clamp.Tensor", "clamp_min.default", "clamp_min.Tensor")
def clamp(b, out, x, min=None, max=None):
    x = operand(b, x, out.dtype, out.shape)
    for limit, prim in ((min, "maximum"), (max, "minimum")):
        if limit is not None:
            x = b.binary(prim, x, operand(b, limit, out.dtype, out.shape))
    return x


@lowers("clamp.default")
def clamp_by_numbers(b, out, x, min=None, max=None):
    """torch compares with a single number here, which a NaN neither exceeds nor falls below. Of two numbers a NaN gives NaN, and so
    it does in `clamp_min` and `clamp_max`."""
    if min is None or max is None:
        min, max = (None if isinstance(limit, float) and limit != limit else limit for limit in (min, max))
    return clamp(b, out, x, min, max)


@lowers("clamp_max.default", "clamp_max.Tensor")
def clamp_max(b, out, x, max):
    return clamp(b, out, x, None, max)


@lowers("lerp.Scalar", "lerp.Tensor")
def lerp(b, out, x, y, weight):
    """From the nearer end, as torch does it."""
    def compute(p, q, w):
        distance = b.binary("sub", q, p)
        low = b.binary("add", p, b.binary("mul", w, distance))
        high = b.binary("sub", q, b.binary("mul", distance, b.binary("sub", b.full_like(1, w), w)))
        near = b.compare("lt", b.unary("abs", w), b.full_like(0.5, w))
        return b.where(near, low, high)
    if is_number(weight):
        near = abs(weight) < 0.5
        def compute(p, q, w):  # noqa: F811
            distance = b.binary("sub", q, p)
            if near:
                return b.binary("add", p, b.binary("mul", w, distance))
            return b.binary("sub", q, b.binary("mul", distance, b.full_like(1 - weight, w)))
    return arithmetic(b, out, compute, x, y, weight, exact=(2,))


@lowers("addcmul.default")
def addcmul(b, out, x, y, z, *, value=1):
    def compute(p, q, r):
        q = q if value == 1 else b.binary("mul", b.full_like(value, q), q)
        return b.binary("add", p, b.binary("mul", q, r))
    return arithmetic(b, out, compute, x, y, z)


@lowers("addcdiv.default")
def addcdiv(b, out, x, y, z, *, value=1):
    def compute(p, q, r):
        q = q if value == 1 else b.binary("mul", b.full_like(value, q), q)
        return b.binary("add", p, b.binary("div", q, r))
    return arithmetic(b, out, compute, x, y, z)


@lowers("fma.default")
def fma(b, out, x, y, z):
    return arithmetic(b, out, lambda p, q, r: b.binary("add", b.binary("mul", p, q), r), x, y, z)


for _aten in ("eq", "ne", "lt", "le", "gt", "ge"):
    def _compare(b, out, x, y, _aten=_aten):
        dtype = result_type(x, y)
        return b.compare(_aten, operand(b, x, dtype, out.shape), operand(b, y, dtype, out.shape))
    lowers(f"{_aten}.Tensor", f"{_aten}.Scalar", f"{_aten}.default")(_compare)


@lowers("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def where(b, out, condition, x, y):
    return b.where(operand(b, condition, "i1", out.shape), operand(b, x, out.dtype, out.shape),
                   operand(b, y, out.dtype, out.shape))


@lowers("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(b, out, x, mask, value):
    return where(b, out, mask, value, x)


@lowers("isnan.default")
def isnan(b, out, x):
    return b.compare("ne", x, x) if is_float(x.dtype) else b.full(False, "i1", x.shape)


@lowers("isinf.default")
def isinf(b, out, x):
    return b.compare("eq", b.unary("abs", x), b.full_like(math.inf, x)) if is_float(x.dtype) else b.full(False, "i1", x.shape)


@lowers("isfinite.default")
def isfinite(b, out, x):
    return b.compare("lt", b.unary("abs", x), b.full_like(math.inf, x)) if is_float(x.dtype) else b.full(True, "i1", x.shape)


@lowers("signbit.default")
def signbit(b, out, x):
    if is_float(x.dtype):
        return b.emit(f"prim.signbit {x.name} : {x.type} -> {b._type('i1', x.shape)}", "i1", x.shape)
    return b.full(False, "i1", x.shape) if is_unsigned(x.dtype) or x.dtype == "i1" else b.compare("lt", x, b.full_like(0, x))


for _name in ("atan2", "hypot", "copysign", "nextafter"):
    def _binary(b, out, x, y, _name=_name):
        if _name == "nextafter":  # in the type itself
            return b.binary(_name, operand(b, x, out.dtype, out.shape), operand(b, y, out.dtype, out.shape))
        return arithmetic(b, out, lambda p, q: b.binary(_name, p, q), x, y)
    lowers(f"{_name}.default", f"{_name}.Tensor", f"{_name}.Scalar")(_binary)


@lowers("special_zeta.default", "special_zeta.other_scalar", "special_zeta.self_scalar", "zeta.default")
def zeta(b, out, x, q):
    return arithmetic(b, out, lambda p, r: b.binary("zeta", p, r), x, q)


@lowers("gcd.default")
def gcd(b, out, x, y):
    return b.binary("gcd", operand(b, x, out.dtype, out.shape), operand(b, y, out.dtype, out.shape))
