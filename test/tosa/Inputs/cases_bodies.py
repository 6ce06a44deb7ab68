# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions with bodies of all sorts, indexing maps, tiled layouts."""
import numpy

from cases_linalg import CASES, case, floats, generic, integers  # pylint: disable=unused-import

x = floats(5, 7)
start = floats(5)


def reduction(name, body, expected, kind="f32", a=x, b=start, tolerance=1e-5):
    rows, columns = a.shape
    case("reduce_" + name, "func.func @f(%%a: tensor<%dx%dx%s>, %%b: tensor<%dx%s>) -> tensor<%dx%s> {\n"
         "  %%r = %s\n  return %%r : tensor<%dx%s>\n}" % (
             rows, columns, kind, rows, kind, rows, kind,
             generic(["(i, j) -> (i, j)", "(i, j) -> (i)"], "pr", [("%a", "tensor<%dx%dx%s>" % (rows, columns, kind))],
                     [("%b", "tensor<%dx%s>" % (rows, kind))],
                     "^bb0(%%in: %s, %%out: %s):\n%s" % (kind, kind, body), "tensor<%dx%s>" % (rows, kind)),
             rows, kind), [a, b], [expected], tolerance)


reduction("sum_of_squares", "%m = arith.mulf %in, %in : f32\n %s = arith.addf %out, %m : f32\nlinalg.yield %s : f32",
          (x * x).sum(1) + start)
reduction("difference", "%s = arith.subf %out, %in : f32\nlinalg.yield %s : f32", start - x.sum(1))
reduction("maximum_of_absolutes", "%m = math.absf %in : f32\n %s = arith.maximumf %m, %out : f32\nlinalg.yield %s : f32",
          numpy.maximum(abs(x).max(1), start))
reduction("two_terms", "%e = math.exp %in : f32\n %s = arith.addf %out, %in : f32\n %t = arith.addf %s, %e : f32\n"
          "linalg.yield %t : f32", (x + numpy.exp(x)).sum(1) + start)
reduction("conditional", "%z = arith.constant 0.0 : f32\n %c = arith.cmpf ogt, %in, %z : f32\n"
          "%s = arith.addf %out, %in : f32\n %t = arith.select %c, %s, %out : f32\nlinalg.yield %t : f32",
          numpy.where(x > 0, x, 0).sum(1) + start)
horner = start.astype(numpy.float64)
for j in range(7):
    horner = horner * 0.5 + x[:, j]
reduction("horner", "%h = arith.constant 0.5 : f32\n %m = arith.mulf %out, %h : f32\n %s = arith.addf %m, %in : f32\n"
          "linalg.yield %s : f32", horner.astype(numpy.float32))
chosen = numpy.maximum(x.max(1), start)
reduction("maximum_by_select", "%c = arith.cmpf ogt, %in, %out : f32\n %s = arith.select %c, %in, %out : f32\n"
          "linalg.yield %s : f32", chosen)
half, half_start = floats(5, 7).astype(numpy.float16), floats(5).astype(numpy.float16)
reduction("wide", "%w = arith.extf %in : f16 to f32\n %o = arith.extf %out : f16 to f32\n %s = arith.addf %w, %o : f32\n"
          "%t = arith.truncf %s : f32 to f16\nlinalg.yield %t : f16",
          (half.astype(numpy.float32).sum(1) + half_start).astype(numpy.float16), "f16", half, half_start, 2e-3)
small = integers(5, 7, dtype=numpy.int8)
reduction("xor", "%s = arith.xori %in, %out : i8\nlinalg.yield %s : i8",
          numpy.bitwise_xor.reduce(small, 1) ^ small[:, 0], "i8", small, small[:, 0].copy())

# Bits along dimensions of any size, none among them.
for rows, columns in ((5, 7), (33, 1), (4, 0)):
    words, bits = integers(rows, columns, dtype=numpy.int16), integers(rows, columns, low=0, high=2).astype(bool)
    bodies = ["arith.%s %%%s, %%%s : %s" % (operation, "in", "out", kind)
              for operation, kind in (("andi", "i16"), ("ori", "i16"), ("xori", "i16"), ("addi", "i1"))]
    results = ["%%%d = %s" % (k, generic(["(i, j) -> (i, j)", "(i, j) -> (i)"], "pr", [(a, "tensor<?x?x%s>" % kind)],
                                         [(v, "tensor<?x%s>" % kind)],
                                         "^bb0(%%in: %s, %%out: %s):\n%%s = %s\nlinalg.yield %%s : %s" % (kind, kind, body, kind),
                                         "tensor<?x%s>" % kind))
               for k, (body, a, v, kind) in enumerate(zip(bodies, ["%a"] * 3 + ["%b"], ["%v"] * 3 + ["%w"], ["i16"] * 3 + ["i1"]))]
    case("bits_%d" % columns, """
func.func @f(%%a: tensor<?x?xi16>, %%v: tensor<?xi16>, %%b: tensor<?x?xi1>, %%w: tensor<?xi1>)
    -> (tensor<?xi16>, tensor<?xi16>, tensor<?xi16>, tensor<?xi1>) {
  %s
  return %%0, %%1, %%2, %%3 : tensor<?xi16>, tensor<?xi16>, tensor<?xi16>, tensor<?xi1>
}""" % "\n".join(results), [words, numpy.full(rows, 29, numpy.int16), bits, bits.any(1)],
         [numpy.bitwise_and.reduce(words, 1, dtype=numpy.int16) & 29, numpy.bitwise_or.reduce(words, 1, dtype=numpy.int16) | 29,
          numpy.bitwise_xor.reduce(words, 1, dtype=numpy.int16) ^ 29, numpy.logical_xor.reduce(bits, 1) ^ bits.any(1)])

# The largest and where it is: ties go to the first, NaN to nobody or to all.
for label, size in (("", 13), ("_long", 3000)):
    y = floats(3, size)
    y[0, 4] = y[0, 9] = 5
    y[1, :4] = 1, 2, numpy.nan, 7
    y[2, 0] = numpy.nan
    for select in (True, False):
        pick = "%m = arith.select %c, %in, %out : f32" if select else "%m = arith.maximumf %in, %out : f32"
        value, index = numpy.full(3, -numpy.inf, numpy.float32), numpy.zeros(3, numpy.int64)
        for i in range(3):
            for j in range(size):
                if y[i, j] > value[i]:
                    value[i], index[i] = y[i, j], j
                elif not select and numpy.isnan(y[i, j]):
                    value[i] = numpy.nan
        case("argmax%s_%s" % (label, "select" if select else "maximum"), """
func.func @f(%%a: tensor<3x%dxf32>) -> (tensor<3xf32>, tensor<3xi64>) {
  %%v = arith.constant dense<0xFF800000> : tensor<3xf32>
  %%z = arith.constant dense<0> : tensor<3xi64>
  %%r:2 = %s
  return %%r#0, %%r#1 : tensor<3xf32>, tensor<3xi64>
}""" % (size, generic(["(i, j) -> (i, j)", "(i, j) -> (i)", "(i, j) -> (i)"], "pr", [("%a", "tensor<3x%dxf32>" % size)],
                      [("%v", "tensor<3xf32>"), ("%z", "tensor<3xi64>")], """
^bb0(%%in: f32, %%out: f32, %%at: i64):
  %%j = linalg.index 1 : index
  %%i = arith.index_cast %%j : index to i64
  %%c = arith.cmpf ogt, %%in, %%out : f32
  %s
  %%n = arith.select %%c, %%i, %%at : i64
  linalg.yield %%m, %%n : f32, i64""" % pick, "(tensor<3xf32>, tensor<3xi64>)")), [y], [value, index])

# Maps that are not of distinct dimensions.
table = floats(12, 12)


def mapped(name, shape, maps, kinds, expected, body="linalg.yield %in : f32", out=None):
    kind = "tensor<%sf32>" % "".join("%dx" % s for s in shape)
    case("map_" + name, "func.func @f(%%a: tensor<12x12xf32>, %%b: %s) -> %s {\n  %%r = %s\n  return %%r : %s\n}" % (
        kind, kind, generic(maps, kinds, [("%a", "tensor<12x12xf32>")], [("%b", kind)],
                            "^bb0(%in: f32, %out: f32):\n" + body, kind), kind),
         [table, numpy.zeros(shape, numpy.float32) if out is None else out], [expected.astype(numpy.float32)])


i, j = numpy.indices((4, 5))
mapped("diagonal", (12,), ["(i) -> (i, i)", "(i) -> (i)"], "p", numpy.diagonal(table))
mapped("sum", (4, 5), ["(i, j) -> (i + j, 2 * i)", "(i, j) -> (i, j)"], "pp", table[i + j, 2 * i])
mapped("strides", (4, 5), ["(i, j) -> (2 * i + j + 1, 11 - j)", "(i, j) -> (i, j)"], "pp", table[2 * i + j + 1, 11 - j])
mapped("division", (4, 5), ["(i, j) -> (i floordiv 2, (i * 5 + j) mod 4)", "(i, j) -> (i, j)"], "pp",
       table[i // 2, (i * 5 + j) % 4])
mapped("constant", (12,), ["(j) -> (3, j)", "(j) -> (j)"], "p", table[3])
mapped("trace", (), ["(i) -> (i, i)", "(i) -> ()"], "r", numpy.trace(table),
       "%s = arith.addf %in, %out : f32\nlinalg.yield %s : f32")

# Layouts of tiles.
a = floats(9, 14)
padded = numpy.pad(a, ((0, 3), (0, 2)), constant_values=7)
tiles = padded.reshape(3, 4, 2, 8)
case("pack", """
func.func @f(%a: tensor<9x14xf32>, %d: tensor<3x2x4x8xf32>) -> tensor<3x2x4x8xf32> {
  %p = arith.constant 7.0 : f32
  %0 = linalg.pack %a padding_value(%p : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %d : tensor<9x14xf32> -> tensor<3x2x4x8xf32>
  return %0 : tensor<3x2x4x8xf32>
}""", [a, floats(3, 2, 4, 8)], [tiles.transpose(0, 2, 1, 3).copy()])
permuted = tiles.transpose(2, 0, 3, 1).copy()
case("pack_permuted", """
func.func @f(%a: tensor<9x14xf32>, %p: f32) -> tensor<2x3x8x4xf32> {
  %d = tensor.empty() : tensor<2x3x8x4xf32>
  %0 = linalg.pack %a padding_value(%p : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [8, 4] into %d : tensor<9x14xf32> -> tensor<2x3x8x4xf32>
  return %0 : tensor<2x3x8x4xf32>
}""", [a, "f32:7"], [permuted])
case("unpack_permuted", """
func.func @f(%a: tensor<2x3x8x4xf32>, %d: tensor<9x14xf32>) -> tensor<9x14xf32> {
  %0 = linalg.unpack %a outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [8, 4] into %d : tensor<2x3x8x4xf32> -> tensor<9x14xf32>
  return %0 : tensor<9x14xf32>
}""", [permuted, floats(9, 14)], [a])
case("pack_dynamic", """
func.func @f(%a: tensor<?x14xf32>, %d: tensor<?x14x4xf32>) -> tensor<?x14x4xf32> {
  %p = arith.constant 7.0 : f32
  %0 = linalg.pack %a padding_value(%p : f32) inner_dims_pos = [0] inner_tiles = [4] into %d : tensor<?x14xf32> -> tensor<?x14x4xf32>
  return %0 : tensor<?x14x4xf32>
}""", [a, floats(3, 14, 4)], [numpy.pad(a, ((0, 3), (0, 0)), constant_values=7).reshape(3, 4, 14).transpose(0, 2, 1).copy()])
lhs, rhs, acc = floats(2, 3, 4, 5), floats(6, 3, 7, 5), floats(2, 6, 4, 7)
case("mmt4d", """
func.func @f(%a: tensor<2x3x4x5xf32>, %b: tensor<6x3x7x5xf32>, %c: tensor<2x6x4x7xf32>) -> tensor<2x6x4x7xf32> {
  %0 = linalg.mmt4d ins(%a, %b : tensor<2x3x4x5xf32>, tensor<6x3x7x5xf32>) outs(%c : tensor<2x6x4x7xf32>) -> tensor<2x6x4x7xf32>
  return %0 : tensor<2x6x4x7xf32>
}""", [lhs, rhs, acc], [acc + numpy.einsum("abcd,ebfd->aecf", lhs, rhs)], 1e-4)

# Zero points are scalars that the product reads.
image, filter_ = integers(1, 4, 4, 2, dtype=numpy.int8), integers(3, 3, 2, dtype=numpy.int8)
depthwise = numpy.zeros((1, 2, 2, 2), numpy.int32)
for i, j, k, l in numpy.ndindex(2, 2, 3, 3):
    depthwise[:, i, j] += (image[:, i + k, j + l].astype(numpy.int32) - 3) * (filter_[k, l].astype(numpy.int32) + 2)
case("depthwise_quantised", """
func.func @f(%a: tensor<1x4x4x2xi8>, %b: tensor<3x3x2xi8>, %c: tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32> {
  %s = arith.constant 3 : i32
  %t = arith.constant -2 : i32
  %0 = linalg.depthwise_conv_2d_nhwc_hwc_q ins(%a, %b, %s, %t : tensor<1x4x4x2xi8>, tensor<3x3x2xi8>, i32, i32) outs(%c : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  return %0 : tensor<1x2x2x2xi32>
}""", [image, filter_, numpy.zeros((1, 2, 2, 2), numpy.int32)], [depthwise])
wide = floats(1, 7, 7, 2)
best = numpy.full((1, 2, 2, 2), -numpy.inf, numpy.float32)
for i, j, k, l in numpy.ndindex(2, 2, 2, 2):
    best[:, i, j] = numpy.maximum(best[:, i, j], wide[:, 3 * i + 2 * k, 3 * j + 2 * l])
case("pooling_with_gaps", """
func.func @f(%a: tensor<1x7x7x2xf32>, %w: tensor<2x2xf32>) -> tensor<1x2x2x2xf32> {
  %c = arith.constant dense<0xFF800000> : tensor<1x2x2x2xf32>
  %0 = linalg.pooling_nhwc_max {dilations = dense<2> : tensor<2xi64>, strides = dense<3> : tensor<2xi64>} ins(%a, %w : tensor<1x7x7x2xf32>, tensor<2x2xf32>) outs(%c : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}""", [wide, floats(2, 2)], [best])

# A maximum and where it is along a dimension whose size is not known: as above, NaN included.
y = floats(4, 13)
y[0, 4] = y[0, 9] = 5
y[1, 0], y[1, 1], y[1, 2] = 1, 3, numpy.nan
y[2, 12] = 7
y[3] = -numpy.inf
for select in (True, False):
    pick = "%m = arith.select %c, %in, %out : f32" if select else "%m = arith.maximumf %in, %out : f32"
    value, index = numpy.full(4, -2, numpy.float32), numpy.full(4, 99, numpy.int64)
    for i, k in numpy.ndindex(4, 13):
        if y[i, k] > value[i]:
            value[i], index[i] = y[i, k], k
        elif not select and numpy.isnan(y[i, k]):
            value[i] = numpy.nan
    case("argmax_open_" + ("select" if select else "maximum"), """
func.func @f(%%a: tensor<4x?xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %%v = arith.constant dense<-2.0> : tensor<4xf32>
  %%z = arith.constant dense<99> : tensor<4xi64>
  %%r:2 = %s
  return %%r#0, %%r#1 : tensor<4xf32>, tensor<4xi64>
}""" % generic(["(i, j) -> (i, j)", "(i, j) -> (i)", "(i, j) -> (i)"], "pr", [("%a", "tensor<4x?xf32>")],
               [("%v", "tensor<4xf32>"), ("%z", "tensor<4xi64>")], """
^bb0(%%in: f32, %%out: f32, %%at: i64):
  %%j = linalg.index 1 : index
  %%i = arith.index_cast %%j : index to i64
  %%c = arith.cmpf ogt, %%in, %%out : f32
  %s
  %%n = arith.select %%c, %%i, %%at : i64
  linalg.yield %%m, %%n : f32, i64""" % pick, "(tensor<4xf32>, tensor<4xi64>)"), [y], [value, index])
# What belongs to the largest may be NaN, and the first NaN of two dimensions ends the search.
y, other = floats(2, 3, 5), floats(2, 3, 5)
y[0, 1, 3], y[0, 2, 1], y[1, 0, 2] = numpy.nan, 9, 9
other[1, 0, 2] = numpy.nan
for label, pick in (("select", "%m = arith.select %c, %in, %out : f32"), ("maximum", "%m = arith.maximumf %in, %out : f32")):
    flat = numpy.where(numpy.arange(15) < 8, y.reshape(2, 15), -numpy.inf) if label == "maximum" else y.reshape(2, 15)
    flat = numpy.concatenate([flat[:1], y.reshape(2, 15)[1:]])
    found = numpy.nanargmax(flat, 1)[:, None]
    best = numpy.take_along_axis(flat, found, 1)[:, 0]
    if label == "maximum":
        best[0] = numpy.nan
    case("largest_with_other_" + label, """
func.func @f(%%a: tensor<2x3x5xf32>, %%b: tensor<2x3x5xf32>, %%v: tensor<2xf32>, %%z: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %%r:2 = %s
  return %%r#0, %%r#1 : tensor<2xf32>, tensor<2xf32>
}""" % generic(["(i, j, k) -> (i, j, k)"] * 2 + ["(i, j, k) -> (i)"] * 2, "prr",
               [("%a", "tensor<2x3x5xf32>"), ("%b", "tensor<2x3x5xf32>")], [("%v", "tensor<2xf32>"), ("%z", "tensor<2xf32>")], """
^bb0(%%in: f32, %%with: f32, %%out: f32, %%at: f32):
  %%c = arith.cmpf ogt, %%in, %%out : f32
  %s
  %%n = arith.select %%c, %%with, %%at : f32
  linalg.yield %%m, %%n : f32, f32""" % pick, "(tensor<2xf32>, tensor<2xf32>)"),
         [y, other, numpy.full(2, -numpy.inf, numpy.float32), numpy.zeros(2, numpy.float32)],
         [best, numpy.take_along_axis(other.reshape(2, 15), found, 1)[:, 0]])
w = integers(6, 4, dtype=numpy.uint8, low=0, high=255)
case("argmin_open_unsigned", """
func.func @f(%%a: tensor<?x4xi8>, %%v: tensor<4xi8>, %%z: tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi32>) {
  %%r:2 = %s
  return %%r#0, %%r#1 : tensor<4xi8>, tensor<4xi32>
}""" % generic(["(i, j) -> (j, i)", "(i, j) -> (i)", "(i, j) -> (i)"], "pr", [("%a", "tensor<?x4xi8>")],
               [("%v", "tensor<4xi8>"), ("%z", "tensor<4xi32>")], """
^bb0(%in: i8, %out: i8, %at: i32):
  %j = linalg.index 1 : index
  %i = arith.index_cast %j : index to i32
  %c = arith.cmpi ult, %in, %out : i8
  %m = arith.select %c, %in, %out : i8
  %n = arith.select %c, %i, %at : i32
  linalg.yield %m, %n : i8, i32""", "(tensor<4xi8>, tensor<4xi32>)"),
     [w.view(numpy.int8), numpy.full(4, 255, numpy.uint8).view(numpy.int8), numpy.zeros(4, numpy.int32)],
     [w.min(0).view(numpy.int8), w.argmin(0).astype(numpy.int32)])

# An extremum beside a comparison of another direction or signedness: the place is not that of the extremum. Last one of both alike,
# of which a later equal is taken.
for label, element, predicate, extremum, first in (
        ("floats_greater", "f32", "ogt", "minimumf", numpy.inf), ("floats_less", "f32", "olt", "maximumf", -numpy.inf),
        ("signed_greater", "i8", "sgt", "minsi", 127), ("signed_less", "i8", "slt", "maxsi", -128),
        ("unsigned_greater", "i8", "ugt", "minui", -1), ("signedness", "i8", "ugt", "maxsi", -128),
        ("other_signedness", "i8", "slt", "minui", -1), ("kept", "i8", "slt", "maxsi", -128)):
    y = floats(3, 7) if element == "f32" else integers(3, 7, dtype=numpy.int8, low=-128, high=127)
    y[0] = 5, 3, 4, 2, 9, 9, 0
    value, index = numpy.full(3, first, y.dtype), numpy.full(3, -1, numpy.int64)
    for i, k in numpy.ndindex(3, 7):
        ours, theirs = y[i, k], value[i]
        pair = (ours.view(numpy.uint8), theirs.view(numpy.uint8)) if predicate[0] == "u" else (ours, theirs)
        holds = pair[0] > pair[1] if predicate[1:] == "gt" else pair[0] < pair[1]
        index[i] = k if holds != (label == "kept") else index[i]
        whole = numpy.array([ours, theirs])
        ordered = whole.view(numpy.uint8) if extremum.endswith("ui") else whole
        value[i] = whole[ordered.argmin() if extremum.startswith("min") else ordered.argmax()]
    case("extremum_beside_" + label, """
func.func @f(%%a: tensor<3x7xT>, %%v: tensor<3xT>, %%z: tensor<3xi64>) -> (tensor<3xT>, tensor<3xi64>) {
  %%r:2 = %s
  return %%r#0, %%r#1 : tensor<3xT>, tensor<3xi64>
}""".replace("T", element) % generic(
    ["(i, j) -> (i, j)", "(i, j) -> (i)", "(i, j) -> (i)"], "pr", [("%a", "tensor<3x7x%s>" % element)],
    [("%v", "tensor<3x%s>" % element), ("%z", "tensor<3xi64>")], """
^bb0(%%in: T, %%out: T, %%at: i64):
  %%j = linalg.index 1 : index
  %%i = arith.index_cast %%j : index to i64
  %%c = arith.%s %s, %%in, %%out : T
  %%m = arith.%s %%in, %%out : T
  %%n = arith.select %%c, %s : i64
  linalg.yield %%m, %%n : T, i64""".replace("T", element) % (
      "cmpf" if element == "f32" else "cmpi", predicate, extremum, "%at, %i" if label == "kept" else "%i, %at"),
    "(tensor<3x%s>, tensor<3xi64>)" % element),
         [y, numpy.full(3, first, y.dtype), numpy.full(3, -1, numpy.int64)], [value, index])

# Conditions, calls and assertions in bodies.
x = floats(5, 7)
case("body_branches", """
func.func private @half(%%v: f32) -> f32 {
  %%h = arith.constant 0.5 : f32
  %%r = arith.mulf %%v, %%h : f32
  return %%r : f32
}
func.func @f(%%a: tensor<5x7xf32>, %%k: f32) -> tensor<5x7xf32> {
  %%e = tensor.empty() : tensor<5x7xf32>
  %%r = %s
  return %%r : tensor<5x7xf32>
}""" % generic(["(i, j) -> (i, j)", "(i, j) -> (i, j)"], "pp", [("%a", "tensor<5x7xf32>")],
               [("%e", "tensor<5x7xf32>")], """
^bb0(%in: f32, %out: f32):
  %z = arith.constant 0.0 : f32
  %j = linalg.index 1 : index
  %c = arith.cmpf ogt, %in, %z : f32
  cf.assert %c, "expected a positive number"
  %r = scf.if %c -> (f32) {
    %t = func.call @half(%in) : (f32) -> f32
    scf.yield %t : f32
  } else {
    %three = arith.constant 3 : index
    %d = arith.cmpi ult, %j, %three : index
    %s = scf.if %d -> (f32) {
      %t = arith.addf %in, %k : f32
      scf.yield %t : f32
    } else {
      scf.yield %in : f32
    }
    scf.yield %s : f32
  }
  linalg.yield %r : f32""", "tensor<5x7xf32>"), [x, "f32:3"],
     [numpy.where(x > 0, x / 2, numpy.where(numpy.arange(7) < 3, x + 3, x))])
lhs, rhs = integers(4, 6, dtype=numpy.int8), integers(6, 5, dtype=numpy.int8)
case("quantised_open", """
func.func @f(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %p: i32, %q: i32, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %0 = linalg.quantized_matmul ins(%a, %b, %p, %q : tensor<?x?xi8>, tensor<?x?xi8>, i32, i32) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}""", [lhs, rhs, "i32:3", "i32:-2", numpy.ones((4, 5), numpy.int32)],
     [(lhs.astype(numpy.int32) - 3) @ (rhs.astype(numpy.int32) + 2) + 1])
