#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ONNX's operator tests on a target, and says which of them are right.

Usage: corpus.py CORPUS [--target=SPEC] [--filter=REGEX] [--part=N] [--jobs=N] [--expected=FILE] [--report=FILE]
                 [--route=kiln|torch-mlir] [--environment=DIR [--install]] [--save=DIR]

CORPUS is a folder of tests, each with model.mlir (torch.operator "onnx.…"), its inputs and outputs as raw bytes,
and run_module_io_flags.txt with their types. Kiln reads the models itself; with --route=torch-mlir torch-mlir lowers
them to linalg first: its torch-mlir-opt comes from PyPI in an environment of its own, which --install makes. Where the
compiler needs a number that is an argument (an axis, a size), short lists of integers among the arguments become
constants: the test then counts as bound.

A test is right, right when bound, wrong, refused by the compiler, failed while it ran, or not lowered by torch-mlir.
Prints a line for each that is not right and a summary; --expected names a file with a line
`NAME STATUS REASON` for each of these, and makes the exit status 1 if anything else than it says came out.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

TYPES = {"f32": "<f4", "f64": "<f8", "f16": "<f2", "i64": "<i8", "i32": "<i4", "i16": "<i2", "i8": "<i1", "i1": "?",
         "si64": "<i8", "si32": "<i4", "si16": "<i2", "si8": "<i1", "ui8": "<u1", "ui16": "<u2", "ui32": "<u4",
         "ui64": "<u8"}
FLAG = re.compile(r"--(input|expected_output)=([^=@]*)=@(\S+)")
PIPELINE = ("builtin.module(torch-onnx-to-torch-backend-pipeline,"
            "torch-backend-to-linalg-on-tensors-backend-pipeline)")
# Types of short lists that may become constants, and what torch calls them.
BOUND = {"i64": "si64", "i32": "si32", "i1": "i1"}
LONGEST = 16


def torch_mlir_opt(options):
    """The tool in the environment, made if that is wanted; None if it is not there."""
    tool = os.path.join(options.environment, "bin", "torch-mlir-opt")
    if options.install and not os.path.exists(tool):
        python = os.path.join(options.environment, "bin", "python")
        for command in ([sys.executable, "-m", "venv", options.environment],
                        [python, "-m", "pip", "install", "--quiet", "--no-deps", "torch-mlir"]):
            if subprocess.run(command, check=False).returncode:
                return None
    return tool if os.path.exists(tool) else None


def tensors(folder):
    """Inputs and expected outputs of a test."""
    lists = {"input": [], "expected_output": []}
    with open(os.path.join(folder, "run_module_io_flags.txt"), encoding="utf-8") as file:
        for kind, text, name in FLAG.findall(file.read()):
            *sizes, element = text.split("x")
            data = np.fromfile(os.path.join(folder, name), dtype=TYPES[element])
            lists[kind].append(data.reshape([int(size) for size in sizes]))
    return lists["input"], lists["expected_output"]


def first_error(text):
    lines = [line for line in text.splitlines() if "error: " in line]
    return lines[0].split("error: ", 1)[1] if lines else (text.strip().splitlines() or ["no output"])[-1]


def bind(text, inputs):
    """The model with short lists of integers among its arguments as constants; None if it has none."""
    constants = []
    begin = text.index("\n", text.index("func.func"))
    head, body = text[:begin], text[begin:]
    for i, value in enumerate(inputs):
        found = re.search(rf"%arg{i}: (!torch\.vtensor<\[[^\]]*\],(\w+)>)", head)
        if not found or found.group(2) not in BOUND.values() or value.ndim > 1 or not 0 < value.size <= LONGEST:
            continue
        items = ", ".join(str(item).lower() for item in value.reshape(-1).tolist())
        kind = "x".join([*map(str, value.shape), found.group(2)])
        elements = f"[{items}]" if value.ndim else items
        constants.append(f"    %bound{i} = torch.vtensor.literal(dense<{elements}> : tensor<{kind}>) : {found.group(1)}")
        body = re.sub(rf"%arg{i}\b", f"%bound{i}", body)
    return "\n".join([head, *constants]) + body if constants else None


def lower(text, program, options):
    """Writes linalg for a model; gives what torch-mlir says if it cannot."""
    run = subprocess.run([options.tool, "-", "--pass-pipeline=" + PIPELINE, "-o", program], input=text,
                         capture_output=True, text=True, timeout=300, check=False)
    return first_error(run.stderr) if run.returncode else None


def difference(number, found, expected):
    """What is wrong with an output, or None."""
    if found.shape != expected.shape:
        return f"output {number}: shape {found.shape}, expected {expected.shape}"
    found = found.view(expected.dtype) if found.itemsize == expected.itemsize else found.astype(expected.dtype)
    if expected.dtype.kind != "f":
        good = np.array_equal(found, expected)
    else:
        rough = 1e-2 if expected.dtype == np.float16 else 1e-3
        good = np.allclose(found, expected, rtol=rough, atol=1e-5, equal_nan=True)
    if good:
        return None
    at = np.unravel_index(np.argmax(np.abs(found.astype(float) - expected.astype(float))), found.shape)
    return f"output {number}, element {list(map(int, at))}: {found[at]}, expected {expected[at]}"


def attempt(name, text, inputs, outputs, scratch, options):
    """What becomes of a model: its status and a line."""
    program = os.path.join(options.save or scratch, name + ".mlir")
    if options.route == "kiln":
        with open(program, "w", encoding="utf-8") as file:
            file.write(text)
    elif reason := lower(text, program, options):
        return "not lowered", reason
    package = os.path.join(scratch, "test.kiln")
    run = subprocess.run(["kiln-compile", program, "--target=" + options.target, "-o", package],
                         capture_output=True, text=True, timeout=600, check=False)
    if run.returncode:
        return "refused", first_error(run.stderr)
    command = ["kiln-run", package, "--target=" + options.target, "--time-limit=300"]
    for i, value in enumerate(inputs):
        np.save(os.path.join(scratch, f"in{i}.npy"), value)
        command.append("--arg=" + os.path.join(scratch, f"in{i}.npy"))
    for i in range(len(outputs)):
        command.append(f"--result={i}:" + os.path.join(scratch, f"out{i}.npy"))
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if run.returncode:
        return "failed", first_error(run.stderr)
    for i, expected in enumerate(outputs):
        wrong = difference(i, np.load(os.path.join(scratch, f"out{i}.npy")), expected)
        if wrong:
            return "wrong", wrong
    return "right", ""


def check(name, options):
    """What became of one test: its status and a line."""
    folder = os.path.join(options.corpus, name)
    inputs, outputs = tensors(folder)
    with open(os.path.join(folder, "model.mlir"), encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as scratch:
        try:
            result = attempt(name, text, inputs, outputs, scratch, options)
            bound = bind(text, inputs) if result[0] in ("not lowered", "refused") else None
            if bound:
                second = attempt(name, bound, inputs, outputs, scratch, options)
                if second[0] not in ("not lowered", "refused"):
                    return ("bound", "right with constants for integers") if second[0] == "right" else second
            return result
        except subprocess.TimeoutExpired:
            return "failed", "took too long"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--filter", default="")
    parser.add_argument("--part", type=int, default=1, help="every Nth test only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--route", choices=["kiln", "torch-mlir"], default="kiln")
    parser.add_argument("--environment", default=os.path.expanduser("~/.cache/kiln/torch-mlir"))
    parser.add_argument("--install", action="store_true", help="make the environment if it is not there")
    parser.add_argument("--report")
    parser.add_argument("--expected")
    parser.add_argument("--save", help="keep the compiler's programs in this folder")
    options = parser.parse_args()
    options.tool = torch_mlir_opt(options) if options.route == "torch-mlir" else None
    if options.route == "torch-mlir" and not options.tool:
        print(f"skipped: no torch-mlir in {options.environment}; --install puts it there")
        return 0
    names = sorted(name for name in os.listdir(options.corpus) if re.search(options.filter, name))[::options.part]
    if options.save:
        os.makedirs(options.save, exist_ok=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = dict(zip(names, pool.map(lambda name: check(name, options), names)))
    expected = {}
    if options.expected:
        with open(options.expected, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    name, status = line.split(maxsplit=2)[:2]
                    expected[name] = status.replace("-", " ")
    surprises = 0
    for name, (status, reason) in results.items():
        wanted = expected.get(name, "right")
        if status != wanted and options.expected:
            surprises += 1
            print(f"UNEXPECTED {name}: {status}, expected {wanted}: {reason}")
        elif status != "right":
            print(f"{name}: {status}: {reason}")
    counts = collections.Counter(status for status, _ in results.values())
    print(f"{len(results)} tests: " + ", ".join(f"{count} {status}" for status, count in counts.most_common()))
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
