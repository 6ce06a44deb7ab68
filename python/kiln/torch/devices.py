# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPUs: where the tensors of a graph are, the target that computes there, and calls with tensors that stay there.

A call puts its kernels into torch's current stream of the device and returns; what torch does there next finds the results.
Arguments are used where they lie."""
import contextlib
import re
import threading

import torch

from kiln._runtime import NO_WAIT, ON_DEVICE, Error, bind_queued, from_dlpack
from kiln.specs import names_of, split_specs

from .cache import CompileError
from .calls import EXCHANGE
from .text import Unsupported

CPU = torch.device("cpu")
#: The driver's name for the stream that torch calls 0, which other streams wait for.
LEGACY_STREAM = 1
#: Types in which torch has the elements of a package, where integers have no sign.
STORED = {"i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "index": torch.int64,
          "u8": torch.int8, "u16": torch.int16, "u32": torch.int32, "u64": torch.int64, "f16": torch.float16,
          "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "f8E4M3FN": torch.float8_e4m3fn,
          "f8E5M2": torch.float8_e5m2, "f8E4M3FNUZ": torch.float8_e4m3fnuz, "f8E5M2FNUZ": torch.float8_e5m2fnuz,
          "f8E8M0FNU": torch.float8_e8m0fnu}

#: Calls that graphs of CUDA have recorded: torch replays their kernels for as long as it likes.
RECORDED = set()
COMPLEX = {"c64": torch.complex64, "c128": torch.complex128}


def _of(made):
    for one in made if isinstance(made, (list, tuple)) else [made]:
        if isinstance(one, torch.Tensor) and one.device.type == "cuda":
            yield one.device


def of(graph_module):
    """The GPU that a graph has tensors on, else the CPU. Graphs of several GPUs are unsupported."""
    found = set()
    for node in graph_module.graph.nodes:
        found.update(_of(node.meta["val"] if "val" in node.meta else node.meta.get("example_value")))
    if len(found) > 1:
        raise Unsupported("tensors on " + " and ".join(sorted(map(str, found))))
    return found.pop() if found else CPU


def target_of(device):
    """The specification of what computes on a device, with the same results in every call if torch is asked for that."""
    if device.type == "cpu":
        return "cpu"
    if torch.version.hip:
        return ordered("amd:" + torch.cuda.get_device_properties(device).gcnArchName.partition(":")[0])
    major, minor = torch.cuda.get_device_capability(device)
    # Code for the architecture alone uses all of its instructions.
    return ordered(f"nvidia:sm_{major}{minor}{'a' if major >= 9 else ''}")


def ordered(target):
    """The specification, for GPUs with sums in one order if torch is asked for the same results in every call."""
    if not torch.are_deterministic_algorithms_enabled():
        return target
    return "+".join(one + ("," if ":" in one else ":") + "scatter=ordered"
                    if re.split("[:,]", one)[0] in ("nvidia", "amd") and "scatter=" not in one else one for one in split_specs(target))


def allows_tf32(device):
    """Whether torch's settings let products, and convolutions, on a device read factors of f32 as tf32."""
    if device.type == "cpu" or torch.version.hip:
        return {"dot": False, "conv": False}
    try:
        of_products, of_convolutions = (one.fp32_precision == "tf32" for one in (torch.backends.cuda.matmul, torch.backends.cudnn.conv))
    except AttributeError:  # before torch had these names
        of_products, of_convolutions = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    if not torch._C._get_cudnn_enabled():  # convolutions are products then
        of_convolutions = of_products
    return {"dot": of_products, "conv": of_convolutions}


def any_update_wins(device, graph_module):
    """Whether a graph that writes several updates to one place may keep any of them: on a GPU, unless torch is asked for the same
    results in every call. Both parts of a complex number have to come from the same update."""
    return device.type != "cpu" and not torch.are_deterministic_algorithms_enabled() and not any(
        isinstance(made, torch.Tensor) and made.is_complex() for made in (node.meta.get("val") for node in graph_module.graph.nodes))


def runs_on(target, device):
    """Whether a target computes in the memory of a device."""
    return device.type == "cpu" or set(names_of(target)) <= {"amd" if torch.version.hip else "nvidia"}


def numbered(target, device):
    """The specification with which a package is loaded for a device."""
    if device.type == "cpu" or not device.index:
        return str(target)
    return "+".join(f"{one},ordinal={device.index}" for one in split_specs(target))


def kept(device):
    """A context behind which torch's current GPU is the one before."""
    return torch.cuda.device(device) if device.type != "cpu" else contextlib.nullcontext()


def _parts(tensor):
    """A complex tensor as the one of its parts that packages have."""
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


def _allocate():
    """torch's function for a tensor on the current GPU by its shape, its strides and its type: of a few that do the same the one
    that takes the least time."""
    try:
        return torch._C._dynamo.guards._empty_strided_cuda
    except AttributeError:
        return lambda shape, strides, dtype: torch.empty_strided(shape, strides, dtype=dtype, device="cuda")


class Calls:
    """Calls of a program with tensors on a GPU. The usual call has steps that are known and works in torch's memory alone. Calls
    of programs whose course depends on more than shapes are interpreted, and no graph of CUDA records those of them that give
    results whose sizes only the call knows."""

    def __init__(self, program, device, complexes, types, waits=False, added=()):
        """`types`: torch's, of the results. `waits`: calls return when they are done. Those that exchange with other processes do,
        so that the call fails when one of them is gone. `added`: what is given to each call besides the graph's arguments."""
        self.session, self.entry = program._session, program.default
        self.device, self.complexes, self.types, self.stream = device, complexes, types, None
        self.waits, self.added = waits, added
        self.interpreted = 0  # how many calls had steps that were not known before
        self.lock = threading.Lock()  # a stream belongs to the call that follows
        self.is_sized = all(None not in one.shape for one in self.entry.results)
        if len(self.session.devices) != 1:
            raise CompileError("unsupported: a part of the graph runs on another device than its tensors are on")
        with torch.cuda.device(device):
            self._use_stream()
            number = torch.cuda.current_device()
        functions = torch._C._cuda_getDevice, torch._C._cuda_getCurrentRawStream, torch.cuda.is_current_stream_capturing, _allocate()
        #: Functions of tensors, and the same that gives None for arguments that have to be changed first.
        self.queued, self._try = bind_queued(
            self.session, self.entry.name, EXCHANGE, (10 if torch.version.hip else 2, number, LEGACY_STREAM), functions,
            (*(COMPLEX.get(one, one) for one in types), torch.uint8), complexes, self._otherwise)

    def _use_stream(self):
        stream = torch.cuda.current_stream(self.device).cuda_stream or LEGACY_STREAM
        if stream != self.stream:
            try:
                self.session.use_queue(0, stream)
            except Error as error:
                raise CompileError(f"unsupported: {error}") from None
            self.stream = stream

    def _here(self, tensor):
        """The tensor on this GPU, row-major."""
        tensor = tensor.detach()
        if tensor.device != self.device:
            # What is pinned is read later, when its owner may have changed it.
            tensor = tensor.to(self.device, non_blocking=not tensor.is_pinned())
        return tensor.resolve_conj().resolve_neg().contiguous()

    def _otherwise(self, *given):
        with torch.cuda.device(self.device):
            given = [self._here(one) for one in given]
            made = self._try(*given)
            return self._interpreted(given) if made is None else made

    def _lent(self, tensor):
        return from_dlpack(torch.utils.dlpack.to_dlpack(_parts(tensor)), self.session)

    def _made(self):
        """Tensors for the results, as the package has them."""
        return [torch.empty(one.shape, dtype=STORED[one.dtype], device=self.device) for one in self.entry.results]

    def _as_torch(self, made):
        for i, (is_complex, dtype) in enumerate(zip(self.complexes, self.types)):
            if is_complex:
                made[i] = torch.view_as_complex(made[i])
            elif made[i].dtype != dtype:
                made[i] = made[i].view(dtype)
        return made

    def _interpreted(self, given):
        with self.lock:
            self.interpreted += 1
            is_recorded = torch.cuda.is_current_stream_capturing()
            if not self.is_sized and is_recorded:
                raise RuntimeError("unsupported: a graph of CUDA that records results whose sizes only the call knows")
            if is_recorded:
                RECORDED.add(self)
            self._use_stream()
            tensors = tuple(self._lent(one) for one in given)
            flags = ON_DEVICE if self.waits and not is_recorded else ON_DEVICE | NO_WAIT
            if self.is_sized:
                made = self._made()
                self.session.call(self.entry.name, tensors, tuple(map(self._lent, made)), None, flags)
            else:
                found = self.session.call(self.entry.name, tensors, None, None, flags)
                made = [torch.utils.dlpack.from_dlpack(one.__dlpack__()) for one in found]
            return self._as_torch(made)
