# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions on the integers and sizes of a call, as JSON beside a program's weights. The loader checks them before the program
runs, so that a call that fails writes nothing.

A condition or number is an integer, ["number", NAME] (an argument), ["size", NAME, DIM] (of an argument that is a tensor), or
[OPERATION, operands...]. Division and remainder round down, as Python's."""
import functools
import math
import operator

#: Operations of any number of operands, of which there is one at least.
_FOLDS = {"add": sum, "mul": math.prod, "max": max, "min": min, "and": all, "or": any}
#: Operations of two operands.
_PAIRS = {"floordiv": operator.floordiv, "mod": operator.mod, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
          "ge": operator.ge, "eq": operator.eq, "ne": operator.ne}


def is_range(made, inputs):
    """Whether a value read from a file is a condition on arguments with these names."""
    if not isinstance(made, list):
        return isinstance(made, int) and not isinstance(made, bool)
    kind, parts = made[0] if made else None, made[1:]
    if kind == "number":
        return len(parts) == 1 and parts[0] in inputs
    if kind == "size":
        return len(parts) == 2 and parts[0] in inputs and type(parts[1]) is int and parts[1] >= 0
    is_known = isinstance(kind, str) and (kind in _FOLDS and parts or kind in _PAIRS and len(parts) == 2)
    return bool(is_known) and all(is_range(part, inputs) for part in parts)


def holds(condition, values):
    """Whether a condition is true of the arguments, a dictionary. One that an argument's type or rank does not allow is, too:
    the program reports the argument."""
    try:
        return bool(_value(condition, functools.partial(_leaf, values)))
    except ZeroDivisionError:
        return False
    except (LookupError, TypeError):
        return True


def _leaf(values, kind, name, dim=None):
    value = values[name]
    if kind == "number":
        return operator.index(value)
    if not hasattr(value, "shape"):
        import numpy
        value = numpy.asarray(value)
    return int(value.shape[dim])


def _value(made, leaf):
    if not isinstance(made, list):
        return made
    kind, *parts = made
    if kind in ("number", "size"):
        return leaf(*made)
    parts = [_value(part, leaf) for part in parts]
    return _FOLDS[kind](parts) if kind in _FOLDS else _PAIRS[kind](*parts)
