# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes compiler/Attributes.inc of the template in C++ from the table of the wire form. Usage: attributes.py TABLE"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    table = json.load(file)
print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
print(f"// The attributes of tile and prim in version {table['version']} of the wire form: KILN_ATTRIBUTES(operation, names).")
for name, facts in sorted(table["operations"].items()):
    if name.startswith(("tile.", "prim.")):
        print(f'KILN_ATTRIBUTES("{name}", "{" ".join(sorted(facts.get("attributes", {})))}")')
