# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats: functions against the C library, NaN, casts."""
from cases import *  # pylint: disable=wildcard-import,unused-wildcard-import

NAN, INF = float("nan"), float("inf")
x = random_tensor("f32", (4, 9), 20, -3.0, 3.0)
positive = random_tensor("f32", (4, 9), 21, 0.1, 9.0)
for name, function, operand in (
        ("abs", abs, x), ("ceil", math.ceil, x), ("floor", math.floor, x), ("exp", math.exp, x),
        ("log", math.log, positive), ("sin", math.sin, x), ("cos", math.cos, x),
        ("tanh", math.tanh, x), ("erf", math.erf, x), ("reciprocal", lambda v: 1 / v, positive),
        ("rsqrt", lambda v: 1 / math.sqrt(v), positive),
        ("sigmoid", lambda v: 1 / (1 + math.exp(-v)), x)):
    unary(name, operand, "f32", function, name + "_f32", tolerance=2e-6)
r = elementwise("f32", lambda a, b: a ** b, positive, x)
Case("pow_f32", [positive, x], [r], op("pow", [positive, x], r), tolerance=1e-5)

special = Tensor("f32", (2, 4), [NAN, 1.0, -2.0, INF, 3.5, NAN, -INF, 0.25])
other = Tensor("f32", (2, 4), [1.0, NAN, -3.0, 4.0, 3.0, NAN, 0.0, NAN])


def nan_wins(function):
    return lambda a, b: NAN if a != a or b != b else function(a, b)


def nan_loses(function):
    return lambda a, b: b if a != a else a if b != b else function(a, b)


for name, function in (("maximum", max), ("minimum", min)):
    for mode, rule in (("PROPAGATE", nan_wins), ("IGNORE", nan_loses)):
        r = elementwise("f32", rule(function), special, other)
        Case("%s_%s" % (name, mode.lower()), [special, other], [r],
             op(name, [special, other], r, "{nan_mode = %s}" % mode))
unary("clamp", special, "f32", lambda v: v if v != v else max(-1.0, min(2.0, v)), "clamp_propagate",
      "{min_val = -1.0 : f32, max_val = 2.0 : f32}")
unary("clamp", special, "f32", lambda v: -1.0 if v != v else max(-1.0, min(2.0, v)), "clamp_ignore",
      "{min_val = -1.0 : f32, max_val = 2.0 : f32, nan_mode = IGNORE}")

# Casts round to nearest, ties to even, and saturate.
halves = Tensor("f32", (12,), [0.5, 1.5, 2.5, -0.5, -1.5, 126.5, 127.5, 300.0, -300.0, -128.5, 0.49, 3e9])
unary("cast", halves, "i8", lambda v: clip(round(v), "i8"), "cast_f32_i8")
unary("cast", halves, "i32", lambda v: clip(round(v), "i32"), "cast_f32_i32")
unary("cast", halves, "i1", lambda v: v != 0, "cast_f32_i1")
unary("cast", Tensor("i32", (4,), [0, 16777217, -16777219, 5]), "f32", f32, "cast_i32_f32")
unary("cast", random_tensor("i1", (6,), 3), "f32", float, "cast_i1_f32")
unary("cast", random_tensor("i32", (6,), 3), "i8", lambda v: wrap(v, 8), "cast_i32_i8")
unary("cast", random_tensor("i8", (6,), 3), "i32", lambda v: v, "cast_i8_i32")

# Reductions.
y = random_tensor("i32", (3, 4, 5), 22, -9, 9)
for name, function in (("sum", sum), ("product", lambda v: wrap(math.prod(v), 32)), ("max", max),
                       ("min", min)):
    for axis in range(3):
        r = reduce(y, axis, function)
        Case("reduce_%s_%d" % (name, axis), [y], [r],
             op("reduce_" + name, [y], r, "{axis = %d : i32}" % axis))
b = random_tensor("i1", (3, 4), 23)
for name, function in (("all", all), ("any", any)):
    r = reduce(b, 1, function)
    Case("reduce_" + name, [b], [r], op("reduce_" + name, [b], r, "{axis = 1 : i32}"))
rows = Tensor("f32", (3, 3), [1.0, NAN, 2.0, NAN, NAN, NAN, 5.0, -1.0, 7.0])
for name, function in (("max", max), ("min", min)):
    def ignore(values, best=function):
        numbers = [v for v in values if v == v]
        return best(numbers) if numbers else NAN
    r = reduce(rows, 1, ignore)
    Case("reduce_%s_ignore" % name, [rows], [r],
         op("reduce_" + name, [rows], r, "{axis = 1 : i32, nan_mode = IGNORE}"))
z = random_tensor("i8", (2, 6, 5), 24, -3, 3)
for axis in range(3):
    best = reduce(z, axis, lambda v: v.index(max(v)), "i32")
    best.shape = tuple(n for i, n in enumerate(best.shape) if i != axis)
    Case("argmax_%d" % axis, [z], [best], op("argmax", [z], best, "{axis = %d : i32}" % axis))

# Selection with broadcast, and both sides of a condition.
c, p, q = random_tensor("i1", (1, 4, 1), 25), random_tensor("f32", (3, 1, 5), 26), random_tensor(
    "f32", (1, 4, 5), 27)
r = elementwise("f32", lambda u, v, w: v if u else w, c, p, q)
Case("select", [c, p, q], [r], op("select", [c, p, q], r))
flag = Tensor("i1", (), [True])
r = elementwise("f32", lambda v: f32(v + v), x)
Case("cond_if", [flag, x], [r], """%%r0 = tosa.cond_if %%a0 (%%b = %%a1) : tensor<i1> (%(t)s) -> %(t)s {
    ^bb0(%%v: %(t)s):
      %%s = tosa.add %%v, %%v : (%(t)s, %(t)s) -> %(t)s
      tosa.yield %%s : %(t)s
  } else {
    ^bb0(%%v: %(t)s):
      tosa.yield %%v : %(t)s
  }""" % {"t": x.type})
