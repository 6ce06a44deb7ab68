# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear interpolation to other sizes, whose gradients are sums over windows of the result.

torch takes these operations apart before autograd sees them: each element is then a sum of gathers, and its gradient adds at
computed places, by atomics on a GPU. `by_windows` takes them apart here instead, while a graph is traced."""
import contextlib
import functools
import itertools
import math
import threading

import torch

from .pooling import _wide

aten = torch.ops.aten
_KEYS = (torch._C.DispatchKey.Autograd, torch._C.DispatchKey.CompositeImplicitAutograd)
#: How far, in elements of the image, rounding may move a sampling position.
_SLACK = 2e-3
#: The most elements along a dimension: windows are found by going through all of them.
_MOST = 1 << 17
#: How many graphs this thread traces for Kiln, and all of them; torch's kernels, which stand aside meanwhile.
_OWN = threading.local()
_LOCK, _KEPT, _USERS = threading.Lock(), [], 0


def _step(size, made, aligned, factor):
    """How far the sampling positions are apart, in elements of the image."""
    if aligned:
        return (size - 1.0) / (made - 1.0) if made > 1 else 0.0
    return 1.0 / factor if factor is not None and factor > 0 else size / made


def _is_kept(size, made, step):
    """Whether the result has the same elements along a dimension."""
    return size == made and step == 1


def _taps(place, size, step, aligned, dtype):
    """(lower place, upper place, weight of the upper one) in the image, for elements at `place` of the result."""
    place = place.to(dtype)
    at = (step * place if aligned else step * (place + 0.5) - 0.5).clamp(min=0.0)
    low = at.to(torch.int64)
    return low, (low + 1).clamp(max=size - 1), (at - low).clamp(0.0, 1.0)


@functools.lru_cache(256)
def _window(size, made, step, aligned):
    """(shift, slope, count): the elements of the result that read place j are among the `count` from `(j * slope + shift) >> 20`
    on. None if such windows are much longer than what reads a place."""
    if step <= 0 or max(size, made) > _MOST:
        return None
    offset = 0.0 if aligned else 0.5 / step - 0.5
    first = [0 if j == 0 else max(0, math.ceil((j - 1 - _SLACK) / step + offset)) for j in range(size)]
    last = [made - 1 if j == size - 1 else min(made - 1, math.floor((j + 1 + _SLACK) / step + offset)) for j in range(size)]
    slope = int(2 ** 20 / step)
    shift = min((start << 20) - j * slope for j, start in enumerate(first))
    count = max(1, max(end - (j * slope + shift >> 20) + 1 for j, end in enumerate(last)))
    return (shift, slope, count) if count <= 2 / step + 8 else None


def _is_channels_last(x):
    """Whether the channels of an image are neighbours in memory, and remain so in the result of eager mode."""
    form = torch._prims_common.suggest_memory_format(x)
    return form in (torch.channels_last, torch.channels_last_3d) and not (x.device.type == "cuda" and x.shape[1] < 16)


class _Interpolated(torch.autograd.Function):
    """Images, as [n, channels, ...], at `made` places along each further dimension, which are `steps` apart."""

    @staticmethod
    def forward(ctx, x, made, aligned, steps):
        ctx.shape, ctx.dtype, ctx.made, ctx.aligned, ctx.steps = x.shape, x.dtype, made, aligned, steps
        ctx.is_last = _is_channels_last(x)
        dims, wide, places, weights = len(made), torch.promote_types(x.dtype, torch.float32), [], []
        for d, (size, count, step) in enumerate(zip(x.shape[2:], made, steps)):
            low, high, weight = _taps(torch.arange(count, device=x.device), size, step, aligned, wide)
            behind = [-1] + [1] * (dims - 1 - d)
            if _is_kept(size, count, step):
                places.append([low.reshape(behind)])
                continue
            places.append([low.reshape(behind), high.reshape(behind)])
            weights.append(weight.reshape(behind + [1] * ctx.is_last))
        # Gathers read the image as it lies in memory, before its elements are widened.
        image, before = (x.movedim(1, -1), [None]) if ctx.is_last else (x, [None, None])
        parts = [aten._unsafe_index(image, before + list(chosen)).to(wide) for chosen in itertools.product(*places)]
        for weight in reversed(weights):
            # As eager mode weighs them: differences of infinite elements would be NaN.
            parts = [a * (1 - weight) + b * weight for a, b in zip(parts[::2], parts[1::2])]
        result = parts[0].to(x.dtype)
        return result.movedim(-1, 1) if ctx.is_last else result

    @staticmethod
    def backward(ctx, grad):
        dims = len(ctx.made)
        total, begin = (grad.movedim(1, -1), 1) if ctx.is_last else (grad, 2)
        wide = _wide(grad).dtype
        for d, (size, made, step) in enumerate(zip(ctx.shape[2:], ctx.made, ctx.steps)):
            if _is_kept(size, made, step):
                continue
            shift, slope, count = _window(size, made, step, ctx.aligned)
            own = torch.arange(size, device=grad.device).unsqueeze(1)
            reader = (own * slope + shift >> 20) + torch.arange(count, device=grad.device)
            low, high, weight = _taps(reader, size, step, ctx.aligned, wide)
            is_low, is_high = low == own, high == own
            reads = (is_low | is_high) & (reader >= 0) & (reader < made)
            share = torch.where(is_low, 1 - weight, 0.0) + torch.where(is_high, weight, 0.0)
            shape = [size, count] + [1] * (dims - 1 - d + ctx.is_last)
            part = aten._unsafe_index(total, [None] * (begin + d) + [reader.clamp(0, made - 1)]).to(wide)
            total = torch.where(reads.reshape(shape), part * share.reshape(shape), 0.0).sum(begin + d + 1)
        return (total.movedim(-1, 1) if ctx.is_last else total).to(ctx.dtype), None, None, None


def _takes_apart(x, made, aligned, steps):
    """Whether the sizes are known and nothing but autograd transforms the graph."""
    sizes = [*x.shape[1:], *made]
    return (x.is_floating_point() and all(isinstance(size, int) and size > 0 for size in sizes)
            and torch._C._functorch.peek_interpreter_stack() is None and torch.autograd.forward_ad._current_level < 0
            and all(_window(*one, aligned) for one in zip(x.shape[2:], made, steps)))


def _by_windows(before):
    def resize(x, output_size, align_corners, scale_factors=None, *more):
        known = all(isinstance(size, int) for size in [*x.shape[1:], *(output_size or [])])
        if not getattr(_OWN, "graphs", 0) or not known:
            return before(x, output_size, align_corners, scale_factors, *more)
        factors = scale_factors if isinstance(scale_factors, (list, tuple)) else [scale_factors, *more]
        made = list(output_size) if output_size else [int(size * factor) for size, factor in zip(x.shape[2:], factors)]
        factors = factors if len(factors) == len(made) else [None] * len(made)
        steps = [_step(size, count, align_corners, factor) for size, count, factor in zip(x.shape[2:], made, factors)]
        if not _takes_apart(x, made, align_corners, steps):
            return before(x, output_size, align_corners, scale_factors, *more)
        form = torch._prims_common.suggest_memory_format(x) if _is_channels_last(x) else torch.contiguous_format
        if all(_is_kept(*one) for one in zip(x.shape[2:], made, steps)):
            return x.clone(memory_format=form)
        return _Interpolated.apply(x, made, align_corners, steps).contiguous(memory_format=form)
    return resize


def _install():
    for name in ("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d"):
        packet = getattr(aten, name)
        for overload in (packet.default, packet.vec):
            for key in _KEYS:
                before = overload.py_kernels.get(key)
                if before is not None:
                    _KEPT.append((overload, key, before))
                    overload.py_kernels[key] = _by_windows(before)
                    overload._dispatch_cache.clear()


def _remove():
    for overload, key, before in _KEPT:
        overload.py_kernels[key] = before
        overload._dispatch_cache.clear()
    _KEPT.clear()


@contextlib.contextmanager
def by_windows():
    """Traces linear interpolation so that its gradients read the result's, in place of adding to the image's at computed places.
    Other threads that trace meanwhile see torch's own kernels."""
    global _USERS
    with _LOCK:
        if not _USERS:
            _install()
        _USERS += 1
    _OWN.graphs = getattr(_OWN, "graphs", 0) + 1
    try:
        yield
    finally:
        _OWN.graphs -= 1
        with _LOCK:
            _USERS -= 1
            if not _USERS:
                _remove()
