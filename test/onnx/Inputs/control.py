# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs in nodes, and sequences, from ONNX files: against numpy. Usage: control.py FOLDER TARGET"""
import os
import sys

import kiln
import numpy

from onnx_file import BOOL, FLOAT, INT64, field, graph, model, node, tensor, tensor_type, value, write

folder, target = sys.argv[1:]
os.makedirs(folder, exist_ok=True)


def check(name, whole, *calls, **options):
    """Each call is arguments, and the expected results; the options are those of kiln.load."""
    path = os.path.join(folder, name + ".onnx")
    write(path, model(whole))
    program = kiln.load(path, target, **options)
    good = True
    for arguments, expected in calls:
        found = program(*arguments)
        found = [numpy.asarray(one) for one in (found if isinstance(found, tuple) else (found,))]
        for one, want in zip(found, expected):
            want = numpy.asarray(want)
            good &= one.shape == want.shape and numpy.allclose(one, want, atol=1e-5)
    print(f"{name}: {bool(good)}")


def number(one):
    return numpy.asarray(one, numpy.float32)


x = numpy.arange(12, dtype=numpy.float32).reshape(3, 4) - 3

# Branches of different shapes: the sizes of the result are those of the branch that is taken.
yes = graph([node("Transpose", ["x"], ["t"])], [], [value("t", FLOAT, None)])
no = graph([node("Slice", ["x", "zero", "two"], ["e"])], [], [value("e", FLOAT, None)])
whole = graph([node("If", ["c"], ["r"], then_branch=("graph", yes), else_branch=("graph", no)), node("Neg", ["r"], ["y"])],
              [value("c", BOOL, []), value("x", FLOAT, [3, 4])], [value("y", FLOAT, None)],
              [tensor("zero", numpy.array([0])), tensor("two", numpy.array([2]))])
check("if shapes", whole, ((numpy.array(True), x), [-x.T]), ((numpy.array(False), x), [-x[:2]]))

# Sizes that are data, on one side.
yes = graph([node("Compress", ["x", "keep"], ["t"], axis=0)], [], [value("t", FLOAT, None)])
no = graph([node("Identity", ["x"], ["e"])], [], [value("e", FLOAT, None)])
whole = graph([node("If", ["c"], ["y"], then_branch=("graph", yes), else_branch=("graph", no))],
              [value("c", BOOL, []), value("x", FLOAT, [3, 4]), value("keep", BOOL, [3])], [value("y", FLOAT, None)])
keep = numpy.array([True, False, True])
check("if data", whole, ((numpy.array(True), x, keep), [x[keep]]), ((numpy.array(False), x, keep), [x]))

# A loop that ends when its tensor is large enough, and stacks what it had: as long as it takes.
body = graph([node("Mul", ["a", "factor"], ["scaled"]), node("Add", ["scaled", "x"], ["next"]),
              node("ReduceMax", ["next"], ["most"], keepdims=0), node("Less", ["most", "limit"], ["more"]),
              node("Identity", ["next"], ["out"])],
             [value("i", INT64, []), value("c", BOOL, []), value("a", FLOAT, None)],
             [value("more", BOOL, None), value("next", FLOAT, None), value("out", FLOAT, None)])


def looped(limit, most):
    a, outs = x, []
    while most is None or len(outs) < most:
        a = a * 1.5 + x
        outs.append(a)
        if not a.max() < limit:
            break
    return [a, numpy.stack(outs)]


constants = [tensor("factor", number(1.5)), tensor("go", numpy.array(True))]
given = [value("x", FLOAT, [3, 4]), value("limit", FLOAT, [])]
results = [value("last", FLOAT, None), value("all", FLOAT, None)]
calls = [((x, number(limit)), looped(limit, None)) for limit in (1, 100, 1e6)]
check("loop open", graph([node("Loop", ["", "go", "x"], ["last", "all"], body=("graph", body))], given, results,
                         constants), *calls)
check("loop bounded", graph([node("Loop", ["most", "go", "x"], ["last", "all"], body=("graph", body))], given, results,
                            [*constants, tensor("most", numpy.array(5))]),
      *[((x, number(limit)), looped(limit, 5)) for limit in (1, 100, 1e6)])
check("loop counted", graph([node("Loop", ["most", "", "x"], ["last", "all"], body=("graph", body))],
                            [*given, value("most", INT64, [])], results, constants[:1]),
      *[((x, number(1e6), numpy.array(most)), looped(1e6, most)) for most in (1, 3)])

# What is stacked may have open sizes: those of the first step.
body = graph([node("Add", ["a", "x"], ["next"]), node("MatMul", ["next", "weights"], ["out"]),
              node("ReduceSum", ["next"], ["sum"], keepdims=0), node("Less", ["sum", "limit"], ["more"])],
             [value("i", INT64, []), value("c", BOOL, []), value("a", FLOAT, None)],
             [value("more", BOOL, None), value("next", FLOAT, None), value("out", FLOAT, None)])
weights = numpy.arange(8, dtype=numpy.float32).reshape(4, 2)
whole = graph([node("Loop", ["most", "", "x"], ["last", "all"], body=("graph", body))],
              [value("x", FLOAT, ["n", 4]), value("most", INT64, []), value("limit", FLOAT, [])], results,
              [tensor("weights", weights)])
check("loop open slices", whole,
      *[((one, numpy.array(most), number(1e6)),
         [one * (most + 1), numpy.stack([one * (k + 2) @ weights for k in range(most)] or [one @ weights])[:most]])
        for one in (x, x[:1]) for most in (0, 1, 4)])

# Slices of other sizes than the first one are an error: a loop that stacks what is above each time less.
body = graph([node("Sub", ["a", "one"], ["next"]), node("Greater", ["next", "zero"], ["keep"]),
              node("Compress", ["x", "keep"], ["out"], axis=0), node("Identity", ["c"], ["more"])],
             [value("i", INT64, []), value("c", BOOL, []), value("a", FLOAT, None)],
             [value("more", BOOL, None), value("next", FLOAT, None), value("out", FLOAT, None)])
whole = graph([node("Loop", ["most", "", "x"], ["last", "all"], body=("graph", body))],
              [value("x", FLOAT, [4]), value("most", INT64, [])], results,
              [tensor("one", number(1)), tensor("zero", number(0))])
few = number([1, 5, 6, 7])
check("loop slices", whole, ((few, numpy.array(3)), [few - 3, numpy.stack([few[1:]] * 3)]))
try:
    kiln.load(os.path.join(folder, "loop slices.onnx"), target)(few, numpy.array(5))
    print("loop slices of other sizes: False")
except kiln.Error as error:
    print(f"loop slices of other sizes: {'does not have the sizes of the first one' in str(error)}")

# A scan of an open length, of columns from the last one on, that stacks from the last step on.
body = graph([node("Add", ["s", "column"], ["next"]), node("Mul", ["next", "column"], ["out"])],
             [value("s", FLOAT, None), value("column", FLOAT, None)], [value("next", FLOAT, None), value("out", FLOAT, None)])
whole = graph([node("Scan", ["start", "x"], ["last", "all"], body=("graph", body), num_scan_inputs=1, scan_input_axes=[1],
                    scan_input_directions=[1], scan_output_axes=[-1], scan_output_directions=[1])],
              [value("start", FLOAT, ["n"]), value("x", FLOAT, ["n", "m"])], results)


def scanned(x):
    sums = numpy.cumsum(x[:, ::-1], 1)
    return [sums[:, -1], sums[:, ::-1] * x]


check("scan open", whole, *[((0 * one[:, 0], one), scanned(one)) for one in (x, x[:2], x[:, :1])])

# Sequences are gone when the model is compiled.
whole = graph([node("SplitToSequence", ["x"], ["s"], axis=0, keepdims=1), node("SequenceAt", ["s", "one"], ["a"]),
               node("SequenceInsert", ["s", "a"], ["longer"]), node("SequenceErase", ["longer", "zero"], ["rest"]),
               node("ConcatFromSequence", ["rest"], ["y"], axis=1), node("SequenceLength", ["rest"], ["n"])],
              [value("x", FLOAT, [3, 4])], [value("y", FLOAT, None), value("n", INT64, [])],
              [tensor("zero", numpy.array(0)), tensor("one", numpy.array(1))])
check("sequence", whole, ((x,), [numpy.concatenate([x[1:2], x[2:3], x[1:2]], 1), 3]))
sequence = field(4, field(1, tensor_type(FLOAT, None)))
body = graph([node("SequenceInsert", ["s", "row"], ["longer"]), node("Identity", ["c"], ["more"])],
             [value("i", INT64, []), value("c", BOOL, []), field(1, "s") + field(2, sequence)],
             [value("more", BOOL, None), field(1, "longer") + field(2, sequence)])
whole = graph([node("SequenceEmpty", [], ["none"]), node("Gather", ["x", "zero"], ["row"]),
               node("Loop", ["three", "go", "none"], ["s"], body=("graph", body)),
               node("ConcatFromSequence", ["s"], ["y"], axis=0, new_axis=1)],
              [value("x", FLOAT, [3, 4])], [value("y", FLOAT, None)],
              [tensor("zero", numpy.array(0)), tensor("three", numpy.array(3)), tensor("go", numpy.array(True))])
check("sequence loop", whole, ((x,), [numpy.stack([x[0]] * 3)]))
body = graph([node("Add", ["e", "b"], ["o"])], [value("e", FLOAT, None), value("b", FLOAT, None)], [value("o", FLOAT, None)])
whole = graph([node("SplitToSequence", ["x"], ["s"], axis=0, keepdims=0),
               node("SequenceMap", ["s", "v"], ["m"], body=("graph", body)), node("SequenceAt", ["m", "i"], ["y"])],
              [value("x", FLOAT, [3, 4]), value("v", FLOAT, [4]), value("i", INT64, [])], [value("y", FLOAT, None)])
check("sequence map", whole, ((x, number([1, 2, 3, 4]), numpy.array(2)), [x[2] + [1, 2, 3, 4]]),
      ((x, number([1, 2, 3, 4]), numpy.array(-3)), [x[0] + [1, 2, 3, 4]]))

# Sequences as arguments and results; a position and sizes that the caller fixes.
rows = field(1, tensor_type(FLOAT, [4]))
whole = graph([node("SequenceInsert", ["s", "v", "at"], ["longer"])],
              [field(1, "s") + field(2, field(4, rows)), value("v", FLOAT, [4]), value("at", INT64, [])],
              [field(1, "longer") + field(2, field(4, rows))])
check("sequence arguments", whole, ((x[0], x[1], x[2]), [x[0], x[2], x[1]]), lengths={"s": 2}, fixed={"at": -1})
# Names of arguments may hold what separates options.
whole = graph([node("SequenceInsert", ["s+t, u%2B", "v", "at,é"], ["longer"])],
              [field(1, "s+t, u%2B") + field(2, field(4, rows)), value("v", FLOAT, [4]), value("at,é", INT64, [])],
              [field(1, "longer") + field(2, field(4, rows))])
check("odd names", whole, ((x[0], x[1], x[2]), [x[0], x[2], x[1]]), lengths={"s+t, u%2B": 2}, fixed={"at,é": -1})
whole = graph([node("SplitToSequence", ["x", "sizes"], ["s"], axis=0)], [value("x", FLOAT, [3, 4]), value("sizes", INT64, [2])],
              [field(1, "s") + field(2, field(4, field(1, tensor_type(FLOAT, [None, 4]))))])
check("sequence results", whole, ((x,), [x[:1], x[1:]]), fixed={"sizes": [1, 2]})
