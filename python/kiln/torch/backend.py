# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(model, backend="kiln")."""
import os
import time

from . import devices, recall, shapes  # noqa: F401  (says what results look like, before anything is traced)
from .report import CompileFailed, Graph, report
from .text import Unsupported

#: torch.compile's modes: how long to search for fast code, and whether to record calls on a GPU. Kiln always searches in the same way.
RECORDED = ("reduce-overhead", "max-autotune")
MODES = (None, "default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


def asks_for_whole_graph():
    """Whether torch.compile was called with fullgraph=True."""
    try:
        from torch._dynamo.symbolic_convert import InstructionTranslator
        return bool(InstructionTranslator.current_tx().one_graph)
    except (ImportError, AttributeError):
        return False


def _device_of(graph_module):
    try:
        return devices.of(graph_module)
    except Unsupported as error:
        raise CompileFailed(f"unsupported: {error}") from None


def kiln(graph_module, example_inputs, *, target=None, fallback=None, mode=None, options=None):
    """The backend. `target`: a SPEC of kiln-compile, or $KILN_TARGET; without one what computes where the tensors are. `fallback`:
    whether torch may run what Kiln cannot; by default unless fullgraph=True. `mode`: torch.compile's; it says whether calls on a GPU are
    recorded in graphs of CUDA."""
    options = options or {}
    unknown = sorted(set(options) - {"target", "fallback", "random"})
    if unknown:
        raise CompileFailed(f"backend 'kiln' has no option '{unknown[0]}', expected target, fallback or random")
    if mode not in MODES:
        raise CompileFailed(f"backend 'kiln' has no mode '{mode}', expected {', '.join(MODES[1:-1])} or {MODES[-1]}")
    drawn = options.get("random", "torch")
    if drawn not in ("torch", "philox"):
        raise CompileFailed(f"expected torch or philox as option 'random', found '{drawn}'")
    target = options.get("target", target) or os.environ.get("KILN_TARGET")
    device = _device_of(graph_module)
    target = devices.ordered(target) if target else devices.target_of(device)
    if not devices.runs_on(target, device):
        raise CompileFailed(f"the tensors are on {device}, where target '{target}' does not compute")
    fallback = options.get("fallback", fallback)
    if fallback is None:
        fallback = not asks_for_whole_graph()

    start = time.perf_counter()
    is_recorded = device.type != "cpu" and mode in RECORDED
    name = None if is_recorded else recall.key(graph_module, target)
    found = recall.find(name, target, device) if name else None
    if found:
        made, nodes = found
        report.append(Graph("inference", nodes, time.perf_counter() - start, packages=1))
        return made
    from . import aot  # what follows needs much more of torch

    def keep(made, nodes):
        if name:
            recall.keep(name, made.package, nodes)

    recorder = None
    if is_recorded:
        from .recorded import Recorder
        recorder = Recorder()
    return aot.compile_all(graph_module, example_inputs, target, fallback, keep, drawn == "philox", recorder)
