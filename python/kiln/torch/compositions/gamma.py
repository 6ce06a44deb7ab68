# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of gamma, Dirichlet, Poisson and binomial distributions, and their gradients.

Eager mode draws until a proposal is accepted, and how often that is depends on data. Here each number has a fixed count of
proposals, of which the first accepted one is taken: the distribution is the same, the numbers are not."""
import math

import torch

from . import composes

aten = torch.ops.aten

#: Of a gamma distribution at least 95% of the proposals are accepted: of 1e10 numbers none has to take one that is not.
PROPOSALS = 8
#: Below this mean numbers of a Poisson or binomial distribution are counted, by a table of its first terms.
SMALL, TERMS = 10.0, 64
POISSON_PROPOSALS = BINOMIAL_PROPOSALS = 16


def _wide(x):
    return x.to(torch.float64 if x.dtype == torch.float64 else torch.float32)


def _first(accepted, values):
    """Of values along the first dimension the first that is accepted, or the last one."""
    made = values[-1]
    for k in range(values.shape[0] - 2, -1, -1):
        made = torch.where(accepted[k], values[k], made)
    return made


def _uniform(shape, like):
    """Numbers in (0, 1]."""
    return 1 - aten.rand.default(list(shape), dtype=like.dtype, device=like.device)


def _factors(alpha):
    """A gamma number as its factor for a shape of 1 or more, and the logarithm of the other, which is 0 for such shapes."""
    shape = _wide(alpha)
    is_small = shape < 1
    d = torch.where(is_small, shape + 1, shape) - 1 / 3
    c = torch.rsqrt(9 * d)
    normal = aten.randn.default([PROPOSALS, *alpha.shape], dtype=shape.dtype, device=alpha.device)
    v = (1 + c * normal) ** 3
    tiny = torch.finfo(v.dtype).tiny
    bound = 0.5 * normal * normal + d * (1 - v + torch.log(v.clamp(min=tiny)))
    accepted = (v > 0) & (torch.log(_uniform(v.shape, shape)) < bound)
    made = (d * _first(accepted, v)).clamp(min=tiny)
    return made, torch.where(is_small, torch.log(_uniform(alpha.shape, shape)) / shape, 0)


@composes("_standard_gamma.default")
def standard_gamma(alpha, generator=None):
    """By the method of Marsaglia and Tsang (A simple method for generating gamma variables, 2000). A shape below 1 is raised
    by 1, and the number is multiplied by a power of a uniform one."""
    if generator is not None:
        return NotImplemented
    made, logarithm = _factors(alpha)
    return (made * torch.exp(logarithm)).clamp(min=torch.finfo(alpha.dtype).tiny).to(alpha.dtype)


@composes("_sample_dirichlet.default")
def sample_dirichlet(alpha, generator=None):
    """Gamma numbers over their sum, by their logarithms: those of small shapes are less than any float is."""
    if generator is not None:
        return NotImplemented
    made, logarithm = _factors(alpha)
    about = torch.finfo(alpha.dtype)
    return torch.softmax(torch.log(made) + logarithm, -1).clamp(min=about.tiny, max=1 - about.eps / 2).to(alpha.dtype)


def halves(like):
    """Places s from 0 on to infinity, and weights, for integrals of what falls off as exp(-s) or faster: s = exp(z - exp(-z)) at
    places z that lie equally far apart."""
    step = 0.13
    z = torch.arange(64, dtype=like.dtype, device=like.device) * step - 3.6
    s = torch.exp(z - torch.exp(-z))
    weights = step * s * (1 + torch.exp(-z))
    return [one.reshape(-1, *[1] * like.dim()) for one in (s, weights)]


def _exact(x):
    """For integrals and logarithms of factorials; devices may lack functions of f64."""
    return x.to(torch.float64) if x.device.type == "cpu" else _wide(x)


@composes("_standard_gamma_grad.default")
def standard_gamma_grad(alpha, x):
    """The derivative of x by alpha where the distribution function at x stays the same: its derivative by alpha, an integral of
    the density times (log(t) - digamma(alpha)) up to x or, with the other sign, from there on, over the density at x."""
    a, x = _exact(alpha), _exact(x)
    is_low = x < a
    # t = x exp(-s) below x, and x exp(s) above; the scale is that on which the density falls off.
    low, high = torch.maximum(a - x, torch.minimum(a, a.sqrt())), torch.maximum(x - a, x.sqrt())
    scale = torch.where(is_low, 1 / low, torch.log1p(1 / high))
    s, weights = (one * scale for one in halves(a))
    s = torch.where(is_low, -s, s)
    density = torch.exp(a * s - x * torch.expm1(s))
    integral = (weights * density * (torch.log(x) + s - torch.digamma(a))).sum(0)
    return (x * torch.where(is_low, -integral, integral)).to(alpha.dtype)


@composes("_dirichlet_grad.default")
def dirichlet_grad(x, alpha, total):
    """The same of a beta distribution with the parameters alpha and total - alpha, over 1 - x."""
    about = torch.finfo(torch.float64 if x.dtype == torch.float64 else torch.float32)
    at, a, b = _exact(x).clamp(min=about.tiny, max=1 - about.eps / 2), _exact(alpha), _exact(total - alpha)
    is_low = at * (a + b) < a
    # t = x exp(-s) below x, and 1 - t = (1 - x) exp(-s) above.
    p, y, q = torch.where(is_low, a, b), torch.where(is_low, at, 1 - at), torch.where(is_low, b, a)
    apart = torch.maximum((a - at * (a + b)).abs() / (1 - y), torch.minimum(p, (a + b).sqrt()))
    s, weights = (one / apart for one in halves(a))
    rest = torch.log1p(-y * torch.expm1(-s) / (1 - y))
    logarithm = torch.where(is_low, torch.log(at) - s, torch.log(at) + rest)
    density = torch.exp((q - 1) * rest - p * s)
    integral = (weights * density * (logarithm - torch.digamma(a) + torch.digamma(a + b))).sum(0)
    # Times y over what the density at x leaves, and over 1 - x.
    return torch.where(is_low, -integral * at / (1 - at), integral).to(x.dtype)


def _passed(terms, drawn):
    """How many terms of the distribution function a uniform number is not below. Sums are rounded: the number is scaled by the
    last one, and terms do not count that are smaller than the steps between uniform numbers."""
    sums = terms.cumsum(-1)
    is_passed = (sums <= drawn.unsqueeze(-1) * sums[..., -1:]) & (terms > torch.finfo(terms.dtype).eps / 8)
    return is_passed.sum(-1).to(terms.dtype)


def _counted(mean, drawn):
    """Numbers of a Poisson distribution with a small mean, which follow from uniform ones."""
    mean = mean.clamp(min=1e-300 if mean.dtype == torch.float64 else 1e-37, max=SMALL).unsqueeze(-1)
    k = torch.arange(TERMS, dtype=mean.dtype, device=mean.device)
    return _passed(torch.exp(k * torch.log(mean) - mean - torch.lgamma(k + 1)), drawn)


def _few(mean):
    return _counted(mean, aten.rand.default(list(mean.shape), dtype=mean.dtype, device=mean.device))


def _apart(k, mean):
    """mean * ((1 + x) * log(1 + x) - x) with x = (k - mean) / mean, a power series where x is small."""
    x = (k - mean) / mean
    near = x.clamp(min=-0.1, max=0.1)
    series = 0.0
    for n in range(9, 1, -1):
        series = (-1) ** n / (n * (n - 1)) + near * series
    return mean * torch.where(x.abs() < 0.1, near * near * series, (1 + x) * torch.log1p(x) - x)


def _log_of_chance(k, mean):
    """The logarithm of the chance of k. For a large k its terms are as large as k, but their sum is not: Stirling's series is put
    in, and what remains is -_apart(k, mean)."""
    small = k.clamp(min=0, max=10)
    directly = small * torch.log(mean) - mean - torch.lgamma(small + 1)
    large = k.clamp(min=10)
    by_series = -_apart(large, mean) - 0.5 * torch.log(2 * math.pi * large) - 1 / (12 * large)
    return torch.where(k < 10, directly, by_series)


def _many(mean):
    """By transformed rejection (Hoermann, The transformed rejection method for generating Poisson random variables, 1993)."""
    mean = mean.clamp(min=SMALL)
    b = 0.931 + 2.53 * mean.sqrt()
    a = 0.02483 * b - 0.059
    shape = [POISSON_PROPOSALS, *mean.shape]
    u, v = aten.rand.default(shape, dtype=mean.dtype, device=mean.device) - 0.5, _uniform(shape, mean)
    us = 0.5 - u.abs()
    k = torch.floor((2 * a / us + b) * u + mean + 0.43)
    is_below = torch.log(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / (us * us) + b)) <= _log_of_chance(k, mean)
    accepted = (us >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2)) | (k >= 0) & ((us >= 0.013) | (v <= us)) & is_below
    return _first(accepted, torch.where(accepted, k, torch.floor(mean)))


@composes("poisson.default")
def poisson(x, generator=None):
    if generator is not None:
        return NotImplemented
    mean = _exact(x)
    return torch.where(mean < SMALL, _few(mean), _many(mean)).to(x.dtype)


def _few_of(count, chance):
    """Numbers of a binomial distribution with a small mean. A term is the one before times (count - k + 1) / k * odds."""
    drawn = aten.rand.default(list(count.shape), dtype=count.dtype, device=count.device)
    count, chance = count.unsqueeze(-1), chance.clamp(min=torch.finfo(chance.dtype).tiny).unsqueeze(-1)
    k = torch.arange(TERMS, dtype=count.dtype, device=count.device)
    factors = torch.log((count - k + 1).clamp(min=1) / k.clamp(min=1)) + torch.log(chance) - torch.log1p(-chance)
    logarithms = torch.where(k == 0, count * torch.log1p(-chance), factors).cumsum(-1)
    return _passed(torch.where(k <= count, torch.exp(logarithms), 0.0), drawn)


def _stirling(k):
    """What Stirling's formula for the logarithm of the factorial of k, 1 or more, lacks."""
    small = k.clamp(min=1, max=10)
    directly = torch.lgamma(small + 1) - (small + 0.5) * torch.log(small) + small - 0.5 * math.log(2 * math.pi)
    large = k.clamp(min=10)
    return torch.where(k < 10, directly, (1 - 1 / (30 * large * large)) / (12 * large))


def _log_of_chance_of(k, count, chance):
    """The logarithm of the chance of k in a binomial distribution. Differences of large numbers are taken in closed form, as Loader
    does (Fast and accurate computation of binomial probabilities, 2000)."""
    inside = torch.minimum(k.clamp(min=1), count - 1)
    rest = count - inside
    made = _stirling(count) - _stirling(inside) - _stirling(rest) - _apart(inside, count * chance) - _apart(rest, count * (1 - chance))
    made = made + 0.5 * torch.log(count / (2 * math.pi * inside * rest))
    return torch.where(k <= 0, count * torch.log1p(-chance), torch.where(k >= count, count * torch.log(chance), made))


def _many_of(count, chance):
    """By transformed rejection (Hoermann, The generation of binomial random variates, 1993), for chances up to 1/2."""
    chance = chance.clamp(min=1e-30)
    count = torch.maximum(count, torch.ceil(SMALL / chance))
    mean = count * chance
    spread = (mean * (1 - chance)).sqrt()
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    shape = [BINOMIAL_PROPOSALS, *count.shape]
    u, v = aten.rand.default(shape, dtype=count.dtype, device=count.device) - 0.5, _uniform(shape, count)
    us = 0.5 - u.abs()
    k = torch.floor((2 * a / us + b) * u + mean + 0.5)
    at_mode = _log_of_chance_of(torch.floor(mean + chance), count, chance)
    bound = torch.log(v * ((2.83 + 5.1 / b) * spread) / (a / (us * us) + b))
    is_below = bound <= _log_of_chance_of(k, count, chance) - at_mode
    accepted = (k >= 0) & (k <= count) & ((us >= 0.07) & (v <= 0.92 - 4.2 / b) | is_below)
    return _first(accepted, torch.where(accepted, k, torch.floor(mean)))


@composes("binomial.default")
def binomial(count, prob, generator=None):
    """A chance above 1/2 is that of the other outcome."""
    if generator is not None:
        return NotImplemented
    times, p = (_exact(one) for one in torch.broadcast_tensors(count, prob))
    times, is_other = torch.floor(times.clamp(min=0)), p > 0.5
    chance = torch.where(is_other, 1 - p, p).clamp(min=0)
    made = torch.where(times * chance < SMALL, _few_of(times, chance), _many_of(times, chance))
    made = torch.where((chance > 0) & (times > 0), made, 0.0)
    made = torch.where(is_other, times - made, made)
    return torch.where(torch.isnan(p), p, made).to(count.dtype)
