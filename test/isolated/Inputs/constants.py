# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""constants.py writes a kernel with constants of 128 elements of several types; constants.py FILE reads its wire form."""
import sys

VALUES = {"i1": [int(n % 3 == 0) for n in range(128)], "i8": [n - 64 for n in range(128)], "i64": [n - (1 << 40) for n in range(128)],
          "f32": [n / 4 for n in range(128)], "bf16": [float(n) for n in range(128)]}

if len(sys.argv) == 1:
    print("tile.kernel @k() {")
    for number, (element, values) in enumerate(VALUES.items()):
        texts = ["true" if n else "false" for n in values] if element == "i1" else map(str, values)
        print(f"  %{number} = arith.constant dense<[{', '.join(texts)}]> : tensor<128x{element}>")
    print("}")
else:
    import kiln_wire
    with open(sys.argv[1], encoding="utf-8") as file:
        found = [op.get("value") for op in kiln_wire.read(file.read())[0].body if op.name == "arith.constant"]
    wrong = sum([one.value for one in constant.values] != VALUES[constant.type.element] for constant in found)
    print(f"{len(found)} constants, {wrong} wrong")
