# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows of Fourier transforms, by the formulas that torch documents for them."""
import math

import torch

from . import composes


def _window(length, periodic, options, of):
    """A window of the length: `of(positions, intervals)`. A periodic one is the first part of one that is longer by one."""
    kind = {"dtype": options.get("dtype") or torch.get_default_dtype(), "device": options.get("device")}
    if length <= 1:
        return torch.ones(length, **kind)
    whole = length + 1 if periodic else length
    return of(torch.arange(whole, **kind), whole - 1)[:length]


def _hamming(length, periodic, alpha, beta, options):
    return _window(length, periodic, options, lambda at, last: alpha - beta * torch.cos(at * (2 * math.pi / last)))


@composes("hann_window.default", "hann_window.periodic")
def hann_window(length, periodic=True, **options):
    return _hamming(length, periodic, 0.5, 0.5, options)


@composes("hamming_window.default", "hamming_window.periodic", "hamming_window.periodic_alpha",
          "hamming_window.periodic_alpha_beta")
def hamming_window(length, periodic=True, alpha=0.54, beta=0.46, **options):
    return _hamming(length, periodic, alpha, beta, options)


@composes("bartlett_window.default", "bartlett_window.periodic")
def bartlett_window(length, periodic=True, **options):
    def of(at, last):
        rising = at * (2 / last)
        return torch.where(at <= last // 2, rising, 2 - rising)
    return _window(length, periodic, options, of)


@composes("blackman_window.default", "blackman_window.periodic")
def blackman_window(length, periodic=True, **options):
    def of(at, last):
        angle = at * (math.pi / last)
        return 0.08 * torch.cos(4 * angle) - 0.5 * torch.cos(2 * angle) + 0.42
    return _window(length, periodic, options, of)


@composes("kaiser_window.default", "kaiser_window.periodic", "kaiser_window.beta")
def kaiser_window(length, periodic=True, beta=12.0, **options):
    def of(at, last):
        from_middle = (at - last / 2) / (last / 2)
        whole = torch.full((), float(beta), dtype=at.dtype, device=at.device)
        return torch.special.i0(beta * torch.sqrt((1 - from_middle * from_middle).clamp(min=0))) / torch.special.i0(whole)
    return _window(length, periodic, options, of)


@composes("fft_fftfreq.default")
def fftfreq(length, spacing=1.0, **options):
    """As torch multiplies: by one number of the result's type."""
    kind = {"dtype": options.get("dtype") or torch.get_default_dtype(), "device": options.get("device")}
    half = (length - 1) // 2 + 1
    return torch.cat([torch.arange(half, **kind), torch.arange(half - length, 0, **kind)]) * (1.0 / (length * spacing))


@composes("fft_rfftfreq.default")
def rfftfreq(length, spacing=1.0, **options):
    kind = {"dtype": options.get("dtype") or torch.get_default_dtype(), "device": options.get("device")}
    return torch.arange(length // 2 + 1, **kind) * (1.0 / (length * spacing))
