# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the functions of device libraries mean, in Python.

FUNCTIONS maps a symbol to (operand types, result type, function, tolerance). Types are f32, f64,
i16, i32, i64; functions take and give Python numbers; the tolerance is in ulp of the result type.
"""
import math
import struct
from fractions import Fraction

INF, NAN = math.inf, math.nan
LARGEST = {"f32": float.fromhex("0x1.fffffep127"), "f64": float.fromhex("0x1.fffffffffffffp1023")}
FUNCTIONS = {}


# Rounding -----------------------------------------------------------------------------------

def neighbour(x, kind, direction):
    """The next number of the type above (1) or below (-1) a number of the type."""
    code, count = ("<f", "<i") if kind == "f32" else ("<d", "<q")
    if x == 0:
        return direction * struct.unpack(code, struct.pack(count, 1))[0]
    bits = struct.unpack(count, struct.pack(code, x))[0]
    bits += 1 if (x > 0) == (direction > 0) else -1
    return struct.unpack(code, struct.pack(count, bits))[0]


def single(x):
    """A double rounded to f32."""
    if x != x or abs(x) == INF:
        return x
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


def rounded(exact, kind, mode):
    """A fraction other than 0 as a number of the type."""
    try:
        x = float(exact)
    except OverflowError:
        x = INF if exact > 0 else -INF
    if kind == "f32":
        x = single(x)
    # `below` is the largest number that is not above it.
    below = x
    if x == INF or (x != -INF and Fraction(x) > exact):
        below = neighbour(x, kind, -1)
    if below == -INF or Fraction(below) == exact:
        above = below if below != -INF else -LARGEST[kind]
    else:
        above = INF if below == LARGEST[kind] else neighbour(below, kind, 1)
    if mode == "rn":
        step = Fraction(LARGEST[kind]) - Fraction(neighbour(LARGEST[kind], kind, -1))
        low = Fraction(below) if below != -INF else -Fraction(LARGEST[kind]) - step
        high = Fraction(above) if above != INF else Fraction(LARGEST[kind]) + step
        if exact - low != high - exact:
            return below if exact - low < high - exact else above
        return x  # a tie, which float() rounds to even, and so does single()
    if mode == "rz":
        mode = "rd" if exact > 0 else "ru"
    result = below if mode == "rd" else above
    return math.copysign(result, 1 if exact > 0 else -1)


def directed(operation, kind, mode, a, b, c=0.0):
    """a + b, a * b, a / b, a * b + c or sqrt(a), rounded in a direction."""
    if not all(map(math.isfinite, (a, b, c))) or (operation == "/" and b == 0):
        return plain(operation, a, b, c)
    if operation == "sqrt":
        if a <= 0:
            return a if a == 0 else NAN
        root = math.sqrt(a) if kind == "f64" else single(math.sqrt(a))
        if Fraction(root) ** 2 < a and mode == "ru":
            return neighbour(root, kind, 1)
        if Fraction(root) ** 2 > a and mode in ("rd", "rz"):
            return neighbour(root, kind, -1)
        return root
    fa, fb, fc = Fraction(a), Fraction(b), Fraction(c)
    exact = {"+": lambda: fa + fb, "*": lambda: fa * fb, "/": lambda: fa / fb,
             "fma": lambda: fa * fb + fc}[operation]()
    if exact != 0:
        return rounded(exact, kind, mode)
    sign = math.copysign(1, a) * math.copysign(1, b)
    if operation in "*/":
        return math.copysign(0.0, sign)
    signs = (math.copysign(1, a), math.copysign(1, b)) if operation == "+" else \
        (sign, math.copysign(1, c))
    both_zero = fa == fb == 0 if operation == "+" else fa * fb == 0
    if both_zero and signs[0] == signs[1]:
        return math.copysign(0.0, signs[0])
    return -0.0 if mode == "rd" else 0.0


def plain(operation, a, b, c):
    """The cases of infinities and NaN."""
    if operation == "sqrt":
        return a if a == INF or a != a else NAN
    if operation == "/":
        if a != a or b != b or (a == 0 and b == 0) or (abs(a) == INF and abs(b) == INF):
            return NAN
        sign = math.copysign(1, a) * math.copysign(1, b)
        return math.copysign(INF if b == 0 or abs(a) == INF else 0.0, sign)
    if operation == "fma":
        return c if math.isfinite(a) and math.isfinite(b) else a * b + c
    return a + b if operation == "+" else a * b


# Integers -----------------------------------------------------------------------------------

def wrap(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def unsigned(x, bits):
    return x & ((1 << bits) - 1)


def add(symbol, operands, result, function, tolerance=0):
    FUNCTIONS[symbol] = (operands, result, function, tolerance)


def integer(symbol, operands, result, function):
    width = int(result[1:])
    add(symbol, operands, result, lambda *x: wrap(function(*x), width))


def u32(function):
    return lambda *x: function(*(unsigned(y, 32) for y in x))


def u64(function):
    return lambda *x: function(*(unsigned(y, 64) for y in x))


def first_one(x):
    return (x & -x).bit_length()


def sign24(x):
    return wrap(x, 24)


def permute(x, y, s):
    data = (unsigned(y, 32) << 32) | unsigned(x, 32)
    return sum(((data >> 8 * (s >> 4 * i & 7)) & 255) << 8 * i for i in range(4))


I, L = ["i32"], ["i64"]
for name, function in {
        "abs": abs, "clz": u32(lambda x: 32 - x.bit_length()),
        "popc": u32(lambda x: bin(x).count("1")), "ffs": first_one,
        "brev": u32(lambda x: int(f"{x:032b}"[::-1], 2))}.items():
    integer("__nv_" + name, I, "i32", function)
for name, function in {
        "max": max, "min": min, "umax": u32(max), "umin": u32(min),
        "mul24": lambda x, y: sign24(x) * sign24(y),
        "umul24": lambda x, y: (x & 0xffffff) * (y & 0xffffff),
        "mulhi": lambda x, y: x * y >> 32, "umulhi": u32(lambda x, y: x * y >> 32),
        "hadd": lambda x, y: (x + y) >> 1, "rhadd": lambda x, y: (x + y + 1) >> 1,
        "uhadd": u32(lambda x, y: (x + y) >> 1),
        "urhadd": u32(lambda x, y: (x + y + 1) >> 1)}.items():
    integer("__nv_" + name, I * 2, "i32", function)
for name, function in {
        "byte_perm": permute, "sad": lambda x, y, z: abs(x - y) + z,
        "usad": u32(lambda x, y, z: abs(x - y) + z)}.items():
    integer("__nv_" + name, I * 3, "i32", function)
for name, result, function in (
        ("llabs", "i64", abs), ("clzll", "i32", u64(lambda x: 64 - x.bit_length())),
        ("popcll", "i32", u64(lambda x: bin(x).count("1"))), ("ffsll", "i32", first_one),
        ("brevll", "i64", u64(lambda x: int(f"{x:064b}"[::-1], 2)))):
    integer("__nv_" + name, L, result, function)
for name, function in {
        "llmax": max, "llmin": min, "ullmax": u64(max), "ullmin": u64(min),
        "mul64hi": lambda x, y: x * y >> 64, "umul64hi": u64(lambda x, y: x * y >> 64)}.items():
    integer("__nv_" + name, L * 2, "i64", function)
integer("__triton_hip_iabs", L, "i64", abs)


# Conversions --------------------------------------------------------------------------------

def repack(source, target):
    return lambda x: struct.unpack("<" + target, struct.pack("<" + source, x))[0]


def integral(x, mode):
    return {"rn": round, "rz": math.trunc, "ru": math.ceil, "rd": math.floor}[mode](x)


def away(x):
    return math.trunc(Fraction(x) + Fraction(1 if x > 0 else -1, 2))


def to_integer(source, bits, signed, step):
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)

    def convert(x):
        if x != x:
            return 0 if source == "f32" and bits == 32 else wrap(1 << (bits - 1), bits)
        x = (high if x > 0 else low) if abs(x) == INF else min(max(step(x), low), high)
        return wrap(x, bits)
    return convert


def from_integer(bits, signed, kind, mode):
    def convert(x):
        x = x if signed else unsigned(x, bits)
        return rounded(Fraction(x), kind, mode) if x else 0.0
    return convert


def narrow(mode):
    return lambda x: x if x == 0 or not math.isfinite(x) else rounded(Fraction(x), "f32", mode)


FLOATS = {"float": "f32", "double": "f64"}
INTEGERS = {"int": (32, True), "uint": (32, False), "ll": (64, True), "ull": (64, False)}
for mode in ("rn", "rz", "ru", "rd"):
    for real, kind in FLOATS.items():
        for whole, (bits, signed) in INTEGERS.items():
            add(f"__nv_{real}2{whole}_{mode}", [kind], f"i{bits}",
                to_integer(kind, bits, signed, lambda x, mode=mode: integral(x, mode)))
            if bits == 64 or kind == "f32" or mode == "rn":
                add(f"__nv_{whole}2{real}_{mode}", [f"i{bits}"], kind,
                    from_integer(bits, signed, kind, mode))
    add(f"__nv_double2float_{mode}", ["f64"], "f32", narrow(mode))
add("__nv_int_as_float", I, "f32", repack("i", "f"))
add("__nv_uint_as_float", I, "f32", repack("i", "f"))
add("__nv_float_as_int", ["f32"], "i32", repack("f", "i"))
add("__nv_float_as_uint", ["f32"], "i32", repack("f", "i"))
add("__nv_longlong_as_double", L, "f64", repack("q", "d"))
add("__nv_double_as_longlong", ["f64"], "i64", repack("d", "q"))
add("__nv_double2hiint", ["f64"], "i32", lambda x: repack("d", "q")(x) >> 32)
add("__nv_double2loint", ["f64"], "i32", lambda x: wrap(repack("d", "q")(x), 32))
add("__nv_hiloint2double", I * 2, "f64",
    lambda x, y: repack("q", "d")((x << 32) | unsigned(y, 32)))
add("__nv_half2float", ["i16"], "f32", repack("h", "e"))


def to_half(x):
    try:
        return repack("e", "h")(x)
    except OverflowError:
        return 0x7c00 if x > 0 else wrap(0xfc00, 16)


add("__nv_float2half_rn", ["f32"], "i16", to_half)


# Directed rounding --------------------------------------------------------------------------

for mode, ocml in (("rn", "rte"), ("rz", "rtz"), ("ru", "rtp"), ("rd", "rtn")):
    for letter, kind in (("f", "f32"), ("d", "f64")):
        R = [kind]

        def rule(operation, kind=kind, mode=mode):
            return lambda a, b=1.0, c=0.0: directed(operation, kind, mode, a, b, c)
        rules = {"add": (R * 2, rule("+")), "mul": (R * 2, rule("*")), "div": (R * 2, rule("/")),
                 "sub": (R * 2, lambda a, b, f=rule("+"): f(a, -b)), "sqrt": (R, rule("sqrt"))}
        for name, (operands, function) in rules.items():
            add(f"__nv_{letter}{name}_{mode}", operands, kind, function)
            add(f"__ocml_{name}_{ocml}_{kind}", operands, kind, function)
        add(f"__nv_{letter}rcp_{mode}", R, kind, lambda a, f=rule("/"): f(1.0, a))
        add(f"__nv_fma{'f' if letter == 'f' else ''}_{mode}", R * 3, kind, rule("fma"))
        add(f"__ocml_fma_{ocml}_{kind}", R * 3, kind, rule("fma"))
