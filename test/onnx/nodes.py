#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the node tests of the package onnx from their files, and says which of them are right.

Usage: nodes.py [DATA] [--target=SPEC] [--filter=REGEX] [--part=N] [--report=FILE]

DATA is onnx/backend/test/data/node of a release of onnx that has it (up to 1.19), each test a folder with model.onnx and
test_data_set_*. Without DATA the tests are those that the installed package onnx (from 1.20 on) makes. Needs the package onnx, which
reads the tensors beside the models, and kiln.

A test is right, wrong, refused by the compiler, failed while it ran, or has inputs or outputs that a package has no types
for: texts, sequences and optionals. Prints a line for each that is not right, and a summary."""
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


def read(path):
    proto = onnx.TensorProto()
    with open(path, "rb") as file:
        proto.ParseFromString(file.read())
    return proto.data_type, numpy_helper.to_array(proto)


def argument(path):
    """A tensor as kiln takes it."""
    kind, array = read(path)
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


def is_tensor(value):
    return value.type.HasField("tensor_type") and value.type.tensor_type.elem_type not in (8, 14, 15)


def check(folder, target, scratch):
    """What became of a test: its status and a line."""
    path = os.path.join(folder, "model.onnx")
    graph = onnx.load(path, load_external_data=False).graph
    if not all(map(is_tensor, [*graph.input, *graph.output])):
        return "no type", "texts, sequences or optionals"
    try:
        program = kiln.load(path, target)
    except kiln.Error as error:
        return "refused", str(error).rsplit("error: ", 1)[-1]
    for data in sorted(glob.glob(os.path.join(folder, "test_data_set_*"))):
        inputs = [argument(os.path.join(data, f"input_{i}.pb")) for i in range(len(graph.input))]
        try:
            results = program(*inputs)
        except kiln.Error as error:
            return "failed", str(error)
        for i, result in enumerate(results if isinstance(results, tuple) else (results,)):
            wrong = difference(i, numbers(result, scratch), *read(os.path.join(data, f"output_{i}.pb")))
            if wrong:
                return "wrong", wrong
    return "right", ""


def save(tensor, path):
    made = tensor if isinstance(tensor, onnx.TensorProto) else numpy_helper.from_array(numpy.asarray(tensor))
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
        if not all(map(is_tensor, [*case.model.graph.input, *case.model.graph.output])):
            continue
        for number, (inputs, outputs) in enumerate(case.data_sets):
            data = os.path.join(path, f"test_data_set_{number}")
            os.makedirs(data, exist_ok=True)
            for kind, tensors in (("input", inputs), ("output", outputs)):
                for i, tensor in enumerate(tensors):
                    save(tensor, os.path.join(data, f"{kind}_{i}.pb"))


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
        if results[name][0] != "right":
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
