# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that Kiln cannot take whole: the parts that it can are compiled, torch runs the rest."""
import torch
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from .graph import Lowering, UnsupportedNode, operation_of, type_in
from .lower import pairs
from .text import Unsupported, Value
from . import sizes


def _assumed(made):
    """What a node gives, without saying how."""
    if isinstance(made, torch.Tensor):
        dtype, shape = type_in(made)
        if dtype in pairs.PARTS:
            return pairs.Pair(*(Value("%assumed", pairs.PARTS[dtype], shape) for _ in range(2)))
        return Value("%assumed", dtype, shape)
    if isinstance(made, (list, tuple)):
        return [_assumed(one) for one in made]
    return sizes.size_of(made) if isinstance(made, torch.SymInt) else made


def unsupported_nodes(graph_module):
    """{node: reason}: each node lowered on its own."""
    lowering, found = Lowering(), {}
    given = graph_module.graph.find_nodes(op="placeholder")
    for node in sorted(given, key=lambda one: isinstance(one.meta.get("val"), torch.SymInt)):  # tensors have most sizes
        if isinstance(node.meta.get("val"), torch.Tensor):
            try:
                lowering.values[node] = lowering.tensor_argument(node.meta["val"], node.name)
            except Unsupported:
                pass
        elif isinstance(node.meta.get("val"), torch.SymInt):
            lowering.number_argument(node.meta["val"], node.name)
    for node in graph_module.graph.nodes:
        if node.op == "output" or node in lowering.values:
            continue
        try:
            if node.op == "placeholder":
                pass  # torch's alone, or a number
            elif not any(one in found and not isinstance(one.meta.get("val"), (torch.Tensor, list, tuple))
                         for one in node.all_input_nodes):
                lowering.node(node)
                continue
            else:
                found[node] = "an operand that torch computes"
        except (UnsupportedNode, Unsupported) as error:
            if node.op != "placeholder":
                found[node] = getattr(error, "reason", str(error))
        try:
            lowering.values[node] = _assumed(node.meta.get("val"))
        except Unsupported:
            pass
    return found


class _Support(OperatorSupportBase):
    def __init__(self, refused):
        self.refused = refused

    def is_node_supported(self, submodules, node):
        if node.op != "call_function" or node in self.refused:
            return False
        try:  # what goes in and out has to be what packages take
            for one in (*node.all_input_nodes, node):
                made = one.meta.get("val")
                for part in made if isinstance(made, (list, tuple)) else [made]:
                    if isinstance(part, torch.Tensor):
                        type_in(part)
                    elif not isinstance(part, (int, torch.SymInt)):
                        return False
        except Unsupported:
            return False
        return True


class Part(torch.nn.Module):
    """A compiled part, as a module of the graph around it."""

    def __init__(self, compiled, several):
        super().__init__()
        self.compiled, self.several = compiled, several

    def forward(self, *arguments):
        made = self.compiled(*arguments)
        return made if self.several else made[0]


#: Operations that are not worth a package of their own.
VIEWS = {"view.default", "permute.default", "expand.default", "unsqueeze.default", "squeeze.dim", "squeeze.dims", "alias.default",
         "t.default", "transpose.int", "select.int", "slice.Tensor", "detach.default", "getitem", "clone.default",
         "_to_copy.default", "_unsafe_view.default", "full.default", "reshape.default"}


def _strides_of(node, several, returned, strides):
    """The strides that results of a part have, by their places, where they are results of the whole graph."""
    found = {}
    for user in [user for user in node.users if operation_of(user) == "getitem"] if several else [node]:
        for place, one in enumerate(returned):
            if one is user and place in strides:
                found[user.args[1] if several else 0] = strides[place]
    return found


def split(graph_module, refused, compile_part, strides):
    """A module of compiled parts and torch's own operations, and how many parts there are. `strides`: those of the graph's results, by
    their places."""
    partitioner = CapabilityBasedPartitioner(graph_module, _Support(refused), allows_single_node_partition=True)
    parts = [part for part in partitioner.propose_partitions()
             if any(operation_of(node) not in VIEWS for node in part.nodes)]
    made = partitioner.fuse_partitions(parts)
    calls = [node for node in made.graph.nodes if node.op == "call_module"]
    returned = next(node for node in made.graph.nodes if node.op == "output").args[0]
    for node in calls:
        name, module = node.target, getattr(made, node.target)
        output = next(node for node in module.graph.nodes if node.op == "output").args[0]
        several = isinstance(output, (list, tuple))
        delattr(made, name)
        about = _strides_of(node, several, returned if isinstance(returned, (list, tuple)) else [returned], strides)
        setattr(made, name, Part(compile_part(module, about), several))
    made.recompile()
    return made, len(calls)


