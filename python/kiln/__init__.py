# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs packages that Kiln has compiled.

    import kiln, numpy
    layer = kiln.load("layer.kiln")             # kiln-compile layer.mlir --target=cpu -o layer.kiln
    y = layer(numpy.ones((128, 1024), "float32"))
    numpy.asarray(y)                            # or torch.from_dlpack(y), jax.dlpack.from_dlpack(y)

Arguments are tensors of any library with DLPack, on the host or on a device of the package, and are
used where they lie. Results are `kiln.Tensor`, which gives its memory to others in the same way.
There is no compiler in here: packages come from `kiln-compile`. Where its wheel is installed, `kiln.compile`, `kiln.opt`
and `kiln.load("model.onnx")` call it.
"""
import collections as _collections
import os as _os
import struct as _struct
import tempfile as _tempfile

from . import _runtime, near
from ._runtime import Error, Package, Tensor
from .compiled import CompileError, Compiled, Decline, ReportRow, Timing, compile, measure, opt

__all__ = [
    "Argument", "CompileError", "Compiled", "Decline", "Entry", "Error", "Package", "Program", "ReportRow", "Tensor", "Timing",
    "as_tensor", "compile", "export", "join", "load", "load_npy", "measure", "opt",
]
__version__ = _runtime.version
near.prefer_scipy()
load_npy = _runtime.load_npy

#: A parameter or a result: `shape` has None for sizes that are known when it is called.
Argument = _collections.namedtuple("Argument", "name dtype shape")

_SCALARS = {
    "i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
    "index": "q", "f16": "e", "f32": "f", "f64": "d",
}


def as_tensor(value, dtype=None, program=None):
    """Returns `value` as a tensor, without a copy if possible.

    A number becomes a tensor of rank 0 and type `dtype`, such as "f32". Memory on a device needs
    the `program` that runs there; host memory needs none. Arrays that forbid writing are copied."""
    if isinstance(value, Tensor):
        return value
    if hasattr(value, "__dlpack__"):
        session = None if program is None else program._session
        try:
            return _runtime.from_dlpack(value.__dlpack__(), session)
        except BufferError:
            if not hasattr(value, "__array_interface__"):
                raise
            return _copied(value)
    if isinstance(value, (bool, int, float)) or (hasattr(value, "__float__") and not hasattr(value, "__len__")):
        if dtype not in _SCALARS:
            raise TypeError(f"a number cannot become a tensor of type {dtype}: pass a tensor of rank 0")
        convert = float if _SCALARS[dtype] in "efd" else int
        return Tensor(dtype, (), _struct.pack("<" + _SCALARS[dtype], convert(value)))
    raise TypeError(f"expected a tensor with DLPack or a number, found {type(value).__name__}")


def join(rank, ranks, rendezvous, communication=None):
    """Makes this process number `rank`, from 0, of `ranks` processes that run programs together.

    Call it before the first program is loaded. The processes meet at `rendezvous`, "file:FOLDER" or "tcp:HOST:PORT",
    where rank 0 listens. `communication` is "shm" (shared memory) or "tcp"; by default shared memory if all are on one host."""
    _os.environ.update({"KILN_RANK": str(rank), "KILN_RANKS": str(ranks), "KILN_RENDEZVOUS": rendezvous})
    if communication:
        _os.environ["KILN_COMMUNICATION"] = communication


#: ml_dtypes' floats, which are none of numpy's own.
_NARROW = {"bfloat16": "bf16", "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "float8_e4m3fnuz": "f8E4M3FNUZ",
           "float8_e5m2fnuz": "f8E5M2FNUZ", "float8_e4m3b11fnuz": "f8E4M3B11FNUZ", "float8_e4m3": "f8E4M3",
           "float8_e3m4": "f8E3M4", "float8_e8m0fnu": "f8E8M0FNU", "float6_e2m3fn": "f6E2M3FN", "float6_e3m2fn": "f6E3M2FN",
           "float4_e2m1fn": "f4E2M1FN"}


def _copied(array):
    """A tensor with the elements of an array of numpy's."""
    kinds = {"b1": "i1", "i1": "i8", "i2": "i16", "i4": "i32", "i8": "i64", "u1": "u8", "u2": "u16", "u4": "u32",
             "u8": "u64", "f2": "f16", "f4": "f32", "f8": "f64"}
    order, kind = array.dtype.str[0], array.dtype.str[1:]
    if array.dtype.name in _NARROW:
        return Tensor(_NARROW[array.dtype.name], array.shape, array.tobytes())
    if kind not in kinds or order == ">":
        raise TypeError(f"unsupported: arrays of type {array.dtype}")
    return Tensor(kinds[kind], array.shape, array.tobytes())


class Entry:
    """One function or kernel of a program."""

    def __init__(self, program, name):
        self.program = program
        self.name = name
        arguments, results = program._session.signature(name)
        self.arguments = tuple(_described(*one) for one in arguments)
        self.results = tuple(_described(*one) for one in results)
        #: For each argument whether a call writes it: those that the source donates, and of kernels.
        self.written = tuple(program._session.written(name))

    def __repr__(self):
        show = lambda all: ", ".join(f"{a.name}: {'x'.join('?' if n is None else str(n) for n in (*a.shape, a.dtype))}"
                                     for a in all)
        return f"<kiln entry {self.name}({show(self.arguments)}) -> ({show(self.results)})>"

    def __call__(self, *arguments, out=None, grid=None, on_device=False, wait=True):
        """Calls the function and returns its result, a tuple if there are several, or None.

        `out`: tensors or arrays for the results, one for each. `grid`: for a kernel, the number of program instances in one
        to three dimensions. `on_device`: leaves results on the device that computed them. `wait=False`: returns when the
        work is queued; `Program.synchronize` waits for it and raises its faults."""
        if len(arguments) != len(self.arguments):
            raise TypeError(f"{self.name} takes {len(self.arguments)} arguments, found {len(arguments)}")
        if out is None and grid is None and wait and not on_device:
            results = _runtime.call_lent(self.program._session, self.name, arguments)
            if results is not None:
                return tuple(results) if len(results) > 1 else results[0] if results else None
        given = tuple(as_tensor(value, one.dtype, self.program) for value, one in zip(arguments, self.arguments))
        flags = (_runtime.ON_DEVICE if on_device else 0) | (0 if wait else _runtime.NO_WAIT)
        into = None
        if out is not None:
            into = tuple(as_tensor(value, None, self.program) for value in (out if isinstance(out, (list, tuple)) else [out]))
        results = self.program._session.call(self.name, given, into, grid, flags)
        if into is not None:
            return out
        return tuple(results) if len(results) > 1 else results[0] if results else None


def _described(name, dtype, shape):
    return Argument(name, dtype, tuple(None if size < 0 else size for size in shape))


class Program:
    """A package on the devices of one of its targets.

    Calling it calls its only entry, or `main`; `program["name"]` is any other. Calls from several
    threads come one after the other; programs run side by side."""

    def __init__(self, package, target=None):
        self.package = package
        self._session = _runtime.Session(package, target)
        self._entries = {}

    @property
    def entries(self):
        """The names of its functions and kernels."""
        return tuple(self._session.entries)

    @property
    def devices(self):
        """The names of its devices, as their drivers report them."""
        return tuple(self._session.devices)

    def __getitem__(self, name):
        if name not in self._entries:
            self._entries[name] = Entry(self, name)
        return self._entries[name]

    @property
    def default(self):
        """The only entry, or `main`."""
        names = self._session.entries
        if len(names) == 1:
            return self[names[0]]
        if "main" in names:
            return self["main"]
        raise Error(f"the package has several entries: {', '.join(names)}")

    def __call__(self, *arguments, **options):
        return self.default(*arguments, **options)

    def upload(self, value, device=0):
        """Returns a row-major copy on device number `device` of the program."""
        return self._session.upload(as_tensor(value, None, self), device)

    def download(self, tensor):
        """Returns a row-major copy on the host. Waits for the copy, and so for the work queued before it."""
        return self._session.download(tensor)

    def synchronize(self):
        """Waits for the work of all calls, and raises an Error if some of it failed."""
        self._session.synchronize()

    def trim(self):
        """Gives the memory that is kept for later calls back to the system."""
        self._session.trim()


def _is_model(source):
    return isinstance(source, (str, _os.PathLike)) and _os.fspath(source).endswith(".onnx")


def _written_name(name):
    """A name as options of the compiler write it: %XX stands for a byte that means something there."""
    return "".join(chr(byte) if byte < 128 and (chr(byte).isalnum() or chr(byte) in "_.-/:") else f"%{byte:02X}" for byte in name.encode())


def _model_options(lengths, fixed):
    """What kiln-compile is told of a model's arguments."""
    told = []
    for key, given in (("lengths", lengths), ("fixed", fixed)):
        pairs = [(name, value if isinstance(value, (list, tuple)) else [value]) for name, value in (given or {}).items()]
        if pairs:
            told.append(f"{key}=" + "+".join(f"{_written_name(name)}:{'x'.join(str(int(one)) for one in value)}" for name, value in pairs))
    return [",".join(["--frontend=onnx", *told])] if told else []


def _load_model(path, keys, target, lengths, fixed):
    """The program of a model that is compiled for this process."""
    if keys:
        raise Error(f"{_os.fspath(path)}: not a package, and a signature is required")
    from .compiler import compile as compile_file
    target = target or "cpu"
    with _tempfile.TemporaryDirectory() as folder:
        package = _os.path.join(folder, "model.kiln")
        try:
            compile_file(path, target, package, *_model_options(lengths, fixed))
        except RuntimeError as error:
            raise Error(str(error)) from None
        return Program(Package(package), target)


def load(source, target=None, keys=None, weights=None, lengths=None, fixed=None):
    """A program from a package: a path, or bytes. `target` is a SPEC such as "cpu,threads=2"; without
    one the first target that works here is taken. With `keys`, paths of Ed25519 public keys, the
    package has to be signed by one of them.

    A path that ends in `.onnx` is a model, which the compiler of the wheel kiln-compiler compiles for `target`
    ("cpu" without one). `lengths` says how long the sequences among its arguments are, {name: length} or {name: (length,
    rank of its elements)}, and whether its
    optionals are there (0 or 1); elements of sequences are passed and returned one behind the other. `fixed` gives values to
    arguments of integers, {name: number or list}, which then are constants.

    Packages of kiln.export are a `kiln.model.Model`, called with the inputs alone; their weights are mapped from the
    file beside them. `weights` names other files (`kiln.weights` says of which kinds), as one path, a list, or a
    dictionary of tensors, which come first. weights=False leaves them to the caller."""
    if _is_model(source):
        program = _load_model(source, keys, target, lengths, fixed)
    elif lengths or fixed:
        raise TypeError("a package is compiled already: lengths and fixed are those of models, files named .onnx")
    else:
        program = Program(Package(source, keys), target)
    given = [] if not weights else list(weights) if isinstance(weights, (list, tuple)) else [weights]
    beside = None
    if weights is not False and isinstance(source, (str, _os.PathLike)):
        beside = _os.path.splitext(_os.fspath(source))[0] + ".safetensors"
        if _is_model(source) or not _os.path.exists(beside):
            beside = None
    if not beside and not given:
        return program
    from .model import Model
    return Model(program, beside, given) if beside else Model(program, given[0], given[1:])


def export(program, path, target="cpu", weights=True):
    """Compiles a program of torch.export into a package, and writes its weights beside it. `target` may be a list: the
    package holds code for each, and runs the first that a machine can. weights=False writes
    only what no other file has: constants of the program, and what the arguments are. Needs torch."""
    from .torch.export import export as write
    write(program, _os.fspath(path), target, weights=weights)
