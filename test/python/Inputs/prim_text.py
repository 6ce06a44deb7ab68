# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The writer of prim's text and the lowerings of ATen, without PyTorch: numbers, types, and programs
that are compiled and run."""
import math
import os
import sys
import tempfile
import types

import numpy

import kiln

# The folder without its __init__, which needs PyTorch.
package = types.ModuleType("kiln.torch")
package.__path__ = [os.path.join(os.path.dirname(kiln.__file__), "torch")]
sys.modules["kiln.torch"] = package

from kiln import compiler  # noqa: E402
from kiln.torch.lower import TABLE, common, find  # noqa: E402
from kiln.torch.prim import Prim  # noqa: E402
from kiln.torch.text import Unsupported, Value, number, type_of  # noqa: E402


class Out:
    def __init__(self, dtype, shape, operation="x"):
        self.dtype, self.shape, self.operation, self.used = dtype, tuple(shape), operation, True


def run(build, *arrays):
    """Compiles what `build` writes with one argument for each array, and calls it."""
    names = {"float32": "f32", "int64": "i64", "int32": "i32", "bool": "i1", "int8": "i8", "float64": "f64"}
    function = Prim()
    made = build(function, *(function.argument(names[str(a.dtype)], a.shape) for a in arrays))
    function.returns(made if isinstance(made, list) else [made])
    with tempfile.TemporaryDirectory() as work:
        source, output = os.path.join(work, "a.mlir"), os.path.join(work, "a.kiln")
        with open(source, "w", encoding="utf-8") as file:
            file.write(function.text())
        compiler.compile(source, "cpu", output)
        got = kiln.load(output)(*arrays)
    return [numpy.asarray(one) for one in got] if isinstance(got, tuple) else numpy.asarray(got)


def refused(function, *args):
    try:
        function(*args)
    except Unsupported:
        return True
    return False


# Numbers and types as MLIR reads them.
assert number(1e-5, "f32") == "1.0e-05 : f32" and number(0.1, "bf16") == "0x3DCD : bf16"
assert number(-math.inf, "f32") == "0xFF800000 : f32" and number(math.nan, "f16") == "0x7E00 : f16"
assert number(1e300, "f32") == "0x7F800000 : f32" and number(65520.0, "f16") == "0x7C00 : f16"
assert number(True, "i1") == "true" and number(255, "u8") == "-1 : i8" and number(-1, "i64") == "-1 : i64"
assert refused(number, 1.5, "i32")
assert type_of("u8", (2, "n")) == "tensor<2x?xi8>" and type_of("f32", ()) == "tensor<f32>"

# The type that operands are computed in: dimensions decide, numbers only by their category.
tensor, scalar = Value("a", "i32", (2,)), Value("b", "f64", ())
assert common.result_type(tensor, 2) == "i32" and common.result_type(tensor, 2.0) == "f32"
assert common.result_type(tensor, scalar) == "f64" and common.result_type(Value("c", "bf16", (1,)), scalar) == "bf16"
assert common.result_type(Value("d", "u8", (1,)), Value("e", "i8", (1,))) == "i16"
assert all(callable(one) for one in TABLE.values()) and find("add.Tensor") and not find("add.unknown")

# Quotients and remainders of both signs.
a = numpy.array([7, -7, 7, -7, 5.5, -0.5], "float32")
b = numpy.array([2, 2, -2, -2, 1.25, 3], "float32")
got = run(lambda f, x, y: [find("div.Tensor_mode")(f, Out("f32", (6,)), x, y, rounding_mode="floor"),
                           find("remainder.Tensor")(f, Out("f32", (6,)), x, y)], a, b)
assert (got[0] == numpy.floor_divide(a, b)).all() and (got[1] == numpy.remainder(a, b)).all(), got

# Views: slices from both ends, steps, repetition, diagonals.
x = numpy.arange(24, dtype="float32").reshape(4, 6)
slices = [(slice(1, 3), 0), (slice(-5, None, 2), 1), (slice(4, 2), 1)]
for one, dim in slices:
    want = x[one] if dim == 0 else x[:, one]
    got = run(lambda f, v: find("slice.Tensor")(f, Out("f32", want.shape), v, dim, one.start, one.stop, one.step or 1), x)
    assert got.shape == want.shape and (got == want).all()
got = run(lambda f, v: [find("repeat.default")(f, Out("f32", (8, 18)), v, [2, 3]),
                        find("diagonal.default")(f, Out("f32", (4,)), v, 1, 0, 1)], x)
assert (got[0] == numpy.tile(x, (2, 3))).all() and (got[1] == numpy.diagonal(x, 1)).all()

# Writing at computed positions: indices from both ends, repeated ones, along a dimension.
index, values = numpy.array([1, -1, 1]), numpy.arange(18, dtype="float32").reshape(3, 6)
added, placed, along = x.copy(), x.copy(), x.copy()
numpy.add.at(added, index, values)
placed[[0, 2], [3, -2]] = [100, 200]
columns = numpy.array([[0, 2, 2], [5, 5, 1]])
for i, j in numpy.ndindex(2, 3):
    along[i, columns[i, j]] += values[i, j]
got = run(lambda f, v, i, w, c: [
    find("index_put.default")(f, Out("f32", (4, 6)), v, [i], w, True),
    find("index_put.default")(f, Out("f32", (4, 6)), v, [f.slice_dim(f.iota("i64", (3,), 0), 0, 0, 3, 2), f.emit(
        "prim.constant dense<[3, -2]> : tensor<2xi64>", "i64", (2,))], f.emit(
            "prim.constant dense<[100.0, 200.0]> : tensor<2xf32>", "f32", (2,))),
    find("scatter_add.default")(f, Out("f32", (4, 6)), v, 1, c, w)], x, index, values, columns)
for mine, want in zip(got, (added, placed, along)):
    assert (mine == want).all(), (mine, want)
got = run(lambda f, g, i: find("embedding_dense_backward.default")(f, Out("f32", (4, 6)), g, i, 4, 2, False), values, index % 4)
want = numpy.zeros((4, 6), "float32")
numpy.add.at(want, index % 4, values)
assert (got == want).all()

# Wrong operands are refused, not compiled.
function = Prim()
one, two = function.argument("f32", (2,)), function.argument("f32", (3,))
assert refused(function.binary, "add", one, two) and refused(function.broadcast, one, (3,))
print("all right")
