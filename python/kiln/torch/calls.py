# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of packages with tensors of torch."""
import torch

from kiln._runtime import bind, exchange

#: How torch hands tensors over in C.
EXCHANGE = torch.Tensor.__dlpack_c_exchange_api__


def call(session, entry, given):
    """The results of a package for tensors that lie in memory as they like."""
    made = exchange(session, entry, EXCHANGE, given)
    if made is None:  # some do not follow each other in memory
        made = exchange(session, entry, EXCHANGE, [one.contiguous() for one in given])
    return made


def bound(program):
    """A function that hands its arguments to a package, and what comes out of it back."""
    session, entry = program._session, program.default.name
    return bind(session, entry, EXCHANGE, lambda *arguments: call(session, entry, list(arguments)))
