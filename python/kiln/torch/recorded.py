# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls with tensors on a GPU as graphs of CUDA, which the modes `reduce-overhead` and `max-autotune` of torch.compile ask for.

The trees of graphs are torch's own, those of Inductor: they record each graph at its third call, copy arguments that move
into memory of their own, replay the graph, and share one pool of memory between forward and backward graphs. So the rules are
torch's: a result is valid until the next call of the compiled function, and has to be cloned to be kept longer.

A graph of open sizes is recorded for each of the sizes that its calls have, up to a limit that torch has a setting for; calls of
further sizes run as they are."""
import torch
from torch._prims.rng_prims import run_and_save_rng_state as RUN_AND_SAVE
from torch.fx.experimental.symbolic_shapes import free_symbols, free_unbacked_symbols

from . import draws
from .compiled import Compiled

#: Of so many sizes of a graph's calls it is known whether they have come before.
MOST_SIZES = 512


def _draws_outside(node):
    """Whether a random operation needs more than torch's own generator of the GPU, whose state graphs of CUDA follow."""
    operation, _, options, made, state = draws.call_of(node)
    return (options.get("generator") is not None or state is not None or node.target is RUN_AND_SAVE
            or operation.startswith("randperm") or made.device.type == "cpu")


def _values(nodes):
    """What tracing says of the values of nodes that are tensors or integers."""
    found = (node.meta.get("val") for node in nodes if isinstance(node, torch.fx.Node))
    return [one for one in found if isinstance(one, (torch.Tensor, torch.SymInt))]


def _is_open(made):
    """Whether arguments of a compiled graph have sizes that differ from call to call."""
    return any(map(free_symbols, _values(made.placeholders)))


def _sizes_are_data(made):
    """Whether sizes of a compiled graph's results follow from more than the sizes of its arguments."""
    returned = _values(made.placeholders[0].graph.output_node().args[0]) if made.placeholders else ()
    return not _is_open(made) or any(map(free_unbacked_symbols, returned))


def why_not(made):
    """Why calls of a compiled graph are not recorded, or None."""
    if not isinstance(made, Compiled):
        return "torch runs a part of it"
    if made.calls is None:
        return "no kernel of it runs on a GPU"
    if not made.calls.is_sized and _sizes_are_data(made):
        return "data say the sizes of its results"
    if _is_open(made) and torch._inductor.config.triton.cudagraph_skip_dynamic_graphs:
        return "its sizes are open, and torch's setting cudagraph_skip_dynamic_graphs leaves such graphs out"
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


def _sizes(arguments):
    """What tells calls of a graph of open sizes apart: the sizes of tensors, and integers."""
    return tuple(one.shape if isinstance(one, torch.Tensor) else one for one in arguments)


def _is_full(replays):
    """Whether calls of further sizes are not recorded: as many are as torch's setting says, or too many have come once."""
    limit = torch._inductor.config.triton.cudagraph_dynamic_shape_warn_limit
    return len(replays) >= MOST_SIZES or bool(limit) and sum(map(bool, replays.values())) >= limit


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
        is_open = isinstance(made, Compiled) and _is_open(made)
        #: What replays calls, for each of their sizes; None until the first call of these has shown that its steps are known.
        replays = {}

        def recorded(arguments):
            given = list(arguments)
            arguments.clear()  # as the trees expect: a call frees what only it needs
            return run(given)

        def first(arguments, sizes):
            """The call that shows whether the steps of calls of these sizes are known before them."""
            before = made.calls.interpreted
            results = self._unrecorded(kind, run, arguments)
            if made.calls.interpreted > before:
                entry.not_recorded = "the host reads what its steps depend on"
                if kind != "backward":
                    self.device = None
            replays[sizes] = None
            return results

        def call(arguments):
            if entry.not_recorded is not None:
                return self._unrecorded(kind, run, arguments)
            sizes = _sizes(arguments) if is_open else None
            if not replays.get(sizes) and is_open and _is_full(replays):
                return self._unrecorded(kind, run, arguments)
            if sizes not in replays:
                return first(arguments, sizes)
            if self.device is None:
                entry.not_recorded = "the forward graph is not recorded"
                return run(arguments)
            if not replays[sizes]:
                if kind == "backward" and is_open and not self.is_pending:
                    return run(arguments)  # what it takes from the forward call is not in the trees' memory
                # Here, as it looks for the integers among the arguments.
                from torch._inductor.cudagraph_trees import cudagraphify_impl
                replays[sizes] = cudagraphify_impl(recorded, arguments, fixed, **about)
            self.is_pending = kind == "forward"
            return replays[sizes](arguments)
        return call
