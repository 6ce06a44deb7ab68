# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that ATen composes of others in C++, and that look at values or exact sizes of tensors there: a graph that is traced has none.

torch takes these functions while it traces, for every backend; eager mode keeps its own. They compute the same, and leave out what eager
mode checks of values: that quantiles lie between 0 and 1, and that weights are not negative."""
import itertools

import torch

KEY = torch._C.DispatchKey.CompositeImplicitAutograd


def traced_as(name, key=KEY):
    """Registers a function for an operation of ATen, "quantile.scalar", unless torch has one in Python itself."""
    def register(function):
        packet, _, overload = name.partition(".")
        operation = getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)
        if operation is not None and key not in operation.py_kernels:
            operation.py_impl(key)(function)
        return function
    return register


@traced_as("cov")
def cov(x, *, correction=1, fweights=None, aweights=None):
    if x.dim() > 2 or x.dtype == torch.bool:
        raise RuntimeError("cov(): expected input to have two or fewer dimensions, and no truth values")
    x = x.reshape(1, -1) if x.dim() < 2 else x
    weights = aweights if fweights is None else fweights if aweights is None else fweights * aweights
    weighted = lambda x: x if weights is None else x * weights  # noqa: E731
    total = x.shape[1] if weights is None else weights.sum()
    mean = weighted(x).sum(1) / total
    if weights is None:
        count = max(total - correction, 0)
    else:
        free = correction if aweights is None or not correction else correction * (weights * aweights).sum() / total
        count = torch.clamp(total - free, min=0)
    apart = x - mean.unsqueeze(1)
    return torch.true_divide(torch.mm(apart, weighted(apart).t().conj()), count).squeeze()


@traced_as("cdist")
def cdist(x, y, p=2.0, compute_mode=None):
    """Between open numbers of points of few coordinates: torch's function asks whether there are more than 25, for which it multiplies
    matrices. The differences themselves are more exact."""
    counts, features = (x.shape[-2], y.shape[-2]), x.shape[-1]
    if isinstance(features, torch.SymInt) and features.node.has_hint():
        features = features.node.hint  # those of this call: the result is right for others, too
    if not compute_mode and any(isinstance(n, torch.SymInt) for n in counts) and isinstance(features, int) and features <= 32:
        compute_mode = 2
    return torch.ops.aten.cdist.default._op_dk(KEY, x, y, p, compute_mode)


@traced_as("max_pool1d")
def max_pool1d(x, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    """Of a length that is open; torch's function takes a number."""
    return torch.ops.aten.max_pool1d_with_indices(x, kernel_size, stride, padding, dilation, ceil_mode)[0]


@traced_as("max_pool1d_with_indices")
def max_pool1d_with_indices(x, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    """Of images of one row."""
    stride = stride or kernel_size
    wide = lambda one, other: [other, *one] if isinstance(one, (list, tuple)) else [other, one]  # noqa: E731
    about = wide(kernel_size, 1), wide(stride, 1), wide(padding, 0), wide(dilation, 1), ceil_mode
    return tuple(one.squeeze(-2) for one in torch.ops.aten.max_pool2d_with_indices(x.unsqueeze(-2), *about))


@traced_as("fake_quantize_per_channel_affine_cachemask_backward")
@traced_as("fake_quantize_per_tensor_affine_cachemask_backward")
def fake_quantize_backward(grad, inside):
    return grad * inside


@traced_as("affine_grid_generator", torch._C.DispatchKey.Autograd)
def affine_grid_generator(theta, size, align_corners):
    """The gradient of torch's function takes no open sizes, and its own decomposition makes a graph for each size."""
    torch._check(theta.shape[0] == size[0], lambda: "affine_grid(): expected as many transformations as images")

    def along(n):
        """Types of 16 bits cannot count the places."""
        place = 2 * torch.arange(n, dtype=torch.promote_types(theta.dtype, torch.float32), device=theta.device) + (1 - n)
        return (place / (torch.sym_max(n - 1, 1) if align_corners else n)).to(theta.dtype)
    inner = size[2:]
    places = torch.meshgrid(*map(along, inner), indexing="ij")
    base = torch.stack([*places[::-1], torch.ones_like(places[0])], -1)
    return (base.flatten(0, -2) @ theta.mT).unflatten(1, inner)


@traced_as("combinations")
def combinations(x, r=2, with_replacement=False):
    """How many there are does not depend on the elements: their places are a constant."""
    if x.dim() != 1 or r < 0:
        raise RuntimeError("combinations(): expected a vector, and a length that is not negative")
    if not r:
        return x.new_empty([0])
    chosen = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = torch.tensor(list(chosen(range(int(x.shape[0])), r)), dtype=torch.int64, device=x.device).reshape(-1, r)
    return x.index_select(0, places.reshape(-1)).reshape(places.shape)


@traced_as("multilabel_margin_loss")
def multilabel_margin_loss(x, target, reduction=1):
    """Of the labels before the first -1. PyTorch's own decomposition adds terms of the label 0 for those that are not there."""
    if x.dim() == 0:
        x, target = x.reshape(1), target.reshape(1)
    if x.dim() > 2 or not x.shape[-1] or target.shape != x.shape:
        raise RuntimeError("multilabel_margin_loss(): expected vectors or matrices of one shape")
    count = x.shape[-1]
    place = torch.arange(count, device=x.device)
    is_there = place < torch.where(target == -1, place, count).amin(-1, keepdim=True)
    label = torch.where(is_there, target, 0)
    is_label = ((label.unsqueeze(-1) == place) & is_there.unsqueeze(-1)).any(-2)
    terms = 1 - x.gather(-1, label).unsqueeze(-1) + x.unsqueeze(-2)
    terms = torch.where(terms > 0, terms, 0)  # NaN is no loss
    made = torch.where(is_there.unsqueeze(-1) & ~is_label.unsqueeze(-2), terms, 0).sum((-2, -1)) / count
    return made if reduction == 0 else made.mean() if reduction == 1 else made.sum()


def _quantile(x, q, dim, keepdim, interpolation, ignores_nan):
    if x.dtype not in (torch.float32, torch.float64) or not x.numel():
        raise RuntimeError("quantile(): expected elements, of type float or double")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(f"quantile(): no interpolation {interpolation!r}")
    rows = x.reshape(-1) if dim is None else x.movedim(dim, -1) if x.dim() else x.reshape(1)
    nan, last = torch.isnan(rows), rows.shape[-1] - 1
    places = q.reshape(-1)
    if ignores_nan:
        ranks = torch.clamp(places * ((~nan).sum(-1, keepdim=True) - 1), min=0)
    else:
        ranks = torch.where(nan.any(-1, keepdim=True), last, places * last)
    if interpolation in ("lower", "higher", "nearest"):
        ranks = {"lower": torch.floor, "higher": torch.ceil, "nearest": torch.round}[interpolation](ranks)
    ranks = ranks.expand(*rows.shape[:-1], places.shape[0])
    below = wanted = ranks.to(torch.int64)
    between = interpolation in ("linear", "midpoint")
    if between:
        wanted = torch.cat([below, torch.ceil(ranks).to(torch.int64)], -1)
    # One question to the order: GPUs find the elements of few ranks without a sort.
    made = rows.gather(-1, torch.sort(rows, dim=-1, stable=True)[1].gather(-1, wanted))
    if between:
        made, above = made.chunk(2, -1)
        weight = torch.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
        made = torch.lerp(made, above, weight)
    made = made.movedim(-1, 0)  # one quantile after the other
    if keepdim:
        made = made.unsqueeze(dim % x.dim() + 1) if dim is not None and x.dim() else made.reshape([-1] + [1] * x.dim())
    return made if q.dim() else made.squeeze(0)


def _quantiles(name, ignores_nan):
    @traced_as(name)
    def of_tensor(x, q, dim=None, keepdim=False, *, interpolation="linear"):
        return _quantile(x, q, dim, keepdim, interpolation, ignores_nan)

    @traced_as(name + ".scalar")
    def of_number(x, q, dim=None, keepdim=False, *, interpolation="linear"):
        return _quantile(x, torch.full((), q, dtype=x.dtype, device=x.device), dim, keepdim, interpolation, ignores_nan)


_quantiles("quantile", False)
_quantiles("nanquantile", True)
