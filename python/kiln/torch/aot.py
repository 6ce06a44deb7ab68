# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs through AOTAutograd: forward and backward, compiled whole, in parts, or left to torch."""
import contextlib
import gc
import time

import torch
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.utils import counters
from torch._functorch.aot_autograd import aot_module_simplified
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from kiln import compiler
from kiln.specs import split_specs

from . import attention, cache, decompositions, devices, flexible, host, recurrent, saved, written
from .compiled import Compiled
from .compositions.enlarged import by_windows
from .graph import UnsupportedNode, operation_of, place_of
from .partition import split, unsupported_nodes
from .report import CompileFailed, Fallback, Graph, report


def _fallbacks(refused):
    found = []
    for node, reason in refused.items():
        place = place_of(node)
        found.append(Fallback(operation_of(node), f"{place[0]}:{place[1]}" if place else "?", reason))
    return found


def _part(error, what="a part of the graph"):
    """What was thought to be supported and is not: as the operation says it, or the compiler."""
    if isinstance(error, UnsupportedNode):
        found, = _fallbacks({error.node: error.reason})
        return Fallback(f"the part with {found.operation}", found.place, found.reason)
    place, found, reason = str(error).partition(": error: ")
    return Fallback(what, place, reason) if found else Fallback(what, "?", str(error))


def _count(graph_module):
    return sum(node.op == "call_function" for node in graph_module.graph.nodes)


def _is_plain(made):
    """Whether a value has a storage and strides of its own: no wrapper, nor what torch.func's transforms see inside them."""
    return (isinstance(made, torch.Tensor) and not torch._C._functorch.is_functorch_wrapped_tensor(made) and made.layout == torch.strided
            and not is_traceable_wrapper_subclass(made))


def _strides(graph_module):
    """The strides of a graph's results in eager mode, by their places in the graph that AOTAutograd makes of it."""
    context = torch._guards.TracingContext.try_get()
    behind = getattr(getattr(context, "fw_metadata", None), "num_mutated_inp_runtime_indices", None)
    returned = next(node for node in graph_module.graph.nodes if node.op == "output").args[0]
    if behind is None or not isinstance(returned, (list, tuple)):
        return {}
    found = {}
    for place, node in enumerate(returned):
        made = node.meta.get("example_value") if isinstance(node, torch.fx.Node) else None
        if _is_plain(made):
            found[behind + place] = made.stride()
    # What AOTAutograd makes views of stands behind the results.
    owners, count = {}, len(context.fw_metadata.output_info)
    for node in graph_module.graph.nodes:
        made = node.meta.get("example_value")
        if _is_plain(made):
            owners.setdefault(made.untyped_storage()._cdata, made)
    for node, about in zip(returned, context.fw_metadata.output_info):
        made = node.meta.get("example_value") if isinstance(node, torch.fx.Node) else None
        if about.output_type.name in ("alias_of_intermediate", "alias_of_intermediate_save_as_output") and _is_plain(made):
            found[behind + count + about.base_idx] = owners.get(made.untyped_storage()._cdata, made).stride()
    return found


def compile_graph(graph_module, kind, target, fallback, strides=None):
    """(a function of the graph's arguments that returns a list, its entry in the report). `strides`: those of results, by their places."""
    start = time.perf_counter()
    entry = Graph(kind, _count(graph_module))
    report.append(entry)
    try:
        made = _compile(graph_module, entry, target, fallback, strides)
    finally:
        entry.seconds = time.perf_counter() - start
    return made, entry


def _check_target(target):
    """A target that is not there is a mistake of the call, which torch's results would hide."""
    for part in split_specs(target):
        why = compiler.why_not(part)
        if why:
            raise CompileFailed(why)


def _compile(graph_module, entry, target, fallback, strides):
    try:
        made = Compiled(graph_module, target, strides)
        entry.packages = 1 if made.program else 0
        return made
    except UnsupportedNode as error:
        if not fallback:
            raise CompileFailed(str(error)) from None
    except cache.CompileError as error:
        if not fallback:
            raise CompileFailed(str(error)) from None
        _check_target(target)
        entry.fallbacks.append(_part(error, "the whole graph"))
        return graph_module

    refused = unsupported_nodes(graph_module)
    entry.fallbacks.extend(_fallbacks(refused))

    def part(module, strides):
        try:
            return Compiled(module, target, strides)
        except (UnsupportedNode, cache.CompileError) as error:
            if isinstance(error, cache.CompileError):
                _check_target(target)
            entry.fallbacks.append(_part(error))
            return lambda *arguments: (lambda made: made if isinstance(made, (list, tuple)) else [made])(module(*arguments))

    made, entry.packages = split(graph_module, refused, part, strides or {})
    return made


def _calls_alone(graph_module, made):
    """Whether a call of the graph that AOTAutograd has handed to the compiler is all that a call of Dynamo's graph
    does: the same tensors go in, and those that come out are new ones. AOTAutograd's own steps around it do nothing
    then, for a third of what a small call costs."""
    context = torch._guards.TracingContext.try_get()
    try:
        about = context.fw_metadata
        if context.fakify_first_call or about.tokens or about.dynamic_outputs or about.grad_enabled_mutation is not None:
            return False
        if about.num_mutated_inp_runtime_indices or about.mutated_graph_handled_indices or about.num_intermediate_bases \
                or about.num_outputs_aliased or about.is_rng_op_functionalized:
            return False
    except AttributeError:  # another version of torch
        return False
    nodes = list(graph_module.graph.nodes)
    given = [node for node in nodes if node.op == "placeholder"]
    returned = [node for node in nodes if node.op == "output"][0].args[0]
    if len(given) != made.count or not isinstance(returned, (list, tuple)) or len(returned) != len(made.results):
        return False
    examples = [node.meta.get("example_value") if isinstance(node, torch.fx.Node) else None for node in [*given, *returned]]
    return all(isinstance(one, torch.Tensor) and not is_traceable_wrapper_subclass(one) for one in examples)


def _has_sizes_of_data(graph_module):
    made = (node.meta.get("example_value") for node in graph_module.graph.nodes)
    return any(isinstance(one, (torch.Tensor, torch.SymInt)) and free_unbacked_symbols(one) for one in made)


@contextlib.contextmanager
def _without_collections():
    """Tracing makes many objects that live on: to look for garbage among them takes as long as some of the steps."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextlib.contextmanager
def _onednn(is_used):
    """Whether torch takes operations of oneDNN in here. `torch.backends.mkldnn.flags` would also set oneDNN's precision, and
    warn of it."""
    was_used = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(is_used)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(was_used)


def _partition(graph_module, inputs, **options):
    made = attention.partitioned(graph_module, lambda: min_cut_rematerialization_partition(graph_module, inputs, **options))
    if len(made) == 2 and devices.of(graph_module).type != "cpu":
        saved.without_views(*made, options["num_fwd_outputs"])
        saved.in_computed_order(*made, options["num_fwd_outputs"])
    return made


def _through_aot(graph_module, inputs, *, fw_compiler, bw_compiler, **options):
    """What aot_autograd of Dynamo does with a graph, which loads a part of Inductor first to write its files for
    debugging."""
    if any(isinstance(one, (list, tuple, dict)) for one in inputs):
        return aot_autograd(fw_compiler=fw_compiler, bw_compiler=bw_compiler, **options)(graph_module, inputs)

    def compile_backward(*arguments):
        made = torch._dynamo.disable(bw_compiler, reason="the compiler of a backward graph")(*arguments)
        return torch._dynamo.disable(made, reason="a compiled backward graph")

    compile_backward._is_wrapped_bw_compiler = True
    # By it DistributedDataParallel's splitter knows that the first call is for fake tensors.
    counters["aot_autograd"]["total"] += 1
    made = aot_module_simplified(graph_module, inputs, fw_compiler=fw_compiler, bw_compiler=compile_backward, **options)
    counters["aot_autograd"]["ok"] += 1
    return torch._dynamo.disable(made, reason="a compiled graph")


def _boxed(function):
    """A function of the list of a graph's arguments, as AOTAutograd calls one."""
    def boxed(arguments):
        return function(arguments)

    boxed._boxed_call = True
    return boxed


def compile_all(graph_module, example_inputs, target, fallback, plain=None, is_drawn_inside=False, recorder=None):
    """What calls a graph of Dynamo. `plain` gets the compiled graph and how many
    nodes it has, where a call of its package is all that a call of it is. `recorder`: what records calls with tensors on a GPU."""
    alone = []
    flexible.taken_apart(graph_module)
    recurrent.with_last_states(graph_module)
    if devices.of(graph_module).type != "cpu":
        attention.chosen(graph_module)

    def compile_as(kind):
        def compile_for_aot(module, inputs):
            made, entry = compile_graph(module, kind, target, fallback, None if kind == "backward" else _strides(graph_module))
            is_whole = isinstance(made, Compiled)
            run = made if is_whole else make_boxed_func(made)
            replay = recorder.call_of(kind, run, module, entry) if recorder else None
            if not is_whole:
                return _boxed(replay) if replay else run
            if kind == "inference" and made.direct and _calls_alone(graph_module, made):
                alone.append(made.bound() if replay is None else lambda *arguments: replay(list(arguments)))
                if plain and not any(made.complexes) and not made.forms:
                    plain(made, _count(module))
            places = written.places(module, made) if kind != "backward" and written.pays(made.device) else []
            return written.at_once(replay or made.boxed, places) if places else _boxed(replay or made.boxed)

        return compile_for_aot

    # With the library, torch has one operation for a recurrent layer, of whose gradient nothing says how it is taken apart.
    library = _onednn(torch._C._get_mkldnn_enabled() and not torch.is_grad_enabled())
    # Attention within other operations becomes products and a softmax, not an operation of a library for a GPU.
    kernels = sdpa_kernel(SDPBackend.MATH) if devices.of(graph_module).type != "cpu" else contextlib.nullcontext()
    # Of two equal operations that make sizes of data torch keeps one, and goes on with the symbols of both: it keeps both here.
    settings = {"functionalize_rng_ops": False, "graphsafe_rng_functionalization": False}
    if _has_sizes_of_data(graph_module):
        settings["cse"] = False
    with torch._functorch.config.patch(settings), library, kernels, _without_collections(), host.target(target), by_windows():
        compiled = _through_aot(
            graph_module, example_inputs, fw_compiler=compile_as("forward"), bw_compiler=compile_as("backward"),
            inference_compiler=compile_as("inference"), decompositions=decompositions.table(is_drawn_inside),
            partition_fn=_partition)
    return alone[0] if alone else compiled
