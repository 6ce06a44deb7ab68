# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program asserts of its data, as further results that have to be true: torch._check of numbers that are read from
tensors, the ranges that torch gives such numbers, and asserted tensors. Of sizes of arguments guards see to it. The ranges of
integers that a package takes are conditions which the loader checks before a call."""
import functools

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


#: How messages end that say that a matrix is not one for which there is what was asked for.
UNFACTORED = ("is not positive-definite", "is singular", "is one for which the algorithm fails")


def error_of(message):
    """What is raised if a check fails: torch has a type of its own for matrices."""
    return (torch.linalg.LinAlgError if message.endswith(UNFACTORED) else RuntimeError)(message)


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
    """Ranges of the arguments of an exported program that are integers: conditions with messages, and what its symbols are, a
    dictionary of leaves of kiln.ranges. The conditions are the inequalities under which torch has traced the program, and that
    indices are in range. torch takes sizes for 2 or more while it traces; 0 and 1 are right, too."""
    made = {node: node.meta.get("val") for node in program.graph.nodes}
    numbers = {node: one for node, one in made.items() if node.op == "placeholder" and isinstance(one, torch.SymInt)
               and one.node.expr.is_Symbol and one.node.hint is not None}
    if not numbers:
        return [], {}
    environment = next(iter(numbers.values())).node.shape_env
    replaced = functools.partial(_replaced, environment)
    tensors = {node: one for node, one in made.items() if isinstance(one, torch.Tensor)}
    symbols = {replaced(one): ["number", node.name] for node, one in numbers.items()}
    leaves = dict(symbols)
    for node, one in tensors.items():
        for dim, size in enumerate(one.shape if node.op == "placeholder" else ()):
            leaves.setdefault(replaced(size), ["size", node.name, dim])
    leaves = {size: leaf for size, leaf in leaves.items() if size.is_Symbol}
    names = {size: sympy.Symbol(leaf[1] if leaf[0] == "number" else f"{leaf[1]}.size({leaf[2]})") for size, leaf in leaves.items()}
    shapes = {replaced(size) for one in tensors.values() for size in (*one.shape, one.numel())}
    found = [*_inequalities(environment, shapes), *_indices(program, made, replaced)]
    return [(one, f"the arguments are out of the range for which the program was exported: {one.xreplace(names)}")
            for one in dict.fromkeys(found) if one.free_symbols & symbols.keys()], leaves


def _replaced(environment, number):
    """The expression of a number, with the symbols that torch has left."""
    return environment.replace(number.node.expr if isinstance(number, torch.SymInt) else sympy.sympify(number))


def _inequalities(environment, shapes):
    """Those under which torch has traced a program with tensors of these sizes."""
    for guard in environment.guards:
        for one in sympy.And.make_args(environment.replace(guard.expr)):
            if isinstance(one, (sympy.Ge, sympy.Gt)) and one.rhs.is_Integer and one.lhs in shapes and one.rhs <= 2:
                one = sympy.Ge(one.lhs, 0)
            if isinstance(one, (sympy.Ge, sympy.Gt, sympy.Le, sympy.Lt)):
                yield one


def _indices(program, made, replaced):
    """That indices which are arguments are in range. `made`: what torch knows of the nodes' values."""
    for node in program.graph.nodes:
        if node.target not in _SELECTING:
            continue
        index, dim = (node.args[place] if place < len(node.args) else None for place in _SELECTING[node.target])
        if isinstance(made.get(index), torch.SymInt):
            index, size = replaced(made[index]), replaced(made[node.args[0]].shape[dim])
            yield sympy.Lt(index, size)
            yield sympy.Ge(index, -size)


def split(conditions, leaves):
    """Ranges as the loader checks them, pairs for kiln.ranges, and the conditions that are left for the program."""
    ranges, left = [], []
    for condition, message in conditions:
        try:
            ranges.append([_encoded(condition, leaves), message])
        except Unsupported:
            left.append((condition, message))
    return ranges, left


#: Functions of torch's expressions, as those of kiln.ranges.
_OPERATIONS = {"Add": "add", "Mul": "mul", "Max": "max", "Min": "min", "And": "and", "Or": "or", "FloorDiv": "floordiv",
               "CleanDiv": "floordiv", "Mod": "mod", "PythonMod": "mod", "StrictLessThan": "lt", "LessThan": "le",
               "StrictGreaterThan": "gt", "GreaterThan": "ge", "Equality": "eq", "Unequality": "ne"}


def _encoded(expression, leaves):
    """A condition or a number for kiln.ranges."""
    if expression in leaves:
        return leaves[expression]
    if expression.is_Integer:
        return int(expression)
    operation = _OPERATIONS.get(type(expression).__name__)
    if operation is None:
        raise Unsupported(f"the condition {expression}")
    return [operation, *(_encoded(one, leaves) for one in expression.args)]


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
