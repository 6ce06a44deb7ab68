# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Targets of Kiln as programs: reads kernels in the wire form and speaks the protocol of docs/isolated-targets.md.

    class Mine(kiln_isolated.Target):
        name = "mine"
        def describe(self, spec): return '#kiln.target<name = "mine", chip = "v1", ...>'
        def compile(self, kernel, spec): return b"..."       # or raise Decline(op, "why")

    kiln_isolated.serve(Mine())

Needs Python 3.8 and nothing else. A project has its own copy: it speaks one version of the protocol, which later
releases of Kiln speak too."""
import difflib
import functools
import hashlib
import json
import os
import re
import struct
import sys
import traceback

from kiln_wire import WIRE, Kernel, operation_names, read

PROTOCOL = 1
MAGIC = b"KTP1"
MOST_HEAD, MOST_BODY = 16 << 20, 1 << 30
MODULES = r"kiln_(core|described|folds|grid|isolated|linear|rows|scratchpad|transfers|wire)\.py"  # of the SDK


class Decline(Exception):
    """What the target cannot do: the kernel runs on the host instead, and --explain says why."""

    def __init__(self, op, reason):
        if not isinstance(reason, str) or op is not None and not hasattr(op, "number"):
            raise TypeError(f"expected Decline(op, reason) to get an operation or None, and a text, found {op!r} and {reason!r}")
        super().__init__(reason)
        self.op, self.reason = op, reason


class Unknown(Exception):
    """A request that this file does not answer, and no mistake of the target: a method of a later version, a body that is no text."""


def text_of(body):
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise Unknown(f"expected kernels as text in UTF-8: {error}") from None


def check_view(kernel, argument, elements):
    """Declines an argument that is no view of one of some types."""
    if argument.type.kind != "view":
        raise Decline(kernel, f"an argument of type {argument.type}, where it takes views")
    if argument.type.element not in elements:
        raise Decline(kernel, f"an argument of {argument.type.element}, where it takes views of {', '.join(elements)}")


@functools.lru_cache(maxsize=None)
def check_operations(writer, tables):
    """Refuses a name in a table of operations that no kernel can have, of a dialect that kernels have."""
    known = operation_names()
    dialects = {name.split(".")[0] for name in known}
    for table in tables:
        for name in getattr(writer, table):
            if name.split(".")[0] in dialects and name not in known:
                near = difflib.get_close_matches(name, known, 1)
                raise ValueError(f"expected {table} of '{writer.__name__}' to have names of operations in kernels, found '{name}'"
                                 + (f", did you mean '{near[0]}'" if near else ""))


class Spec:
    """What --target= said: the chip and the options, by key."""

    def __init__(self, params):
        self.chip, self.options = params.get("chip", ""), params.get("options", {})


class Code:
    """What a kernel was compiled to. data: bytes for the device driver; attributes: {"threads": [128]}; metadata:
    more bytes for the driver; scratch: bytes per thread; notes: {name: text} for those who inspect the package."""

    def __init__(self, data, symbol=None, attributes=None, metadata=None, scratch=0, notes=None, workspace=None, requirements=()):
        for name, value in (("data", data), ("metadata", b"" if metadata is None else metadata)):
            if not isinstance(value, (bytes, bytearray)):
                raise TypeError(f"expected {name} of Code to be bytes, found {type(value).__name__}")
        for name, values in (attributes or {}).items():
            if not isinstance(values, (list, tuple)):
                raise TypeError(f"expected attribute '{name}' of Code to be a list of values, found {values!r}")
        if not isinstance(requirements, (list, tuple, set, frozenset)):
            raise TypeError(f"expected requirements of Code to be a list of names, found {requirements!r}")
        self.data, self.symbol, self.attributes, self.metadata = data, symbol, attributes or {}, metadata
        self.scratch, self.notes, self.workspace, self.requirements = scratch, notes or {}, workspace, requirements


class Label:
    """A place in a list of instructions: the number of the instruction that it is before."""
    at = None


def machine_words(symbol, registers, code, codes):
    """The module of a kernel for kiln/Runtime/SimulatedDriver.h. `code` has (name, operands) for each instruction. The words are the
    number of registers, then for each instruction its number among `codes` (a list, or numbers by names), the number of its operands,
    and those. A label becomes the number of the word where its instruction begins."""
    codes = codes if isinstance(codes, dict) else {name: codes.index(name) for name in codes}
    for name, operands in code:
        if name not in codes:
            raise ValueError(f"expected an instruction of the list of codes, found '{name}'")
        for operand in operands:
            if isinstance(operand, Label) and operand.at is None:
                raise ValueError(f"expected the label of '{name}' to have a place")
            if not isinstance(operand, Label) and not (hasattr(operand, "__index__") and -1 << 63 <= operand < 1 << 63):
                raise ValueError(f"expected operands of '{name}' to be labels or integers of 64 bits with a sign, found {operand!r}")
    places = [1]
    for _, operands in code:
        places.append(places[-1] + 2 + len(operands))
    words = [registers]
    for name, operands in code:
        words += [codes[name], len(operands), *(places[one.at] if isinstance(one, Label) else one for one in operands)]
    text = symbol.encode()
    text += bytes(-len(text) % 8)
    return b"KMACHIN2" + struct.pack("<qq", len(text), len(words)) + text + struct.pack(f"<{len(words)}q", *words)


def machine_text(symbol, code):
    """The same for people. A label is the number of its instruction behind `@`."""
    lines = [f"  {name} {' '.join(f'@{one.at}' if isinstance(one, Label) else str(one) for one in operands)}\n" for name, operands in code]
    return f".kernel {symbol}\n" + "".join(lines)


class Target:
    """Derive from it. What is not overridden is not offered to the compiler."""
    name = ""  # as in the name of the program, kiln-target-NAME
    version = "0.1"
    help = ""
    device = ""  # the driver's name, where it is not the target's
    chips = []  # [("v1", "what it is")], the default first
    options = []  # [("key", "on|off", "what it does")]
    operations = []  # what is taken; empty: any, and compile declines
    types = []
    files = []  # paths of other files that answers depend on, such as that of the description; a changed one makes kept answers void

    def describe(self, spec):
        """The chip as text: #kiln.target<...>."""
        raise NotImplementedError

    def accepts(self, kernel, spec):
        """Raises Decline where the kernel cannot be compiled; returns nothing."""
        raise NotImplementedError

    def tile(self, problem, spec):
        """Block sizes for a problem, the best first: [[64, 64, 32], ...]."""
        raise NotImplementedError

    def claims(self, function, spec):
        """What the target computes whole: [("softmax", [op, ...]), ...], of operations of prim. Each becomes a kernel with one
        `prim.claim`, whose body holds the operations."""
        raise NotImplementedError

    def compile(self, kernel, spec):
        """The code of a kernel: bytes or Code. Raises Decline."""
        raise NotImplementedError

    def assembly(self, kernel, spec):
        """The code of a kernel as text, for --emit=asm."""
        raise NotImplementedError


def _files(named):
    """What the answers depend on: the program, modules that are not Python's own, and the files that the target names."""
    own = os.path.dirname(os.path.realpath(os.__file__))
    found = {os.path.realpath(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())}
    found.add(os.path.join(os.path.dirname(os.path.realpath(__file__)), "wire.json"))
    for path in named:
        if not os.path.isfile(path):
            raise FileNotFoundError(f"expected files of the target to be paths of files, found {path!r}")
        found.add(os.path.realpath(path))
    return sorted(path for path in found if os.path.isfile(path) and not path.startswith(own + os.sep))


class Server:
    def __init__(self, target, input, output):
        self.target, self.input, self.output = target, input, output

    def receive(self):
        """The next message, or None at the end."""
        header = self.input.read(16)
        if len(header) < 16:
            return None
        magic, head, body = struct.unpack("<4sIQ", header)
        if magic != MAGIC or not 0 < head <= MOST_HEAD or body > MOST_BODY:
            return None
        text, content = self.input.read(head), self.input.read(body)
        if len(text) < head or len(content) < body:
            return None
        try:
            message = json.loads(text.decode())
        except (ValueError, RecursionError):
            return None
        return (message, content) if isinstance(message, dict) else None

    def send(self, text, body=b""):
        self.output.write(struct.pack("<4sIQ", MAGIC, len(text), len(body)) + text + body)
        self.output.flush()

    def run(self):
        while True:
            message = self.receive()
            if message is None:
                return
            head, body = message
            method, params = head.get("method"), head.get("params")
            if "id" not in head:
                continue  # "cancel", and what later versions add
            try:
                result, content = self.answer(method, params if isinstance(params, dict) else {}, body)
                text = self.encode({"id": head["id"], "result": result})  # the vendor's texts may be none
            except Unknown as error:
                self.send(self.encode({"id": head["id"], "error": {"message": str(error)}}))
                continue
            except Exception as error:  # the target goes on; the compiler says what happened
                traceback.print_exc()
                places = traceback.extract_tb(error.__traceback__)
                own = os.path.dirname(os.path.realpath(__file__))
                # Of the vendor's code, if that called what found the mistake.
                theirs = [place for place in places if not re.fullmatch(MODULES, os.path.relpath(os.path.realpath(place.filename), own))]
                place = (theirs or places)[-1]
                missing = isinstance(error, NotImplementedError) and not error.args
                what = f"expected the class to have the method '{places[-1].name}'" if missing else error
                text = f"{type(error).__name__}: {what} ({os.path.basename(place.filename)}:{place.lineno})"
                self.send(self.encode({"id": head["id"], "error": {"message": text}}))
                continue
            self.send(text, content)
            if method == "bye":
                return

    @staticmethod
    def encode(head):
        return json.dumps(head, allow_nan=False).encode()  # NaN is not JSON

    def answer(self, method, params, body):
        try:
            return getattr(self, f"_{method}", self._unknown)(params, body)
        except Decline as why:
            return {"declined": self._where(why)}, b""

    @staticmethod
    def _where(why):
        op = why.op
        found = {"reason": why.reason}
        if op is not None:
            found["op"] = op.number
            while not isinstance(op, Kernel) and op.parent is not None:
                op = op.parent
            if isinstance(op, Kernel):
                found["kernel"] = op.symbol
        return found

    def _overrides(self, name):
        return getattr(type(self.target), name) is not getattr(Target, name)

    def _unknown(self, params, body):
        raise Unknown("no such method")

    @staticmethod
    def _tuples(what, found, form):
        """Checks a list that the vendor wrote: a text would pass for a list of letters."""
        good = isinstance(found, (list, tuple)) and all(
            isinstance(one, (list, tuple)) and len(one) == len(form.split(",")) for one in found)
        if not good:
            raise ValueError(f"expected {what} to be a list of ({form}), found {found!r}")
        return found

    def _hello(self, params, body):
        target = self.target
        offered = {"accepts": "accepts", "claims": "claims", "tile": "tile", "assembly": "emit"}
        methods = [wire for name, wire in offered.items() if self._overrides(name)]
        files = _files(target.files)
        build = hashlib.sha256(sys.version.encode())
        for path in files:
            with open(path, "rb") as file:
                build.update(file.read())
        return {"protocol": PROTOCOL, "wire": WIRE, "name": target.name, "version": target.version, "help": target.help,
                "device": target.device, "build": build.hexdigest(), "files": files, "methods": methods,
                "chips": [{"name": name, "help": text} for name, text in self._tuples("chips", target.chips, "name, help")],
                "options": [{"key": key, "value": value, "help": text} for key, value, text in self._tuples("options", target.options, "key, value, help")],
                "operations": list(target.operations), "types": list(target.types)}, b""

    def _describe(self, params, body):
        return {"description": self.target.describe(Spec(params))}, b""

    def _tile(self, params, body):
        return {"candidates": self.target.tile(params["problem"], Spec(params))}, b""

    def _kernels(self, params, body):
        """The kernels of a request. What the description says, the classes of the SDK compare with what the vendor's classes say."""
        spec = Spec(params)
        description = self.target.describe(spec)
        for kernel in read(text_of(body)):
            kernel.description = description
            yield kernel, spec

    def _accepts(self, params, body):
        for kernel, spec in self._kernels(params, body):
            found = self.target.accepts(kernel, spec)
            if found is not None and found is not True:
                raise TypeError(f"expected accepts to raise Decline(op, reason), or to return nothing, found {found!r}")
        return {}, b""

    def _claims(self, params, body):
        found = [claim for function in read(text_of(body))
                 for claim in self._tuples("claims", self.target.claims(function, Spec(params)), "name, operations")]
        return {"claims": [{"name": name, "ops": [op.number for op in ops]} for name, ops in found]}, b""

    def _emit(self, params, body):
        return {}, "".join(self.target.assembly(kernel, spec) for kernel, spec in self._kernels(params, body)).encode()

    def _compile(self, params, body):
        kernels, blobs, metadata, requirements = [], [], [], []
        for kernel, spec in self._kernels(params, body):
            code = self.target.compile(kernel, spec)
            code = Code(code) if isinstance(code, (bytes, bytearray)) else code
            if not isinstance(code, Code):
                raise TypeError(f"expected compile to return bytes or Code, found {type(code).__name__}")
            entry = {"name": kernel.symbol, "symbol": code.symbol or kernel.symbol, "blob": len(blobs), "scratch": code.scratch,
                     "attributes": [{"name": name, "values": list(values)} for name, values in code.attributes.items()],
                     "notes": code.notes}
            if kernel.lowerings:
                entry["lowerings"] = [{"op": number, "name": name} for number, name in sorted(kernel.lowerings.items())]
            blobs.append(bytes(code.data))
            if code.metadata is not None:
                entry["metadata"] = len(metadata)
                metadata.append(bytes(code.metadata))
            if code.workspace is not None:
                entry["workspace"] = {"bytes": code.workspace}
            requirements += [name for name in code.requirements if name not in requirements]
            kernels.append(entry)
        return {"kernels": kernels, "blobs": [len(blob) for blob in blobs], "metadata": [len(one) for one in metadata],
                "requirements": requirements}, b"".join(blobs + metadata)

    def _bye(self, params, body):
        return {}, b""


def serve(target):
    """Answers the compiler until it says goodbye. Prints go to the standard error. The standard input is empty for the target and
    for programs that it starts: they would wait for, or take, bytes of the protocol."""
    input, output = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)
    sys.setrecursionlimit(10000)
    Server(target, input, output).run()
