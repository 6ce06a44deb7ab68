# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that repeat sizes of 1, on inputs whose sizes only the program knows, against numpy.

Usage: open_sizes.py FOLDER TARGET...    writes models to FOLDER, and runs each for sizes that are equal, 1, 0, or do not match
"""
import itertools
import os
import sys

import kiln
import numpy
from onnx_file import BOOL, FLOAT, INT64, UINT8, graph, model, node, value, write

RANDOM = numpy.random.default_rng(3)
NUMPY = {FLOAT: numpy.float32, INT64: numpy.int64, BOOL: bool, UINT8: numpy.uint8}
MESSAGE = "a size is neither 1 nor the size that it is repeated to"


def prelu(x, slope):
    return numpy.where(x < 0, x * slope, x)


def shift(x, by):
    return numpy.left_shift(x, by % 8)


#: By element type: the operators of two operands, with numpy's function, the type of the result and attributes.
BINARY = {
    FLOAT: [("Add", numpy.add, FLOAT, {}), ("Sub", numpy.subtract, FLOAT, {}), ("Mul", numpy.multiply, FLOAT, {}),
            ("Div", numpy.divide, FLOAT, {}), ("Pow", lambda x, y: numpy.power(numpy.abs(x), y), FLOAT, {}),
            ("Mod", numpy.fmod, FLOAT, {"fmod": 1}), ("PRelu", prelu, FLOAT, {}), ("Max", numpy.maximum, FLOAT, {}),
            ("Min", numpy.minimum, FLOAT, {}), ("Sum", numpy.add, FLOAT, {}), ("Mean", lambda x, y: (x + y) / 2, FLOAT, {}),
            ("Less", numpy.less, BOOL, {}), ("LessOrEqual", numpy.less_equal, BOOL, {}), ("Greater", numpy.greater, BOOL, {}),
            ("GreaterOrEqual", numpy.greater_equal, BOOL, {}), ("Equal", numpy.equal, BOOL, {})],
    BOOL: [("And", numpy.logical_and, BOOL, {}), ("Or", numpy.logical_or, BOOL, {}), ("Xor", numpy.logical_xor, BOOL, {})],
    UINT8: [("BitwiseAnd", numpy.bitwise_and, UINT8, {}), ("BitwiseOr", numpy.bitwise_or, UINT8, {}),
            ("BitwiseXor", numpy.bitwise_xor, UINT8, {}), ("BitShift", shift, UINT8, {"direction": "LEFT"}),
            ("Add", numpy.add, UINT8, {}), ("Mod", numpy.mod, UINT8, {})],
}


def make(kind, shape):
    if kind == FLOAT:
        return RANDOM.uniform(0.5, 2, shape).astype(numpy.float32) * RANDOM.choice([-1, 1], shape).astype(numpy.float32)
    return RANDOM.integers(1, 8, shape).astype(NUMPY[kind]) if kind != BOOL else RANDOM.integers(0, 2, shape).astype(bool)


def binary(kind):
    """(a model of all operators of a type, what numpy gives for its inputs)"""
    ranks = (3, 2)
    nodes, outputs = [], []
    for number, (op, _, result, attributes) in enumerate(BINARY[kind]):
        first = "x"
        if op == "Pow":
            nodes.append(node("Abs", ["x"], ["size"]))
            first = "size"
        nodes.append(node(op, [first, "y"], [f"r{number}"], **attributes))
        outputs.append(value(f"r{number}", result, [None] * 3))
    inputs = [value(name, kind, [None] * rank) for name, rank in zip("xy", ranks)]

    def expected(x, y):
        with numpy.errstate(all="ignore"):
            return [function(x, y).astype(NUMPY[result]) for _, function, result, _ in BINARY[kind]]
    return model(graph(nodes, inputs, outputs)), [kind] * 2, ranks, expected


def ternary():
    inputs = [value("c", BOOL, [None, None]), value("x", FLOAT, [None]), value("y", FLOAT, [None, None]), value("z", FLOAT, [3, None])]
    outputs = [value(name, FLOAT, [None, None]) for name in ("w", "s", "m")]
    nodes = [node("Where", ["c", "x", "y"], ["w"]), node("Sum", ["x", "y", "z"], ["s"]), node("Max", ["z", "y", "x"], ["m"])]

    def expected(c, x, y, z):
        return [numpy.where(c, x, y), x + y + z, numpy.maximum(numpy.maximum(z, y), x)]
    return model(graph(nodes, inputs, outputs)), [BOOL, FLOAT, FLOAT, FLOAT], (2, 1, 2, 2), expected


def product():
    inputs = [value("a", FLOAT, [None, None, None, None]), value("b", FLOAT, [None, None, None])]
    return (model(graph([node("MatMul", ["a", "b"], ["c"])], inputs, [value("c", FLOAT, [None] * 4)])), [FLOAT, FLOAT], (4, 3),
            lambda a, b: [numpy.matmul(a, b)])


def expand():
    inputs = [value("x", FLOAT, [None, None]), value("s", INT64, [3])]
    return (model(graph([node("Expand", ["x", "s"], ["r"])], inputs, [value("r", FLOAT, [None] * 3)])), [FLOAT, INT64], None,
            lambda x, s: [x * numpy.ones(s, x.dtype)])


def run(name, program, given, expected):
    """Compares a call with numpy, where numpy has no result with the message of the program."""
    shapes = [one.tolist() if one.dtype == numpy.int64 else one.shape for one in given]
    try:
        wanted = expected(*given)
    except ValueError:
        wanted = None
    try:
        found = program(*given)
    except kiln.Error as error:
        assert wanted is None and MESSAGE in str(error), f"{name} of {shapes}: {error}"
        return
    assert wanted is not None, f"{name} of {shapes}: expected an error"
    for got, want in zip(found if isinstance(found, tuple) else (found,), wanted):
        got = numpy.asarray(got)
        assert got.shape == want.shape and got.dtype == want.dtype, f"{name} of {shapes}: {got.shape}, expected {want.shape}"
        assert numpy.allclose(got, want, rtol=1e-5, atol=1e-6), f"{name} of {shapes}:\n{got}\nexpected\n{want}"


def shapes_of(name):
    """Sizes for the inputs of a model: equal ones, ones on either side, none, and some that do not match."""
    if name == "product":
        for x, y, z in itertools.product([(1, 1), (1, 3), (3, 1), (3, 3), (3, 2), (0, 1)], [1, 2], [1, 4]):
            yield (z, x[0], y, 5), (x[1], 5, 2)
    elif name == "ternary":
        for c, x, y, z in itertools.product([(3, 4), (1, 1), (1, 4)], [1, 4], [(3, 1), (1, 4), (3, 2)], [1, 4]):
            yield c, (x,), y, (3, z)
    else:
        for x, y in itertools.product([(2, 3, 4), (2, 1, 4), (1, 3, 1), (2, 1, 1), (2, 0, 4)], [(3, 4), (1, 4), (3, 1), (1, 1), (3, 2)]):
            yield x, y


def main():
    folder, targets = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    models = {"floats": binary(FLOAT), "truths": binary(BOOL), "bytes": binary(UINT8), "ternary": ternary(), "product": product()}
    count = 0
    for name, (data, kinds, _, expected) in models.items():
        path = os.path.join(folder, name + ".onnx")
        write(path, data)
        for program in [kiln.load(path, target) for target in targets]:
            for shapes in shapes_of(name):
                run(name, program, [make(kind, shape) for kind, shape in zip(kinds, shapes)], expected)
                count += 1
    data, _, _, expected = expand()
    path = os.path.join(folder, "expand.onnx")
    write(path, data)
    for program in [kiln.load(path, target) for target in targets]:
        for shape, sizes in itertools.product([(3, 4), (1, 4), (3, 1), (1, 1)], [(2, 3, 4), (1, 1, 1), (2, 1, 4), (1, 3, 1), (1, 3, 2)]):
            run("expand", program, [make(FLOAT, shape), numpy.array(sizes)], expected)
            count += 1
    print(f"{count} calls are right")


if __name__ == "__main__":
    main()
