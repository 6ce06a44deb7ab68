# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops and branches: torch's higher-order operations, whose functions are graphs, as regions of prim."""
from .text import Unsupported, Value


def _types(values):
    for value in values:
        if not isinstance(value, Value):
            raise Unsupported("a loop or branch with operands that are no tensors, or complex")
    return ", ".join(value.type for value in values)


def _region(b, graph_module, values):
    """Writes the nodes of a graph; its results."""
    known, indices = dict(b.known), dict(b._indices)  # sizes that are made in here end here
    inputs, made = iter(values), []
    for node in graph_module.graph.nodes:
        if node.op == "placeholder":
            b.values[node] = next(inputs)
        elif node.op == "output":
            results = node.args[0] if isinstance(node.args[0], (list, tuple)) else [node.args[0]]
            made = [b.given(one) for one in results]
        else:
            b.node(node)
    b.known, b._indices = known, indices
    _types(made)
    return made


def _frame(b, text):
    """A line that opens or closes a region, which has no place of its own."""
    place, b.place = b.place, None
    b.line(text)
    b.place = place


def _yield(b, values):
    names = ", ".join(value.name for value in values)
    b.line(f"prim.yield {names} : {_types(values)}" if values else "prim.yield")


def _results(base, values):
    many = len(values) > 1
    return [Value(f"{base}#{i}" if many else base, value.dtype, value.shape) for i, value in enumerate(values)]


def while_loop(b, node, condition, body, carried, extra=()):
    """Values that the body gives again have the types of the first ones."""
    types, base = _types(carried), b.fresh()
    many = f":{len(carried)}" if len(carried) > 1 else ""
    _frame(b, f"{base}{many} = prim.while ({', '.join(value.name for value in carried)}) : ({types}) -> ({types}) {{")
    for graph, between in ((condition, "} do {"), (body, "}")):
        inner = [Value(b.fresh(), value.dtype, value.shape) for value in carried]
        _frame(b, f"^bb0({', '.join(f'{value.name}: {value.type}' for value in inner)}):")
        made = _region(b, graph, [*inner, *extra])
        if graph is body and [v.type for v in made] != [v.type for v in carried]:
            raise Unsupported("a loop whose values change their types")
        _yield(b, made)
        _frame(b, between)
    return _results(base, carried)


def cond(b, node, condition, true, false, operands=()):
    if not isinstance(condition, Value):
        raise Unsupported("a branch on a number")
    base = b.fresh()
    at = len(b.body)
    _frame(b, "")
    made = _region(b, true, operands)
    _yield(b, made)
    _frame(b, "} else {")
    other = _region(b, false, operands)
    if [v.type for v in made] != [v.type for v in other]:
        raise Unsupported("branches with results of different types")
    if not made or any(not isinstance(n, int) for v in made for n in v.shape):
        raise Unsupported("a branch without results, or whose sizes are known only when the program runs")
    _yield(b, other)
    _frame(b, "}")
    many = f":{len(made)}" if len(made) > 1 else ""
    text = f"    {base}{many} = prim.if {condition.name} : tensor<i1> -> ({_types(made)}) {{"
    b.body[at] = (text, "")
    return _results(base, made)


TABLE = {"while_loop": while_loop, "cond": cond}
