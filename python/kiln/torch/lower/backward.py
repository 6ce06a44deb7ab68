# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of what stays whole forward."""
import math

from . import lowers
from .common import arithmetic


def _sigmoid(b, x):
    return b.unary("sigmoid", x)


@lowers("silu_backward.default")
def silu_backward(b, out, grad, x):
    def compute(g, p):
        s, one = _sigmoid(b, p), b.full_like(1, p)
        slope = b.binary("mul", s, b.binary("add", one, b.binary("mul", p, b.binary("sub", one, s))))
        return b.binary("mul", g, slope)
    return arithmetic(b, out, compute, grad, x)


@lowers("sigmoid_backward.default")
def sigmoid_backward(b, out, grad, y):
    return arithmetic(b, out, lambda g, s: b.binary("mul", g, b.binary("mul", s, b.binary("sub", b.full_like(1, s), s))),
                      grad, y)


@lowers("tanh_backward.default")
def tanh_backward(b, out, grad, y):
    return arithmetic(b, out, lambda g, t: b.binary("mul", g, b.binary("sub", b.full_like(1, t), b.binary("mul", t, t))),
                      grad, y)


@lowers("threshold_backward.default")
def threshold_backward(b, out, grad, x, threshold):
    return arithmetic(b, out, lambda g, p: b.where(b.compare("le", p, b.full_like(threshold, p)), b.full_like(0, g), g),
                      grad, x)


@lowers("gelu_backward.default")
def gelu_backward(b, out, grad, x, *, approximate="none"):
    def exact(g, p):
        constant = lambda value: b.full_like(value, p)  # noqa: E731
        cumulative = b.binary("mul", constant(0.5), b.binary("add", constant(1), b.unary(
            "erf", b.binary("mul", p, constant(math.sqrt(0.5))))))
        density = b.binary("mul", b.unary("exp", b.binary("mul", b.binary("mul", p, p), constant(-0.5))),
                           constant(1 / math.sqrt(2 * math.pi)))
        return b.binary("mul", g, b.binary("add", cumulative, b.binary("mul", p, density)))

    def tanh(g, p):
        constant = lambda value: b.full_like(value, p)  # noqa: E731
        beta, kappa = math.sqrt(2 / math.pi), 0.044715
        square = b.binary("mul", p, p)
        inner = b.binary("mul", constant(beta), b.binary("add", p, b.binary("mul", constant(kappa), b.binary("mul", square, p))))
        t = b.unary("tanh", inner)
        left = b.binary("mul", constant(0.5), b.binary("add", constant(1), t))
        slope = b.binary("mul", constant(beta), b.binary("add", constant(1), b.binary("mul", constant(3 * kappa), square)))
        right = b.binary("mul", b.binary("mul", b.binary("mul", constant(0.5), p),
                                         b.binary("sub", constant(1), b.binary("mul", t, t))), slope)
        return b.binary("mul", g, b.binary("add", left, right))
    return arithmetic(b, out, tanh if approximate == "tanh" else exact, grad, x)
