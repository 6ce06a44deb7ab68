# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of packages with tensors of torch."""
import torch

from kiln._runtime import bind, exchange

#: How torch hands tensors over in C.
EXCHANGE = torch.Tensor.__dlpack_c_exchange_api__


def call(session, entry, given, complexes=b""):
    """The results of a package for tensors that lie in memory as they like. Results are complex where `complexes` has a 1."""
    made = exchange(session, entry, EXCHANGE, given, complexes)
    if made is None:  # some do not follow each other in memory, or a flag says that they are conjugate or negative
        made = exchange(session, entry, EXCHANGE, [one.resolve_conj().resolve_neg().contiguous() for one in given], complexes)
    return made


def bound(program, complexes=b"", forms=None, otherwise=None):
    """A function that hands its arguments to a package, and what comes out of it back. `forms`: the orders of arguments and layouts
    of results. `otherwise` gets arguments that lie in memory in another way; without it they are copied."""
    session, entry = program._session, program.default.name
    return bind(session, entry, EXCHANGE, otherwise or (lambda *arguments: call(session, entry, list(arguments), complexes)), complexes, forms)
