# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops and branches: torch's higher-order operations, whose functions are graphs, as regions of prim."""
import contextlib

import torch

from . import sizes
from .pair import PARTS, Pair
from .text import Unsupported, Value


def _flat(values):
    """The values of which regions know: complex numbers are two each."""
    found = []
    for value in values:
        if not isinstance(value, (Value, Pair)):
            raise Unsupported("a loop or branch with operands that are no tensors")
        found += [value.re, value.im] if isinstance(value, Pair) else [value]
    return found


def _paired(flat, like):
    """Values with pairs where others have them."""
    rest = iter(flat)
    return [Pair(next(rest), next(rest)) if isinstance(one, Pair) else next(rest) for one in like]


def _each(function, *values):
    """What a function makes of tensors, part by part of complex ones."""
    if isinstance(values[0], Pair):
        return Pair(*(function(*(getattr(value, part) for value in values)) for part in ("re", "im")))
    return function(*values)


def _zeros(b, out):
    zeros = b.full(0, PARTS.get(out.dtype, out.dtype), out.shape)
    return Pair(zeros, zeros) if out.dtype in PARTS else zeros


def _types(values):
    return ", ".join(value.type for value in values)


@contextlib.contextmanager
def _inside(b):
    """Sizes that are computed in a region end with it."""
    known, indices = dict(b.known), dict(b._indices)
    yield
    b.known, b._indices = known, indices


def _bound(b, value, made):
    """A value, or the size that torch has for the number in it."""
    if not isinstance(made, torch.SymInt) or not isinstance(value, Value):
        return value
    b.bind(sizes.size_of(made), value)
    return sizes.size_of(made)


def _as_tensors(b, values):
    """Values with tensors of rank 0 in place of numbers."""
    return [b.full(value, "i1" if isinstance(value, bool) else "i64", ()) if isinstance(value, int) else
            b.number_tensor(value) if sizes.is_size(value) else value for value in values]


def _region(b, graph_module, values):
    """Writes the nodes of a graph; its results."""
    inputs, made = iter(values), []
    for node in graph_module.graph.nodes:
        if node.op == "placeholder":
            b.values[node] = _bound(b, next(inputs), node.meta.get("val"))
        elif node.op == "output":
            results = node.args[0] if isinstance(node.args[0], (list, tuple)) else [node.args[0]]
            made = [b.given(one) for one in results]
        else:
            b.node(node)
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


def loop(b, carried, condition, body):
    """Both functions write what they compute of the carried values, and return it."""
    carried = _as_tensors(b, carried)
    flat = _flat(carried)
    types, base = _types(flat), b.fresh()
    many = f":{len(flat)}" if len(flat) > 1 else ""
    _frame(b, f"{base}{many} = prim.while ({', '.join(value.name for value in flat)}) : ({types}) -> ({types}) {{")
    for write, between in ((condition, "} do {"), (body, "}")):
        inner = [Value(b.fresh(), value.dtype, value.shape) for value in flat]
        _frame(b, f"^bb0({', '.join(f'{value.name}: {value.type}' for value in inner)}):")
        with _inside(b):
            made = _flat(_as_tensors(b, write(_paired(inner, carried))))
            if write is body and [v.type for v in made] != [v.type for v in flat]:
                raise Unsupported("a loop whose values change their types")
            _yield(b, made)
        _frame(b, between)
    return _paired(_results(base, flat), carried)


def while_loop(b, node, condition, body, carried, extra=()):
    """Values that the body gives again have the types of the first ones."""
    made = loop(b, carried, lambda inner: _region(b, condition, [*inner, *extra]), lambda inner: _region(b, body, [*inner, *extra]))
    return [_bound(b, one, about) for one, about in zip(made, node.meta["val"])]


def while_loop_stack_output(b, node, condition, body, carried, extra=()):
    """What each iteration gives, one behind the other: a first loop finds out how many there are."""
    one = b.full(1, "i64", ())
    start = [b.full(0, "i64", ()), *carried]
    goes_on = lambda inner: _region(b, condition, [*inner[1:1 + len(carried)], *extra])  # noqa: E731
    count = loop(b, start, goes_on, lambda inner: [b.binary("add", inner[0], one), *_region(b, body, [*inner[1:], *extra])])[0]
    outs = b.outs(node)
    for out in outs:
        b.bind(out.shape[0], count)

    def step(inner):
        made = _region(b, body, [*inner[1:1 + len(carried)], *extra])
        return [b.binary("add", inner[0], one), *made, *_stored(b, inner[1 + len(carried):], made, inner[0])]
    return loop(b, [*start, *(_zeros(b, out) for out in outs)], goes_on, step)[1 + len(carried):]


def _stored(b, stacks, rows, place):
    store = lambda stack, row: b.dynamic_update_dim(stack, b.reshape(row, [1, *row.shape]), 0, place)  # noqa: E731
    return [_each(store, stack, row) for stack, row in zip(stacks, rows)]


def scan(b, node, combine, init, xs, extra=()):
    """The last of the values that are carried, and what each step gives, one behind the other."""
    if not xs:
        raise Unsupported("a scan of nothing")
    outs, carries = b.outs(node), len(init)
    one, length = b.full(1, "i64", ()), b.size_as_tensor(xs[0].shape[0])
    stacks = [_zeros(b, out) for out in outs[carries:]]

    def step(inner):
        place, carried = inner[0], inner[1:1 + carries]
        rows = [_each(lambda x: b.reshape(b.dynamic_slice_dim(x, 0, place, [1, *x.shape[1:]]), x.shape[1:]), x) for x in xs]
        made = _region(b, combine, [*carried, *rows, *extra])
        return [b.binary("add", place, one), *made[:carries], *_stored(b, inner[1 + carries:], made[carries:], place)]
    start = [b.full(0, "i64", ()), *init, *stacks]
    return loop(b, start, lambda inner: [b.compare("lt", inner[0], length)], step)[1:]


def map_impl(b, node, function, xs, extra=()):
    return scan(b, node, function, (), xs, extra)


def cond(b, node, condition, true, false, operands=()):
    if sizes.is_condition(condition):
        condition = b.number_tensor(condition)
    if not isinstance(condition, Value):
        raise Unsupported("a branch on a number")
    outs = b.outs(node)
    flat = [out for out in outs for _ in range(2 if out.dtype in PARTS else 1)]
    named = "".join(b.sizes(out.shape)[len(" sizes ("):-1] + ", " for out in flat if any(not isinstance(n, int) for n in out.shape))
    base = b.fresh()
    at = len(b.body)
    _frame(b, "")
    with _inside(b):
        results = _region(b, true, operands)
        made = _flat(results)
        _yield(b, made)
    _frame(b, "} else {")
    with _inside(b):
        other = _flat(_region(b, false, operands))
        expected = [b._type(PARTS.get(out.dtype, out.dtype), out.shape) for out in flat]
        if [v.type for v in made] != [v.type for v in other] or [v.type for v in made] != expected:
            raise Unsupported("branches with results of different types")
        if not made:
            raise Unsupported("a branch without results")
        _yield(b, other)
    _frame(b, "}")
    many = f":{len(made)}" if len(made) > 1 else ""
    given = f" sizes ({named[:-2]})" if named else ""
    text = f"    {base}{many} = prim.if {condition.name}{given} : tensor<i1> -> ({_types(made)}) {{"
    b.body[at] = (text, "")
    shaped = [_each(lambda part, out=out: Value(part.name, part.dtype, out.shape), one) for one, out in zip(results, outs)]
    return _paired(_results(base, _flat(shaped)), shaped)


def invoke_subgraph(b, node, subgraph, identifier, *operands):
    """A function that the graph holds once for several calls (`torch.compiler.nested_compile_region`)."""
    return _region(b, subgraph, operands)


TABLE = {"while_loop": while_loop, "while_loop_stack_output": while_loop_stack_output, "scan": scan, "map_impl": map_impl, "cond": cond,
         "invoke_subgraph": invoke_subgraph}
