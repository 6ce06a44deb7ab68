# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ATen operations that Kiln takes apart itself, written in torch's other operations, one file for each family.

An entry has the signature of its operation. It returns NotImplemented for what it leaves to a lowering, which
then says why it is unsupported."""
import functools

import torch
from torch.utils._pytree import tree_leaves

TABLE = {}
#: Operations of other libraries, which may be imported later: "torchvision::nms".
OF_LIBRARIES = {}


def _where_its_tensors_are(function):
    """The function, which makes new tensors on the device of its arguments."""
    @functools.wraps(function)
    def placed(*arguments, **options):
        devices = {one.device for one in tree_leaves((arguments, options)) if isinstance(one, torch.Tensor)}
        device = next((one for one in devices if one.type != "cpu"), None)
        if device is None:
            return function(*arguments, **options)
        with device:
            return function(*arguments, **options)
    return placed


def composes(*names):
    """Registers a function for operations of ATen: "median.dim"."""
    def register(function):
        placed = _where_its_tensors_are(function)
        for name in names:
            packet, _, overload = name.partition(".")
            namespace = torch.ops.aten
            if "::" in packet:
                namespace = getattr(torch.ops, packet.partition("::")[0])
                packet = packet.partition("::")[2]
            found = getattr(getattr(namespace, packet, None), overload or "default", None)
            if found is not None:  # versions of torch differ
                assert found not in TABLE, name
                TABLE[found] = placed
        return function
    return register


def composes_of(library, *names):
    """Registers a function for operations of another library."""
    def register(function):
        placed = _where_its_tensors_are(function)
        OF_LIBRARIES.update({(library, name): placed for name in names})
        return function
    return register


def of_libraries():
    """What is registered for the libraries that are imported."""
    made = {}
    for (library, name), function in OF_LIBRARIES.items():
        packet, _, overload = name.partition(".")
        found = getattr(getattr(getattr(torch.ops, library), packet, None), overload or "default", None)
        if found is not None:
            made[found] = function
    return made


from . import (attention, decomposed, foreach, gamma, indexing, linear, order, pooling, products, quantised, random, recurrent,  # noqa: E402,F401
               regions, resampling, segments, special, spectral, windows)
