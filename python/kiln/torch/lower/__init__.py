# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How each ATen operation becomes prims: one table, filled by one file for each family.

An entry is a function of the builder (a Prim), what the operation gives (`Out`, or a list of them)
and the operation's arguments, where tensors are Values. It returns a Value, a list, or None for
results that nobody uses. It raises Unsupported for what it is not sure of."""

TABLE = {}


def lowers(*names):
    """Registers a function for operations: "add.Tensor" is one overload, "add" stands for all."""
    def register(function):
        for name in names:
            assert name not in TABLE, name
            TABLE[name] = function
        return function
    return register


def find(name):
    """The function for "add.Tensor", or None."""
    return TABLE.get(name) or TABLE.get(name.split(".")[0])


from . import (attention, backward, bits, collective, complexes, counted, creation, elementwise, foreach, grouped, indexing, linear, matmul, movement, norms,  # noqa: E402,F401
               pooling, reductions, convolution)
