# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The real functions of device libraries; adds to FUNCTIONS of extern_functions."""
import math
import os
import sys

from extern_functions import FUNCTIONS, INF, LARGEST, NAN, add, away, neighbour, single, to_integer

VALUES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "extern-values.txt")
# Where a function's arguments come from the table: symbol -> rows.
ROWS = {}


def guarded(function):
    """NaN outside of the domain; NaN for NaN; infinity for what is too large."""
    def call(*x):
        try:
            return float(function(*x))
        except ValueError:
            return NAN
        except OverflowError:
            return INF
    return call


def odd(function):
    """With the sign of an overflow."""
    return lambda x: math.copysign(guarded(function)(abs(x)), x) if x == x else x


def logarithm(function):
    return lambda x: -INF if x == 0 else guarded(function)(x)


def even(x):
    return math.copysign(round(x), x) if math.isfinite(x) else x


def nearest(x):
    return math.copysign(away(abs(x)), x) if math.isfinite(x) else x


def toward(function):
    return lambda x: math.copysign(function(x), x) if math.isfinite(x) else x


def smaller(x, y):
    return y if x != x else x if y != y else min(x, y)


def larger(x, y):
    return y if x != x else x if y != y else max(x, y)


def quotient(x, y):
    if x != x or y != y or (x == 0 and y == 0) or (abs(x) == INF and abs(y) == INF):
        return NAN
    if y == 0:
        return math.copysign(INF, math.copysign(1, x) * math.copysign(1, y))
    try:
        return x / y
    except OverflowError:
        return math.copysign(INF, x * math.copysign(1, y))


def power(x, y):
    if x == 0 and y < 0:
        return math.copysign(INF, x) if y % 2 == 1 else INF
    if x < 0 and y % 2 == 1 and math.isfinite(y):
        return -guarded(math.pow)(-x, y)
    return guarded(math.pow)(x, y)


def exponent(x):
    if x == 0 or x != x:
        return -(1 << 31)
    return (1 << 31) - 1 if abs(x) == INF else math.frexp(x)[1] - 1


def real_exponent(x):
    return -INF if x == 0 else x * x if not math.isfinite(x) else math.frexp(x)[1] - 1


def scaled(x, n):
    try:
        return math.ldexp(x, max(min(n, 5000), -5000))
    except OverflowError:
        return math.copysign(INF, x)


def next_number(kind):
    def call(x, y):
        if x != x or y != y:
            return NAN
        if x == y:
            return y
        if abs(x) == INF:
            return math.copysign(LARGEST[kind], x)
        result = neighbour(x, kind, 1 if y > x else -1) if abs(x) != LARGEST[kind] or \
            (y > x) != (x > 0) else math.copysign(INF, x)
        return math.copysign(result, x) if result == 0 else result
    return call


EXACT = {  # (function of one f32 or f64, tolerance 0)
    "ceil": toward(math.ceil), "floor": toward(math.floor), "trunc": toward(math.trunc),
    "round": nearest, "rint": even, "nearbyint": even, "fabs": abs,
    "sqrt": lambda x: x if x == 0 else guarded(math.sqrt)(x), "logb": real_exponent,
}
ONE = {
    "acos": math.acos, "acosh": math.acosh, "asin": math.asin, "asinh": math.asinh,
    "atan": math.atan, "cos": math.cos, "cosh": math.cosh, "erf": math.erf, "erfc": math.erfc,
    "exp": math.exp, "exp2": lambda x: math.pow(2, x), "expm1": math.expm1,
    "sin": math.sin, "tan": math.tan, "tanh": math.tanh,
}
ONE = {name: guarded(function) for name, function in ONE.items()}
ONE.update({
    "atanh": lambda x: math.copysign(INF, x) if abs(x) == 1 else guarded(math.atanh)(x),
    "cbrt": math.cbrt,
    "log": logarithm(math.log), "log10": logarithm(math.log10), "log2": logarithm(math.log2),
    "log1p": lambda x: -INF if x == -1 else guarded(math.log1p)(x),
    "rsqrt": lambda x: quotient(1.0, math.copysign(guarded(math.sqrt)(abs(x)), x))
             if x >= 0 else NAN,
    "sinh": odd(math.sinh),
})
TWO = {
    "atan2": (math.atan2, 8), "copysign": (math.copysign, 0), "pow": (power, 16),
    "fmax": (larger, 0.1), "fmin": (smaller, 0.1), "fmod": (guarded(math.fmod), 0),
    "remainder": (guarded(math.remainder), 0),
    "fdim": (lambda x, y: 0.0 if x <= y else guarded(lambda: x - y)(), 0.1),
}
ALIASES = {"cyl_bessel_i0": "i0", "cyl_bessel_i1": "i1", "norm3d": "len3", "norm4d": "len4",
           "rnorm3d": "rlen3", "rnorm4d": "rlen4", "normcdf": "ncdf", "normcdfinv": "ncdfinv",
           "powi": "pown"}


def both(name, operands, result, function, tolerance, to_f32=True):
    """Of f32 and of f64, in both libraries."""
    for kind, suffix in (("f32", "f"), ("f64", "")):
        types = [kind if type == "r" else type for type in operands]
        out = kind if result == "r" else result
        code = function(kind) if name == "nextafter" else function
        rounded = (lambda *x, code=code: single(code(*x))) if out == "f32" and to_f32 else code
        bound = tolerance if out == "f32" or tolerance < 1 else max(tolerance // 2, 2)
        add(f"__nv_{name}{suffix}", types, out, rounded, bound)
        add(f"__ocml_{ALIASES.get(name, name)}_{kind}", types, out, rounded, bound)
        yield f"__nv_{name}{suffix}"
        yield f"__ocml_{ALIASES.get(name, name)}_{kind}"


def add_all():
    for name, function in EXACT.items():
        list(both(name, "r", "r", function, 0))
    for name, function in ONE.items():
        list(both(name, "r", "r", function, 8))
    for name, (function, tolerance) in TWO.items():
        list(both(name, "rr", "r", function, tolerance))
    list(both("nextafter", "rr", "r", next_number, 0))
    list(both("ilogb", "r", "i32", exponent, 0))
    for name in ("ldexp", "scalbn"):
        list(both(name, ["r", "i32"], "r", scaled, 0))
    list(both("powi", ["r", "i32"], "r", lambda x, n: power(x, float(n)), 16))
    for name, test in (("isnan", lambda x: x != x), ("isinf", lambda x: abs(x) == INF),
                       ("signbit", lambda x: math.copysign(1, x) < 0),
                       ("isfinite", math.isfinite)):
        nv = "finitef" if name == "isfinite" else name + "f"
        for symbol, kind in ((nv, "f32"), (name + "d", "f64")):
            add("__nv_" + symbol, [kind], "i32", lambda x, test=test: int(test(x)))
            add(f"__ocml_{name}_{kind}", [kind], "i32", lambda x, test=test: int(test(x)))
    list(both("llrint", "r", "i64", None, 0))
    for kind, suffix in (("f32", "f"), ("f64", "")):
        for name, step in (("rint", round), ("round", lambda x: away(x) if x else 0)):
            for long in ("ll", "l"):
                add(f"__nv_{long}{name}{suffix}", [kind], "i64", to_integer(kind, 64, True, step))
    del FUNCTIONS["__ocml_llrint_f32"], FUNCTIONS["__ocml_llrint_f64"]
    add("__triton_hip_llrint", ["f64"], "i64", to_integer("f64", 64, True, round))
    add("__triton_hip_fabs", ["f64"], "f64", abs)
    for name in ("sin", "cos", "tan", "exp", "log", "log2", "log10"):
        add(f"__nv_fast_{name}f", ["f32"], "f32", FUNCTIONS[f"__nv_{name}f"][2], 8)
    for name in ("sin", "cos", "exp", "exp2", "log", "log2", "log10", "sqrt", "rsqrt"):
        add(f"__ocml_native_{name}_f32", ["f32"], "f32", FUNCTIONS[f"__nv_{name}f"][2], 8)
    add("__nv_fast_powf", ["f32"] * 2, "f32", FUNCTIONS["__nv_powf"][2], 16)
    add("__triton_hip_fast_expf", ["f32"], "f32", FUNCTIONS["__nv_expf"][2], 8)
    add("__triton_hip_fast_tanhf", ["f32"], "f32", FUNCTIONS["__nv_tanhf"][2], 8)
    for name in ("__nv_fast_fdividef", "__triton_hip_fast_fdividef"):
        add(name, ["f32"] * 2, "f32", lambda x, y: single(quotient(x, y)), 8)
    add("__nv_saturatef", ["f32"], "f32", lambda x: max(0.0, min(x, 1.0)) if x == x else 0.0, 0.1)
    for letter, kind in (("f", "f32"), ("", "f64")):
        for symbol in (f"__nv_fma{letter}", f"__ocml_fma_{kind}"):
            add(symbol, [kind] * 3, kind, FUNCTIONS[f"__nv_fma{letter}_rn"][2], 0)
    add("__nv_frsqrt_rn", ["f32"], "f32", FUNCTIONS["__nv_rsqrtf"][2], 0)
    add("__nv_rcp64h", ["f64"], "f64", lambda x: quotient(1.0, x), 1 << 34)


def add_values():
    """Functions that the table gives."""
    rows = {}
    with open(VALUES, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                name, rest = line.split(": ")
                arguments, value = rest.split(" = ")
                rows.setdefault(name, []).append((arguments.split(), float(value)))
    for name, table in rows.items():
        whole = name in ("jn", "yn")
        points = [tuple(int(x) if whole and i == 0 else float(x) for i, x in enumerate(arguments))
                  for arguments, _ in table]
        results = {point: value for point, (_, value) in zip(points, table)}
        operands = ["i32", "r"] if whole else ["r"] * len(points[0])
        for symbol in both(name, operands, "r", lambda *x, results=results: results[x], 6):
            ROWS[symbol] = points
    for name in ("jn", "yn"):
        for kind in ("f32", "f64"):
            del FUNCTIONS[f"__ocml_{name}_{kind}"]
    add("__nv_fast_exp10f", ["f32"], "f32", FUNCTIONS["__nv_exp10f"][2], 8)
    ROWS["__nv_fast_exp10f"] = ROWS["__nv_exp10f"]


add_all()
add_values()
