# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exchanges between the processes of torch.distributed: what torch.compile makes of them."""
from . import lowers
from .common import Unsupported, static

COMBINERS = {"sum": "add", "avg": "add", "product": "mul", "min": "min", "max": "max",
             "band": "and", "bor": "or", "bxor": "xor"}


def ranks_of(group_name):
    """The ranks of a process group, by the name that the graph has for it."""
    import torch.distributed as dist
    from torch.distributed import distributed_c10d

    from ..world import join
    join()
    return dist.get_process_group_ranks(distributed_c10d._resolve_process_group(group_name))


def groups(ranks):
    return f"groups [[{', '.join(map(str, ranks))}]]"


def combined(b, x, operation, make, count):
    """A combination, made in the type that prim has for it."""
    if operation not in COMBINERS:
        raise Unsupported(f"a reduction '{operation}'")
    combiner = COMBINERS[operation]
    if x.dtype.startswith("u") and combiner in ("min", "max"):
        combiner = "u" + combiner
    if x.dtype == "i1":
        if combiner not in ("and", "or", "xor", "min", "max"):
            raise Unsupported(f"a reduction '{operation}' of truth values")
        combiner = {"min": "and", "max": "or"}.get(combiner, combiner)
    made = make(combiner)
    if operation != "avg":
        return made
    return b.binary("div", made, b.full_like(count, made))


@lowers("_c10d_functional.all_reduce.default")
def all_reduce(b, out, x, operation, group):
    ranks = ranks_of(group)

    def make(combiner):
        return b.emit(f"prim.all_reduce {combiner} {x.name} {groups(ranks)} : {x.type}", x.dtype, x.shape)
    return combined(b, x, operation.lower(), make, len(ranks))


@lowers("_c10d_functional.all_gather_into_tensor.default")
def all_gather(b, out, x, size, group):
    ranks = ranks_of(group)
    x = x if x.rank else b.reshape(x, (1,))
    shape = (x.shape[0] * len(ranks), *x.shape[1:])
    return b.emit(f"prim.all_gather {x.name} dim 0 {groups(ranks)} : {x.type} -> {b._type(x.dtype, shape)}", x.dtype, shape)


@lowers("_c10d_functional.reduce_scatter_tensor.default")
def reduce_scatter(b, out, x, operation, size, group):
    ranks = ranks_of(group)
    shape = (static(x.shape[0]) // len(ranks), *x.shape[1:])

    def make(combiner):
        return b.emit(f"prim.reduce_scatter {combiner} {x.name} dim 0 {groups(ranks)} : {x.type} -> "
                      f"{b._type(x.dtype, shape)}", x.dtype, shape)
    return combined(b, x, operation.lower(), make, len(ranks))


@lowers("_c10d_functional.all_to_all_single.default")
def all_to_all(b, out, x, output_sizes, input_sizes, group):
    ranks = ranks_of(group)
    if len(set(output_sizes)) != 1 or list(output_sizes) != list(input_sizes):
        raise Unsupported("parts of different sizes")
    return b.emit(f"prim.all_to_all {x.name} split 0 concat 0 {groups(ranks)} : {x.type} -> {x.type}", x.dtype, x.shape)


@lowers("_c10d_functional.broadcast.default")
def broadcast(b, out, x, source, group):
    ranks = ranks_of(group)
    first = ranks[source]
    order = [first] + [rank for rank in ranks if rank != first]
    return b.emit(f"prim.broadcast {x.name} {groups(order)} : {x.type}", x.dtype, x.shape)


@lowers("_c10d_functional.wait_tensor.default")
def wait_tensor(b, out, x):
    return x
