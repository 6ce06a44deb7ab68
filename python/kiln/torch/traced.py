# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of open sizes for which Dynamo takes the sizes as numbers, so that each size would be a graph: `torch.linspace` and `math.log`.

Dynamo traces these functions in their place, for every backend, where they get a size that is a symbol. Eager mode keeps its own."""
import math

import torch


def linspace(start, end, steps, *, dtype=None, device=None):
    """Counted from the nearer end, as eager mode does it."""
    place = torch.arange(steps, dtype=dtype or torch.get_default_dtype(), device=device)
    step = (end - start) / torch.sym_max(steps - 1, 1)
    return torch.where((place < steps // 2) | (place == 0), start + place * step, end - (steps - 1 - place) * step)


def log(x):
    return math.log2(x) * math.log(2)


def _is_open(value):
    from torch._dynamo.variables import SymNodeVariable
    return isinstance(value, SymNodeVariable)


def _traced(tx, function, args, kwargs):
    from torch._dynamo.variables.base import VariableTracker
    return tx.inline_user_function_return(VariableTracker.build(tx, function), args, kwargs)


def _of_linspace(variable, tx, *args, **kwargs):
    steps = args[2] if len(args) > 2 else kwargs.get("steps")
    ends = [*args[:2], *(kwargs[name] for name in ("start", "end") if name in kwargs)]
    if not _is_open(steps) or kwargs.keys() - {"start", "end", "steps", "dtype", "device"} or any(one.is_tensor() for one in ends):
        return None
    dtype = kwargs.get("dtype")
    is_real = dtype is None or not dtype.is_python_constant() or getattr(dtype.as_python_constant(), "is_floating_point", True)
    return _traced(tx, linspace, args, kwargs) if is_real else None


def _of_log(variable, tx, *args, **kwargs):
    return _traced(tx, log, args, kwargs) if len(args) == 1 and not kwargs and _is_open(args[0]) else None


def register():
    """Tells Dynamo, if this version of torch can be told so."""
    try:
        from torch._dynamo.variables.torch import TorchInGraphFunctionVariable
        handlers = TorchInGraphFunctionVariable._get_handlers()
    except (ImportError, AttributeError):
        return
    handlers.setdefault(torch.linspace, _of_linspace)
    handlers.setdefault(math.log, _of_log)


register()
