# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes of ONNX with the results that ONNX's specification asks for, by numpy.

Usage: cases_onnx.py FOLDER [FILTER]    writes files to FOLDER, and runs them on the cpu against the reference
"""
import os
import re
import subprocess
import sys

import numpy

CASES = []
RANDOM = numpy.random.default_rng(11)
KINDS = {"float16": "f16", "float32": "f32", "float64": "f64", "int64": "si64", "int32": "si32", "int8": "si8", "uint8": "ui8",
         "uint16": "ui16", "uint32": "ui32", "uint64": "ui64", "bool": "i1"}


def floats(*shape):
    return RANDOM.uniform(-2, 2, shape).astype(numpy.float32)


def type_of(array, shape=None):
    sizes = ",".join(map(str, array.shape if shape is None else shape))
    return f"!torch.vtensor<[{sizes}],{KINDS[array.dtype.name]}>"


def attributes(values):
    def text(value):
        if isinstance(value, str):
            return f'"{value}"'
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(map(text, value)) + "]"
        return f"{value:e} : f32" if isinstance(value, float) else f"{value} : si64"
    return "{" + ", ".join(f"torch.onnx.{key} = {text(value)}" for key, value in values.items()) + "}" if values else ""


def constant(name, array):
    numbers = str(array.tolist()).replace("inf", "0x7F800000").lower()
    kind = "x".join([*map(str, array.shape), KINDS[array.dtype.name]])
    return f"  {name} = torch.vtensor.literal(dense<{numbers}> : tensor<{kind}>) : {type_of(array)}\n"


def case(name, text, args, results, tolerance=1e-5):
    CASES.append((name, text, args, results, tolerance))


def node(name, op, inputs, results, opset=20, constants=(), shapes=(), **attrs):
    """One node. Inputs that `constants` numbers are constants, None is left out; `shapes` gives arguments other types."""
    inputs = [None if x is None else numpy.asarray(x) for x in inputs]
    shapes = dict(shapes)
    args, head, names, types, given = [], "", [], [], []
    for i, x in enumerate(inputs):
        if x is None:
            names.append("%none")
            types.append("!torch.none")
        elif i in constants:
            names.append(f"%c{i}")
            types.append(type_of(x))
            head += constant(f"%c{i}", x)
        else:
            names.append(f"%a{i}")
            types.append(type_of(x, shapes.get(i)))
            args.append(f"%a{i}: {types[-1]}")
            given.append(x)
    out = [type_of(r, shapes.get(f"r{i}")) for i, r in enumerate(results)]
    many = f":{len(out)}" if len(out) > 1 else ""
    values = [f"%r#{i}" for i in range(len(out))] if many else ["%r"]
    case(name, f"""func.func @f({", ".join(args)}) -> ({", ".join(out)}) attributes {{torch.onnx_meta.opset_version = {opset} : si64}} {{
  %none = torch.constant.none
{head}  %r{many} = torch.operator "onnx.{op}"({", ".join(names)}) {attributes(attrs)} : ({", ".join(types)}) -> ({", ".join(out)})
  return {", ".join(values)} : {", ".join(out)}
}}
""", given, results)


x = floats(2, 3, 4)
row = floats(4)

# Numbers that are arguments, and the same as constants.
sums = {0: x.sum(0), 1: x.sum(1), 2: x.sum(2)}
cube = floats(3, 3, 3)
for axis in range(3):
    node(f"reduce_argument_{axis}", "ReduceSum", [cube, numpy.array([axis])], [cube.sum(axis)], keepdims=0)
    node(f"cumsum_argument_{axis}", "CumSum", [cube, numpy.array(axis - 3)], [cube.cumsum(axis, dtype=numpy.float32)])
node("reduce_constant", "ReduceMax", [x, numpy.array([-1, 0])], [x.max((0, 2), keepdims=True)], constants=[1])
node("reduce_open", "ReduceMean", [x, numpy.array([1])], [x.mean(1, keepdims=True)], constants=[1],
     shapes={0: ["?", 3, 4], "r0": ["?", 1, 4]})
for known in ([], [1, 2, 3, 4]):
    word = "known" if known else "argument"
    node(f"slice_{word}", "Slice", [x, numpy.array([3, -3]), numpy.array([0, 9]), numpy.array([2, 1]),
                                    numpy.array([-2, 1])], [x[:, -3:9, 3:0:-2]], constants=known)
    node(f"pad_{word}", "Pad", [x, numpy.array([1, 0, 2, 0]), numpy.float32(0.5), numpy.array([1, 2])],
         [numpy.pad(x, ((0, 0), (1, 2), (0, 0)), constant_values=0.5)], constants=[k for k in known if k < 4])
    node(f"pad_reflect_{word}", "Pad", [x, numpy.array([0, 1, 3, 1, 0, 2])],
         [numpy.pad(x, ((0, 1), (1, 0), (3, 2)), mode="reflect")], constants=known[:1], mode="reflect")
node("top_k", "TopK", [x, numpy.array([2])], [-numpy.sort(-x, 2)[:, :, :2], numpy.argsort(-x, 2)[:, :, :2]])

# Sizes that are not known.
node("open_sum", "Add", [x, row], [x + row], shapes={0: ["?", 3, "?"], 1: ["?"], "r0": ["?", 3, "?"]})
node("open_softmax", "Softmax", [row[None]], [numpy.exp(row[None]) / numpy.exp(row).sum()],
     shapes={0: ["?", 4], "r0": ["?", 4]})
node("open_flatten", "Flatten", [x], [x.reshape(2, 12)], shapes={0: ["?", 3, 4], "r0": ["?", 12]})
case("open_reshape", """func.func @f(%x: !torch.vtensor<[?,3,4],f32>) -> !torch.vtensor<[?,4,3],f32> {
  %none = torch.constant.none
  %shape = torch.operator "onnx.Shape"(%x) : (!torch.vtensor<[?,3,4],f32>) -> !torch.vtensor<[3],si64>
  %zero = torch.operator "onnx.Constant"() {torch.onnx.value = dense<0> : tensor<si64>} : () -> !torch.vtensor<[],si64>
  %n = torch.operator "onnx.Gather"(%shape, %zero) {torch.onnx.axis = 0 : si64} : (!torch.vtensor<[3],si64>, !torch.vtensor<[],si64>) -> !torch.vtensor<[],si64>
  %axes = torch.operator "onnx.Constant"() {torch.onnx.value_ints = [0 : si64]} : () -> !torch.vtensor<[1],si64>
  %one = torch.operator "onnx.Unsqueeze"(%n, %axes) : (!torch.vtensor<[],si64>, !torch.vtensor<[1],si64>) -> !torch.vtensor<[1],si64>
  %rest = torch.operator "onnx.Constant"() {torch.onnx.value_ints = [-1 : si64, 3 : si64]} : () -> !torch.vtensor<[2],si64>
  %to = torch.operator "onnx.Concat"(%one, %rest) {torch.onnx.axis = 0 : si64} : (!torch.vtensor<[1],si64>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[3],si64>
  %r = torch.operator "onnx.Reshape"(%x, %to) : (!torch.vtensor<[?,3,4],f32>, !torch.vtensor<[3],si64>) -> !torch.vtensor<[],f32>
  %s = torch.operator "onnx.Identity"(%r) : (!torch.vtensor<[],f32>) -> !torch.vtensor<[?,4,3],f32>
  return %s : !torch.vtensor<[?,4,3],f32>
}
""", [x], [x.reshape(2, 4, 3)])

# The sum is above the largest number of f16, the mean is not.
high = numpy.full(3, 60000, numpy.float16)
node("mean_half", "Mean", [high, high, high], [high])

# Unsigned numbers.
big = numpy.array([200, 3, 255, 128], numpy.uint8)
small = numpy.array([7, 100, 254, 129], numpy.uint8)
node("unsigned_div", "Div", [big, small], [big // small])
node("unsigned_less", "Less", [big, small], [big < small])
node("unsigned_max", "Max", [big, small], [numpy.maximum(big, small)])
node("unsigned_cast", "Cast", [big], [big.astype(numpy.float32)], to=1)
node("unsigned_reduce", "ReduceMax", [big], [big.max(keepdims=True)])
for kind, number in ((numpy.uint8, 2), (numpy.uint16, 4), (numpy.uint32, 12), (numpy.uint64, 13)):
    word, scale = "unsigned" + numpy.dtype(kind).name[4:], 2 ** (8 * numpy.dtype(kind).itemsize - 8)
    p, q = (numpy.array([[int(v) * scale // part + 1 % scale for v in one], [int(v) for v in one[::-1]]], kind)
            for one, part in ((big, 1), (small, 3 if scale > 1 else 1)))
    least, most, shift = kind(3), kind(2 ** 63 // 2 ** 62 * 100), numpy.array([0, 1, 3, 7], kind)
    for op, result in {"Max": numpy.maximum(p, q), "Min": numpy.minimum(p, q), "Less": p < q, "LessOrEqual": p <= q,
                       "Greater": p > q, "GreaterOrEqual": p >= q, "Equal": p == q, "Div": p // q, "Mod": p % q,
                       "Add": p + q, "Mul": p * q, "BitwiseXor": p ^ q}.items():
        node(f"{word}_{op.lower()}", op, [p, q], [result])
    for axis in (0, 1):
        node(f"{word}_argmax_{axis}", "ArgMax", [p], [p.argmax(axis)], axis=axis, keepdims=0)
        node(f"{word}_argmin_{axis}", "ArgMin", [p], [p.argmin(axis)], axis=axis, keepdims=0)
        for op, reduce in {"ReduceMax": numpy.max, "ReduceMin": numpy.min}.items():
            node(f"{word}_{op.lower()}_{axis}", op, [p, numpy.array([axis])], [reduce(p, axis)], constants=[1], keepdims=0)
    node(word + "_reduce_sum", "ReduceSum", [p, numpy.array([1])], [p.sum(1, dtype=kind)], constants=[1], keepdims=0)
    node(word + "_reduce_l1", "ReduceL1", [p, numpy.array([1])], [p.sum(1, dtype=kind)], constants=[1], keepdims=0)
    node(word + "_reduce_mean", "ReduceMean", [p, numpy.array([0])], [p.sum(0, dtype=kind) // kind(2)], constants=[1], keepdims=0)
    node(word + "_left", "BitShift", [p, shift], [p << shift], direction="LEFT")
    node(word + "_right", "BitShift", [p, shift], [p >> shift], direction="RIGHT")
    node(word + "_clip", "Clip", [p, least, most], [numpy.clip(p, least, most)])
    node(word + "_abs", "Abs", [p], [p])
    node(word + "_sign", "Sign", [p], [numpy.sign(p)])
    node(word + "_to_double", "Cast", [p], [p.astype(numpy.float64)], to=11)
    node(word + "_to_long", "Cast", [p], [p.astype(numpy.int64)], to=7)
    node(word + "_from_double", "Cast", [p.astype(numpy.float64) / 2], [(p.astype(numpy.float64) / 2).astype(kind)], to=number)
    node(word + "_pow", "Pow", [p, kind(3)], [p * p * p])
    node(word + "_pow_large", "Pow", [p | kind(1), kind(128 * scale)], [numpy.ones_like(p)])
    node(word + "_prelu", "PRelu", [p, kind(2)], [p], opset=16)
    order = numpy.argsort(p.max() - p, 1, kind="stable")[:, :2]
    node(word + "_top_k", "TopK", [p, numpy.array([2])], [numpy.take_along_axis(p, order, 1), order], constants=[1])
    up = numpy.argsort(p, 1, kind="stable")[:, :2]
    node(word + "_top_k_smallest", "TopK", [p, numpy.array([2])], [numpy.take_along_axis(p, up, 1), up], constants=[1], largest=0)
node("mod", "Mod", [numpy.array([-5, 5, 7]), numpy.array([3, -3, 2])], [numpy.array([1, -1, 1])])

# Places of several dimensions.
places = numpy.array([[1, 2, -4], [-1, 0, 3]])
node("gather_nd", "GatherND", [x, places], [x[places[:, 0], places[:, 1], places[:, 2]]])
node("gather_nd_rows", "GatherND", [x, places[:, :2]], [x[places[:, 0], places[:, 1]]])
node("gather_nd_batch", "GatherND", [x, numpy.array([[[2, 1]], [[0, -1]]])], [numpy.array([[x[0, 2, 1]], [x[1, 0, -1]]])], batch_dims=1)
node("gather_nd_open", "GatherND", [x, places[:, :1]], [x[places[:, 0]]], shapes={0: ["?", "?", 4], "r0": [2, "?", 4]})

# Letters.
a, b = floats(2, 3, 4), floats(2, 4, 5)
node("einsum_batch", "Einsum", [a, b], [numpy.einsum("bij,bjk->bik", a, b)], equation="bij, bjk -> bik")
node("einsum_dots", "Einsum", [a, b], [numpy.einsum("...ij,...jk->...ik", a, b)], equation="...ij,...jk->...ik")
node("einsum_implicit", "Einsum", [a[0], b[0]], [numpy.einsum("ij,jk", a[0], b[0])], equation="ij,jk")
node("einsum_diagonal", "Einsum", [floats(3, 3)], [], equation="ii->i")
CASES.pop()
square = floats(3, 3)
node("einsum_diagonal", "Einsum", [square], [square.diagonal().copy()], equation="ii->i")
node("einsum_three", "Einsum", [a[0], b[0], row], [numpy.einsum("ij,jk,j->k", a[0], b[0], row)], equation="ij,jk,j->k")

# Conditions and loops.
flag = numpy.array(True)
for value in (True, False):
    case(f"if_{value}", """func.func @f(%c: !torch.vtensor<[],i1>, %x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  %r = torch.operator "onnx.If"(%c) : (!torch.vtensor<[],i1>) -> !torch.vtensor<[4],f32> {
    %0 = torch.operator "onnx.Neg"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
    torch.operator_terminator %0 : !torch.vtensor<[4],f32>
  }, {
    %0 = torch.operator "onnx.Abs"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
    torch.operator_terminator %0 : !torch.vtensor<[4],f32>
  }
  return %r : !torch.vtensor<[4],f32>
}
""", [numpy.array(value), row], [abs(row) if value else -row])
LOOP = """func.func @f(%n: !torch.vtensor<[],si64>, %x: !torch.vtensor<[4],f32>) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[3,4],f32>) {{
  %none = torch.constant.none
  %three = torch.operator "onnx.Constant"() {{torch.onnx.value_int = 3 : si64}} : () -> !torch.vtensor<[],si64>
  %r:2 = torch.operator "onnx.Loop"({count}, %none, %x) : (!torch.vtensor<[],si64>, !torch.none, !torch.vtensor<[4],f32>) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[3,4],f32>) {{
  ^bb0(%i: !torch.vtensor<[],si64>, %c: !torch.vtensor<[],i1>, %v: !torch.vtensor<[4],f32>):
    %0 = torch.operator "onnx.Add"(%v, %v) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
    %1 = torch.operator "onnx.Cast"(%i) {{torch.onnx.to = 1 : si64}} : (!torch.vtensor<[],si64>) -> !torch.vtensor<[],f32>
    %2 = torch.operator "onnx.Add"(%0, %1) : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],f32>
    torch.operator_terminator %c, %2, %v : !torch.vtensor<[],i1>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>
  }}
  return %r#0, %r#1 : !torch.vtensor<[4],f32>, !torch.vtensor<[3,4],f32>
}}
"""
steps = [row]
for step in range(3):
    steps.append(2 * steps[-1] + numpy.float32(step))
for count in ("%n", "%three"):
    case("loop_" + count[1:], LOOP.format(count=count), [numpy.array(3), row], [steps[3], numpy.stack(steps[:3])])

# Weights as blobs, and values that depend on nothing.
case("blob", """func.func @f(%x: !torch.vtensor<[2],si64>) -> !torch.vtensor<[2],si64> {
  %w = torch.operator "onnx.Constant"() {torch.onnx.value = dense_resource<weights> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64>
  %r = torch.operator "onnx.Mul"(%x, %w) : (!torch.vtensor<[2],si64>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[2],si64>
  return %r : !torch.vtensor<[2],si64>
}
{-# dialect_resources: {builtin: {weights: "0x080000000300000000000000FEFFFFFFFFFFFFFF"}} #-}
""", [numpy.array([5, 6])], [numpy.array([15, -12])])

# A determinant whose pivots are not in order.
matrix = numpy.array([[[0, 2, 1], [3, 0, 1], [1, 1, 0]], [[1, 2, 3], [4, 5, 6], [7, 8, 9.5]]], numpy.float32)
node("det", "Det", [matrix], [numpy.linalg.det(matrix).astype(numpy.float32)])
# One of more rows is the host's.
matrix = numpy.linalg.qr(numpy.sin(numpy.arange(2 * 70 * 70).reshape(2, 70, 70) ** 1.5))[0] * 1.02
matrix[1] = matrix[1, ::-1]
node("det_large", "Det", [matrix.astype(numpy.float32)], [numpy.linalg.det(matrix).astype(numpy.float32)])


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    chosen = [c for c in CASES if len(sys.argv) < 3 or re.search(sys.argv[2], c[0])]
    failed = 0
    for name, text, args, results, tolerance in chosen:
        path = os.path.join(folder, name)
        with open(path + ".mlir", "w", encoding="utf-8") as file:
            file.write(text)
        command = ["kiln-run", path + ".mlir", "--target=cpu", "--check", f"--rtol={tolerance}", f"--atol={tolerance}"]
        for kind, arrays in (("arg", args), ("expect", results)):
            for i, array in enumerate(arrays):
                numpy.save(f"{path}.{kind}{i}.npy", array)
                command.append(f"--arg={path}.arg{i}.npy" if kind == "arg" else f"--expect={i}:{path}.expect{i}.npy")
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            failed += 1
            print(f"{name}: {(run.stderr or run.stdout).strip()}")
    print(f"{len(chosen)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
