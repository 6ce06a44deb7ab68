# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts that are not in the wire form, by what is wrong in them: each is the reader's own error. Usage: damaged.py"""
import kiln_wire

TYPES = {"open brackets": "tensor<" * 20000}
ELEMENTS = {"bits without a number": 'dense<"0x00112233"> : tensor<1xtoken>', "bits that the type has not": "dense<0x1FFFFFFFF> : tensor<1xf32>",
            "an attribute's bits": "0x12345 : f16", "numbers that Python has not": "dense<0x7F> : tensor<1xf8E4M3FN>",
            "deep lists": "dense<" + "[" * 20000 + "1" + "]" * 20000 + "> : tensor<1xi32>", "deep attributes": "[" * 20000 + "]" * 20000,
            "an element without end": "dense<1", "too few bytes": 'dense<"0x0011"> : tensor<9xi8>',
            "too few bits": 'dense<"0x00"> : tensor<9xi1>', "open sizes": 'dense<"0x00"> : tensor<?xi8>', "more bits than tf32 has": "dense<0x80000> : tensor<1xtf32>",
            "a width of many digits": 'dense<"0x00"> : tensor<1xi' + "9" * 9 + ">"}
MODULE = '"builtin.module"() ({\n  "tile.kernel"() <{sym_name = "k"}> ({\n    %%0 = "arith.constant"() <{value = %s}> : () -> %s\n' \
    '    %%1 = "math.sqrt"(%%0) : (%s) -> i32\n  }) : () -> ()\n}) : () -> ()\n'

for what, text in [(what, MODULE % ("1 : i32", text, text)) for what, text in TYPES.items()] + \
        [(what, MODULE % (text, "i32", "i32")) for what, text in ELEMENTS.items()] + \
        [("a module without a block", '"builtin.module"() : () -> ()')]:
    try:
        kiln_wire.read(text)
        print(f"{what}: was read")
    except kiln_wire.WireError as error:
        print(f"{what}: {str(error)[:70]}")
    except Exception as error:
        print(f"{what}: {type(error).__name__}")

# What was read by half is not known the second time either.
huge = "tensor<1x" + "9" * 5000 + "xi32>"
for _ in range(2):
    try:
        kiln_wire.Type(huge)
        print("a size of 5000 digits: was read")
    except ValueError:
        print("a size of 5000 digits: refused")
