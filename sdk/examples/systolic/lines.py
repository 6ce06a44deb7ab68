#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts lines of code: no blank lines, no comments, of the compiler without what a later step of the tutorial adds.
Usage: lines.py"""
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = {
    "1, compiler": ["chip.mlir", "compiler/SystolicOps.td", "compiler/SystolicDialect.h", "compiler/SystolicDialect.cpp",
                    "compiler/ConvertStage.cpp", "compiler/Program.cpp", "compiler/Target.cpp"],
    "2, compiler": ["compiler/Extensions.h", "compiler/VectorOps.td", "compiler/Vector.cpp"],
    "3, compiler": ["compiler/Softmax.cpp", "compiler/PackWeights.cpp"],
    "machine": ["device/Isa.h", "device/Machine.h", "device/Machine.cpp", "device/Module.cpp", "device/Queue.h",
                "device/Queue.cpp", "device/Functions.cpp"],
    "driver": ["device/Driver.cpp"],
}


def count(path):
    with open(os.path.join(HERE, path), encoding="utf-8") as file:
        text = file.read()
    if path.startswith("compiler/"):
        text = re.sub(r"^#if SYSTOLIC_STEP.*?^#endif\n", "", text, flags=re.MULTILINE | re.DOTALL)
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))


for step, paths in STEPS.items():
    print(f"{step}: {sum(count(path) for path in paths)} lines of code ({', '.join(os.path.basename(p) for p in paths)})")
