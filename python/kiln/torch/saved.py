# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a forward graph keeps for its backward graph. torch's partitioner may keep several views of one tensor, such as the queries, keys
and values that one product gives. Each view would be copied to a tensor of its own; the tensor itself is kept here, once, and the
backward graph makes the views. Tensors are kept in the order of dimensions in which kernels compute them."""
import operator

import torch

from . import aliases

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


#: Saved tensors of fewer elements stay as they are: they take a launch, however they lie.
LEAST = 1 << 16
NAMES = {ATEN.alias.default, ATEN.detach.default}
CONVERSIONS = {ATEN._to_copy.default, torch.ops.prims.convert_element_type.default, ATEN.clone.default, *NAMES}
RESHAPES = {ATEN.view.default, ATEN._unsafe_view.default, ATEN.reshape.default}
PRODUCTS = {ATEN.mm.default, ATEN.addmm.default, ATEN.bmm.default}


def _eager(made):
    """The dimensions of a dense tensor from its largest stride to its smallest, or None."""
    usual = tuple(range(made.dim()))
    return usual if made.is_contiguous() else aliases.physical(made, made.stride())


def _named(node):
    """The node that others are only names of."""
    while node.op == "call_function" and node.target in NAMES:
        node = node.args[0]
    return node


def _is_pointwise(node):
    return node.target in CONVERSIONS or torch.Tag.pointwise in getattr(node.target, "tags", ())


def _computed(node, known):
    """The dimensions of a tensor from the outermost to the innermost in the order in which kernels compute it, or None where nothing is
    known: convolutions have their channels last, products their rows, and functions of single elements the order of what they read."""
    if node in known:
        return known[node]
    known[node] = None
    made = node.meta.get("val")
    if not isinstance(made, torch.Tensor) or _elements(node) is None:
        return None
    usual, order = tuple(range(made.dim())), None
    if node.op == "placeholder":
        order = _eager(made)
    elif node.op == "call_function" and node.target is ATEN.convolution.default:
        order = (0, *usual[2:], 1)
    elif node.op == "call_function" and node.target in (ATEN.permute.default, ATEN.transpose.int):
        source = _computed(node.args[0], known)
        if source:
            if node.target is ATEN.permute.default:
                moved = [dim % made.dim() for dim in node.args[1]]
            else:
                moved = list(usual)
                one, other = (dim % made.dim() for dim in node.args[1:3])
                moved[one], moved[other] = moved[other], moved[one]
            order = tuple(moved.index(dim) for dim in source)
    elif node.op == "call_function" and node.target in RESHAPES | PRODUCTS:
        order = usual
    elif node.op == "call_function" and _is_pointwise(node):
        read = [one for one in node.all_input_nodes if isinstance(one.meta.get("val"), torch.Tensor) and one.meta["val"].shape == made.shape]
        read.sort(key=lambda one: one.op == "placeholder")
        order = next((found for found in (_computed(one, known) for one in read) if found), None)
    known[node] = tuple(order) if order else None
    return known[node]


def in_computed_order(forward, backward, count):
    """Saves tensors as kernels compute them. Eager mode has its own order of dimensions, in which torch traced them: to save them in it, the
    forward graph would transpose them, and kernels of the backward graph would read them across their lines."""
    output = next(iter(forward.graph.find_nodes(op="output")))
    results = list(output.args[0])
    given = {node.name: node for node in backward.graph.find_nodes(op="placeholder")}
    returned = {_named(node) for node in results[:count] if isinstance(node, torch.fx.Node)}
    known, is_changed = {}, False
    for place in range(count, len(results)):
        node = results[place]
        old = given.get(node.name)
        if old is None or node.op != "call_function" or _named(node) in returned or (_elements(node) or 0) < LEAST:
            continue
        made, order = node.meta["val"], _computed(node, known)
        eager = _eager(made)
        is_read_in_storage = any("as_strided" in str(user.target) for user in (*old.users, *node.users))
        if not order or not eager or order == tuple(eager) or is_read_in_storage:
            continue
        with forward.graph.inserting_before(output):
            turned = forward.graph.call_function(ATEN.permute.default, (node, list(order)))
            turned.meta["val"] = made.permute(order)
            kept = forward.graph.call_function(ATEN.clone.default, (turned,), {"memory_format": torch.contiguous_format})
            kept.meta["val"] = turned.meta["val"].clone(memory_format=torch.contiguous_format)
        with backward.graph.inserting_before(old):
            source = backward.graph.placeholder(kept.name)
        source.meta["val"] = kept.meta["val"]
        behind = next(one for one in backward.graph.nodes if one.op != "placeholder")
        with backward.graph.inserting_before(behind):
            back = backward.graph.call_function(ATEN.permute.default, (source, [order.index(dim) for dim in range(made.dim())]))
        back.meta["val"] = kept.meta["val"].permute(back.args[1])
        old.replace_all_uses_with(back)
        backward.graph.erase_node(old)
        results[place], is_changed = kept, True
    if not is_changed:
        return
    output.args = (tuple(results),)
    for module in (forward, backward):
        module.graph.lint()
        module.recompile()
