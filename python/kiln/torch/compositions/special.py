# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one element each that prim has no operation of."""
import math

import torch

from . import composes
from .gamma import halves


def _float(x):
    return x if x.is_floating_point() else x.to(torch.get_default_dtype())


@composes("angle.default")
def angle(x):
    if x.is_complex():
        return NotImplemented
    x = _float(x)
    return torch.where(torch.isnan(x), x, torch.where(x < 0, math.pi, 0.0).to(x.dtype))


@composes("frexp.Tensor", "prims::frexp.default")
def frexp(x):
    """By the bits of f32 or f64; subnormal numbers are made normal first."""
    wide = x.to(torch.float32) if x.dtype in (torch.bfloat16, torch.float16) else x
    ints, width, bias, up = (torch.int64, 52, 1022, 64) if wide.dtype == torch.float64 else (torch.int32, 23, 126, 32)
    field = 2 * bias + 3
    tiny = wide.abs() < torch.finfo(wide.dtype).tiny
    normal = torch.where(tiny, wide * 2.0 ** up, wide)
    bits = normal.view(ints)
    exponent = ((bits >> width) & field) - torch.where(tiny, bias + up, bias)
    mantissa = ((bits & ~(field << width)) | (bias << width)).view(wide.dtype)
    has = torch.isfinite(wide) & (wide != 0)
    return torch.where(has, mantissa, wide).to(x.dtype), torch.where(has, exponent, 0).to(torch.int32)


@composes("frac.default")
def frac(x):
    return x - torch.trunc(x)


@composes("ldexp.Tensor")
def ldexp(x, exponent):
    """A power of two may be infinite or zero where the result is neither: f64 holds those of the narrower types, and a third of
    the exponent is enough in f64 itself."""
    if exponent.is_floating_point() or exponent.is_complex() or x.is_complex():
        return x * torch.pow(2.0, exponent)
    x, wide = _float(x), torch.float64
    if x.dtype != wide:
        return (x.to(wide) * torch.pow(2.0, exponent.to(torch.int64).clamp(-400, 400).to(wide))).to(x.dtype)
    exponent = exponent.to(torch.int64).clamp(-2200, 2200)
    third = torch.div(exponent, 3, rounding_mode="trunc")
    power = torch.pow(2.0, third.to(wide))
    return x * power * power * torch.pow(2.0, (exponent - third - third).to(wide))


@composes("polygamma.default")
def polygamma(n, x):
    x = _float(x)
    if n == 0:
        return torch.digamma(x)
    factor = math.factorial(n) * (1.0 if n % 2 else -1.0)
    return torch.special.zeta(torch.full((), float(n + 1), dtype=x.dtype), x) * factor


def _igamma_parts(a, x, terms, steps):
    """P by its series and Q by its continued fraction, with as many terms and steps as parameters up to 100 need."""
    term = total = torch.ones_like(a)
    for k in range(1, terms):
        term = term * x / (a + k)
        total = total + term
    log = a * torch.log(x) - x
    series = total * torch.exp(log - torch.lgamma(a + 1))
    # x + 1 - a - 1(1-a)/(x + 3 - a - ...), from the inside
    rest = x + (2 * steps + 1) - a
    for k in range(steps, 0, -1):
        rest = x + (2 * k - 1) - a - k * (k - a) / rest
    return series, torch.exp(log - torch.lgamma(a)) / rest


def _igamma_uniform(a, x, lower):
    """For parameters above 100 Temme's expansion (DLMF 8.12), whose third term is below 2e-8."""
    mu = (x - a) / a
    squared = 2 * (mu - torch.log1p(mu))
    eta = torch.sign(mu) * torch.sqrt(torch.clamp(squared, min=0))
    near = mu.abs() < 1e-3
    eta = torch.where(near, mu * (1 - mu * (1 / 3 - mu * (7 / 36))), eta)
    safe_eta, safe_mu = torch.where(near, 1.0, eta), torch.where(near, 1.0, mu)
    c0 = torch.where(near, -1 / 3 + eta * (1 / 12 - eta * (2 / 135)), 1 / safe_mu - 1 / safe_eta)
    c1 = torch.where(near, -1 / 540 - eta * (1 / 288 - eta / 378),
                     1 / safe_eta ** 3 - 1 / safe_mu ** 3 - 1 / safe_mu ** 2 - 1 / (12 * safe_mu))
    # The terms of c1 cancel: where they would leave nothing of it, its series goes further.
    c1 = torch.where(mu.abs() < 0.1, -1 / 540 + eta * (-1 / 288 + eta * (1 / 378 + eta * (-77 / 77760))), c1)
    rest = torch.exp(-a * eta * eta / 2) / torch.sqrt(2 * math.pi * a) * (c0 + c1 / a)
    half = eta * torch.sqrt(a / 2)
    return torch.special.erfc(-half if lower else half) / 2 + (-rest if lower else rest)


def _beyond_first(x, directly, divisor):
    """The power series of x from the square on, with the factors 1 / divisor(k), where x is small; else `directly`."""
    near, series = x.clamp(min=-0.1, max=0.1), 0.0
    for k in range(17, 1, -1):
        series = 1 / divisor(k) + near * series
    return torch.where(x.abs() < 0.1, near * near * series, directly)


def _zeta(k):
    """Riemann's zeta function, by the sum of Euler and Maclaurin."""
    count = 1000
    return sum(n ** -k for n in range(1, count)) + count ** (1 - k) / (k - 1) + count ** -k / 2 + k * count ** (-k - 1) / 12


#: Factors of the series of lgamma(1 + a) from a on.
_LGAMMA = [-0.5772156649015329] + [(-1) ** k * _zeta(k) / k for k in range(2, 18)]


def _igammac_near_zero(a, x):
    """Q for a below 0.1 and x below 1.1, where 1 - P would leave few digits: 1 - x^a / gamma(1 + a) and the rest of the series of P."""
    lgamma = 0.0
    for factor in reversed(_LGAMMA):
        lgamma = a * (factor + lgamma)
    log = a * torch.log(x) - lgamma
    term, total = 1.0, 0.0
    for k in range(1, 24):
        term = term * -x / k
        total = total + term / (a + k)
    return -torch.expm1(log) - a * torch.exp(log) * total


def _igamma_integral(a, x, lower):
    """For parameters above 100 in f64 the integral of the density up to x, or from there on, of which the density at x is a factor;
    that by Stirling's series. Exact to 1e-11. Differences of numbers as large as the root of a are taken by their series."""
    is_low = x < a
    low, high = torch.maximum(a - x, torch.minimum(a, a.sqrt())), torch.maximum(x - a, x.sqrt())
    scale = torch.where(is_low, 1 / low, torch.log1p(1 / high))
    s, weights = (one * scale for one in halves(a))
    s = torch.where(is_low, -s, s)
    integral = (weights * torch.exp((a - x) * s - x * _beyond_first(s, torch.expm1(s) - s, math.factorial))).sum(0)
    mu = (x - a) / a
    apart = _beyond_first(mu, mu - torch.log1p(mu), lambda k: (-1) ** k * k)
    density = torch.exp(-a * apart - (1 - 1 / (30 * a * a)) / (12 * a)) * torch.sqrt(a / (2 * math.pi))
    made = integral * density
    return torch.where(is_low, made, 1 - made) if lower else torch.where(is_low, 1 - made, made)


def _igamma(a, x, lower):
    dtype = torch.promote_types(a.dtype, x.dtype)
    is_wide = dtype == torch.float64
    a, x = torch.broadcast_tensors(a.to(torch.float64), x.to(torch.float64))
    large = (a > 100) & torch.isfinite(a) & torch.isfinite(x)
    series, fraction = _igamma_parts(torch.where(large, 1.0, a), x, *((160, 120) if is_wide else (100, 40)))
    small = x < a + 1
    if lower:
        made = torch.where(small, series, 1 - fraction)
    else:
        near = small & (a < 0.1)
        rest = _igammac_near_zero(torch.where(near, a, 0.05), torch.where(near, x, 1.0))
        made = torch.where(near, rest, torch.where(small, 1 - series, fraction))
    of_large = (_igamma_integral if is_wide else _igamma_uniform)(torch.where(large, a, 200.0), torch.where(large, x, 200.0), lower)
    made = torch.where(large, of_large, made)
    zero, one = (0.0, 1.0) if lower else (1.0, 0.0)
    made = torch.where(x == 0, zero, made)
    made = torch.where(torch.isinf(x) & ~torch.isinf(a), one, made)
    made = torch.where(torch.isinf(a) & ~torch.isinf(x), zero, made)
    made = torch.where((a == 0) & (x > 0), one, made)
    bad = (x < 0) | (a < 0) | ((a == 0) & (x == 0)) | (torch.isinf(a) & torch.isinf(x)) | torch.isnan(a) | torch.isnan(x)
    return torch.where(bad, math.nan, made).to(dtype)


@composes("igamma.default", "special_gammainc.default", "prims::igamma.default")
def igamma(a, x):
    return _igamma(a, x, True)


@composes("igammac.default", "special_gammaincc.default", "prims::igammac.default")
def igammac(a, x):
    return _igamma(a, x, False)


def _scaled_k(order, x):
    """exp(x) K(x) for x > 0: the integral of exp(-x (cosh t - 1)) cosh(order t) by the trapezoid rule, whose
    error falls with exp(-1/step); below 1 t is cut where the integrand is."""
    x = x.to(torch.float64)
    reach = torch.acosh(1 + 40 / x)
    steps = 96
    t = reach * (torch.arange(1, steps + 1, dtype=x.dtype) / steps).reshape(-1, *[1] * x.dim())
    terms = torch.exp(-x * (torch.cosh(t) - 1)) * (torch.cosh(order * t) if order else 1.0)
    total = 0.5 + terms.sum(0) - 0.5 * terms[-1]
    return total * reach / steps


def _k(order, x, scaled):
    dtype = _float(x).dtype
    wide = x.to(torch.float64)
    made = _scaled_k(order, wide)
    made = made if scaled else made * torch.exp(-wide)
    made = torch.where(wide == 0, math.inf, torch.where(wide < 0, math.nan, made))
    return made.to(dtype)


for _order in (0, 1):
    for _name, _scale in (("modified", False), ("scaled_modified", True)):
        composes(f"special_{_name}_bessel_k{_order}.default")(lambda x, o=_order, s=_scale: _k(o, x, s))


def _airy_near(x):
    """The series at 0: two chains, each a product in the next."""
    cube = x * x * x
    f, g = torch.ones_like(x), torch.ones_like(x)
    for k in range(32, -1, -1):
        f = 1 + cube * f / ((3 * k + 2) * (3 * k + 3))
        g = 1 + cube * g / ((3 * k + 3) * (3 * k + 4))
    return f * (3 ** (-2 / 3) / math.gamma(2 / 3)) - x * g * (3 ** (-1 / 3) / math.gamma(1 / 3))


def _airy_far(size):
    """(even, odd) parts of the series at minus infinity."""
    inverse = 1.5 * size ** -1.5
    factors = [1.0]
    for k in range(1, 14):
        factors.append(factors[-1] * (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1)))
    even, odd = torch.zeros_like(size), torch.zeros_like(size)
    for k in range(12, -1, -2):
        even = factors[k] * (-1) ** (k // 2) + even * inverse * inverse
        odd = factors[k + 1] * (-1) ** (k // 2) + odd * inverse * inverse
    return even, odd * inverse


@composes("special_airy_ai.default")
def airy_ai(x):
    """In f64. Below 1 errors are up to 3e-11; above 1 they are relative, by the function K of order 1/3."""
    wide = x.to(torch.float64)
    size = wide.abs().clamp(1.0, 1e12)
    angle = 2 / 3 * size ** 1.5
    even, odd = _airy_far(size)
    scale = size ** -0.25 / math.sqrt(math.pi)
    below = scale * (torch.cos(angle - math.pi / 4) * even + torch.sin(angle - math.pi / 4) * odd)
    above = torch.sqrt(size / 3) / math.pi * torch.exp(-angle) * _scaled_k(1 / 3, angle)
    near = _airy_near(wide.clamp(-7.0, 1.0))
    made = torch.where(wide < -7, below, torch.where(wide > 1, above, near))
    made = torch.where(torch.isfinite(wide), made, math.nan)
    return made.to(x.dtype if x.is_floating_point() else torch.get_default_dtype())


def _degrees(x, n, first, step, highest):
    """Polynomials of the degrees n, up to the highest, each made from the two before."""
    q, p = torch.ones_like(x), first(x)
    made = torch.where(n == 0, 1.0, torch.where(n == 1, p, 0.0))
    for k in range(2, highest + 1):
        q, p = p, step(k - 1, x, p, q)
        made = torch.where(n == k, p, made)
    return made


def _all_degrees(x, n, first, step):
    """Polynomials of the degrees n, whatever they are: a loop of as many steps as the largest says."""
    def next(k, q, p, made, x, n):
        r = step((k - 1).to(x.dtype), x, p, q)
        return k + 1, p.clone(), r, torch.where(n == k, r, made)

    x, n = (one.clone(memory_format=torch.contiguous_format) for one in (x, n))
    one = torch.ones_like(x)
    p = first(x).clone()  # which may be x itself
    made = torch.where(n == 0, one, torch.where(n == 1, p, 0.0))
    start = torch.full((), 2, dtype=torch.int64)
    return torch.ops.higher_order.while_loop(lambda k, q, p, made, x, n: (n >= k).any(), next, (start, one, p, made), (x, n))[3]


def _polynomial(first, step, beyond=None):
    """first(x): the polynomial of degree 1; step(k, x, p, q): the one after p, the k-th, and q. A degree that is
    data is among the first 64, or beyond(x, n) has the others; without that a loop goes on to the largest."""
    def function(x, n):
        if not isinstance(x, torch.Tensor):
            x = torch.full((), x, dtype=torch.float32 if not n.is_floating_point() else n.dtype)
        highest = 64
        if not isinstance(n, torch.Tensor):
            highest = int(n)
            if highest > 1024:
                return NotImplemented
            n = torch.full((), n, dtype=x.dtype)
        dtype = _float(x if x.is_floating_point() else n if n.is_floating_point() else x).dtype
        x, n = torch.broadcast_tensors(x.to(torch.float64), n.to(torch.int64))
        if beyond is _nothing and dtype == torch.float64 and highest == 64:
            return torch.where(n > _HERMITE, math.nan, _all_degrees(x, n.clamp(max=_HERMITE), first, step))
        if beyond is None and highest == 64:
            return _all_degrees(x, n, first, step).to(dtype)
        made = _degrees(x, n, first, step, highest)
        return made.to(dtype) if highest != 64 else torch.where(n > 64, beyond(x, n), made).to(dtype)
    return function


#: The highest degree of Hermite's polynomials that PyTorch has in f64.
_HERMITE = 512


def _nothing(x, n):
    """Hermite's polynomials of such degrees are beyond f32, and PyTorch has none either."""
    return math.nan


def _chebyshev(kind, shift):
    """The four kinds as functions of n t, where x = cos t, or |x| = cosh t."""
    def beyond(x, n):
        if shift:
            x = 2 * x - 1
        n = n.to(torch.float64)
        inside = x.abs() <= 1
        t = torch.acos(torch.where(inside, x, 0.5))
        u = torch.acosh(torch.where(inside, 2.0, x.abs()))
        odd = torch.where((n / 2).floor() * 2 == n, 1.0, -1.0)
        sign = torch.where(x < 0, odd, 1.0)
        below, above = t / 2, u / 2
        at_one, at_minus = x == 1, x == -1
        if kind == "t":
            return torch.where(inside, torch.cos(n * t), sign * torch.cosh(n * u))
        if kind == "u":
            made = torch.where(inside, torch.sin((n + 1) * t) / torch.sin(t), sign * torch.sinh((n + 1) * u) / torch.sinh(u))
            return torch.where(at_one, n + 1, torch.where(at_minus, odd * (n + 1), made))
        # Of -x the third kind is the fourth, with the sign of the degree.
        even = torch.cosh((n + 0.5) * u) / torch.cosh(above)
        uneven = torch.sinh((n + 0.5) * u) / torch.sinh(above)
        if kind == "v":
            made = torch.where(inside, torch.cos((n + 0.5) * t) / torch.cos(below), torch.where(x < 0, odd * uneven, even))
            return torch.where(at_minus, odd * (2 * n + 1), made)
        made = torch.where(inside, torch.sin((n + 0.5) * t) / torch.sin(below), torch.where(x < 0, odd * even, uneven))
        return torch.where(at_one, 2 * n + 1, made)
    return beyond


_CHEBYSHEV = {"t": lambda x: x, "u": lambda x: 2 * x, "v": lambda x: 2 * x - 1, "w": lambda x: 2 * x + 1}
_POLYNOMIALS = {
    "hermite_polynomial_h": _polynomial(lambda x: 2 * x, lambda k, x, p, q: 2 * (x * p - k * q), _nothing),
    "hermite_polynomial_he": _polynomial(lambda x: x, lambda k, x, p, q: x * p - k * q, _nothing),
    "laguerre_polynomial_l": _polynomial(lambda x: 1 - x, lambda k, x, p, q: ((2 * k + 1 - x) * p - k * q) / (k + 1)),
    "legendre_polynomial_p": _polynomial(lambda x: x, lambda k, x, p, q: ((2 * k + 1) * x * p - k * q) / (k + 1)),
}
for _kind, _first in _CHEBYSHEV.items():
    _POLYNOMIALS[f"chebyshev_polynomial_{_kind}"] = _polynomial(_first, lambda k, x, p, q: 2 * x * p - q, _chebyshev(_kind, False))
    _POLYNOMIALS[f"shifted_chebyshev_polynomial_{_kind}"] = _polynomial(
        lambda x, f=_first: f(2 * x - 1), lambda k, x, p, q: 2 * (2 * x - 1) * p - q, _chebyshev(_kind, True))
for _name, _function in _POLYNOMIALS.items():
    composes(f"special_{_name}.default", f"special_{_name}.x_scalar", f"special_{_name}.n_scalar")(_function)


@composes("hash_tensor.default")
def hash_tensor(x, dim=(), *, keepdim=False, mode=0):
    """The exclusive or of the bits of each number, as one of 64 bits: by halves of one dimension after the other."""
    dims = [d % x.dim() for d in dim] or list(range(x.dim()))
    if mode or x.is_complex() or not all(isinstance(x.shape[d], int) for d in dims):
        return NotImplemented
    made = x.to(torch.float64).view(torch.int64) if x.is_floating_point() else x.to(torch.int64)
    for d in dims:
        if not made.shape[d]:
            made = torch.zeros([1 if e == d else n for e, n in enumerate(made.shape)], dtype=torch.int64)
        while made.shape[d] > 1:
            half = made.shape[d] // 2
            rest = made.narrow(d, 2 * half, made.shape[d] % 2)
            made = torch.cat([made.narrow(d, 0, half) ^ made.narrow(d, half, half), rest], d)
    kept = made.view(torch.uint64)
    return kept if keepdim else kept.reshape([n for e, n in enumerate(kept.shape) if e not in dims])
