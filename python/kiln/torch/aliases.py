# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which results of a graph share memory with its arguments, with each other, or with a tensor that the graph makes."""
import collections

import sympy
import torch
from torch.fx.experimental.symbolic_shapes import free_symbols, statically_known_true

from . import sizes
from .graph import UnsupportedNode, operation_of

#: What says of a node that nothing is known of its memory.
UNKNOWN = "kiln_memory_unknown"


def _is_whole(tensor):
    """Whether a tensor is all of its storage."""
    return statically_known_true(tensor.numel() * tensor.element_size() == tensor.untyped_storage().nbytes())


def marks_of(tensor):
    """Whether flags say that a tensor is the conjugate, and the negative, of what lies in its memory."""
    return tensor.is_conj(), tensor.is_neg()


def bases(nodes):
    """Results that are views of another result, as eager mode makes them: {node: the node of that}."""
    made = {node: node.meta.get("val") for node in nodes if _memory(node)}
    bases = {}
    for node, one in made.items():
        if sizes.is_row_major(one) and _is_whole(one) and not any(marks_of(one)):
            bases.setdefault(_memory_of(one), node)
    found = {node: bases.get(_memory_of(one), node) for node, one in made.items()}
    return {node: base for node, base in found.items() if base is not node}


def _memory_of(made):
    return made.untyped_storage()._cdata if isinstance(made, torch.Tensor) and made.layout == torch.strided else None


def _memory(node):
    """The storage of what a node gives, or None where it is no strided tensor, or nothing is known of its memory."""
    return None if not isinstance(node, torch.fx.Node) or node.meta.get(UNKNOWN) else _memory_of(node.meta.get("val"))


def mark_unknown(graph):
    """Marks the nodes of whose memory nothing is known: what calls of a shared function give has the storage of the first
    call's result, or of its argument, while torch traces."""
    storages = set()
    for node in graph.nodes:
        if operation_of(node) == "invoke_subgraph":
            storages |= {_memory_of(one) for one in node.meta.get("val") or ()}
    for node in graph.nodes if storages else ():
        made = node.meta.get("val")
        if storages & {_memory_of(one) for one in (made if isinstance(made, (list, tuple)) else [made])} - {None}:
            node.meta[UNKNOWN] = True


def _owners(given):
    """The first argument in each storage: {storage: its number}."""
    owners = {}
    for node, i in given.items():
        owners.setdefault(_memory(node), i)
    owners.pop(None, None)
    return owners


def slices(nodes, given):
    """Results that are slices of an argument whose start torch cannot say, as it is read from a tensor: {node: (argument,
    dimension, start, length or None for a place)}."""
    owners = _owners(given)
    symbols = set().union(*(free_symbols(node.meta.get("val")) for node in given))
    found = {}
    for node in nodes:
        if _memory(node) not in owners or free_symbols(node.meta["val"].storage_offset()) <= symbols:
            continue
        is_place = node.target is torch.ops.aten.select.int
        source, dim, start = node.args[:3] if is_place or node.target is torch.ops.aten.slice.Tensor else (None, 0, 0)
        if source not in given or not isinstance(start, torch.fx.Node):
            raise UnsupportedNode(node, "a view of an argument that begins where the program finds out")
        length = None if is_place else sizes.size_of(node.meta["val"].shape[dim])
        found[node] = (given[source], dim, sizes.size_of(start.meta["val"]), length)
    return found


def views(nodes, given):
    """Results that are views of an argument: {node: the number of the argument}. AOTAutograd reads their sizes, strides and
    where they begin, and makes views of its own with those. Conjugates and negatives of known sizes, which it makes again step by
    step, are computed."""
    owners = _owners(given)
    made = {node: node.meta["val"] for node in nodes if _memory(node) in owners}
    return {node: owners[_memory(node)] for node, one in made.items() if not any(marks_of(one)) or free_symbols(one)}


def view_of(base, dtype, marks, shape, strides, start):
    """A view of a tensor's memory, of any element type that torch views it as. `start` counts elements of that type from the beginning
    of the memory."""
    if dtype == base.dtype and not any(marks):
        return base.as_strided(shape, strides, start)
    made = torch.empty(0, dtype=dtype, device=base.device).set_(base.untyped_storage(), start, shape, strides)
    if any(marks):
        torch._C._set_conj(made, marks[0])
        torch._C._set_neg(made, marks[1])
    return made


def marked_view(base, dtype, shape, strides, start, marks):
    """A view of an argument that is marked as a conjugate or a negative. It is made by views of a tensor that lies as the
    argument does, so that AOTAutograd can make them again."""
    made = torch.empty(0, dtype=base.dtype, device=base.device).set_(base.untyped_storage(), base.storage_offset(), base.shape, base.stride())
    made = torch.view_as_real(made) if made.is_complex() and not dtype.is_complex else made
    made = made.as_strided(shape, strides, start)
    is_conj, is_neg = marks
    made = made.conj() if is_conj else made
    return torch._neg_view(made) if is_neg else made


def only_views(graph, views, given):
    """Nodes of which nothing is used but where they lie in an argument's memory."""
    owners, found = _owners(given), set()
    for node in reversed(graph.nodes):
        made = node.meta.get("val")
        parts = made if isinstance(made, (list, tuple)) else [made]
        if node.op == "call_function" and node.users and not node.meta.get(UNKNOWN) and all(_memory_of(one) in owners for one in parts) and all(
                user in found or (user.op == "output" and node in views) for user in node.users):
            found.add(node)
    return found


def _guess(size):
    """A number to compare strides by: what a size is in the call for which torch traced, and anything where data say it."""
    if isinstance(size, int) or size.node.hint is not None:
        return size if isinstance(size, int) else size.node.hint
    return int(size.node.expr.xreplace({symbol: sympy.Integer(10007) for symbol in size.node.expr.free_symbols}))


def physical(tensor, wanted):
    """The dimensions of a tensor from the largest of the strides that are wanted to the smallest, if it is dense with these
    and that is another order than theirs; else None. Dimensions of one element stay where they are."""
    strides, shape = [_guess(one) for one in wanted], [_guess(one) for one in tensor.shape]
    if len(strides) != len(shape) or 0 in shape:
        return None
    order = [dim for dim, size in enumerate(shape) if size != 1]
    largest_first = sorted(order, key=lambda dim: -strides[dim])
    if largest_first == order:
        return None
    behind = 1
    for dim in reversed(largest_first):
        if sympy.expand(sizes.size_of(wanted[dim]) - behind) != 0:
            return None  # repeated elements, or room between them
        behind = behind * sizes.size_of(tensor.shape[dim])
    moved = iter(largest_first)
    return [next(moved) if size != 1 else dim for dim, size in enumerate(shape)]


def are_same(some, others):
    """Whether sizes or strides are the same, whatever their symbols are."""
    return len(some) == len(others) and all(sympy.expand(sizes.size_of(a) - sizes.size_of(b)) == 0 for a, b in zip(some, others))


def layout(tensor, wanted):
    """How a row-major tensor gets the strides that are wanted: None if it has them, "strided" if only those of dimensions of one element
    differ or it has no elements, "spaced" if its elements have room between them or are repeated along a dimension. None, too, where
    elements overlap in another way."""
    shape = list(tensor.shape)
    is_empty = any(statically_known_true(size == 0) for size in shape)
    if len(wanted) != len(shape) or (not is_empty and any(_guess(size) == 0 for size in shape)):
        return None
    usual = [1] * len(shape)
    for dim in reversed(range(len(shape) - 1)):
        usual[dim] = usual[dim + 1] * shape[dim + 1]
    other = [dim for dim in range(len(shape)) if not are_same([usual[dim]], [wanted[dim]])]
    if is_empty or all(statically_known_true(shape[dim] == 1) for dim in other):
        return "strided" if other else None
    behind = 0
    for dim in sorted((dim for dim in range(len(shape)) if _guess(shape[dim]) != 1), key=lambda dim: _guess(wanted[dim])):
        stride = _guess(wanted[dim])
        if stride and stride <= behind:
            return None
        behind += stride * (_guess(shape[dim]) - 1)
    return "spaced"


def _steps(distance, strides):
    """How many steps along each dimension of a row-major tensor come to a distance in its memory, or None."""
    found, rest = [], sizes.size_of(distance)
    for stride in map(sizes.size_of, strides):
        count = rest // stride if isinstance(rest, int) and isinstance(stride, int) else 0 if rest == 0 else sympy.cancel(rest / stride)
        count = count if isinstance(count, int) else int(count) if count.is_Integer else 0
        found.append(count)
        rest = sympy.expand(rest - count * stride)
        rest = int(rest) if rest.is_Integer else rest
    return found if rest == 0 and min(found, default=0) >= 0 else None


def moved(view, base, wanted):
    """(the strides, where it begins) of a view of a row-major tensor if that has other strides; None if no strides make it."""
    start, steps = _steps(view.storage_offset(), base.stride()), [_steps(one, base.stride()) for one in view.stride()]
    if view.dtype != base.dtype or start is None or None in steps:
        return None
    for dim, size in enumerate(base.shape):
        # Its elements do not go on in the next row.
        last = start[dim] + sum((n - 1) * one[dim] for n, one in zip(view.shape, steps) if one[dim])
        if not statically_known_true(last < size):
            return None
    return [sum(n * stride for n, stride in zip(one, wanted)) for one in steps], sum(n * stride for n, stride in zip(start, wanted))


def spaced(tensor, shape, strides):
    """A copy of a tensor with strides that leave room between elements, or are 0 where it repeats them."""
    for dim, stride in enumerate(strides):
        tensor = tensor.narrow(dim, 0, 1) if not stride else tensor
    return torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype, device=tensor.device).copy_(tensor).as_strided(shape, strides)


def parts(graph, output, strides, is_known):
    """Results that eager mode makes as views of a tensor that the graph computes: {node: the node of that tensor}. `strides`: those of
    eager mode by the places of the results. A view that is all of its storage, which no other result shares, is a tensor of its own, and
    so is one of which a number is not known: `is_known` says of sizes which are."""
    makers = {}
    for node in graph.nodes:
        makers.setdefault(_memory(node), node)
    shared = collections.Counter(map(_memory, dict.fromkeys(node for node in output if isinstance(node, torch.fx.Node))))
    found = {}
    for place, node in enumerate(output):
        maker = makers.get(_memory(node)) if place in strides and _memory(node) else None
        if maker is None or maker.op != "call_function":
            continue
        made, base = node.meta["val"], maker.meta["val"]
        if maker is node and (shared[_memory(node)] == 1 or sizes.is_row_major(made)):
            continue  # a tensor that no view shares, or that the package returns as it is
        if any(marks_of(base)) or not are_same(made.stride(), strides[place]):
            continue
        if not all(is_known(sizes.size_of(one)) for one in (*made.shape, *made.stride(), made.storage_offset(), *base.shape)):
            continue
        is_dense = _is_whole(base) and (sizes.is_row_major(base) or physical(base, base.stride()))
        if is_dense and (shared[_memory(node)] > 1 or not _is_whole(made) or any(marks_of(made))):
            found[node] = maker
    return found
