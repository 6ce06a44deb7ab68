# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the pickle of a state dict: tensors, numbers and text in dictionaries, lists and tuples.

A pickle is a program for a stack machine. Python's own machine calls what the pickle names, allocates what the pickle
announces and compares keys whose hashes the pickle chooses. This one knows the operations that `torch.save` writes and
the names of tensors, runs no code, and takes time and memory in proportion to the size of the pickle.
"""
import struct

#: The largest rank of a tensor.
MAX_RANK = 32


class Error(ValueError):
    """The pickle is damaged, or holds what is no state dict."""


class Storage:
    """The bytes that tensors lie in: torch's name of its class, and its name in the archive."""
    __slots__ = ("kind", "key")

    def __init__(self, kind, key):
        self.kind, self.key = kind, key


class Tensor:
    """A window on a storage. Offset and strides count elements."""
    __slots__ = ("storage", "offset", "sizes", "strides")

    def __init__(self, storage, offset, sizes, strides):
        self.storage, self.offset, self.sizes, self.strides = storage, offset, sizes, strides


class _Global:
    """A class or a function that the pickle names."""
    __slots__ = ("module", "name")

    def __init__(self, module, name):
        self.module, self.name = module, name

    @property
    def is_storage(self):
        return self.module == "torch" and self.name.endswith("Storage")


def _rebuild_tensor(storage, offset, sizes, strides, *_):
    if not isinstance(storage, Storage):
        raise Error("expected a storage, found a tensor without one")
    for numbers in ((offset,), sizes, strides):
        if not isinstance(numbers, tuple) or len(numbers) > MAX_RANK or any(
                type(n) is not int or not 0 <= n < 1 << 63 for n in numbers):
            raise Error("expected a tensor of sizes and strides, found something else")
    return Tensor(storage, offset, sizes, strides)


def _rebuild_parameter(data, *_):
    return data


def _ordered_dict(*pairs):
    if pairs:
        raise Error("unsupported: a dictionary that is made of a list")
    return {}


_FUNCTIONS = {("collections", "OrderedDict"): _ordered_dict,
              ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor,
              ("torch._utils", "_rebuild_parameter"): _rebuild_parameter}


class _Machine:
    """Runs one pickle. `marks` are heights of the stack."""

    def __init__(self, data):
        self.data, self.at = data, 0
        self.stack, self.marks, self.memo = [], [], {}

    def run(self):
        while True:
            code = self.take(1)
            if code == b".":
                return self.pop()
            operation = _OPERATIONS.get(code)
            if operation is None:
                raise Error(f"unsupported: the operation {code!r} of pickles")
            operation(self)

    def take(self, count):
        if count > len(self.data) - self.at:
            raise Error("the pickle ends early")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, layout):
        return struct.unpack(layout, self.take(struct.calcsize(layout)))[0]

    def line(self):
        end = self.data.find(b"\n", self.at)
        if end < 0:
            raise Error("the pickle ends early")
        text = self.take(end + 1 - self.at)
        return text[:-1].decode("utf-8")

    def push(self, value):
        self.stack.append(value)

    def floor(self):
        """The height below which the stack belongs to what began before."""
        return self.marks[-1] if self.marks else 0

    def pop(self, count=None):
        """The uppermost value, or a list of them."""
        wanted = 1 if count is None else count
        if len(self.stack) - wanted < self.floor():
            raise Error("the pickle takes what it has not made")
        values = self.stack[len(self.stack) - wanted:]
        del self.stack[len(self.stack) - wanted:]
        return values[0] if count is None else values

    def pop_mark(self):
        if not self.marks:
            raise Error("the pickle takes what it has not made")
        height = self.marks.pop()
        values = self.stack[height:]
        del self.stack[height:]
        return values

    def top(self, kind):
        if len(self.stack) <= self.floor() or not isinstance(self.stack[-1], kind):
            raise Error(f"expected a {kind.__name__} to add to, found something else")
        return self.stack[-1]

    def remember(self, index):
        self.memo[index] = self.top(object)

    def recall(self, index):
        if index not in self.memo:
            raise Error("the pickle takes what it has not made")
        self.push(self.memo[index])

    def append(self, values):
        self.top(list).extend(values)

    def set_items(self, values):
        target = self.top(dict)
        if len(values) % 2:
            raise Error("expected pairs, found a key without a value")
        for key, value in zip(values[::2], values[1::2]):
            # Other keys can be made to hash alike.
            if not (key is None or isinstance(key, (str, bool)) or type(key) is int and -1 << 32 < key < 1 << 32):
                raise Error("expected a key that is text or a small number, found another one")
            target[key] = value

    def name(self, module, name):
        if not isinstance(module, str) or not isinstance(name, str):
            raise Error("expected a name, found something else")
        found = _Global(module, name)
        if (module, name) not in _FUNCTIONS and not found.is_storage:
            raise Error(f"it names {module[:80]}.{name[:80]}, which is no tensor")
        self.push(found)

    def call(self):
        callee, arguments = self.pop(2)
        function = _FUNCTIONS.get((callee.module, callee.name)) if isinstance(callee, _Global) else None
        if function is None or not isinstance(arguments, tuple):
            raise Error("it calls what is no function of tensors")
        if len(arguments) > 16:
            raise Error(f"expected arguments of '{callee.name}', found {len(arguments)}")
        try:
            self.push(function(*arguments))
        except TypeError:
            raise Error(f"expected arguments of '{callee.name}', found others") from None

    def storage(self):
        about = self.pop()
        if not isinstance(about, tuple) or len(about) != 5 or about[0] != "storage" or not (
                isinstance(about[1], _Global) and about[1].is_storage and isinstance(about[2], str)):
            raise Error("it refers to what is no storage")
        self.push(Storage(about[1].name, about[2]))

    def wide_number(self, count):
        self.push(int.from_bytes(self.take(count), "little", signed=True))


def _text(layout, encoding="utf-8"):
    return lambda m: m.push(m.take(m.number(layout)).decode(encoding))


_OPERATIONS = {
    b"\x80": lambda m: m.take(1),  # PROTO
    b"\x95": lambda m: m.take(8),  # FRAME
    b"(": lambda m: m.marks.append(len(m.stack)),
    b"0": lambda m: m.pop(),
    b"1": lambda m: m.pop_mark(),
    b"N": lambda m: m.push(None), b"\x88": lambda m: m.push(True), b"\x89": lambda m: m.push(False),
    b"K": lambda m: m.push(m.number("<B")), b"M": lambda m: m.push(m.number("<H")), b"J": lambda m: m.push(m.number("<i")),
    b"G": lambda m: m.push(m.number(">d")),
    b"\x8a": lambda m: m.wide_number(m.number("<B")),
    b"X": _text("<I"), b"\x8c": _text("<B"), b"\x8d": _text("<Q"),
    b"U": _text("<B", "latin-1"), b"T": _text("<I", "latin-1"),
    b"C": lambda m: m.push(m.take(m.number("<B"))), b"B": lambda m: m.push(m.take(m.number("<I"))),
    b"\x8e": lambda m: m.push(m.take(m.number("<Q"))),
    b"}": lambda m: m.push({}), b"]": lambda m: m.push([]), b")": lambda m: m.push(()),
    b"\x85": lambda m: m.push(tuple(m.pop(1))), b"\x86": lambda m: m.push(tuple(m.pop(2))),
    b"\x87": lambda m: m.push(tuple(m.pop(3))), b"t": lambda m: m.push(tuple(m.pop_mark())),
    b"l": lambda m: m.push(m.pop_mark()),
    b"a": lambda m: m.append(m.pop(1)), b"e": lambda m: m.append(m.pop_mark()),
    b"s": lambda m: m.set_items(m.pop(2)), b"u": lambda m: m.set_items(m.pop_mark()),
    b"q": lambda m: m.remember(m.number("<B")), b"r": lambda m: m.remember(m.number("<I")),
    b"\x94": lambda m: m.remember(len(m.memo)),
    b"h": lambda m: m.recall(m.number("<B")), b"j": lambda m: m.recall(m.number("<I")),
    b"c": lambda m: m.name(m.line(), m.line()), b"\x93": lambda m: m.name(*m.pop(2)),
    b"R": _Machine.call,
    b"b": lambda m: m.pop(),  # BUILD: attributes of a dictionary
    b"Q": _Machine.storage,
}


def read_state_dict(data):
    """{name: Tensor} of a pickle; the names of dictionaries in dictionaries have dots between them."""
    root = _Machine(data).run()
    # Dictionaries that share others can stand for more names than the pickle has bytes, and some that hold themselves
    # for any number.
    budget = (1 << 16) + 16 * len(data)
    tensors, left = {}, [("", root)]
    while left:
        prefix, value = left.pop()
        if isinstance(value, Tensor):
            if prefix in tensors:
                raise Error(f"there are two tensors '{prefix}'")
            tensors[prefix] = value
            continue
        inner = []
        for key, member in value.items() if isinstance(value, dict) else ():
            is_named = isinstance(member, (dict, Tensor))
            budget -= len(prefix) + len(str(key)) + 8 if is_named else 1
            if budget < 0:
                raise Error("its dictionaries hold themselves, or each other many times")
            if is_named:
                inner.append((f"{prefix}.{key}" if prefix else str(key), member))
        left.extend(reversed(inner))
    if not tensors:
        raise Error("it holds no tensors")
    return tensors
