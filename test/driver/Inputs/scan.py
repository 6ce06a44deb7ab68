# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scan.py FOLDER: writes texts that mlir-opt takes, large in every way but nesting, into FOLDER/good, and texts whose
nesting would overflow a parser's stack, or whose shapes take it for ever, into FOLDER/deep."""
import os
import random
import sys


def constant(shape, numbers):
    kind = f"tensor<{shape}xf32>"
    return (f"func.func @main(%x: {kind}) -> {kind} {{\n  %w = \"tosa.const\"() <{{values = dense<[{numbers}]> : {kind}}}>"
            f" : () -> {kind}\n  %0 = tosa.add %x, %w : ({kind}, {kind}) -> {kind}\n  return %0 : {kind}\n}}\n")


def expression(text):
    return "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {test.map = " + text + \
           "} { return %x : tensor<4xf32> }\n"


def chain(first, each, use, count):
    return first + "".join(each.format(i, i + 1) for i in range(count)) + use.format(count)


random.seed(1)
COUNT = 250000
GOOD = {
    "floats": constant(COUNT, ", ".join(f"{-random.random() * 1e-5:.8e}" for _ in range(COUNT))),
    "exponents": constant(COUNT, ",".join("-1.0e+05" if i % 2 else "2.5E-07" for i in range(COUNT))),
    "hex": constant(COUNT, ",".join(["0xFFC00000"] * COUNT)),
    "set": expression("affine_set<(d0) : (" + ", ".join(["d0 - 1 >= 0"] * 120000) + ")>"),
    "maps": expression("[" + ", ".join(["affine_map<(d0, d1) -> (d0 * -2 + d1 mod 3)>"] * 40000) + "]"),
    "results": expression("affine_map<(d0) -> (" + ", ".join(["d0 + 1"] * 120000) + ")>"),
    "strings": expression("[" + ", ".join(["\"<<((\\\"[[--+\\\\\""] * 30000) + "]") + "// " + "(<[{" * 2000 + "\n",
    "aliases": "".join(f"#a{i} = dense<-{i}.0e-1> : tensor<1xf32>\n" for i in range(5000)) + expression("#a0"),
    "arrows": "".join(f"func.func private @f{i}(tensor<*xf32>) -> (tensor<*xf32>)\n" for i in range(30000)) +
              expression("1 : i1"),
    "strides": "".join(f"func.func private @f{i}(memref<?x?xf32, strided<[?, -1], offset: ?>>)\n" for i in range(5000)) +
               expression("-1.0e-5 : f32"),
    "long-chain": expression("affine_map<(d0) -> (" + " + ".join(["d0"] * 50000) + ")>"),
}
# Much of what there may be much of, in time that grows with the text.
GOOD["arguments"] = ("func.func @main(%x: tensor<1xf32>, " + ", ".join(f"%many{i}: tensor<1xf32>" for i in range(20000)) +
                     ") -> tensor<1xf32> { return %x : tensor<1xf32> }\n")
MANY = 1500000
DEEP = {
    "plus": expression("affine_map<(d0) -> (" + "+".join(["d0"] * MANY) + ")>"),
    "minus": expression("affine_map<(d0) -> (" + "-" * MANY + "d0)>"),
    "floordiv": expression("affine_map<(d0) -> (d0" + " floordiv 2" * 300000 + ")>"),
    "spread": expression("affine_map<(d0) -> (" + "(" * 500 + "d0" + (" + d0" * 1000 + ")") * 500 + ")>"),
    "set-chain": expression("affine_set<(d0) : (" + " mod 7 + ".join(["d0"] * 300000) + " >= 0)>"),
    "inline": "func.func @main(%m: memref<?xf32>, %i: index) {\n  %0 = affine.load %m[" + " + ".join(["%i"] * 300000) +
              "] : memref<?xf32>\n  return\n}\n",
    # Comparisons close no brackets.
    "compare": "func.func private @f(" + "tuple<tensor<1xf32, affine_set<(d0) : (d0 >= 0, d0 >= 1, d0 >= 2)>>, " * 5000 +
               "i1" + ">" * 5000 + ")\n",
    "dimensions": f"func.func private @f(tensor<{'1x' * 300000}f32>)\n",
    "open-dimensions": f"func.func private @f(memref<?x{'1x' * 300000}f32>)\n",
    "alias-attributes": chain("#a0 = 1 : i32\n", "#a{1} = [#a{0}]\n", "module attributes {{a = #a{0}}} {{}}\n", 200000),
    "alias-types": chain("!a0 = i32\n", "!a{1} = tuple<\n!a{0}>\n", "func.func private @f(!a{0})\n", 200000),
    "alias-places": chain("#a0 = loc(\"a\")\n", "#a{1} = loc(callsite(#a{0} at #a0))\n", "module {{}} loc(#a{0})\n",
                          200000),
}
for folder, files in (("good", GOOD), ("deep", DEEP)):
    os.makedirs(os.path.join(sys.argv[1], folder), exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(sys.argv[1], folder, name + ".mlir"), "w", encoding="ascii") as file:
            file.write(text)
