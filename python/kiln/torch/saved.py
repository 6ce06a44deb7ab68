# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a forward graph keeps for its backward graph. torch's partitioner may keep several views of one tensor, such as the queries, keys
and values that one product gives. Each view would be copied to a tensor of its own; the tensor itself is kept here, once, and the
backward graph makes the views."""
import operator

import torch

ATEN = torch.ops.aten
#: Operations whose result lies in the memory of their first argument, and needs no other tensor.
VIEWS = {ATEN.view.default, ATEN._unsafe_view.default, ATEN.reshape.default, ATEN.permute.default, ATEN.transpose.int, ATEN.t.default,
         ATEN.slice.Tensor, ATEN.select.int, ATEN.unsqueeze.default, ATEN.squeeze.dim, ATEN.squeeze.dims, ATEN.squeeze.default,
         ATEN.alias.default, ATEN.detach.default}
#: The same, with several results.
SEVERAL = {ATEN.split.Tensor, ATEN.split_with_sizes.default, ATEN.unbind.int, ATEN.chunk.default}


def _is_view(node):
    if node.op != "call_function" or len(node.all_input_nodes) != 1:
        return False
    return node.target in VIEWS or node.target in SEVERAL or (node.target is operator.getitem and _is_view(node.args[0]))


def _chain(node):
    """(the tensor that `node` is a view of, the operations from there to `node`)."""
    found = []
    while _is_view(node):
        found.append(node)
        node = node.args[0]
    return node, found[::-1]


def _elements(node):
    """How many elements a tensor of known sizes has, or None."""
    made = node.meta.get("val")
    if not isinstance(made, torch.Tensor) or made.layout != torch.strided or not all(isinstance(n, int) for n in made.shape):
        return None
    return made.numel()


def _groups(saved):
    """{the tensor to keep: its views among `saved`}, where all of these together are as large as the tensor."""
    groups = {}
    for node in saved:
        base, chain = _chain(node)
        if chain and base.op == "call_function":
            groups.setdefault(base, []).append(node)
    sizes = {node: _elements(node) for base, views in groups.items() for node in (base, *views)}
    return {base: views for base, views in groups.items() if None not in [sizes[node] for node in (base, *views)]
            and (base in saved or sum(sizes[node] for node in views) >= sizes[base])}


def without_views(forward, backward, count):
    """Changes both graphs, of whose forward one the first `count` results are not for the backward one."""
    output = next(iter(forward.graph.find_nodes(op="output")))
    results = list(output.args[0])
    kept = [node for node in results[count:] if isinstance(node.meta.get("val"), torch.Tensor)]
    numbers = len(results) - count - len(kept)  # sizes stand behind the tensors, and before them in the backward graph
    given = backward.graph.find_nodes(op="placeholder")[numbers:numbers + len(kept)]
    groups = _groups(kept)
    if not groups or results[count:count + len(kept)] != kept or len(given) != len(kept):
        return
    places = dict(zip(kept, given))
    for base, views in groups.items():
        source = places.get(base)
        if source is None:
            with backward.graph.inserting_before(places[views[0]]):
                source = backward.graph.placeholder(base.name)
            source.meta.update(base.meta)
            kept[kept.index(views[0])] = base
        made = {base: source}
        behind = next(node for node in backward.graph.nodes if node.op != "placeholder")
        for view in views:
            for node in _chain(view)[1]:
                if node not in made:
                    with backward.graph.inserting_before(behind):
                        made[node] = backward.graph.node_copy(node, made.get)
            places[view].replace_all_uses_with(made[view])
            backward.graph.erase_node(places[view])
            if view in kept:
                kept.remove(view)
    output.args = ((*results[:count], *kept, *results[len(results) - numbers:]),) if numbers else ((*results[:count], *kept),)
    for module in (forward, backward):
        module.graph.lint()
        module.recompile()
