# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans, sorts, scatters and attention as torch-mlir writes them, and conversions of what does not fit."""
import numpy

from cases_linalg import CASES, case, floats, generic, integers  # pylint: disable=unused-import

x = floats(4, 9)
start = floats(4)


def scan(name, combine, expected, inclusive, a=x, init=start, kind="f32", end=None):
    rows, columns = a.shape
    whole, kept = f"tensor<{rows}x{columns}x{kind}>", f"tensor<{rows}x{kind}>"
    case("scan_" + name, f"""func.func @f(%x: {whole}, %a: {kept}) -> ({whole}, {kept}) {{
  %y = tensor.empty() : {whole}
  %r:2 = tm_tensor.scan dimension(1) inclusive({inclusive}) ins(%x : {whole}) outs(%y, %a : {whole}, {kept}) {{
  ^bb0(%p: {kind}, %q: {kind}):
    %s = {combine} %p, %q : {kind}
    tm_tensor.yield %s : {kind}
  }} -> {whole}, {kept}
  return %r#0, %r#1 : {whole}, {kept}
}}""", [a, init], [expected, expected[:, -1] if end is None else end])


sums = x.cumsum(1, dtype=numpy.float32)
scan("sum", "arith.addf", sums, "true")
scan("sum_exclusive", "arith.addf", numpy.concatenate([start[:, None], start[:, None] + sums[:, :-1]], 1), "false",
     end=start + sums[:, -1])
scan("product", "arith.mulf", x.cumprod(1, dtype=numpy.float32), "true")
whole_numbers = integers(3, 300)
scan("largest", "arith.maxsi", numpy.maximum.accumulate(whole_numbers, 1), "true", whole_numbers, whole_numbers[:, 0].copy(),
     "i32")


def sort(name, predicate, key, order, a, b, kinds):
    types = [f"tensor<{'x'.join(map(str, a.shape))}x{kind}>" for kind in kinds]
    compare = "arith.cmpf" if kinds[key].startswith("f") else "arith.cmpi"
    names = (("%p", "%q"), ("%s", "%t"))[key]
    case("sort_" + name, f"""func.func @f(%a: {types[0]}, %b: {types[1]}) -> ({types[0]}, {types[1]}) {{
  %r:2 = tm_tensor.sort dimension(1) outs(%a, %b : {types[0]}, {types[1]}) {{
  ^bb0(%p: {kinds[0]}, %q: {kinds[0]}, %s: {kinds[1]}, %t: {kinds[1]}):
    %c = {compare} {predicate}, {names[0]}, {names[1]} : {kinds[key]}
    tm_tensor.yield %c : i1
  }} -> {types[0]}, {types[1]}
  return %r#0, %r#1 : {types[0]}, {types[1]}
}}""", [a, b], [numpy.take_along_axis(a, order, 1), numpy.take_along_axis(b, order, 1)])


places = numpy.broadcast_to(numpy.arange(9), (4, 9)).copy()
sort("up", "ole", 0, x.argsort(1, kind="stable"), x, places, ("f32", "i64"))
sort("down", "oge", 0, (-x).argsort(1, kind="stable"), x, places, ("f32", "i64"))
equal = integers(4, 9, low=-3, high=3)
sort("by_second", "sge", 1, (-equal).argsort(1, kind="stable"), x, equal, ("f32", "i32"))
sort("unsigned", "ule", 1, equal.view(numpy.uint32).argsort(1, kind="stable"), x, equal, ("f32", "i32"))


def scatter(name, body, expected, dims, whole, rows, updates):
    shapes = ["tensor<%sx%s>" % ("x".join(map(str, array.shape)), kind)
              for array, kind in ((whole, "f32"), (rows, "i64"), (updates, "f32"))]
    case("scatter_" + name, f"""func.func @f(%x: {shapes[0]}, %i: {shapes[1]}, %u: {shapes[2]}) -> {shapes[0]} {{
  %r = tm_tensor.scatter {{dimension_map = array<i64: {dims}>}} unique_indices(false)
      ins(%u, %i : {shapes[2]}, {shapes[1]}) outs(%x : {shapes[0]}) {{
  ^bb0(%p: f32, %q: f32):
{body}
  }} -> {shapes[0]}
  return %r : {shapes[0]}
}}""", [whole, rows, updates], [expected])


rows = numpy.array([[3, 1], [0, 0], [2, 8]], numpy.int64)
few = floats(3)
wanted = x.copy()
wanted[rows[:, 0], rows[:, 1]] = few
scatter("elements", "tm_tensor.yield %p : f32", wanted, "0, 1", x, rows, few)
again = numpy.array([[2], [0], [2]], numpy.int64)
slices = floats(3, 4)
wanted = x.copy()
numpy.add.at(wanted, (slice(None), again[:, 0]), slices.T)
scatter("columns", "%s = arith.addf %q, %p : f32\ntm_tensor.yield %s : f32", wanted, "1", x, again, slices)

q, k, v, mask = floats(2, 3, 4, 8), floats(2, 3, 6, 8), floats(2, 3, 6, 5), floats(2, 3, 4, 6)
for masked in (False, True):
    scores = q @ k.swapaxes(-1, -2) / numpy.sqrt(8) + (mask if masked else 0)
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    names, types = "%q, %k, %v", "tensor<2x3x4x8xf32>, tensor<2x3x6x8xf32>, tensor<2x3x6x5xf32>"
    header = "%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x6x8xf32>, %v: tensor<2x3x6x5xf32>"
    if masked:
        names, types, header = names + ", %m", types + ", tensor<2x3x4x6xf32>", header + ", %m: tensor<2x3x4x6xf32>"
    case("attention" + "_masked" * masked, f"""func.func @f({header}) -> tensor<2x3x4x5xf32> {{
  %o = tensor.empty() : tensor<2x3x4x5xf32>
  %r = tm_tensor.attention ins({names} : {types}) outs(%o : tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %r : tensor<2x3x4x5xf32>
}}""", [q, k, v] + [mask] * masked, [(weights / weights.sum(-1, keepdims=True) @ v).astype(numpy.float32)])

# Bytes that hold numbers without sign.
for convert, values in (("fptosi", [153.0, -3.0, 17.9]), ("fptoui", [153.0, 255.0, 17.9])):
    numbers = numpy.array(values, numpy.float32)
    case("bytes_" + convert, "func.func @f(%x: tensor<3xf32>) -> tensor<3xi8> {\n  %y = tensor.empty() : tensor<3xi8>\n  %r = "
         + generic(["(i) -> (i)", "(i) -> (i)"], "p", [("%x", "tensor<3xf32>")], [("%y", "tensor<3xi8>")],
                   f"^bb0(%in: f32, %out: i8):\n%c = arith.{convert} %in : f32 to i8\nlinalg.yield %c : i8", "tensor<3xi8>")
         + "\n  return %r : tensor<3xi8>\n}", [numbers], [numbers.astype(numpy.int32).astype(numpy.int8)])
