# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on lists of tensors, as optimisers use them: the same for each."""
from . import find, lowers

#: The operation of one tensor, by the kind of the second operand.
SCALAR = {"add": "add.Tensor", "sub": "sub.Tensor", "mul": "mul.Tensor", "div": "div.Tensor", "pow": "pow.Tensor_Scalar",
          "clamp_max": "clamp_max.default", "clamp_min": "clamp_min.default"}
TENSORS = {"add": "add.Tensor", "sub": "sub.Tensor", "mul": "mul.Tensor", "div": "div.Tensor", "maximum": "maximum.default",
           "minimum": "minimum.default", "pow": "pow.Tensor_Tensor", "clamp_max": "clamp_max.Tensor",
           "clamp_min": "clamp_min.Tensor"}
UNARY = ("abs", "neg", "sqrt", "rsqrt", "exp", "reciprocal", "sign", "log", "sigmoid", "tanh", "floor", "ceil", "round",
         "trunc", "erf", "expm1", "log1p", "sin", "cos")


def _one_by_one(name, lists, b, out, args, options):
    """`lists`: which arguments hold one item for each tensor."""
    function = find(name)
    made = []
    for i, one in enumerate(out):
        made.append(function(b, one.named(name), *(a[i] if n in lists else a for n, a in enumerate(args)), **options))
    return made


def _register(aten, name, lists):
    lowers(aten)(lambda b, out, *args, **options: _one_by_one(name, lists, b, out, args, options))


for _name, _op in SCALAR.items():
    _register(f"_foreach_{_name}.Scalar", _op, (0,))
    _register(f"_foreach_{_name}.ScalarList", _op, (0, 1))
    if _name in ("add", "mul", "div", "sub"):
        _register(f"_foreach_{_name}.Tensor", _op, (0,))
for _name, _op in TENSORS.items():
    _register(f"_foreach_{_name}.List", _op, (0, 1))
for _name in UNARY:
    _register(f"_foreach_{_name}.default", f"{_name}.default", (0,))
_register("_foreach_pow.ScalarAndTensor", "pow.Scalar", (1,))
_register("_foreach_lerp.Scalar", "lerp.Scalar", (0, 1))
_register("_foreach_lerp.List", "lerp.Tensor", (0, 1, 2))
_register("_foreach_copy.default", "copy.default", (0, 1))
for _name in ("addcmul", "addcdiv"):
    def _with_value(b, out, x, y, z, value=1, _op=f"{_name}.default"):
        values = value if isinstance(value, (list, tuple)) else [value] * len(x)
        return [find(_op)(b, one, p, q, r, value=v) for one, p, q, r, v in zip(out, x, y, z, values)]
    lowers(f"_foreach_{_name}.Scalar", f"_foreach_{_name}.ScalarList")(_with_value)
