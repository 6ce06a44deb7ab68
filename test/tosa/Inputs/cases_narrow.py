# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers of widths that prim lacks, held in the next wider type."""
import numpy

from cases_linalg import CASES, case, elementwise, integers  # pylint: disable=unused-import

# Four bits, held in eight: every pair.
p, q = (m.reshape(-1) for m in numpy.meshgrid(numpy.arange(-8, 8, dtype=numpy.int8),
                                              numpy.arange(-8, 8, dtype=numpy.int8)))


def wrap(values, width=4):
    half_range = 1 << (width - 1)
    return ((numpy.asarray(values, numpy.int64) + half_range) % (2 * half_range) - half_range).astype(numpy.int8)


def narrow(name, operation, expected, args=(p, q)):
    elementwise("i4_" + name, "%%v = %s : i4\nlinalg.yield %%v : i4" % operation, "i4", list(args), [wrap(expected)])


p_bits, q_bits = p & 15, q & 15
narrow("addi", "arith.addi %ix, %iy", p.astype(int) + q)
narrow("subi", "arith.subi %ix, %iy", p.astype(int) - q)
narrow("muli", "arith.muli %ix, %iy", p.astype(int) * q)
narrow("shrui", "arith.shrui %ix, %iy", p_bits[(q >= 0) & (q < 4)] >> q[(q >= 0) & (q < 4)],
       [v[(q >= 0) & (q < 4)] for v in (p, q)])
narrow("shli", "arith.shli %ix, %iy", p[(q >= 0) & (q < 4)].astype(int) << q[(q >= 0) & (q < 4)],
       [v[(q >= 0) & (q < 4)] for v in (p, q)])
narrow("maxui", "arith.maxui %ix, %iy", numpy.maximum(p_bits, q_bits))
narrow("divui", "arith.divui %ix, %iy", p_bits[q != 0] // q_bits[q != 0], [v[q != 0] for v in (p, q)])
narrow("remui", "arith.remui %ix, %iy", p_bits[q != 0] % q_bits[q != 0], [v[q != 0] for v in (p, q)])
narrow("ctpop", "math.ctpop %ix", [bin(v).count("1") for v in p_bits], [p])
narrow("ctlz", "math.ctlz %ix", [4 - int(v).bit_length() for v in p_bits], [p])
every = numpy.arange(-8, 8, dtype=numpy.int8)
elementwise("i4_extui", "%w = arith.extui %ix : i4 to i32\nlinalg.yield %w : i32", "i4", [every],
            ([(every & 15).astype(numpy.int32)], ["i32"]))
elementwise("i4_uitofp", "%w = arith.uitofp %ix : i4 to f32\nlinalg.yield %w : f32", "i4", [every],
            ([(every & 15).astype(numpy.float32)], ["f32"]))
wide = integers(64, low=-1000, high=1000)
elementwise("trunci_i4", "%w = arith.trunci %ix : i32 to i4\nlinalg.yield %w : i4", "i32", [wide], ([wrap(wide)], ["i4"]))
elementwise("trunci_i2", "%w = arith.trunci %ix : i32 to i2\n%v = arith.extui %w : i2 to i32\nlinalg.yield %v : i32",
            "i32", [wide], ([wide & 3], ["i32"]))
case("i4_matmul_unsigned", "func.func @f(%a: tensor<5x6xi4>, %b: tensor<6x7xi4>, %c: tensor<5x7xi32>) -> tensor<5x7xi32> {\n"
     "  %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<5x6xi4>, tensor<6x7xi4>) "
     "outs(%c : tensor<5x7xi32>) -> tensor<5x7xi32>\n  return %r : tensor<5x7xi32>\n}",
     [p[:30].reshape(5, 6), p[50:92].reshape(6, 7), wide[:35].reshape(5, 7)],
     [(p_bits[:30].reshape(5, 6).astype(numpy.int32) @ p_bits[50:92].reshape(6, 7) + wide[:35].reshape(5, 7))
      .astype(numpy.int32)])
