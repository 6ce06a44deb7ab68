#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the node tests of the package onnx from their files, and says which of them are right.

Usage: nodes.py [DATA] [--target=SPEC] [--filter=REGEX] [--part=N] [--report=FILE]

DATA is onnx/backend/test/data/node of a release of onnx that has it (up to 1.19), each test a folder with model.onnx and
test_data_set_*. Without DATA the tests are those that the installed package onnx (from 1.20 on) makes. Needs the package onnx, which
reads the tensors beside the models, and kiln.

A test is right, wrong, refused by the compiler, failed while it ran, or has texts as inputs or outputs, which a package has no
types for. The lengths of sequences among the inputs are given when a model is compiled. Where Kiln refuses a model whose
integers are not known, the model is compiled again with those integers as constants: "right with constants". Tests whose results
are drawn at random are "undetermined" if shapes and types are right. Prints a line for each that is not right, and a
summary."""
import argparse
import collections
import glob
import json
import os
import re
import sys
import tempfile

import kiln
import numpy
import onnx
from onnx import numpy_helper

NARROW = {16: "bf16", 17: "f8E4M3FN", 18: "f8E4M3FNUZ", 19: "f8E5M2", 20: "f8E5M2FNUZ", 23: "f4E2M1FN", 24: "f8E8M0FNU"}
BYTES = {21: numpy.uint8, 22: numpy.int8, 25: numpy.uint8, 26: numpy.int8}  # of less than a byte each


#: What they give is drawn at random.
RANDOM = re.compile(r"test_(bernoulli.*|training_dropout(_default)?(_mask)?)$")


def tensors(proto):
    """The tensors of a value: those of a sequence, and what an optional holds."""
    if isinstance(proto, onnx.TensorProto):
        return [proto]
    if isinstance(proto, onnx.SequenceProto):
        return list(proto.tensor_values)
    held = proto.tensor_value if proto.elem_type == onnx.OptionalProto.TENSOR else proto.sequence_value
    return [] if proto.elem_type == onnx.OptionalProto.UNDEFINED else tensors(held)


def read(path, value):
    """[(element type, numbers)] of the tensors in a file."""
    kind = value.type.WhichOneof("value")
    proto = {"sequence_type": onnx.SequenceProto, "optional_type": onnx.OptionalProto}.get(kind, onnx.TensorProto)()
    with open(path, "rb") as file:
        proto.ParseFromString(file.read())
    return [(one.data_type, numpy_helper.to_array(one)) for one in tensors(proto)]


def argument(kind, array):
    """A tensor as kiln takes it."""
    if kind in NARROW:
        return kiln.Tensor(NARROW[kind], array.shape, array.tobytes())
    return array.astype(BYTES[kind]) if kind in BYTES else array


def numbers(result, scratch):
    """A result as an array of numpy's, its bits where numpy has no such type."""
    if result.dtype not in NARROW.values():
        return numpy.asarray(result)
    result.save_npy(scratch)
    array = numpy.load(scratch, allow_pickle=True)
    return array.view(f"u{array.itemsize}")


def difference(number, found, kind, expected):
    """What is wrong with an output, or None."""
    if found.shape != expected.shape:
        return f"output {number}: shape {found.shape}, expected {expected.shape}"
    if kind in NARROW:
        found, expected = found.view(expected.dtype).astype("f4"), expected.astype("f4")
    elif kind in BYTES:
        expected = expected.astype(BYTES[kind])
    if found.dtype != expected.dtype:
        return f"output {number}: type {found.dtype}, expected {expected.dtype}"
    if expected.dtype.kind != "f":
        good = numpy.array_equal(found, expected)
    else:
        rough = 1e-2 if kind in NARROW or expected.itemsize == 2 else 1e-3
        good = numpy.allclose(found, expected, rtol=rough, atol=1e-5, equal_nan=True)
    return None if good else f"output {number} differs"


def is_text(kind):
    """Whether a type has elements that are texts or complex."""
    held = getattr(kind, kind.WhichOneof("value"))
    return is_text(held.elem_type) if hasattr(held.elem_type, "WhichOneof") else held.elem_type in (8, 14, 15)


def load(path, target, graph, given):
    """A model for the lengths and, where it takes that, with the integers of arguments; and which those are."""
    lengths = {value.name: [len(one), *{array.ndim for _, array in one}] for value, one in zip(graph.input, given)
               if value.type.WhichOneof("value") != "tensor_type"}
    try:
        return kiln.load(path, target, lengths=lengths), {}
    except kiln.Error as error:
        fixed = {value.name: one[0][1].tolist() for value, one in zip(graph.input, given)
                 if value.name not in lengths and one[0][0] in (6, 7, 9) and one[0][1].ndim < 2 and one[0][1].size}
        if "known" not in str(error) or not fixed:
            raise
        return kiln.load(path, target, lengths=lengths, fixed=fixed), fixed


def check(folder, target, scratch):
    """What became of a test: its status and a line."""
    path = os.path.join(folder, "model.onnx")
    graph = onnx.load(path, load_external_data=False).graph
    if any(is_text(value.type) for value in [*graph.input, *graph.output]):
        return "no type", "texts"
    program, known = None, {}
    for data in sorted(glob.glob(os.path.join(folder, "test_data_set_*"))):
        given = [read(os.path.join(data, f"input_{i}.pb"), value) for i, value in enumerate(graph.input)]
        expected = [read(os.path.join(data, f"output_{i}.pb"), value) for i, value in enumerate(graph.output)]
        try:
            if not program or known:
                program, known = load(path, target, graph, given)
        except kiln.Error as error:
            return "refused", str(error).rsplit("error: ", 1)[-1]
        try:
            results = program(*[argument(*one) for value, all_of in zip(graph.input, given) if value.name not in known
                                for one in all_of])
        except kiln.Error as error:
            return "failed", str(error)
        results = results if isinstance(results, tuple) else (results,)
        wanted = [one for all_of in expected for one in all_of]
        if len(results) != len(wanted):
            return "wrong", f"{len(results)} results, expected {len(wanted)}"
        for i, (result, (kind, want)) in enumerate(zip(results, wanted)):
            found = numbers(result, scratch)
            if RANDOM.match(os.path.basename(folder)) and found.shape == want.shape and found.dtype == want.dtype:
                continue
            wrong = difference(i, found, kind, want)
            if wrong:
                return "wrong", wrong
    if RANDOM.match(os.path.basename(folder)):
        return "undetermined", ""
    return "right with constants" if known else "right", ""


def save(made, path, kind):
    """Writes a value of the type `kind` as a file of releases that have them."""
    if kind.WhichOneof("value") == "optional_type":
        made = numpy_helper.from_optional(made)
    elif kind.WhichOneof("value") == "sequence_type":
        made = numpy_helper.from_list(made)
    elif not isinstance(made, onnx.TensorProto):
        made = numpy_helper.from_array(numpy.asarray(made))
    with open(path, "wb") as file:
        file.write(made.SerializeToString())


def make(folder, chosen):
    """Writes the tests that the package onnx makes, as files of releases that have them."""
    from onnx.backend.test.loader import load_node_model_tests
    for case in load_node_model_tests():
        if not re.search(chosen, case.name):
            continue
        path = os.path.join(folder, case.name)
        os.makedirs(path, exist_ok=True)
        onnx.save(case.model, os.path.join(path, "model.onnx"))
        graph = case.model.graph
        if any(is_text(value.type) for value in [*graph.input, *graph.output]):
            continue
        for number, (inputs, outputs) in enumerate(case.data_sets):
            data = os.path.join(path, f"test_data_set_{number}")
            os.makedirs(data, exist_ok=True)
            for name, made, values in (("input", inputs, graph.input), ("output", outputs, graph.output)):
                for i, (one, value) in enumerate(zip(made, values)):
                    save(one, os.path.join(data, f"{name}_{i}.pb"), value.type)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="?")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--filter", default="")
    parser.add_argument("--part", type=int, default=1, help="every Nth test only")
    parser.add_argument("--report")
    options = parser.parse_args()
    if not options.data:
        with tempfile.TemporaryDirectory() as folder:
            make(folder, options.filter)
            options.data = folder
            return run(options)
    return run(options)


def run(options):
    names = [name for name in sorted(os.listdir(options.data)) if re.search(options.filter, name)][::options.part]
    results = {}
    scratch = f"nodes-{os.getpid()}.npy"
    for name in names:
        results[name] = check(os.path.join(options.data, name), options.target, scratch)
        if not results[name][0].startswith("right"):
            print(f"{name}: {': '.join(results[name])}", flush=True)
    if os.path.exists(scratch):
        os.remove(scratch)
    counts = collections.Counter(status for status, _ in results.values())
    print(f"{len(results)} tests: " + ", ".join(f"{count} {status}" for status, count in counts.most_common()))
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
