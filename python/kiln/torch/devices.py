# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPUs: where the tensors of a graph are, the target that computes there, and calls with tensors that stay there.

A call puts its kernels into torch's current stream of the device and returns; what torch does there next finds the results.
Arguments are used where they lie. Results lie in memory of Kiln's, which the stream's later calls use again when torch has
dropped them; a tensor that another stream still reads has to live until then."""
import re

import torch

from kiln._runtime import NO_WAIT, ON_DEVICE, from_dlpack

from .text import Unsupported

CPU = torch.device("cpu")
#: The driver's name for the stream that torch calls 0, which other streams wait for.
LEGACY_STREAM = 1


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
    """The specification of what computes on a device."""
    if device.type == "cpu":
        return "cpu"
    if torch.version.hip:
        return "amd:" + torch.cuda.get_device_properties(device).gcnArchName.partition(":")[0]
    major, minor = torch.cuda.get_device_capability(device)
    # Code for the architecture alone uses all of its instructions.
    return f"nvidia:sm_{major}{minor}{'a' if major >= 9 else ''}"


def runs_on(target, device):
    """Whether a target computes in the memory of a device."""
    names = {re.split("[:,]", one)[0] for one in str(target).split("+")}
    return device.type == "cpu" or names <= {"amd" if torch.version.hip else "nvidia"}


def numbered(target, device):
    """The specification with which a package is loaded for a device."""
    if device.type == "cpu" or not device.index:
        return str(target)
    return "+".join(f"{one},ordinal={device.index}" for one in str(target).split("+"))


def _plain(tensor):
    """Row-major numbers, without what only flags say of them; a complex number is two."""
    tensor = tensor.detach()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    return tensor.resolve_neg().contiguous()


class Calls:
    """Calls of a program with tensors on a GPU."""

    def __init__(self, program, device, complexes):
        self.session, self.entry = program._session, program.default.name
        self.device, self.complexes, self.stream = device, complexes, None

    def __call__(self, given):
        stream = torch.cuda.current_stream(self.device).cuda_stream or LEGACY_STREAM
        if stream != self.stream:
            self.session.use_queue(0, stream)
            self.stream = stream
        tensors = tuple(from_dlpack(torch.utils.dlpack.to_dlpack(_plain(one)), self.session) for one in given)
        made = self.session.call(self.entry, tensors, None, None, ON_DEVICE | NO_WAIT)
        results = [torch.utils.dlpack.from_dlpack(one.__dlpack__()) for one in made]
        for i, is_complex in enumerate(self.complexes):
            if is_complex:
                results[i] = torch.view_as_complex(results[i])
        return results
