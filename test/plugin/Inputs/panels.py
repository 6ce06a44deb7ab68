# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes a copy of the example systolic: its matrix unit reads factors in panels, blocks of 16 x 16, left ones in groups
of 16 steps and right ones in groups of one. Usage: panels.py FOLDER"""
import sys

folder = sys.argv[1]


def replace(name, old, new):
    with open(f"{folder}/{name}", encoding="utf-8") as file:
        text = file.read()
    assert text.count(old) == 1, (name, old)
    with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


replace("compiler/Target.cpp", 'pad.space = "pad";', 'pad.space = "pad"; pad.panels = true;')
# The rows of a left block are its groups of 16 steps.
replace("compiler/ConvertStage.cpp", "MmaOp::create(b, loc, operands, block.rowBytes,",
        "int64_t bytes = getElementTypeOrSelf(op.getLhs()).getIntOrFloatBitWidth() / 8;\n"
        "    std::array<int64_t, 3> rows = {16 * bytes, block.rowBytes[1], block.rowBytes[2]};\n"
        "    MmaOp::create(b, loc, operands, rows,")
replace("chip.mlir", 'lhs = <types = [f32], home = "pad">, rhs = <types = [f32], home = "pad">',
        'lhs = <types = [f32], home = "pad", layout = #kiln.interleave<16>>,\n'
        '      rhs = <types = [f32], home = "pad", layout = #kiln.interleave<1>>')
