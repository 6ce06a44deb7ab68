# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What follows from random numbers and tensors, as eager mode computes it on the CPU: with the same numbers, the same result."""
import torch

from . import composes

aten = torch.ops.aten


@composes("native_dropout.default")
def native_dropout(x, p, train=True):
    if not train or p == 0:
        return x.clone(), torch.ones_like(x, dtype=torch.bool)
    if p == 1:
        return torch.zeros_like(x), torch.zeros_like(x, dtype=torch.bool)
    kept = aten.bernoulli.p(torch.empty_like(x), 1 - p)
    return x * (kept / (1 - p)), kept.to(torch.bool)


@composes("dropout.default")
def dropout(x, p, train):
    return native_dropout(x, p, train)[0] if train and p else x.clone()


@composes("bernoulli.default", "bernoulli.Tensor")
def bernoulli(x, p=None, *, generator=None):
    if generator is not None:
        return NotImplemented
    p = x if p is None else p
    dtype = torch.float64 if p.dtype == torch.float64 else torch.float32
    return (aten.rand.default(list(x.shape), dtype=dtype, device=x.device) < p).to(x.dtype)


@composes("normal.Tensor_float", "normal.float_Tensor", "normal.Tensor_Tensor")
def normal(mean, std=1.0, *, generator=None):
    if generator is not None:
        return NotImplemented
    if not isinstance(std, torch.Tensor):
        return aten.normal_functional.default(torch.empty_like(mean), 0.0, std) + mean
    shape = torch.broadcast_shapes(std.shape, mean.shape) if isinstance(mean, torch.Tensor) else std.shape
    return aten.randn.default(list(shape), dtype=std.dtype, device=std.device) * std + mean


@composes("multinomial.default")
def multinomial(x, count, replacement=False, *, generator=None):
    if generator is not None:
        return NotImplemented
    if not replacement or count == 1:  # the largest of quotients by numbers that are distributed exponentially
        scores = x / aten.exponential.default(torch.empty_like(x), 1.0)
        return torch.argmax(scores, -1, keepdim=True) if count == 1 else torch.topk(scores, count)[1]
    upto = torch.cumsum(x, -1)
    upto = upto / upto[..., -1:]
    drawn = aten.rand.default([*x.shape[:-1], count], dtype=torch.float64, device=x.device)
    found = (upto.unsqueeze(-2).to(torch.float64) < drawn.unsqueeze(-1)).sum(-1)
    return torch.clamp(found, max=x.shape[-1] - 1)


@composes("rrelu_with_noise_functional.default")
def rrelu(x, noise, lower=0.125, upper=1 / 3, training=False, generator=None):
    """In training eager mode draws a number for each element that is not above 0, in their order. How many that are depends on
    data, so that a number for each element is drawn here: what is drawn next is not what eager mode draws next."""
    if not training:
        return torch.where(x < 0, x * ((lower + upper) / 2), x), noise.clone()
    if generator is not None or x.device.type != "cpu":
        return NotImplemented
    drawn = aten.uniform.default(torch.empty([x.numel()], dtype=torch.float64), lower, upper).to(x.dtype)
    flat = (x <= 0).reshape([x.numel()])
    place = torch.clamp(torch.cumsum(flat.to(torch.int64), 0) - 1, min=0)
    factor = torch.where(flat, drawn.index_select(0, place), 1.0).to(x.dtype).reshape(x.shape)
    return x * factor, factor


@composes("rrelu_with_noise.default")
def rrelu_of_noise(x, noise, lower=0.125, upper=1 / 3, training=False, generator=None):
    made = rrelu(x, noise, lower, upper, training, generator)
    return made if made is NotImplemented else made[0]
