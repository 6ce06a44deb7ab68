# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program asserts of its data, as further results that have to be true: torch._check of numbers that are read from
tensors, the ranges that torch gives such numbers, and asserted tensors. Of sizes of arguments guards see to it."""
import sympy
import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from . import sizes
from .graph import UnsupportedNode
from .text import Unsupported

#: Nodes that assert something, and of what kind.
KINDS = {torch.ops.aten._assert_scalar.default: "condition", torch.ops.aten._assert_async.default: "tensor",
         torch.ops.aten._assert_async.msg: "tensor", torch.ops.aten.sym_constrain_range.default: "range",
         torch.ops.aten.sym_constrain_range_for_size.default: "range"}


def of(lowering, graph):
    """Pairs of a tensor that has to be true everywhere, and the message if it is not."""
    found, seen = [], set()
    for node in graph.nodes:
        if node.op != "call_function" or node.target not in KINDS:
            continue
        for condition, message in _conditions(node):
            if condition in seen or isinstance(condition, sympy.Basic) and not free_unbacked_symbols(condition):
                continue
            seen.add(condition)
            try:
                found.append((_truth(lowering, condition), message))
            except Unsupported as error:
                raise UnsupportedNode(node, str(error)) from None
    return found


#: Operations that read at an index, which is an argument: its place among theirs, and that of the dimension.
_SELECTING = {torch.ops.aten.select.int: (2, 1), torch.ops.aten.select_copy.int: (2, 1),
              torch.ops.aten.select_scatter.default: (3, 2)}


def of_numbers(program):
    """Conditions on the arguments of an exported program that are integers, with messages: the inequalities under which torch has
    traced it, and that indices are in range. torch takes sizes for 2 or more while it traces; 0 and 1 are right, too."""
    made = {node: node.meta.get("val") for node in program.graph.nodes}
    numbers = {node: one for node, one in made.items() if node.op == "placeholder" and isinstance(one, torch.SymInt)
               and one.node.expr.is_Symbol and one.node.hint is not None}
    if not numbers:
        return []
    environment = next(iter(numbers.values())).node.shape_env

    def replaced(one):
        return environment.replace(one.node.expr if isinstance(one, torch.SymInt) else sympy.sympify(one))

    tensors = {node: one for node, one in made.items() if isinstance(one, torch.Tensor)}
    shapes = {replaced(size) for one in tensors.values() for size in (*one.shape, one.numel())}
    found = []
    for guard in environment.guards:
        for one in sympy.And.make_args(environment.replace(guard.expr)):
            if isinstance(one, (sympy.Ge, sympy.Gt)) and one.rhs.is_Integer and one.lhs in shapes and one.rhs <= 2:
                one = sympy.Ge(one.lhs, 0)
            if isinstance(one, (sympy.Ge, sympy.Gt, sympy.Le, sympy.Lt)):
                found.append(one)
    for node in program.graph.nodes:
        index, dim = (node.args[place] if place < len(node.args) else None for place in _SELECTING.get(node.target, ()) or (0, 0))
        if node.target in _SELECTING and isinstance(made.get(index), torch.SymInt):
            index, size = replaced(made[index]), replaced(made[node.args[0]].shape[dim])
            found += [sympy.Lt(index, size), sympy.Ge(index, -size)]
    names = {replaced(one): sympy.Symbol(node.name) for node, one in numbers.items()}
    for node, one in tensors.items():
        for dim, size in enumerate(one.shape if node.op == "placeholder" else ()):
            names.setdefault(replaced(size), sympy.Symbol(f"{node.name}.size({dim})"))
    names = {size: name for size, name in names.items() if size.is_Symbol}
    symbols = {replaced(one) for one in numbers.values()}
    return [(one, f"the arguments are out of the range for which the program was exported: {one.xreplace(names)}")
            for one in dict.fromkeys(found) if one.free_symbols & symbols]


def truths(lowering, conditions):
    """Conditions as tensors that have to be true, with their messages."""
    return [(_truth(lowering, condition), message) for condition, message in conditions]


def _conditions(node):
    value, *rest = node.args
    kind = KINDS[node.target]
    message = next((one for one in rest if isinstance(one, str)), None)
    if kind == "tensor":
        yield value, message or "Expected Tensor with single nonzero value, but got zero"
        return
    made = value.meta.get("val") if isinstance(value, torch.fx.Node) else value
    if not isinstance(made, (torch.SymInt, torch.SymBool)):
        return
    expression = made.node.expr
    if kind == "condition":
        condition = expression if isinstance(made, torch.SymBool) else sympy.Ne(expression, 0)
        yield condition, message or f"Runtime assertion failed for expression {condition}"
        return
    limits = {**dict(zip(("min", "max"), rest)), **node.kwargs}
    for name, relation in (("min", sympy.Ge), ("max", sympy.Le)):
        if limits.get(name) is not None:
            yield relation(expression, int(limits[name])), f"Runtime assertion failed for expression {relation(expression, int(limits[name]))}"


def _truth(lowering, condition):
    """A condition as a tensor of truth values."""
    if isinstance(condition, torch.fx.Node):
        value = lowering.values[condition]
        return value if value.dtype == "i1" else lowering.compare("ne", value, lowering.full_like(0, value))
    return sizes.truth(lowering, condition)
