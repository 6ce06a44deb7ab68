# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the ONNX files of file.test. Usage: files.py FOLDER"""
import os
import sys

import numpy

from onnx_file import (BOOL, FLOAT, INT64, UINT4, attribute, field, function, graph, model, node, tensor, value, write)

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def save(name, *arguments, **options):
    write(os.path.join(folder, name), model(*arguments, **options))


# A layer whose weights are beside it: y = relu(x w + b), of any number of rows.
w = numpy.arange(512, dtype=numpy.float32).reshape(32, 16) / 512
b = numpy.linspace(-4, 4, 16, dtype=numpy.float32)
x = numpy.linspace(-1, 1, 3 * 32, dtype=numpy.float32).reshape(3, 32)
with open(os.path.join(folder, "layer.data"), "wb") as file:
    file.write(bytes(64) + w.tobytes())
layer = graph([node("Gemm", ["x", "w", "b"], ["s"], name="product"), node("Relu", ["s"], ["y"])],
              [value("x", FLOAT, ["rows", 32])], [value("y", FLOAT, ["rows", 16])],
              [tensor("w", w, external=("layer.data", 64)), tensor("b", b)], name="layer")
save("layer.onnx", layer)
numpy.save(os.path.join(folder, "x.npy"), x)
numpy.save(os.path.join(folder, "a.npy"), numpy.array([1, 2, -3, 4], numpy.float32))
numpy.save(os.path.join(folder, "y.npy"), numpy.maximum(x @ w + b, 0))

# Local functions that call each other, with an attribute that has a default and one that the call gives.
scale = function("Scale", "my", ["a"], ["b"], [
    node("Constant", [], ["f"], value_float=("reference", "factor", 1)), node("Mul", ["a", "f"], ["b"])], ["factor"],
    [attribute("factor", 3.0)])
twice = function("Twice", "my", ["a"], ["c"], [
    node("Scale", ["a"], ["b"], domain="my"), node("Scale", ["b"], ["c"], domain="my", factor=("reference", "k", 1))],
    ["k"])
save("functions.onnx", graph([node("Twice", ["x"], ["y"], domain="my", k=0.5)], [value("x", FLOAT, [4])],
                             [value("y", FLOAT, None)]), functions=[scale, twice], domains=["my"])

# Graphs in nodes see the values around them.
yes = graph([node("Add", ["x", "one"], ["t"])], [], [value("t", FLOAT, None)])
no = graph([node("Neg", ["x"], ["e"])], [], [value("e", FLOAT, None)])
save("if.onnx", graph([node("If", ["c"], ["y"], then_branch=("graph", yes), else_branch=("graph", no))],
                      [value("c", BOOL, []), value("x", FLOAT, [2])], [value("y", FLOAT, [2])],
                      [tensor("one", numpy.float32(1))]))

# Elements of four bits, two in a byte.
save("uint4.onnx", graph([node("DequantizeLinear", ["q", "s", "z"], ["y"])], [value("s", FLOAT, [])],
                         [value("y", FLOAT, [3])],
                         [tensor("q", numpy.array([0x2F, 0x08], numpy.uint8), data_type=UINT4, dims=[3]),
                          tensor("z", numpy.array([0x08], numpy.uint8), data_type=UINT4, dims=[])]), opset=21)

# What is wrong: each at its place.
one = [value("x", FLOAT, [4])], [value("y", FLOAT, [4])]
save("operator.onnx", graph([node("Neg", ["x"], ["t"]), node("Frobnicate", ["t"], ["y"], name="fro", domain="my")], *one))
save("input.onnx", graph([node("Neg", ["z"], ["y"])], *one))
save("output.onnx", graph([node("Neg", ["x"], ["z"])], *one))
save("inside.onnx", graph([node("If", ["c"], ["y"], name="choice", then_branch=("graph", yes), else_branch=(
    "graph", graph([node("Frobnicate", ["x"], ["e"])], [], [value("e", FLOAT, None)])))],
    [value("c", BOOL, []), value("x", FLOAT, [2])], [value("y", FLOAT, [2])], [tensor("one", numpy.float32(1))]))
save("itself.onnx", graph([node("F", ["x"], ["y"], domain="my")], *one), domains=["my"], functions=[
    function("F", "my", ["a"], ["b"], [node("F", ["a"], ["b"], domain="my")])])
save("opset.onnx", graph([node("Neg", ["x"], ["y"])], *one), opset=99)
for name, place in (("outside", "../layer.data"), ("absolute", "/etc/passwd"), ("missing", "nowhere.data")):
    save(name + ".onnx", graph([node("Add", ["x", "w"], ["y"])], *one,
                               [tensor("w", numpy.zeros(4, numpy.float32), external=(place, 0))]))
save("short.onnx", graph([node("Add", ["x", "w"], ["y"])], *one,
                         [tensor("w", numpy.zeros(4, numpy.float32), external=("layer.data", 2104))]))
save("few.onnx", graph([node("Add", ["x", "w"], ["y"])], *one, [tensor("w", numpy.zeros(3, numpy.float32), dims=[4])]))
save("lines.onnx", graph([node("Add", ["x", "w\n\x1b"], ["y"])], *one, [tensor("w\n\x1b", numpy.zeros(3, numpy.float32), dims=[4])]))
data = model(graph([node("Neg", ["x"], ["y"])], *one))
write(os.path.join(folder, "cut.onnx"), data[:-9])
# Functions that call the next one ten times each: 10^12 nodes from a few kilobytes.
many = [function(f"F{i}", "my", ["a"], ["b9"], [
    node(f"F{i + 1}" if i < 12 else "Neg", [f"b{k - 1}" if k else "a"], [f"b{k}"], domain="my" if i < 12 else "")
    for k in range(10)]) for i in range(13)]
save("many.onnx", graph([node("F0", ["x"], ["y"], domain="my")], *one), functions=many, domains=["my"])
# The same in a large file, which stands for no more nodes than it could hold.
save("large.onnx", graph([node("F0", ["x"], ["y"], domain="my")], *one, [tensor("w", numpy.zeros(1 << 20, numpy.float32))]), functions=many,
     domains=["my"])
# A graph in a graph in a graph ...
deep = graph([node("Neg", ["x"], ["t"])], [], [value("t", FLOAT, None)])
for _ in range(100):
    deep = graph([node("If", ["c"], ["t"], then_branch=("graph", deep), else_branch=("graph", no))], [],
                 [value("t", FLOAT, None)])
write(os.path.join(folder, "deep.onnx"), model(deep + field(11, value("x", FLOAT, [4])) + field(11, value("c", BOOL, []))))
