#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the definition of every operation of tile is a specification: its operands, attributes and results are
described by name, constraints are numbered from C1, it says since when it is there, and its
examples parse. Usage: specifications.py SOURCE LLVM_BIN [MNEMONIC...]"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

source, llvm = sys.argv[1:3]
wanted = set(sys.argv[3:])


def records(td):
    run = subprocess.run([f"{llvm}/llvm-tblgen", "--dump-json", td, "-I", f"{source}/include",
                          "-I", os.path.join(os.path.dirname(llvm), "include")], capture_output=True, text=True, check=True)
    data = json.loads(run.stdout)
    for name in data["!instanceof"].get("Op", []):
        if data[name]["opDialect"]["def"] == "Tile_Dialect":
            yield name, data[name]


def parse(mnemonic, example):
    """Parses an example. Values that it does not define get the types that the parser asks for."""
    types, text = {}, "\n".join("  " + line for line in example.splitlines())
    defined = set()
    for line in map(str.strip, example.splitlines()):
        if line.startswith("%") and " = " in line:
            defined |= set(re.findall(r"%\w+", line.split(" = ")[0]))
    defined |= set(re.findall(r"[(,]\s*(%\w+): ", example))
    for value in re.findall(r"%\w+", example):
        if value not in defined:
            types[value] = "none"
    for _ in range(30):
        givens = "".join(f'  {value} = "test.given"() : () -> {kind}\n' for value, kind in types.items())
        whole = text if example.startswith("tile.kernel") else f"func.func @example() {{\n{givens}{text}\n  return\n}}\n"
        if mnemonic == "return":
            whole = "tile.kernel @example() {\n  tile.return\n}\n"
        elif mnemonic == "yield":
            whole = ("func.func @example(%t: tensor<4xf32>) {\n  %r = tile.reduce %t axis 0 : tensor<4xf32> -> tensor<f32> {\n"
                     "  ^bb0(%sum: f32, %b: f32):\n  " + text + "\n  }\n  return\n}\n")
        run = subprocess.run(["kiln-opt", "-allow-unregistered-dialect", "-"], input=whole, capture_output=True, text=True)
        if run.returncode == 0:
            return None
        asks = re.search(r"use of value '(%\w+)' expects different type than prior uses: '(.*?)' vs '", run.stderr)
        if not asks or asks.group(1) not in types:
            return run.stderr.splitlines()[0]
        types[asks.group(1)] = asks.group(2)
    return "types of operands could not be found"


def check(name, op):
    mnemonic, text = op["opName"], op["description"]
    problems = []
    names = [arg[1] for arg in op["arguments"]["args"]] + [arg[1] for arg in op["results"]["args"]]
    names += [arg[1] for arg in op["regions"]["args"]]
    for given in names:
        if f"`{given}`" not in text:
            problems.append(f"`{given}` is not described")
    numbers = [int(n) for n in re.findall(r"^\s*- \(C(\d+)\)", text, re.MULTILINE)]
    if numbers != list(range(1, len(numbers) + 1)):
        problems.append(f"constraints are numbered {numbers}")
    if op["hasVerifier"] and not numbers:
        problems.append("it has a verifier and no constraints")
    if not op["summary"]:
        problems.append("it has no summary")
    if not re.search(r"^\s*Since: \d+\.\d+\.$", text, re.MULTILINE):
        problems.append("it does not say since when it is there")
    if '"AnyType"' in json.dumps([op["arguments"], op["results"]]):
        problems.append("it takes or gives any type")
    examples = re.findall(r"```mlir\n(.*?)```", text, re.DOTALL)
    if not examples:
        problems.append("it has no example")
    for example in examples:
        lines = example.rstrip().splitlines()
        indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        # Each operation by itself: a name may stand for something else in the next one.
        for statement in re.split(r"\n(?=[^\s}^:])", "\n".join(line[indent:] for line in lines)):
            error = parse(mnemonic, statement)
            if error:
                problems.append(f"its example does not parse: {error}")
    return [f"tile.{mnemonic}: {problem}" for problem in problems]


operations = {}
for path in sorted(glob.glob(f"{source}/include/kiln/Dialect/Tile/*Ops.td")):
    operations.update({name: op for name, op in records(path) if not wanted or op["opName"] in wanted})
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    found = sum(pool.map(lambda item: check(*item), sorted(operations.items())), [])
for problem in found:
    print(problem)
print(f"{len(operations)} operations, {len(found)} problems")
sys.exit(1 if found or not operations else 0)
