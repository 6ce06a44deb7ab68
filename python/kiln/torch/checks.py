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
