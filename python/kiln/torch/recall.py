# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of Dynamo that this compiler has seen before: what AOTAutograd and the lowering make of one depends on the graph,
on what the tensors look like that come in and on a few settings of torch, so the same again needs neither. What is kept
is the name of the package, beside it; graphs about which anything is not sure are compiled in the ordinary way."""
import functools
import hashlib
import inspect
import json
import operator
import os
import types

import torch
from torch._subclasses.fake_tensor import FakeTensor

import kiln
from kiln import compiler, near

from . import cache, devices
from .calls import bound
from .dtypes import TYPES


class Unsure(Exception):
    """Something decides about the graph that the key would not hold."""


#: Where functions of a graph come from: what is called by its name in one of these.
MODULES = (operator, torch, torch.nn.functional, torch._C, torch._C._nn, torch._C._linalg, torch._C._special, torch._C._fft)
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), torch.dtype, torch.device, torch.layout,
         torch.memory_format)


@functools.lru_cache(maxsize=None)
def _frontend_mark():
    """Changes with this package and with torch."""
    here = os.path.dirname(os.path.abspath(__file__))
    marks = [torch.__version__, str(torch.version.git_version)]
    for folder, _, names in sorted(os.walk(here)):
        for name in sorted(names):
            if name.endswith(".py"):
                about = os.stat(os.path.join(folder, name))
                marks.append(f"{name}:{about.st_size}:{about.st_mtime_ns}")
    return " ".join(marks)


def _settings():
    """What the same graph may be traced differently for."""
    if torch._C._len_torch_dispatch_stack() or torch._C._len_torch_function_stack() \
            or torch._C._functorch.peek_interpreter_stack() is not None:
        raise Unsure("a mode")
    return repr((
        torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_autocast_enabled("cpu"),
        torch.get_autocast_dtype("cpu"), torch.is_autocast_enabled("cuda"), torch.get_autocast_dtype("cuda"),
        torch._C._get_cudnn_enabled(), torch.is_autocast_cache_enabled(), torch.get_default_dtype(),
        torch.get_default_device(), torch.are_deterministic_algorithms_enabled(),
        torch.backends.cuda.matmul.fp32_precision, torch.backends.cudnn.conv.fp32_precision,
        torch._C._get_mkldnn_enabled(), torch._C._get_flash_sdp_enabled(), torch._C._get_mem_efficient_sdp_enabled(),
        torch._C._get_math_sdp_enabled(), sorted(torch._functorch.config.save_config_portable().items(), key=lambda one: one[0])))


@functools.lru_cache(maxsize=None)
def _name_of(function):
    """A name that means this function in every process."""
    if isinstance(function, torch._ops.OpOverload):
        if function.namespace in ("aten", "prims"):
            return str(function)
    elif isinstance(function, types.BuiltinFunctionType) or str(getattr(function, "__module__", "")).partition(".")[0] == "torch":
        name = getattr(function, "__name__", "")
        for module in MODULES:
            if getattr(module, name, None) is function:
                return f"{module.__name__}.{name}"
    raise Unsure(f"the function {function}")


def _look(made):
    """What tracing sees of a tensor."""
    if type(made) is not FakeTensor or made.layout != torch.strided or made.is_quantized:
        raise Unsure("a tensor that is no ordinary one")
    numbers = (*made.shape, *made.stride(), made.storage_offset())
    if not all(type(one) is int for one in numbers):
        raise Unsure("a size that changes")
    return made.dtype, made.device, numbers, len(made.shape), made.requires_grad, made.is_conj(), made.is_neg()


class _Text:
    """Writes down a graph: its nodes by their numbers."""

    def __init__(self):
        self.numbers = {}

    def argument(self, one):
        kind = type(one)
        if kind is torch.fx.Node:
            return f"%{self.numbers[one]}"
        if kind in PLAIN:
            return repr(one)
        if kind in (tuple, list, torch.Size):
            return f"{kind.__name__}({','.join(map(self.argument, one))})"
        if kind is slice:
            return f"slice({','.join(map(self.argument, (one.start, one.stop, one.step)))})"
        if kind is dict:
            return f"dict({','.join(f'{name!r}:{self.argument(value)}' for name, value in one.items())})"
        if isinstance(one, (tuple, list, dict)) and kind.__module__.startswith("torch.fx."):
            return self.argument(dict(one) if isinstance(one, dict) else list(one))
        raise Unsure(f"an argument of type {kind.__name__}")

    def node(self, node):
        made = node.meta.get("example_value")
        if isinstance(made, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            raise Unsure("a number that changes")
        if isinstance(made, torch.Tensor):
            _look(made)
        if node.op == "placeholder":
            text = repr(_look(made))
        elif node.op == "call_function":
            text = _name_of(node.target)
        elif node.op == "call_method":
            if inspect.getattr_static(torch.Tensor, node.target, None) is None:
                raise Unsure(f"the method {node.target}")
            text = "." + node.target
        elif node.op == "output":
            text = "return"
        else:
            raise Unsure(f"a node of kind {node.op}")
        self.numbers[node] = len(self.numbers)
        return text if node.op == "placeholder" else f"{text} {self.argument(node.args)} {self.argument(node.kwargs)}"


def key(graph_module, target):
    """The graph's name, or None where what is known of it does not decide what it becomes."""
    if cache.folder() is None or os.environ.get("KILN_SAVE_TEXT"):
        return None
    try:
        settings, text = _settings(), _Text()
        lines = [text.node(node) for node in graph_module.graph.nodes]
    except (Unsure, AttributeError, RuntimeError):  # of another version of torch, or of settings that contradict each other
        return None
    marks = [compiler.mark(), _frontend_mark(), str(target), repr(near.is_near(target)), settings]
    return hashlib.sha256("\0".join([*marks, *lines]).encode()).hexdigest()


def _loaded(package, target, device):
    if device.type == "cpu":
        return bound(kiln.load(package, target))
    with devices.kept(device):
        program = kiln.load(package, devices.numbered(target, device))
    types = [TYPES[one.dtype] for one in program.default.results]
    return devices.Calls(program, device, bytes(len(types)), types).queued


def find(name, target, device):
    """(function of its arguments, nodes that it was made from) of a graph with tensors on a device, or None."""
    try:
        about = json.loads(cache.read(name + ".graph"))
        package, nodes = cache.find(about["package"]), about["nodes"]
        return None if package is None else (_loaded(package, target, device), nodes)
    except (OSError, ValueError, KeyError, TypeError, kiln.Error, cache.CompileError):
        return None


def keep(name, package, nodes):
    """Notes that a call of the graph is a call of the package."""
    cache.write(name + ".graph", json.dumps({"package": package, "nodes": nodes}).encode())
