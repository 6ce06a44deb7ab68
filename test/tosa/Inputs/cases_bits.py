# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bits of elements, and products of twice their width."""
import numpy

from cases_linalg import CASES, case, elementwise, floats  # pylint: disable=unused-import


def each(name, body, kinds, args, results):
    """A function of whole tensors; `kinds` are the element types of operands and results."""
    size = args[0].size
    types = ["tensor<%dx%s>" % (size, kind) for kind in kinds]
    taken, given = types[:len(args)], types[len(args):]
    case(name, "func.func @f(%s) -> (%s) {\n%s\n  return %s : %s\n}" % (
        ", ".join("%%%s: %s" % pair for pair in zip("xyz", taken)), ", ".join(given),
        body % tuple(types[:body.count("%s")]) if "%s" in body else body,
        ", ".join("%%r%d" % i for i in range(len(given))), ", ".join(given)), args, results)


x = floats(64)
each("bitcast_arith", "  %%r0 = arith.bitcast %%x : %s to tensor<64xi32>", ["f32", "i32"], [x], [x.view(numpy.int32)])
each("bitcast_tensor", "  %%r0 = tensor.bitcast %%x : %s to tensor<64xf32>", ["i32", "f32"], [x.view(numpy.int32)], [x])
half = x.astype(numpy.float16)
elementwise("bitcast_body", "%b = arith.bitcast %ix : f16 to i16\nlinalg.yield %b : i16", "f16", [half],
            ([half.view(numpy.int16)], ["i16"]))
elementwise("clamp", "%l = arith.constant -0.5 : f32\n%h = arith.constant 1.0 : f32\n"
            "%c = math.clampf %ix to [%l, %h] : f32\nlinalg.yield %c : f32", "f32", [x], [numpy.clip(x, -0.5, 1)])
elementwise("sincos", "%s, %c = math.sincos %ix : f32\nlinalg.yield %s, %c : f32, f32", "f32", [x],
            [numpy.sin(x), numpy.cos(x)])
odd = numpy.array([0.0, -0.0, 1e-40, -1e-45, 1.17549435e-38, 1.0, numpy.inf, numpy.nan], numpy.float32)
elementwise("isnormal", "%n = math.isnormal %ix : f32\nlinalg.yield %n : i1", "f32", [odd],
            ([numpy.array([0, 0, 0, 0, 1, 1, 0, 0], numpy.bool_)], ["i1"]))

for width in (8, 16, 32, 64):
    kind, dtype = "i%d" % width, numpy.dtype("int%d" % width)
    limits = numpy.iinfo(dtype)
    special = [0, 1, -1, 2, 3, -7, limits.min, limits.max, limits.min + 1, 100, 64, -64]
    a, b = (m.reshape(-1) for m in numpy.meshgrid(numpy.array(special, dtype), numpy.array(special, dtype)))
    mask = 2 ** width - 1

    def parts(product):
        low, high = [p & mask for p in product], [(p >> width) & mask for p in product]
        return [numpy.array(v, numpy.dtype("uint%d" % width)).view(dtype) for v in (low, high)]

    signed = [int(p) * int(q) for p, q in zip(a, b)]
    unsigned = [(int(p) & mask) * (int(q) & mask) for p, q in zip(a, b)]
    elementwise("mulsi_extended_" + kind, "%%l, %%h = arith.mulsi_extended %%ix, %%iy : %s\n"
                "linalg.yield %%l, %%h : %s, %s" % (kind, kind, kind), kind, [a, b], parts(signed))
    elementwise("mului_extended_" + kind, "%%l, %%h = arith.mului_extended %%ix, %%iy : %s\n"
                "linalg.yield %%l, %%h : %s, %s" % (kind, kind, kind), kind, [a, b], parts(unsigned))
    total = [(int(p) & mask) + (int(q) & mask) for p, q in zip(a, b)]
    elementwise("addui_extended_" + kind, "%%s, %%o = arith.addui_extended %%ix, %%iy : %s, i1\n"
                "linalg.yield %%s, %%o : %s, i1" % (kind, kind), kind, [a, b],
                ([parts(total)[0], numpy.array([t > mask for t in total])], [kind, "i1"]))
    zeros = [width if p == 0 else (int(p) & -int(p)).bit_length() - 1 for p in a]
    elementwise("cttz_" + kind, "%%c = math.cttz %%ix : %s\nlinalg.yield %%c : %s" % (kind, kind), kind, [a],
                [numpy.array(zeros, dtype)])
