# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls with tensors on a GPU as graphs of CUDA, which the modes `reduce-overhead` and `max-autotune` of torch.compile ask for.

The trees of graphs are torch's own, those of Inductor: they record each graph at its third call, copy arguments that move
into memory of their own, replay the graph, and share one pool of memory between forward and backward graphs. So the rules are
torch's: a result is valid until the next call of the compiled function, and has to be cloned to be kept longer."""
import torch
from torch._prims.rng_prims import run_and_save_rng_state as RUN_AND_SAVE

from . import draws
from .compiled import Compiled


def _draws_outside(node):
    """Whether a random operation needs more than torch's own generator of the GPU, whose state graphs of CUDA follow."""
    operation, _, options, made, state = draws.call_of(node)
    return (options.get("generator") is not None or state is not None or node.target is RUN_AND_SAVE
            or operation.startswith("randperm") or made.device.type == "cpu")


def why_not(made):
    """Why calls of a compiled graph are not recorded, or None."""
    if not isinstance(made, Compiled):
        return "torch runs a part of it"
    if made.calls is None:
        return "no kernel of it runs on a GPU"
    if not made.calls.is_sized:
        return "sizes of its results are not fixed"
    if made.calls.waits:
        return "it exchanges tensors with other processes"
    if made.checks:
        return "it checks what data says"
    if made.reads_numbers:
        return "the host reads numbers that it computes"
    if made.near or any(isinstance(one, torch.Tensor) and one.device.type == "cpu"
                        for one in (node.meta.get("val") for node in made.placeholders)):
        return "a tensor of it is on the host"
    if any(isinstance(node.meta.get("val"), (float, torch.SymFloat)) for node in made.placeholders):
        return "an argument is a number with a fraction"
    if any(map(_draws_outside, made.drawn)):
        return "its random numbers come from more than the generator of the GPU"
    return None


class Recorder:
    """Records the calls of the graphs that one graph of Dynamo becomes."""

    def __init__(self):
        self.device = None  # the number of the GPU, while the calls of a forward graph are recorded
        self.is_pending = False  # whether torch's trees have the last forward call, and wait for the backward one

    def call_of(self, kind, made, graph, entry):
        """A function of the list of a graph's arguments in the place of `made`, the compiled graph or a function of the list; None if
        `made` itself will do. `entry`: the graph's in the report, which gets the reason why calls are not recorded."""
        entry.not_recorded = why_not(made)
        run = made.boxed if isinstance(made, Compiled) else made
        if kind == "backward":
            if self.device is None and entry.not_recorded is None:
                entry.not_recorded = "the forward graph is not recorded"
            from torch._inductor.utils import count_tangents
            saved = 0 if entry.not_recorded is not None else count_tangents(graph)
            return self._call(kind, made, run, graph, list(range(saved)), entry)
        if entry.not_recorded is not None:
            return None
        self.device = torch.cuda.current_device() if made.device.index is None else made.device.index
        about = getattr(torch._guards.TracingContext.try_get(), "fw_metadata", None)
        return self._call(kind, made, run, graph, list(getattr(about, "static_input_indices", None) or []), entry)

    def _unrecorded(self, kind, run, arguments):
        """A call as it is: torch learns of a backward graph behind a forward graph that is recorded."""
        if kind == "backward" and self.is_pending:
            from torch._inductor.cudagraph_trees import get_manager
            manager = get_manager(self.device, create_if_none_exists=False)
            if manager is not None:
                manager.set_to_running_backward()
        self.is_pending = False
        return run(arguments)

    def _call(self, kind, made, run, graph, fixed, entry):
        from torch._inductor import cudagraph_utils
        about = {"device_index": self.device, "is_backward": kind == "backward", "is_inference": kind == "inference",
                 "placeholders": cudagraph_utils.get_placeholder_info(graph.graph), "mutated_input_idxs": (),
                 "stack_traces": [one.stack_trace if isinstance(one, torch.fx.Node) else None
                                  for one in graph.graph.output_node().args[0]]}
        replay, is_first = None, True

        def recorded(arguments):
            given = list(arguments)
            arguments.clear()  # as the trees expect: a call frees what only it needs
            return run(given)

        def call(arguments):
            nonlocal replay, is_first
            if entry.not_recorded is not None:
                return self._unrecorded(kind, run, arguments)
            if is_first:  # the one that shows whether the steps of a call are known before it
                is_first = False
                results = self._unrecorded(kind, run, arguments)
                if made.calls.interpreted:
                    entry.not_recorded = "the host reads what its steps depend on"
                    if kind != "backward":
                        self.device = None
                return results
            if self.device is None:
                entry.not_recorded = "the forward graph is not recorded"
                return run(arguments)
            self.is_pending = kind == "forward"
            if replay is None:  # here, as it looks for the integers among the arguments
                from torch._inductor.cudagraph_trees import cudagraphify_impl
                replay = cudagraphify_impl(recorded, arguments, fixed, **about)
            return replay(arguments)
        return call
