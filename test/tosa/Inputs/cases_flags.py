# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes and operands that are easy to overlook: rounding, zero points, modes, wide sums, borders."""
from cases import *  # pylint: disable=wildcard-import,unused-wildcard-import

NAN = float("nan")


def constants(**tensors):
    return list(tensors.items())


# Shifts of narrow integers, and their rounding.
for dtype in ("i8", "i16"):
    top = BITS[dtype]
    values = random_tensor(dtype, (4, top), 120)
    amounts = Tensor(dtype, (1, top), range(top))
    binary("arithmetic_right_shift", dtype, lambda x, y: x >> y, values, amounts, "{round = false}",
           label="shift_%s" % dtype)
    binary("arithmetic_right_shift", dtype,
           lambda x, y, b=top: wrap((x >> y) + ((x >> (y - 1)) & 1 if y else 0), b), values, amounts,
           "{round = true}", label="shift_%s_rounding" % dtype)
    binary("logical_right_shift", dtype, lambda x, y, b=top: wrap((x % (1 << b)) >> y, b), values, amounts,
           label="logical_right_shift_" + dtype)
    binary("logical_left_shift", dtype, lambda x, y, b=top: wrap(x << y, b), values, amounts,
           label="logical_left_shift_" + dtype)

# A product of i32 with every kind of shift, halves rounded up.
for shift in (1, 2, 30, 33, 62, 63):
    x = random_tensor("i32", (4, 9), 121) if shift > 30 else random_tensor("i32", (4, 9), 122, -30000, 30000)
    y = random_tensor("i32", (1, 9), 123, *(() if shift > 31 else (-30000, 30000)))
    r = elementwise("i32", lambda a, b, s=shift: (a * b + (1 << (s - 1))) >> s, x, y)
    Case("mul_shift_%d" % shift, [x, y], [r], op("mul", [x, y, "tensor<1xi8>"], r, names=["a0", "a1", "s"]),
         [("s", scalar("i8", shift))])
    # The same where the shift is an argument.
    s = scalar("i8", shift)
    Case("mul_shift_%d_computed" % shift, [x, y, s], [r], op("mul", [x, y, s], r))

# Negation clips where it is narrow.
for dtype in ("i8", "i16"):
    half = 1 << (BITS[dtype] - 1)
    unary("negate", Tensor(dtype, (5,), [-half, 1 - half, 0, 5, half - 1]), dtype, lambda v, d=dtype: clip(-v, d),
          "negate_%s_ends" % dtype, extra=constants(zi=scalar(dtype, 0), zo=scalar(dtype, 0)))
unary("negate", Tensor("i8", (5,), [-128, -5, 0, 5, 127]), "i8", lambda v: clip(127 - (v + 128), "i8"),
      "negate_zero_points", extra=constants(zi=scalar("i8", -128), zo=scalar("i8", 127)))

# Limits at the ends of a type, and tables at the ends of theirs.
unary("clamp", random_tensor("i16", (6, 9), 124), "i16", lambda v: max(-32768, min(-7, v)), "clamp_i16",
      "{min_val = -32768 : i16, max_val = -7 : i16}")
steps = Tensor("i16", (513,), [clip(i * 120 - 30000, "i16") for i in range(513)])
unary("table", Tensor("i16", (7,), [-32768, -32767, -1, 0, 1, 32766, 32767]), "i32",
      lambda v: (steps[((v >> 7) + 256,)] << 7) + (v & 127) * (steps[((v >> 7) + 257,)] - steps[((v >> 7) + 256,)]),
      "table_ends", extra=constants(t=steps))

# Sums of 48 bits.
a, b = random_tensor("i16", (2, 3, 40), 125), random_tensor("i16", (2, 40, 5), 126)
a.data[:40], b.data[::5][:40] = [-32768] * 40, [-32768] * 40
r = build("i48", (2, 3, 5), lambda n, i, j: sum(a[(n, i, k)] * b[(n, k, j)] for k in range(40)))
Case("matmul_i16", [a, b], [r], op("matmul", [a, b, "tensor<1xi16>", "tensor<1xi16>"], r, names=["a0", "a1", "z", "z"]),
     constants(z=scalar("i16", 0)))
image, window = random_tensor("i16", (1, 4, 5, 6), 127), random_tensor("i8", (3, 2, 2, 6), 128)
r = build("i48", (1, 3, 4, 3), lambda n, y, v, o: sum(
    image[(n, y + i, v + j, c)] * (window[(o, i, j, c)] - 9) for i, j, c in indices((2, 2, 6))))
Case("conv2d_i16", [image, window], [r],
     op("conv2d", [image, window, "tensor<3xi48>", "tensor<1xi16>", "tensor<1xi8>"], r,
        "{acc_type = i48, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}",
        names=["a0", "a1", "b", "zi", "zw"]),
     constants(b=Tensor("i48", (3,), 0), zi=scalar("i16", 0), zw=scalar("i8", 9)))
wide = random_tensor("i48", (3, 7), 129, -(1 << 40), 1 << 40)
r = elementwise("i16", lambda v: clip(apply_scale(v, 19000, 39), "i16"), wide)
Case("rescale_i48", [wide], [r], op(
    "rescale", [wide, "tensor<1xi16>", "tensor<1xi8>", "tensor<1xi48>", "tensor<1xi16>"], r,
    "{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, "
    "scale32 = false}", names=["a0", "m", "s", "zi", "zo"]),
     constants(m=scalar("i16", 19000), s=scalar("i8", 39), zi=scalar("i48", 0), zo=scalar("i16", 0)),
     types=[wide.type])

# Modes of NaN in windows and along an axis.
grid = Tensor("f32", (1, 2, 4, 1), [1.0, NAN, 3.0, 2.0, 0.5, -1.0, NAN, 7.0])
for mode in ("PROPAGATE", "IGNORE"):
    def best(n, y, v, c, ignore=mode == "IGNORE"):
        inside = [grid[(0, i, 2 * v + j, 0)] for i in range(2) for j in range(2)]
        return max(x for x in inside if x == x) if ignore else NAN
    r = build("f32", (1, 1, 2, 1), best)
    Case("max_pool_%s" % mode.lower(), [grid], [r], op("max_pool2d", [grid], r, (
        "{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, nan_mode = %s}" % mode)))
    rows = Tensor("f32", (2, 4), [1.0, NAN, 3.0, 2.0, 9.0, -1.0, 4.0, 7.0])
    r = Tensor("i32", (2,), [1 if mode == "PROPAGATE" else 2, 0])
    Case("argmax_%s" % mode.lower(), [rows], [r], op("argmax", [rows], r, "{axis = 1 : i32, nan_mode = %s}" % mode))
    r = reduce(rows, 1, lambda v, m=mode: NAN if m == "PROPAGATE" and any(x != x for x in v) else min(
        x for x in v if x == x))
    Case("reduce_min_%s" % mode.lower(), [rows], [r],
         op("reduce_min", [rows], r, "{axis = 1 : i32, nan_mode = %s}" % mode))

# Padding with a value that is given, and with one that is computed.
x = random_tensor("i16", (2, 3), 130)
r = build("i16", (3, 6), lambda i, j: x[(i - 1, j - 2)] if i >= 1 and 2 <= j < 5 else -77)
Case("pad_constant", [x], [r], shape_op("p", (1, 0, 2, 1)) + op(
    "pad", [x, "!tosa.shape<4>", "tensor<1xi16>"], r, names=["a0", "p", "v"]), constants(v=scalar("i16", -77)))
value = scalar("i16", -77)
Case("pad_computed", [x, value], [r], shape_op("p", (1, 0, 2, 1)) + op(
    "pad", [x, "!tosa.shape<4>", "tensor<1xi16>"], r, names=["a0", "p", "a1"]))

# Casts between integers wrap, those of floats saturate.
unary("cast", Tensor("i32", (5,), [70000, -70000, 32768, -32769, 12]), "i16", lambda v: wrap(v, 16), "cast_i32_i16")
unary("cast", Tensor("f32", (6,), [2.5, -3.5, 40000.0, -40000.0, 32767.5, 1e30]), "i16", lambda v: clip(round(v), "i16"),
      "cast_f32_i16")
unary("cast", Tensor("i32", (4,), [0, 256, -1, 65536]), "i1", lambda v: v != 0, "cast_i32_i1")
