# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a program of about a hundred operations with one erf somewhere: long-program.py prim|tosa."""
import sys

dialect = sys.argv[1]
kind = "tensor<8x16xf32>"
print(f"func.func @main(%v0: {kind}, %v1: {kind}) -> ({kind}, {kind}) {{")
for i in range(2, 102):
    name = ("add", "sub", "maximum")[i % 3]
    operands = f"%v{i - 1}, %v{i - 1 - i % 2}"
    types = kind if dialect == "prim" else f"({kind}, {kind}) -> {kind}"
    if i == 67:
        name, operands = "erf", f"%v{i - 1}"
        types = kind if dialect == "prim" else f"({kind}) -> {kind}"
    print(f"  %v{i} = {dialect}.{name} {operands} : {types}")
print(f"  return %v100, %v101 : {kind}, {kind}")
print("}")
