# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that are known when the program runs: torch's symbolic integers, as `index` values."""
import sympy
import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols, statically_known_true

from .text import Unsupported


def size_of(value):
    """An int, or the expression of a symbolic integer."""
    if isinstance(value, bool) or not isinstance(value, (int, torch.SymInt)):
        raise Unsupported(f"a size of type {type(value).__name__}")
    if isinstance(value, int):
        return value
    expression = value.node.expr
    return int(expression) if expression.is_Integer else expression


def is_size(value):
    return isinstance(value, sympy.Basic)


def is_row_major(tensor):
    """What depends on symbols is no new condition on them."""
    expected = 1
    for size, stride in zip(reversed(tensor.shape), reversed(tensor.stride())):
        if not statically_known_true(stride == expected) and not statically_known_true(size == 1):
            return False
        expected = expected * size
    return True


def is_contiguous(tensor):
    """As torch says, which does not know of sizes that are data."""
    return is_row_major(tensor) if free_unbacked_symbols(tensor) else tensor.is_contiguous()


def begins_storage(tensor):
    """Whether the first element of the tensor is that of its storage."""
    return statically_known_true(tensor.storage_offset() == 0)


def constant(function, number):
    return function.index(f"arith.constant {number} : index")


def compute(function, expression, known):
    """An expression as an `index` value. `known`: the values of symbols."""
    if isinstance(expression, int) or expression.is_Integer:
        return constant(function, int(expression))
    if expression in known:
        return known[expression]
    if expression.is_Symbol:
        raise Unsupported(f"the size {expression}, which no argument has")
    name = type(expression).__name__
    parts = [compute(function, one, known) for one in expression.args] if name != "Pow" else []
    fold = lambda op: _fold(function, op, parts)  # noqa: E731
    if name == "Add":
        return fold("addi")
    if name == "Mul" and all(one.is_integer for one in expression.args):
        return fold("muli")
    if name == "Pow" and expression.exp.is_Integer and int(expression.exp) > 0:
        parts = [compute(function, expression.base, known)] * int(expression.exp)
        return _fold(function, "muli", parts)
    if name in ("FloorDiv", "CleanDiv"):
        return fold("floordivsi")
    if name in ("Mod", "PythonMod"):
        return fold("remsi")  # sizes are not negative
    if name in ("Max", "Min"):
        return fold("maxsi" if name == "Max" else "minsi")
    raise Unsupported(f"the size {expression}")


def _fold(function, operation, parts):
    made = parts[0]
    for part in parts[1:]:
        made = function.index(f"arith.{operation} {made}, {part} : index")
    return made
