# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes prim as text: values, types, numbers, sizes, one function. Knows no framework.

A size is an int, or any other hashable object for one that is known when the program runs; the
`sizes` that a Function is given say how to compute those."""
import math
import re
import struct

#: Element types by the names that the runtime has: what MLIR calls them, bits, kind.
ELEMENTS = {
    "i1": ("i1", 1, "b"), "i8": ("i8", 8, "i"), "i16": ("i16", 16, "i"), "i32": ("i32", 32, "i"), "i64": ("i64", 64, "i"),
    "u8": ("i8", 8, "u"), "u16": ("i16", 16, "u"), "u32": ("i32", 32, "u"), "u64": ("i64", 64, "u"),
    "f16": ("f16", 16, "f"), "bf16": ("bf16", 16, "f"), "f32": ("f32", 32, "f"), "f64": ("f64", 64, "f"),
    "f8E4M3FN": ("f8E4M3FN", 8, "f"), "f8E5M2": ("f8E5M2", 8, "f"), "f8E4M3FNUZ": ("f8E4M3FNUZ", 8, "f"),
    "f8E5M2FNUZ": ("f8E5M2FNUZ", 8, "f"), "f8E8M0FNU": ("f8E8M0FNU", 8, "f"),
}
#: Of floats of 8 bits: bits of the mantissa, bias, code of the largest number, of what overflows, of NaN.
_SMALL = {"f8E4M3FN": (3, 7, 0x7E, 0x7F, 0x7F), "f8E5M2": (2, 15, 0x7B, 0x7C, 0x7E), "f8E4M3FNUZ": (3, 8, 0x7F, 0x80, 0x80),
          "f8E5M2FNUZ": (2, 16, 0x7F, 0x80, 0x80)}


class Unsupported(Exception):
    """What cannot be expressed, and why."""


def is_float(dtype):
    return ELEMENTS[dtype][2] == "f"


def is_narrow(dtype):
    """Floats of fewer bits than f32, which frameworks compute in f32."""
    return is_float(dtype) and ELEMENTS[dtype][1] < 32


def is_small(dtype):
    """Floats of 8 bits."""
    return is_float(dtype) and ELEMENTS[dtype][1] == 8


def is_int(dtype):
    return ELEMENTS[dtype][2] in "iu"


def is_unsigned(dtype):
    return ELEMENTS[dtype][2] == "u"


def type_of(dtype, shape):
    """tensor<4x?xf32>"""
    return f"tensor<{''.join(f'{n}x' if isinstance(n, int) else '?x' for n in shape)}{ELEMENTS[dtype][0]}>"


class Value:
    """A tensor in the program."""
    __slots__ = ("name", "dtype", "shape", "repeated")

    def __init__(self, name, dtype, shape):
        self.name, self.dtype, self.shape = name, dtype, tuple(shape)
        self.repeated = None  #: the tensor that this one repeats along dimensions, where it is known

    @property
    def type(self):
        return type_of(self.dtype, self.shape)

    @property
    def rank(self):
        return len(self.shape)

    def __repr__(self):
        return f"{self.name}: {self.type}"


def _small_bits(value, dtype):
    """The code of a float of 8 bits."""
    if dtype == "f8E8M0FNU":
        if value != value or math.isinf(value):
            return 0xFF
        fraction, exponent = math.frexp(abs(value))
        return min(max(exponent - 1 + 127 + (fraction >= 0.75), 0), 0xFF) if value else 0
    mantissa, bias, largest, overflow, nan = _SMALL[dtype]
    if value != value:
        return nan
    sign = 0x80 if math.copysign(1, value) < 0 else 0
    code = overflow
    if math.isfinite(value):
        exponent = max(math.frexp(value)[1] - 1, 1 - bias) if value else 1 - bias
        code = round(math.ldexp(abs(value), mantissa - exponent)) + ((exponent + bias - 1) << mantissa)
        code = code if code <= largest else overflow
    return code if overflow == 0x80 and code in (0, 0x80) else code | sign


def _bits(value, dtype):
    """The bits of a float, rounded once more from f32 for bf16 as frameworks do."""
    if is_small(dtype):
        return _small_bits(value, dtype)
    if dtype == "f64":
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    try:
        single = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        single = math.copysign(math.inf, value)
    if dtype == "f32":
        return struct.unpack("<I", struct.pack("<f", single))[0]
    if dtype == "f16":
        try:
            return struct.unpack("<H", struct.pack("<e", single))[0]
        except OverflowError:
            return 0xFC00 if single < 0 else 0x7C00
    bits = struct.unpack("<I", struct.pack("<f", single))[0]
    if single != single:
        return 0x7FC0
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def number(value, dtype):
    """An attribute: 1.5 : f32"""
    element, bits, kind = ELEMENTS[dtype]
    if kind == "b":
        return "true" if value else "false"
    if kind in "iu":
        if isinstance(value, float) and not value.is_integer():
            raise Unsupported(f"{value} as {dtype}")
        value = int(value) & ((1 << bits) - 1)
        return f"{value - (1 << bits) if value >> (bits - 1) else value} : {element}"
    value = float(value)
    digits = re.sub(r"^(-?\d+)e", r"\1.0e", repr(value))
    if dtype in ("f32", "f64") and math.isfinite(value) and abs(value) < 3.4e38 and re.fullmatch(r"-?\d+\.\d+(e-?\d+)?", digits):
        return f"{digits} : {element}"
    return f"0x{_bits(value, dtype):0{bits // 4}X} : {element}"


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def array(numbers):
    return f"array<i64: {', '.join(map(str, numbers))}>" if numbers else "array<i64>"


def listed(numbers):
    return f"[{', '.join(map(str, numbers))}]"


class Function:
    """One public function, written from top to bottom."""

    def __init__(self, name="main"):
        self.name = name
        self.arguments, self.body, self.results = [], [], []
        self.donated = set()  # names of the arguments whose memory a result may have
        self.place = None  # (file, line) of what is being written
        self._count = 0
        self._indices = {}

    def argument(self, dtype, shape, label=None):
        value = Value(f"%arg{len(self.arguments)}", dtype, shape)
        self.arguments.append((value, label))
        return value

    def fresh(self):
        self._count += 1
        return f"%{self._count}"

    def line(self, text):
        where = f" loc({quoted(self.place[0])}:{self.place[1]}:1)" if self.place else ""
        self.body.append((f"    {text}", where))

    def emit(self, text, dtype, shape):
        """One operation with one result."""
        value = Value(self.fresh(), dtype, shape)
        self.line(f"{value.name} = {text}")
        return value

    def emit_many(self, text, types):
        """One operation with several results: `types` has (dtype, shape) of each."""
        base = self.fresh()
        self.line(f"{base}:{len(types)} = {text}" if len(types) > 1 else f"{base} = {text}")
        return [Value(f"{base}#{i}" if len(types) > 1 else base, *one) for i, one in enumerate(types)]

    def index(self, text):
        """An `index` value; equal ones are made once, at the place where they are first asked for."""
        if text not in self._indices:
            self._indices[text] = self.fresh()
            self.line(f"{self._indices[text]} = {text}")
        return self._indices[text]

    def returns(self, values):
        self.results = list(values)

    def text(self, locations=True):
        unsigned = lambda value: " {kiln.argument = {unsigned}}" if is_unsigned(value.dtype) else ""  # noqa: E731
        marks = lambda value: "".join([", unsigned" * is_unsigned(value.dtype), ", donated" * (value.name in self.donated)])  # noqa: E731
        arguments = ", ".join(
            f"{value.name}: {value.type}" + (f" {{kiln.argument = {{{marks(value)[2:]}}}}}" if marks(value) else "") + (f" loc({quoted(label)})" if label and locations else "")
            for value, label in self.arguments)
        results = ", ".join(value.type + unsigned(value) for value in self.results)
        names = ", ".join(value.name for value in self.results)
        lines = [line + where if locations else line for line, where in self.body]
        types = ", ".join(value.type for value in self.results)
        end = f"    return {names} : {types}" if self.results else "    return"
        return "\n".join(["module {", f"  func.func public @{self.name}({arguments}) -> ({results}) {{", *lines, end,
                          "  }", "}", ""])
