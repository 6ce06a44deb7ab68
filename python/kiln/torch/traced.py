# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of open sizes for which Dynamo takes the sizes as numbers, so that each size would be a graph: `torch.linspace`
and the length of `torch.istft`.

Dynamo traces these functions in their place, for every backend, where they get a size that is a symbol. Eager mode keeps its own."""
import torch


def linspace(start, end, steps, *, dtype=None, device=None):
    """Counted from the nearer end, as eager mode does it. Types of 16 bits cannot count the places."""
    dtype = dtype or torch.get_default_dtype()
    place = torch.arange(steps, dtype=torch.promote_types(dtype, torch.float32), device=device)
    step = (end - start) / torch.sym_max(steps - 1, 1)
    made = torch.where((place < steps // 2) | (place == 0), start + place * step, end - (steps - 1 - place) * step)
    return made if made.is_complex() and not dtype.is_complex else made.to(dtype)


def istft(spectrum, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None):
    """Lines of as many elements as `length` says. That windows cover each of them, which eager mode checks, is not checked."""
    hop, width = n_fft // 4 if hop_length is None else hop_length, n_fft if win_length is None else win_length
    torch._check(spectrum.shape[-2] == n_fft // 2 + 1, lambda: "istft(): expected n_fft // 2 + 1 frequencies")
    torch._check(0 < width and width <= n_fft, lambda: "istft(): expected 0 < win_length <= n_fft")
    torch._check(0 < hop and hop <= width, lambda: "istft(): expected 0 < hop_length <= win_length")
    torch._check(window is None or window.shape == (width,), lambda: "istft(): expected a window of win_length elements")
    lines = spectrum if spectrum.dim() == 3 else spectrum.unsqueeze(0)
    made = torch.fft.irfft(lines.transpose(1, 2), n=n_fft, norm="ortho" if normalized else None)
    window = torch.ones(width, dtype=made.dtype, device=made.device) if window is None else window
    before = (n_fft - width) // 2
    window = torch.nn.functional.pad(window, (before, n_fft - width - before))
    count = made.shape[1]
    whole = n_fft + hop * (count - 1)
    start = n_fft // 2 if center else 0

    def added(parts):
        total = torch.ops.aten.unfold_backward(parts, [parts.shape[0], whole], 1, n_fft, hop)
        return torch.nn.functional.pad(total, (0, length))[:, start:start + length]
    is_there = torch.arange(start, start + length, device=made.device) < whole
    weights = torch.where(is_there, added((window * window).expand(1, count, n_fft)), 1)
    made = added(made * window) / weights
    return made if spectrum.dim() == 3 else made.squeeze(0)


def _is_open(value):
    from torch._dynamo.variables import SymNodeVariable
    return isinstance(value, SymNodeVariable)


def _traced(tx, function, args, kwargs):
    from torch._dynamo.variables.base import VariableTracker
    return tx.inline_user_function_return(VariableTracker.build(tx, function), args, kwargs)


def _of_linspace(variable, tx, *args, **kwargs):
    steps = args[2] if len(args) > 2 else kwargs.get("steps")
    ends = [*args[:2], *(kwargs[name] for name in ("start", "end") if name in kwargs)]
    if not _is_open(steps) or kwargs.keys() - {"start", "end", "steps", "dtype", "device"} or any(one.is_tensor() for one in ends):
        return None
    dtype = kwargs.get("dtype")
    is_real = dtype is None or not dtype.is_python_constant() or getattr(dtype.as_python_constant(), "is_floating_point", True)
    return _traced(tx, linspace, args, kwargs) if is_real else None


def _of_istft(variable, tx, *args, **kwargs):
    named = dict(zip(("input", "n_fft", "hop_length", "win_length", "window", "center", "normalized", "onesided", "length", "return_complex"), args))
    named |= kwargs
    is_usual = all(one.is_python_constant() and not one.as_python_constant() == is_other
                   for name, is_other in (("onesided", False), ("return_complex", True)) if (one := named.get(name)) is not None)
    named.pop("return_complex", None)
    if not _is_open(named.get("length")) or not is_usual or "n_fft" not in named:
        return None
    return _traced(tx, istft, [named.pop("input")], named)


def register():
    """Tells Dynamo, if this version of torch can be told so."""
    try:
        from torch._dynamo.variables.torch import TorchInGraphFunctionVariable
        handlers = TorchInGraphFunctionVariable._get_handlers()
    except (ImportError, AttributeError):
        return
    handlers.setdefault(torch.linspace, _of_linspace)
    handlers.setdefault(torch.istft, _of_istft)


register()
