# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which ATen operations are taken apart before lowering: those that torch knows how to and that Kiln
has no lowering for. What prim has whole (attention, softmax, norms, gelu, silu) stays whole, forward
and backward together: half of a pair taken apart gives wrong gradients."""
import functools

import torch

from . import draws
from .compositions import TABLE, of_libraries
from .lower import find, pairs


def table(is_drawn_inside=False):
    """For AOTAutograd, with what the libraries bring that are imported now."""
    return {**_own_table(is_drawn_inside), **of_libraries()}


@functools.lru_cache(maxsize=None)
def _own_table(is_drawn_inside):
    """What the table for torch.export takes apart as the dispatcher does is left to the dispatcher: to find all of that takes
    longer than to compile a small graph."""
    from torch._decomp import _core_aten_decompositions_post_autograd, decomposition_table
    from torch._export.utils import _is_preservable_cia_op
    from torch.export.decomp_utils import PRESERVED_ATEN_CIA_OPS
    named = _core_aten_decompositions_post_autograd().keys() | PRESERVED_ATEN_CIA_OPS
    made = {operation: function for operation, function in decomposition_table.items()
            if _counts(operation) and (operation in named or not _is_preservable_cia_op(operation) or _in_python(operation))}
    made.update({operation: function for operation, function in TABLE.items() if _counts(operation)})
    return {**made, **draws.PHILOX} if is_drawn_inside else made


def whole_table():
    """For torch.export, which keeps what the table does not name. Packages draw random numbers themselves."""
    from torch._decomp import core_aten_decompositions
    made = {operation: function for operation, function in core_aten_decompositions().items() if _counts(operation)}
    return {**made, **table(is_drawn_inside=True)}


def _in_python(operation):
    """Whether it is Python that takes the operation apart: without gradients the dispatcher does not call that."""
    return torch._C.DispatchKey.CompositeImplicitAutograd in operation.py_kernels


def _counts(operation):
    return isinstance(operation, torch._ops.OpOverload) and operation.namespace in ("aten", "prims") and not kept(operation)


def kept(operation):
    name = str(operation).partition(".")[2]
    return find(name) is not None or name in draws.PLAIN or name in pairs.ONLY
