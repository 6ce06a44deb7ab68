# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on lists of tensors that no lowering takes whole: one tensor after the other."""
import torch

from . import composes

#: Of one tensor each.
UNARY = ("acos", "asin", "atan", "cosh", "erfc", "frac", "lgamma", "log10", "log2", "sinh", "tan")
#: Of a tensor and a number, which every tensor has for itself or all have together.
NUMBERS = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "pow": torch.pow, "clamp_max": torch.clamp_max,
           "clamp_min": torch.clamp_min, "maximum": torch.clamp_min, "minimum": torch.clamp_max}


def _register_unary(name):
    composes(f"_foreach_{name}.default")(lambda xs: [getattr(torch, name)(x) for x in xs])


def _register_numbers(name, function):
    composes(f"_foreach_{name}.Scalar")(lambda xs, number: [function(x, number) for x in xs])
    composes(f"_foreach_{name}.ScalarList")(lambda xs, numbers: [function(x, one) for x, one in zip(xs, numbers)])


for _name in UNARY:
    _register_unary(_name)
for _name, _function in NUMBERS.items():
    _register_numbers(_name, _function)


@composes("_foreach_zero.default")
def zero(xs):
    return [torch.zeros_like(x) for x in xs]


@composes("_foreach_max.default")
def largest(xs):
    return [x.max() for x in xs]


@composes("_foreach_norm.Scalar")
def norms(xs, order=2, dtype=None):
    return [torch.linalg.vector_norm(x, order, dtype=dtype) for x in xs]


@composes("_foreach_powsum.Scalar")
def sums_of_powers(xs, order=2, dtype=None):
    return [(x if dtype is None else x.to(dtype)).abs().pow(order).sum() for x in xs]


@composes("_foreach_lerp.ScalarList")
def between(xs, ys, weights):
    return [torch.lerp(x, y, weight) for x, y, weight in zip(xs, ys, weights)]


@composes("_foreach_addcmul.Tensor")
def add_products(xs, ys, zs, numbers):
    return [x + number * (y * z) for x, y, z, number in zip(xs, ys, zs, numbers.unbind())]


@composes("_foreach_addcdiv.Tensor")
def add_quotients(xs, ys, zs, numbers):
    return [x + number * (y / z) for x, y, z, number in zip(xs, ys, zs, numbers.unbind())]
