# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops and branches: torch's higher-order operations, whose functions are graphs, as regions of prim."""
import contextlib

from .text import Unsupported, Value


def _types(values):
    for value in values:
        if not isinstance(value, Value):
            raise Unsupported("a loop or branch with operands that are no tensors, or complex")
    return ", ".join(value.type for value in values)


@contextlib.contextmanager
def _inside(b):
    """Sizes that are computed in a region end with it."""
    known, indices = dict(b.known), dict(b._indices)
    yield
    b.known, b._indices = known, indices


def _region(b, graph_module, values):
    """Writes the nodes of a graph; its results."""
    inputs, made = iter(values), []
    for node in graph_module.graph.nodes:
        if node.op == "placeholder":
            b.values[node] = next(inputs)
        elif node.op == "output":
            results = node.args[0] if isinstance(node.args[0], (list, tuple)) else [node.args[0]]
            made = [b.given(one) for one in results]
        else:
            b.node(node)
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


def loop(b, carried, condition, body):
    """Both functions write what they compute of the carried values, and return it."""
    types, base = _types(carried), b.fresh()
    many = f":{len(carried)}" if len(carried) > 1 else ""
    _frame(b, f"{base}{many} = prim.while ({', '.join(value.name for value in carried)}) : ({types}) -> ({types}) {{")
    for write, between in ((condition, "} do {"), (body, "}")):
        inner = [Value(b.fresh(), value.dtype, value.shape) for value in carried]
        _frame(b, f"^bb0({', '.join(f'{value.name}: {value.type}' for value in inner)}):")
        with _inside(b):
            made = write(inner)
            if write is body and [v.type for v in made] != [v.type for v in carried]:
                raise Unsupported("a loop whose values change their types")
            _yield(b, made)
        _frame(b, between)
    return _results(base, carried)


def while_loop(b, node, condition, body, carried, extra=()):
    """Values that the body gives again have the types of the first ones."""
    return loop(b, carried, lambda inner: _region(b, condition, [*inner, *extra]), lambda inner: _region(b, body, [*inner, *extra]))


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
    return loop(b, [*start, *(b.full(0, out.dtype, out.shape) for out in outs)], goes_on, step)[1 + len(carried):]


def _stored(b, stacks, rows, place):
    return [b.dynamic_update_dim(stack, b.reshape(row, [1, *row.shape]), 0, place) for stack, row in zip(stacks, rows)]


def scan(b, node, combine, init, xs, extra=()):
    """The last of the values that are carried, and what each step gives, one behind the other."""
    if not xs:
        raise Unsupported("a scan of nothing")
    outs, carries = b.outs(node), len(init)
    one, length = b.full(1, "i64", ()), b.size_as_tensor(xs[0].shape[0])
    stacks = [b.full(0, out.dtype, out.shape) for out in outs[carries:]]

    def step(inner):
        place, carried = inner[0], inner[1:1 + carries]
        rows = [b.reshape(b.dynamic_slice_dim(x, 0, place, [1, *x.shape[1:]]), x.shape[1:]) for x in xs]
        made = _region(b, combine, [*carried, *rows, *extra])
        return [b.binary("add", place, one), *made[:carries], *_stored(b, inner[1 + carries:], made[carries:], place)]
    start = [b.full(0, "i64", ()), *init, *stacks]
    return loop(b, start, lambda inner: [b.compare("lt", inner[0], length)], step)[1:]


def map_impl(b, node, function, xs, extra=()):
    return scan(b, node, function, (), xs, extra)


def cond(b, node, condition, true, false, operands=()):
    if getattr(condition, "is_Boolean", False):  # on sizes
        condition = b.number_tensor(condition)
    if not isinstance(condition, Value):
        raise Unsupported("a branch on a number")
    outs = b.outs(node)
    sizes = "".join(b.sizes(out.shape)[len(" sizes ("):-1] + ", " for out in outs if any(not isinstance(n, int) for n in out.shape))
    base = b.fresh()
    at = len(b.body)
    _frame(b, "")
    with _inside(b):
        made = _region(b, true, operands)
        _yield(b, made)
    _frame(b, "} else {")
    with _inside(b):
        other = _region(b, false, operands)
        if [v.type for v in made] != [v.type for v in other] or [v.type for v in made] != [b._type(out.dtype, out.shape) for out in outs]:
            raise Unsupported("branches with results of different types")
        if not made:
            raise Unsupported("a branch without results")
        _yield(b, other)
    _frame(b, "}")
    many = f":{len(made)}" if len(made) > 1 else ""
    given = f" sizes ({sizes[:-2]})" if sizes else ""
    text = f"    {base}{many} = prim.if {condition.name}{given} : tensor<i1> -> ({_types(made)}) {{"
    b.body[at] = (text, "")
    return _results(base, [Value(one.name, one.dtype, out.shape) for one, out in zip(made, outs)])


TABLE = {"while_loop": while_loop, "while_loop_stack_output": while_loop_stack_output, "scan": scan, "map_impl": map_impl, "cond": cond}
