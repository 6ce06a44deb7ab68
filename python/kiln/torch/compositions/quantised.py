# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products whose weights are integers of 8 and 4 bits, in the layouts that torch's own kernels have on a CPU."""
import functools

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.utils._python_dispatch import _disable_current_modes

from . import composes


@composes("_weight_int8pack_mm.default")
def weight_int8pack_mm(x, weight, scales):
    """x (m, k), weight (n, k) of int8, scales (n)."""
    made = torch.mm(x.float(), weight.float().t()) * scales.float()
    return made.to(x.dtype)


def _rows(packed, block):
    """The numbers from 0 to 15 of a packed weight, (n, k), of bytes (n, k / 2): rows are packed in blocks, column after
    column. In a whole block of `block` rows a byte has row i and row i + block / 2, in one of fewer rows 2 i and 2 i + 1."""
    n, k = packed.shape[0], packed.shape[1] * 2
    whole = n // block * block if block else 0
    flat = packed.reshape(-1).to(torch.int32)
    low, high = flat & 15, flat >> 4
    parts, end = [], whole * k // 2
    if whole:
        halves = [one[:end].reshape(whole // block, k, block // 2) for one in (low, high)]
        parts.append(torch.cat(halves, 2).transpose(1, 2).reshape(whole, k))
    for begin in range(whole, n, block or n):
        count = min(n - begin, block or n)
        end = begin * k // 2
        pairs = torch.stack([one[end:end + count * k // 2].reshape(k, count // 2) for one in (low, high)], 2)
        parts.append(pairs.reshape(k, count).t())
    return torch.cat(parts) if len(parts) > 1 else parts[0]


@functools.lru_cache(maxsize=None)
def _block():
    """How many rows torch packs together on this processor, found by packing known numbers; None if in another way."""
    with unset_fake_temporarily(), _disable_current_modes(), torch.random.fork_rng(devices=[]):
        known = torch.randint(0, 16, (144, 32), dtype=torch.int32, generator=torch.Generator().manual_seed(0))
        packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(known, 1)
        for block in (64, 32, 16, 0):
            if torch.equal(_rows(packed, block), known):
                return block
    return None


@composes("_weight_int4pack_mm_for_cpu.default")
def weight_int4pack_mm_for_cpu(x, packed, group, scales_and_zeros):
    """x (m, k); scales and zeros (k / group, n, 2): a weight is (number - 8) * scale + zero."""
    block = _block()
    if block is None or not isinstance(packed.shape[0], int) or not isinstance(packed.shape[1], int):
        return NotImplemented
    n, k = packed.shape[0], packed.shape[1] * 2
    numbers = (_rows(packed, block) - 8).float().reshape(n, k // group, group)
    scales, zeros = scales_and_zeros.float().transpose(0, 1).unbind(2)
    weight = (numbers * scales.unsqueeze(2) + zeros.unsqueeze(2)).reshape(n, k)
    return torch.mm(x.float(), weight.t()).to(x.dtype)


def _rounded_to_steps(x, scale, zero, low, high):
    """x as a multiple of the scale that integers from `low` to `high` stand for, and where it was within them."""
    wide = x.to(torch.float32) if x.dtype in (torch.float16, torch.bfloat16) else x
    steps = torch.round(wide * (1.0 / scale)) + zero
    return ((steps.clamp(low, high) - zero) * scale).to(x.dtype), (steps >= low) & (steps <= high)


@composes("fake_quantize_per_tensor_affine_cachemask.default")
def fake_quantize(x, scale, zero, low, high):
    return _rounded_to_steps(x, torch.full((), scale, dtype=torch.float32), zero, low, high)


@composes("_fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default")
def fake_quantize_by_tensors(x, scale, zero, enabled, low, high):
    made, inside = _rounded_to_steps(x, scale.reshape(()), zero.reshape(()), low, high)
    is_on = enabled.reshape(()) != 0
    return torch.where(is_on, made, x), inside | ~is_on


@composes("fake_quantize_per_channel_affine_cachemask.default")
def fake_quantize_channels(x, scale, zero, axis, low, high):
    shape = [-1 if d == axis % x.dim() else 1 for d in range(x.dim())]
    return _rounded_to_steps(x, scale.reshape(shape), zero.reshape(shape), low, high)


@composes("fake_quantize_per_tensor_affine_cachemask_backward.default", "fake_quantize_per_channel_affine_cachemask_backward.default")
def fake_quantize_backward(grad, inside):
    return torch.where(inside, grad, 0.0)
