# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small TOSA functions with inputs and the results that the specification prescribes."""
import math

from tensors import *  # pylint: disable=wildcard-import,unused-wildcard-import

CASES = []


class Case:
    """One function. `body` uses the arguments %a0, %a1 ... and defines %r0, %r1 ..."""

    def __init__(self, name, args, results, body, constants=(), tolerance=None, types=None):
        self.name, self.args, self.results, self.tolerance = name, args, results, tolerance
        types = types or [x.type for x in args]
        lines = [c.constant(n) for n, c in constants] + [body.strip()]
        self.text = "func.func @%s(%s) -> (%s) {\n  %s\n  return %s : %s\n}\n" % (
            name, ", ".join("%%a%d: %s" % (i, t) for i, t in enumerate(types)),
            ", ".join(x.type for x in results), "\n  ".join(lines),
            ", ".join("%%r%d" % i for i in range(len(results))),
            ", ".join(x.type for x in results))
        CASES.append(self)


def op(name, operands, result, attrs="", out="r0", names=None):
    names = names or ["a%d" % i for i in range(len(operands))]
    return "%%%s = tosa.%s %s %s : (%s) -> %s" % (
        out, name, ", ".join("%" + n for n in names), attrs,
        ", ".join(x if isinstance(x, str) else x.type for x in operands), result.type)


def shape_op(name, sizes):
    sizes = list(sizes)
    return ("%%%s = tosa.const_shape {values = dense<%s> : tensor<%dxindex>} : () -> "
            "!tosa.shape<%d>\n  " % (name, sizes, len(sizes), len(sizes)))


def scalar(dtype, value):
    return Tensor(dtype, (1,), [value])


# Elementwise integers.

def binary(name, dtype, function, a=None, b=None, attrs="", result=None, label=None):
    a = a or random_tensor(dtype, (3, 4, 5), 1)
    b = b or random_tensor(dtype, (3, 1, 5), 2)
    r = elementwise(result or dtype, function, a, b)
    Case(label or name, [a, b], [r], op(name, [a, b], r, attrs))


def logical(x):
    return x & 0xFFFFFFFF


shifts = Tensor("i32", (3, 1, 5), [0, 1, 2, 3, 31, 30, 7, 8, 9, 16, 5, 0, 1, 31, 12])
binary("add", "i32", lambda x, y: wrap(x + y, 32))
binary("sub", "i32", lambda x, y: wrap(x - y, 32))
binary("bitwise_and", "i8", lambda x, y: x & y)
binary("bitwise_or", "i16", lambda x, y: x | y)
binary("bitwise_xor", "i32", lambda x, y: x ^ y)
binary("maximum", "i8", max)
binary("minimum", "i16", min)
binary("equal", "i32", lambda x, y: x == y, result="i1",
       a=random_tensor("i32", (3, 4, 5), 1, -2, 2), b=random_tensor("i32", (3, 1, 5), 2, -2, 2))
binary("greater", "i32", lambda x, y: x > y, result="i1")
binary("greater_equal", "i32", lambda x, y: x >= y, result="i1")
binary("logical_and", "i1", lambda x, y: x and y)
binary("logical_or", "i1", lambda x, y: x or y)
binary("logical_xor", "i1", lambda x, y: x != y)
binary("logical_left_shift", "i32", lambda x, y: wrap(x << y, 32), b=shifts)
binary("logical_right_shift", "i32", lambda x, y: wrap(logical(x) >> y, 32), b=shifts)
binary("arithmetic_right_shift", "i32", lambda x, y: x >> y, b=shifts, attrs="{round = false}",
       label="shift_without_rounding")
binary("arithmetic_right_shift", "i32",
       lambda x, y: (x >> y) + ((x >> (y - 1)) & 1 if y else 0), b=shifts,
       attrs="{round = true}", label="shift_with_rounding")
binary("intdiv", "i32", lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1),
       b=Tensor("i32", (3, 1, 5), [1, -1, 2, -2, 3, 7, -7, 100, -100, 65536, 5, -5, 9, 11, -13]))

for dtype, shift in (("i8", 0), ("i16", 0), ("i32", 0), ("i32", 5), ("i32", 31)):
    def product(x, y, amount=shift):
        exact = x * y
        return wrap(exact + (1 << (amount - 1)) >> amount if amount else exact, 32)
    x, y = random_tensor(dtype, (2, 6), 3), random_tensor(dtype, (2, 1), 4)
    r = elementwise("i32", product, x, y)
    Case("mul_%s_%d" % (dtype, shift), [x, y], [r],
         op("mul", [x, y, "tensor<1xi8>"], r, names=["a0", "a1", "s"]),
         [("s", scalar("i8", shift))])


def unary(name, x, dtype, function, label=None, attrs="", extra=(), tolerance=None):
    r = elementwise(dtype, function, x)
    Case(label or name, [x], [r], op(name, [x] + [c for _, c in extra], r, attrs,
                                     names=["a0"] + [n for n, _ in extra]), extra, tolerance)


some = random_tensor("i32", (4, 8), 5)
unary("clz", Tensor("i32", (6,), [0, 1, -1, 255, 1 << 30, 77777]), "i32",
      lambda x: 32 - logical(x).bit_length())
unary("bitwise_not", some, "i32", lambda x: ~x)
unary("logical_not", random_tensor("i1", (9,), 5), "i1", lambda x: not x)
unary("abs", some, "i32", abs, "abs_i32")
unary("negate", random_tensor("i8", (5, 7), 6), "i8", lambda x: clip(-3 - (x - 5), "i8"), "negate_i8",
      extra=[("zi", scalar("i8", 5)), ("zo", scalar("i8", -3))])
unary("negate", Tensor("i8", (3,), [-128, 0, 127]), "i8", lambda x: clip(-x, "i8"), "negate_edge",
      extra=[("zi", scalar("i8", 0)), ("zo", scalar("i8", 0))])
unary("clamp", random_tensor("i8", (5, 7), 6), "i8", lambda x: max(-20, min(90, x)), "clamp_i8",
      "{min_val = -20 : i8, max_val = 90 : i8}")
table8 = random_tensor("i8", (256,), 7)
unary("table", random_tensor("i8", (4, 9), 8), "i8", lambda x: table8[(x + 128,)], "table_i8",
      extra=[("t", table8)])
table16 = random_tensor("i16", (513,), 9)


def look_up(x):
    value = x + 32768
    i, fraction = value >> 7, value & 127
    low, high = table16[(i,)], table16[(i + 1,)]
    return (low << 7) + (high - low) * fraction


unary("table", random_tensor("i16", (4, 9), 10), "i32", look_up, "table_i16",
      extra=[("t", table16)])
