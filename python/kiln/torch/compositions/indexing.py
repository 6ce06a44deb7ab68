# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading and writing at computed positions."""
import math

import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from . import composes


@composes("masked_scatter.default")
def masked_scatter(x, mask, source):
    """Each element that the mask says has the number of those before it."""
    x, mask = torch.broadcast_tensors(x, mask)
    source = source.reshape(-1)
    many = source.shape[0]
    if free_unbacked_symbols(many):  # as many as the mask has, maybe none: with an element that counts for nothing
        source, most = torch.cat([source, torch.zeros(1, dtype=source.dtype)]), None
    elif many:
        most = many - 1
    else:
        return x.clone()
    number = torch.cumsum(mask.reshape(-1).to(torch.int64), 0) - 1
    return torch.where(mask, source[torch.clamp(number, 0, most)].reshape(x.shape), x)


@composes("masked_scatter_backward.default")
def masked_scatter_backward(grad, mask, sizes):
    """What the mask says, one after the other, and zeros."""
    count = 1
    for n in sizes:
        count *= n
    mask = mask.expand(grad.shape).reshape(-1)
    number = torch.cumsum(mask.to(torch.int64), 0) - 1
    to = torch.where(mask & (number < count), number, count)
    made = torch.zeros(count + 1, dtype=grad.dtype).scatter(0, to, grad.reshape(-1))
    return made[:count].reshape(list(sizes))


def _replicated_backward(grad, x, padding):
    """Each element of the gradient goes to the place that it was read from."""
    made = grad
    for d in range(len(padding) // 2):
        dim, low = x.dim() - 1 - d, padding[2 * d]
        place = torch.clamp(torch.arange(made.shape[dim]) - low, 0, x.shape[dim] - 1)
        shape = [x.shape[dim] if e == dim else n for e, n in enumerate(made.shape)]
        made = torch.zeros(shape, dtype=grad.dtype).index_add(dim, place, made)
    return made


for _count in (1, 2, 3):
    composes(f"replication_pad{_count}d_backward.default")(_replicated_backward)


@composes("_embedding_bag_backward.default")
def embedding_bag_backward(grad, indices, offsets, bag, sizes, best, rows, scale_grad_by_freq, mode, sparse,
                           per_sample_weights, padding_idx=-1):
    return NotImplemented if sparse else embedding_bag_dense_backward(
        grad, indices, bag, sizes, best, rows, scale_grad_by_freq, mode, per_sample_weights, padding_idx)


@composes("diagonal_scatter.default")
def diagonal_scatter(x, source, offset=0, dim1=0, dim2=1):
    moved = x.movedim((dim1, dim2), (-2, -1))
    row, column = torch.arange(moved.shape[-2]).unsqueeze(1), torch.arange(moved.shape[-1])
    length = source.shape[-1]
    if not length:
        return x.clone()
    number = torch.clamp((row if offset >= 0 else column).expand(moved.shape[-2:]), 0, length - 1)
    spread = source[..., number]
    made = torch.where(column - row == offset, spread.to(x.dtype), moved)
    return made.movedim((-2, -1), (dim1, dim2))


@composes("as_strided_scatter.default")
def as_strided_scatter(x, source, size, stride, storage_offset=None):
    if not x.is_contiguous():
        return NotImplemented
    order = sorted(range(len(size)), key=lambda d: (-stride[d], d))
    behind = [math.prod(size[e] for e in order[i + 1:]) for i in range(len(order))]
    if not storage_offset and x.numel() == source.numel() and all(
            size[d] == 1 or stride[d] == step for d, step in zip(order, behind)):
        return source.permute(order).contiguous().reshape(x.shape).to(x.dtype)  # all elements are written
    place = torch.full(list(size), storage_offset or 0, dtype=torch.int64)
    for d, (n, step) in enumerate(zip(size, stride)):
        place = place + (torch.arange(n) * step).reshape([n if e == d else 1 for e in range(len(size))])
    return x.reshape(-1).index_put([place.reshape(-1)], source.reshape(-1).to(x.dtype)).reshape(x.shape)


@composes("index_reduce.default")
def index_reduce(x, dim, index, source, reduce, *, include_self=True):
    if not x.dim():
        return torch.scatter_reduce(x.reshape(1), 0, index.reshape(-1), source.reshape(-1), reduce,
                                    include_self=include_self).reshape([])
    index = index.reshape([-1 if d == dim % x.dim() else 1 for d in range(x.dim())]).expand(source.shape)
    return torch.scatter_reduce(x, dim, index, source, reduce, include_self=include_self)


def _bags(indices, offsets, last):
    """The bag of each index."""
    offsets = offsets[:-1] if last else offsets
    return torch.searchsorted(offsets, torch.arange(indices.shape[0], dtype=offsets.dtype), right=True) - 1, offsets.shape[0]


@composes("_embedding_bag.default", "_embedding_bag_forward_only.default")
def embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
                  include_last_offset=False, padding_idx=-1):
    bag, count = _bags(indices, offsets, include_last_offset)
    rows = weight[indices]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    counted = torch.ones_like(indices) if padding_idx < 0 else (indices != padding_idx).to(indices.dtype)
    sizes = torch.zeros(count, dtype=indices.dtype).index_add(0, bag, counted)
    shape = (count, weight.shape[1])
    unknown = torch.zeros(0, dtype=indices.dtype)
    if mode == 2:
        rows = torch.where(counted.unsqueeze(1) != 0, rows, float("-inf"))
        wide = bag.unsqueeze(1).expand(rows.shape)
        made = torch.full(shape, float("-inf"), dtype=rows.dtype).scatter_reduce(0, wide, rows, "amax")
        made = torch.where(sizes.unsqueeze(1) != 0, made, 0)
        mine = torch.where(rows == made[bag], indices.unsqueeze(1).expand(rows.shape), -1)
        best = torch.full(shape, -1, dtype=indices.dtype).scatter_reduce(0, wide, mine, "amax")
        return made, bag, sizes, torch.clamp(best, min=0)
    rows = rows * counted.unsqueeze(1).to(rows.dtype) if padding_idx >= 0 else rows
    made = torch.zeros(shape, dtype=torch.float32 if rows.dtype in (torch.bfloat16, torch.float16) else rows.dtype)
    made = made.index_add(0, bag, rows.to(made.dtype))
    if mode == 1:
        made = made / torch.clamp(sizes, min=1).unsqueeze(1)
    return made.to(rows.dtype), bag, sizes, unknown


@composes("_embedding_bag_dense_backward.default")
def embedding_bag_dense_backward(grad, indices, bag, sizes, best, rows, scale_grad_by_freq, mode, per_sample_weights,
                                 padding_idx=-1):
    if scale_grad_by_freq:
        return NotImplemented
    made = torch.zeros((rows, grad.shape[1]), dtype=grad.dtype)
    if mode == 2:
        grad = torch.where(sizes.unsqueeze(1) != 0, grad, 0)
        return made.scatter_add(0, best, grad)
    each = grad[bag]
    if mode == 1:
        each = each / sizes[bag].clamp(min=1).unsqueeze(1).to(grad.dtype)
    if per_sample_weights is not None:
        each = each * per_sample_weights.unsqueeze(1)
    if padding_idx >= 0:
        each = torch.where((indices != padding_idx).unsqueeze(1), each, 0)
    return made.index_add(0, indices, each)


@composes("_embedding_bag_per_sample_weights_backward.default")
def embedding_bag_weights_backward(grad, weight, indices, offsets, bag, mode, padding_idx=-1):
    made = (grad[bag] * weight[indices]).sum(1)
    return torch.where(indices != padding_idx, made, 0) if padding_idx >= 0 else made


@composes("put.default")
def put(x, index, source, accumulate=False):
    made = x.reshape(-1).index_put([index.reshape(-1)], source.reshape(-1), accumulate)
    return made.reshape(x.shape)


@composes("take.default")
def take(x, index):
    return x.reshape(-1)[index.reshape(-1)].reshape(index.shape)


@composes("nonzero_static.default")
def nonzero_static(x, *, size, fill_value=-1):
    """The first `size` places: each goes to the number of those before it, or nowhere."""
    if not x.dim():
        return torch.zeros((size, 0), dtype=torch.int64)
    mask = (x != 0).reshape(-1)
    number = torch.cumsum(mask.to(torch.int64), 0) - 1
    to = torch.where(mask & (number < size), number, size)
    flat = torch.full((size + 1,), -1, dtype=torch.int64).scatter(0, to, torch.arange(mask.shape[0]))[:size]
    columns, rest = [], flat
    for n in reversed(x.shape):
        columns.append(torch.where(flat < 0, fill_value, rest % max(n, 1)))
        rest = rest // max(n, 1)
    return torch.stack(columns[::-1], 1)


@composes("embedding_renorm.default")
def embedding_renorm(weight, indices, max_norm, norm_type):
    wide = weight.to(torch.float32) if weight.dtype in (torch.bfloat16, torch.float16) else weight
    norm = torch.linalg.vector_norm(wide, norm_type, dim=1, keepdim=True).to(weight.dtype)
    used = torch.zeros(weight.shape[0], dtype=torch.int64).index_fill(0, indices.reshape(-1), 1) != 0
    return torch.where(used.unsqueeze(1) & (norm > max_norm), weight * (max_norm / (norm + 1e-7)), weight)


@composes("resize.default")
def resize(x, size, *, memory_format=None):
    """The first elements; behind them whatever there is."""
    count, flat = 1, x.reshape(-1)
    for n in size:
        count *= n
    flat = flat[:count] if count <= x.numel() else torch.cat([flat, torch.zeros(count - x.numel(), dtype=x.dtype)])
    return flat.reshape(list(size))


@composes("roll.default")
def roll(x, shifts, dims=()):
    """Two pieces that change places; torch's own decomposition gathers each element by a computed index."""
    shifts, dims = ([v] if isinstance(v, int) else list(v) for v in (shifts, dims))
    if not dims:
        return roll(x.reshape(-1), shifts, [0]).reshape(x.shape)
    if not all(isinstance(v, int) for v in (*shifts, *(x.shape[d] for d in dims))):
        return torch._decomp.decomposition_table[torch.ops.aten.roll.default](x, shifts, dims)
    for shift, dim in zip(shifts, dims, strict=True):
        size = x.shape[dim]
        shift = shift % size if size else 0
        if shift:
            x = torch.cat([x.narrow(dim, size - shift, shift), x.narrow(dim, 0, size - shift)], dim)
    return x
