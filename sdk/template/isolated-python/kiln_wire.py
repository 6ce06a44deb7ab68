# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of Kiln in the wire form, which docs/isolated-targets.md specifies: read() returns them as objects. Needs Python
3.8, and wire.json beside this file for the defaults of attributes."""
import json
import os
import re
import struct

WIRE = 4  # the version of the wire form that this file reads


class WireError(Exception):
    """Text that is not in the wire form."""


class Type:
    """A type. kind: "tensor", "view", "ptr", "function" or "scalar"; shape: sizes, None where only a launch knows;
    element: the name of the element type, as "f32"; strides of a view: None where it is dense."""
    _known = {}

    def __new__(cls, text):
        found = cls._known.get(text)
        if found is None:
            found = super().__new__(cls)
            found._read(text)
            cls._known[text] = found
        return found

    def _read(self, text):
        self.text, self.kind, self.shape, self.element, self.strides = text, "scalar", [], text, None
        inner = re.fullmatch(r"(!tile\.view|!tile\.ptr|tensor)<(.*)>", text)
        if "->" in text:
            self.kind = "function"
        elif inner and inner[1] == "!tile.ptr":
            self.kind, self.element = "ptr", inner[2]
        elif inner:
            self.kind = "view" if inner[1] == "!tile.view" else "tensor"
            body, strides = re.match(r"(.*?)(?:, strides = \[(.*)\])?$", inner[2]).groups()
            if strides is not None:
                self.strides = [_size(part) for part in strides.split(",") if part.strip()]
            sizes = re.match(r"(?:(?:\d+|\?)x)*", body)[0]
            self.shape = [_size(part) for part in sizes.split("x")[:-1]]
            self.element = body[len(sizes):]

    @property
    def count(self):
        """Number of elements of a tile; 1 for a scalar."""
        total = 1
        for size in self.shape:
            total *= size
        return total

    def __str__(self):
        return self.text


def _size(text):
    return None if text.strip() == "?" else int(text)


def _width(element):
    """Number of bits of an element."""
    if element == "tf32":  # f32 without the last 13 bits, and not 32
        return 19
    found = re.fullmatch(r"[a-z]*?(\d{1,8})(?:E\w+)?", element)
    if element != "index" and not found:
        raise WireError(f"expected the type of a number, found '{element}'")
    return 64 if element == "index" else int(found[1])


def _integer_width(element):
    if not re.match(r"s?i\d|ui\d|index", element):
        raise WireError(f"expected a type whose numbers Python has, found '{element}'")
    return _width(element)


class Value:
    """A result or an argument. op: what computes it, None for an argument; index: which one of its results."""

    def __init__(self, type, op, index):
        self.type, self.op, self.index = type, op, index


class Block:
    def __init__(self):
        self.arguments, self.operations = [], []


class Op:
    """An operation. number counts operations of the kernel in the order of the text, the kernel itself is 0;
    location is (file, line, column) or None."""

    def __init__(self, name):
        self.name, self.operands, self.results, self.regions = name, [], [], []
        self.attributes, self.location, self.parent, self.number = {}, None, None, 0

    def get(self, name):
        """The value of an attribute, or its default."""
        if name in self.attributes:
            return self.attributes[name]
        return _defaults().get((self.name, name))

    @property
    def type(self):
        return self.results[0].type

    @property
    def body(self):
        """The operations of the first block."""
        if not self.regions or not self.regions[0]:
            raise WireError(f"expected a block in '{self.name}', found none")
        return self.regions[0][0].operations

    def segments(self, name="operandSegmentSizes"):
        """The operands in the groups that the operation's definition gives them."""
        at, groups = 0, []
        for size in self.attributes[name].values:
            groups.append(self.operands[at:at + size])
            at += size
        return groups

    def walk(self):
        """Itself and everything in it, in the order of the text."""
        yield self
        for region in self.regions:
            for block in region:
                for op in block.operations:
                    yield from op.walk()


class Kernel(Op):
    """A tile.kernel. arguments: its parameters; facts[i]: what is known about one, as {"tile.readonly": True}."""
    description = ""  # of the chip, as `describe` returned it for the request
    lowerings = {}  # names of instructions by the numbers of the operations that they compute

    def lowered(self, op, name):
        """Says by which instruction an operation is computed; `--explain` prints it."""
        self.lowerings = {**self.lowerings, op.number: name}

    @property
    def symbol(self):
        return self.attributes["sym_name"]

    @property
    def arguments(self):
        return self.regions[0][0].arguments

    @property
    def facts(self):
        return self.attributes.get("arg_attrs") or [{} for _ in self.arguments]


class Number:
    """An integer or a float with its type. bits: as memory holds it."""

    def __init__(self, value, type, bits=None):
        self.value, self.type, self._bits = value, type, bits

    @property
    def bits(self):
        return self._bits if self._bits is not None else encode(self.value, self.type)

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, Number) else other)

    def __int__(self):
        return int(self.value)

    __index__ = __int__

    def __bool__(self):
        return bool(self.value)

    def __float__(self):
        return float(self.value)

    def __repr__(self):
        return f"{self.value} : {self.type}"

    __hash__ = None


def bits_of(number):
    """The bits of a constant number as memory holds it. One of type i1 is read as a bool."""
    return int(number) if isinstance(number, bool) else number.bits


def padding_bits(load):
    """The bits of what a tile.load or tile.load_gather reads outside of its view; None where only a launch knows them."""
    if load.get("padding") == 3:
        constant = load.segments()[-1][0].op
        return bits_of(constant.attributes["value"]) if constant is not None and constant.name == "arith.constant" else None
    return encode(float("nan") if load.get("padding") == 1 else 0, load.type.element)


class Dense:
    """Elements of a constant tile. splat: the one that all are, or None; values: all of them, row-major."""

    def __init__(self, type, values, is_splat):
        self.type, self._values, self.splat = type, values, values[0] if is_splat else None

    @property
    def values(self):
        return self._values * self.type.count if self.splat is not None else self._values


class Array:
    """array<i64: 1, 2>"""

    def __init__(self, element, values):
        self.element, self.values = element, values


class Other:
    """An attribute of a dialect, as text: #tile.loop_hints<...>"""

    def __init__(self, text):
        self.text = text


_FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52), "f8E5M2": (5, 2)}


def decode(bits, type):
    """The number that the bits of an element of this type are."""
    name = str(type)
    if bits >> _width(name):
        raise WireError(f"expected the bits of a number of type '{name}', found {bits:#x}")
    if name in ("f64", "f32", "f16"):
        size, code = {"f64": (8, "<d"), "f32": (4, "<f"), "f16": (2, "<e")}[name]
        return struct.unpack(code, bits.to_bytes(size, "little"))[0]
    if name in ("bf16", "tf32"):
        return decode(bits << (16 if name == "bf16" else 13), "f32")
    if name in _FLOATS:
        exponent, mantissa = _FLOATS[name]
        return decode(bits << 8, "f16") if (exponent, mantissa) == (5, 2) else None
    width = _integer_width(name)
    return bits - (1 << width) if width > 1 and bits >> (width - 1) else bits


def encode(value, type):
    """The bits of an element."""
    name = str(type)
    if name in ("f64", "f32", "f16"):
        code = {"f64": "<d", "f32": "<f", "f16": "<e"}[name]
        return int.from_bytes(struct.pack(code, value), "little")
    if name == "bf16":  # to nearest, ties to even
        wide = encode(value, "f32")
        return wide >> 16 | 0x40 if value != value else (wide + 0x7FFF + (wide >> 16 & 1)) >> 16
    return int(value) & ((1 << _integer_width(name)) - 1)


def _table():
    """The operations of the wire form, from wire.json beside this file."""
    if not hasattr(_table, "operations"):
        with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "wire.json"), encoding="utf-8") as file:
            _table.operations = json.load(file)["operations"]
    return _table.operations


def operation_names():
    """Names of all operations that a kernel can have."""
    return _table().keys()


def _defaults():
    """Attributes that are left out: (operation, attribute) -> value."""
    if not hasattr(_defaults, "table"):
        _defaults.table = {}
        for name, op in _table().items():
            for attribute, facts in op.get("attributes", {}).items():
                if "default" in facts:
                    _defaults.table[name, attribute] = Reader(facts["default"]).attribute()
    return _defaults.table


class Reader:
    """Reads MLIR's generic text, as far as the wire form goes. Most of a kernel has the layout that the compiler writes: expressions for
    whole parts of an operation read that, and texts that recur are read once. What they do not match is read token by token."""
    _plain_begin = re.compile(r'\s*(?:(%[\w$.-]+)(?::\d+)? = )?"([^"\\]+)"\(([^()]*)\)')
    _plain_attributes = re.compile(r' ?<(\{[^{}"\n]{0,200}\})>')
    _plain_types = re.compile(r' ?: (\([^()"\n]*\) -> (?:\([^()"\n]*\)|[^()"\n]+?))'
                              r'(?: loc\((?:"([^"\\\n]*)":(\d+):(\d+)|unknown)\))?(?=\n|$)')
    _plain_argument = re.compile(r'(%[\w$.-]+): ([^()"%\n]+) loc\((?:"[^"\\\n]*":\d+:\d+|unknown)\)(, |\):)')
    _plain_type = re.compile(r'!?[A-Za-z_][\w$.]*(?:<(?:[^<>()"{}\[\]]|\[[^<>()"{}\[\]]*\])*>|(?![\w$.<]))')
    _kept, MOST_KEPT = {}, 4096  # attributes and types that were read, by their texts
    _space = re.compile(r"(?:\s|//[^\n]*)*")
    _string = re.compile(r'"((?:[^"\\]|\\.)*)"')
    _value = re.compile(r"%([\w$.-]+)(?:#(\d+))?")
    _results = re.compile(r"%([\w$.-]+)(?::(\d+))?\s*=")
    _number = re.compile(r"-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*(?:[eE][-+]?\d+)?)?)")
    _word = re.compile(r"[A-Za-z_][\w$.]*")
    _brackets = {"<": ">", "(": ")", "[": "]", "{": "}"}
    MOST_NESTING = 200

    def __init__(self, text):
        self.text, self.at, self.values, self.number, self.depth = text, 0, {}, 0, 0

    def fail(self, expected):
        line = self.text.count("\n", 0, self.at) + 1
        raise WireError(f"line {line}: expected {expected}, found {self.text[self.at:self.at + 20]!r}")

    def skip(self):
        self.at = self._space.match(self.text, self.at).end()

    def peek(self, token):
        if self.text.startswith(token, self.at):
            return True
        self.skip()
        return self.text.startswith(token, self.at)

    def take(self, token):
        if not self.peek(token):
            return False
        self.at += len(token)
        return True

    def need(self, token):
        if not self.take(token):
            self.fail(repr(token))

    def match(self, pattern):
        self.skip()
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def require(self, pattern, what):
        return self.match(pattern) or self.fail(what)

    def list(self, end, element):
        """Elements up to `end`, which is read."""
        all = []
        if self.take(end):
            return all
        while True:
            all.append(element())
            if self.take(end):
                return all
            self.need(",")

    def string(self):
        raw = self.require(self._string, "a string")[1]
        named = {b"n": b"\n", b"t": b"\t"}
        return re.sub(rb"\\([0-9A-Fa-f]{2}|.)",
                      lambda found: bytes.fromhex(found[1].decode()) if len(found[1]) == 2 else named.get(found[1], found[1]),
                      raw.encode()).decode(errors="replace")

    def balanced(self):
        """Text up to the bracket that closes the one that is next."""
        begin, open = self.at, []
        while True:
            if self.at >= len(self.text):
                self.fail("a closing bracket")
            c = self.text[self.at]
            if c == '"':
                self.require(self._string, "a string")
                continue
            if self.text.startswith("->", self.at):
                self.at += 2
                continue
            self.at += 1
            if c in self._brackets:
                open.append(self._brackets[c])
            elif open and c == open[-1]:
                open.pop()
                if not open:
                    return self.text[begin:self.at]

    def kept(self, text, read):
        """What `read` makes of the whole of a text, the same object for the same text; None where it is not in the form."""
        found = self._kept.get(text)
        if found is None:
            reader = Reader(text)
            try:
                found = read(reader)
                reader.skip()
            except WireError:
                return None
            if reader.at < len(text):
                return None
            if len(self._kept) >= self.MOST_KEPT:
                self._kept.clear()
            self._kept[text] = found
        return found

    def type(self):
        self.skip()
        plain = self._plain_type.match(self.text, self.at)
        if plain:
            self.at = plain.end()
            return Type(plain[0])
        begin = self.at
        if self.peek("("):
            self.balanced()
            self.need("->")
            self.type() if not self.peek("(") else self.balanced()
            return Type(self.text[begin:self.at])
        self.take("!")
        self.require(self._word, "a type")
        if self.text.startswith("<", self.at):
            self.balanced()
        return Type(self.text[begin:self.at])

    def location(self):
        """loc("file":line:column), or loc(unknown)."""
        if not self.take("loc"):
            return None
        self.skip()
        text = self.balanced()
        found = re.fullmatch(r'\("((?:[^"\\]|\\.)*)":(\d+):(\d+)\)', text)
        return (found[1], int(found[2]), int(found[3])) if found else None

    def typed(self, value, bits=None, otherwise="i64"):
        type = self.type() if self.take(":") else Type(otherwise)
        if bits is not None and not re.match(r"i\d|index", type.text):
            return Number(decode(bits, type), type, bits)
        return Number(bits if bits is not None else value, type)

    def nested(self, read):
        """What `read` reads, which may hold more of the same."""
        self.depth += 1
        if self.depth > self.MOST_NESTING:
            self.fail("less nesting")
        try:
            return read()
        finally:
            self.depth -= 1

    def attribute(self):
        self.skip()
        return self.nested(self._attribute)

    def _attribute(self):
        if self.peek('"'):
            text = self.string()
            if self.take(":"):
                self.type()
            return text
        if self.take("["):
            return self.list("]", self.attribute)
        if self.peek("{"):
            return self.dictionary()
        if self.take("@"):
            return self.string() if self.peek('"') else self.require(self._word, "a symbol")[0]
        found = self.match(self._number)
        if found:
            if "x" in found[0]:
                return self.typed(None, int(found[0], 16))
            return self.typed(float(found[0]), otherwise="f64") if "." in found[0] else self.typed(int(found[0]))
        if self.peek("#"):
            begin = self.at
            self.at += 1
            self.require(self._word, "an attribute")
            if self.text.startswith("<", self.at):
                self.balanced()
            return Other(self.text[begin:self.at])
        if self.peek("(") or self.peek("!"):
            return self.type()
        return self._named(self.at)

    def _named(self, begin):
        word = self.require(self._word, "an attribute")[0]
        if word in ("true", "false"):
            return word == "true"
        if word == "unit":
            return True
        if word == "array" and self.take("<"):
            element = self.type()
            values = self.list(">", self._element) if self.take(":") else self.list(">", self._element)
            return Array(element, values)
        if word == "dense" and self.peek("<"):
            return self._dense()
        self.at = begin
        return self.type()

    def _element(self):
        if self.match(re.compile("true")):
            return 1
        if self.match(re.compile("false")):
            return 0
        text = self.require(self._number, "a number")[0]
        return float(text) if "." in text else int(text, 0)

    def _dense(self):
        self.need("<")
        flat, is_list, packed = [], self.peek("["), None
        if self.peek('"'):
            packed = bytes.fromhex(self.string()[2:])
        elif is_list:
            self._flatten(flat)
        elif not self.peek(">"):
            flat.append(self.require(re.compile(r"[^>\s]+"), "a number")[0])
        self.need(">")
        self.need(":")
        type = self.type()
        if packed is not None:
            return Dense(type, _unpack(packed, type), False)
        return Dense(type, [_literal(text, type.element) for text in flat], not is_list and bool(flat))

    def _flatten(self, flat):
        self.need("[")
        if self.take("]"):
            return
        while True:
            if self.peek("["):
                self.nested(lambda: self._flatten(flat))
            else:
                flat.append(self.require(re.compile(r"[^,\]\s]+"), "a number")[0])
            if self.take("]"):
                return
            self.need(",")

    def dictionary(self):
        self.need("{")
        return dict(self.list("}", self._entry))

    def _entry(self):
        name = self.string() if self.peek('"') else self.require(self._word, "a name")[0]
        return name, self.attribute() if self.take("=") else True

    def operation(self, parent=None):
        self.depth += 1
        if self.depth > self.MOST_NESTING:
            self.fail("less nesting")
        result, name, operands = self._begin()
        op = Kernel(name) if name in ("tile.kernel", "func.func") else Op(name)
        if isinstance(op, Kernel):
            self.number = 0
        op.parent, op.number, op.operands = parent, self.number, operands
        self.number += 1
        plain = self._plain_attributes.match(self.text, self.at)
        attributes = self.kept(plain[1], Reader.dictionary) if plain else None
        if attributes is not None:
            self.at = plain.end()
            op.attributes = dict(attributes)
        elif self.take("<"):
            op.attributes = self.dictionary()
            self.need(">")
        if self.take("("):
            op.regions = self.list(")", lambda: self._region(op))
        plain = self._plain_types.match(self.text, self.at)
        types = self.kept(plain[1], Reader._signature) if plain else None
        if types is not None:
            self.at = plain.end()
            op.location = (plain[2], int(plain[3]), int(plain[4])) if plain[3] else None
        else:
            types = self._types(op)
        op.results = [Value(type, op, index) for index, type in enumerate(types)]
        if result:
            for value in op.results[1:]:
                self.values[f"{result}#{value.index}"] = value
            self.values[result] = self.values[f"{result}#0"] = op.results[0] if op.results else None
        self.depth -= 1
        return op

    def _begin(self):
        """The name of the results, or None; the operation's; and the operands."""
        plain = self._plain_begin.match(self.text, self.at)
        if plain:
            operands = [self.values.get(name) for name in plain[3].split(", ")] if plain[3] else []
            if None not in operands:
                self.at = plain.end()
                return plain[1], plain[2], operands
        found = self.match(self._results)
        name = self.string()
        self.need("(")
        return found and "%" + found[1], name, self.list(")", self._use)

    def _types(self, op):
        """The types of results. Reads attributes behind regions before them, and the location behind."""
        if self.peek("{"):
            op.attributes.update(self.dictionary())
        self.need(":")
        types = self._signature()
        op.location = self.location()
        return types

    def _signature(self):
        self.need("(")
        self.list(")", self.type)
        self.need("->")
        return self.list(")", self.type) if self.take("(") else [self.type()]

    def _use(self):
        found = self.require(self._value, "a value")
        name = f"%{found[1]}" + (f"#{int(found[2])}" if found[2] else "")
        value = self.values.get(name)
        if value is None:
            raise WireError(f"there is no value {name}")
        return value

    def _region(self, op):
        self.need("{")
        blocks = [Block()]
        while not self.take("}"):
            if self.peek("^"):
                if blocks[0].arguments or blocks[0].operations:
                    blocks.append(Block())
                self.at += 1
                self.require(self._word, "a block")
                if self.take("("):
                    self._arguments(blocks[-1])
                self.need(":")
            else:
                blocks[-1].operations.append(self.operation(op))
        return blocks

    def _arguments(self, block):
        """Arguments up to the bracket behind them, which is read."""
        while True:
            plain = self._plain_argument.match(self.text, self.at)
            type = self.kept(plain[2], Reader.type) if plain else None
            if type is None:
                self.list(")", lambda: self._argument(block))
                return
            self._define(block, plain[1], type)
            self.at = plain.end()
            if plain[3] == "):":
                self.at -= 1
                return

    def _argument(self, block):
        name = self.require(self._value, "an argument")[1]
        self.need(":")
        self._define(block, "%" + name, self.type())
        self.location()

    def _define(self, block, name, type):
        value = Value(type, None, len(block.arguments))
        block.arguments.append(value)
        self.values[name] = self.values[name + "#0"] = value


def _literal(text, element):
    if text in ("true", "false"):
        return Number(int(text == "true"), element)
    try:
        if re.match(r"i\d|index", element):
            return Number(int(text, 0), element)
        return Number(decode(int(text, 16), element), element, int(text, 16)) if "x" in text else Number(float(text), element)
    except ValueError:
        raise WireError(f"expected a number of type '{element}', found '{text[:20]}'") from None


def _unpack(packed, type):
    """The elements whose bits follow each other: truth values eight in a byte, the first one in its lowest bit, others in whole bytes."""
    element, width = type.element, _width(type.element)
    if None in type.shape:
        raise WireError(f"expected a type of known sizes, found {type}")
    if width == 1:
        parts = [packed[at // 8] >> at % 8 & 1 for at in range(min(type.count, 8 * len(packed)))]
    else:
        size = -(-width // 8)
        parts = [int.from_bytes(packed[at:at + size], "little") for at in range(0, len(packed), size)]
    if len(parts) != type.count:
        raise WireError(f"expected the elements of {type}, found {len(packed)} bytes")
    return [Number(decode(bits, element), element, bits) for bits in parts]


def read(text):
    """The kernels of a module in the wire form; its functions, for `claims`."""
    module = Reader(text).operation()
    kernels = [op for op in module.body if isinstance(op, Kernel)]
    for kernel in kernels:
        if not isinstance(kernel.attributes.get("sym_name"), str):
            raise ValueError(f"expected the name of a kernel to be a text, found {kernel.attributes.get('sym_name')!r}")
    return kernels
