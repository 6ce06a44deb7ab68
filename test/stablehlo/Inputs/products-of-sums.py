# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program with the difference of two equal sizes: sums of products of sums, whose terms come in two orders.

    products-of-sums.py TERMS"""
import sys

lines = []


def new(operation):
    lines.append(f"    %v{len(lines)} = stablehlo.{operation}")
    return f"%v{len(lines) - 1}"


def of_two(operation, a, b):
    return new(f"{operation} {a}, {b} : tensor<i32>")


def nested(size, numbers):
    for _ in range(4):
        products = [of_two("multiply", size, of_two("add", size, new(f"constant dense<{n}> : tensor<i32>"))) for n in numbers]
        size = products[0]
        for product in products[1:]:
            size = of_two("add", size, product)
    return size


SIZE = new("get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>")
COUNTS = range(1, int(sys.argv[1]) + 1)
END = of_two("add", SIZE, of_two("subtract", nested(SIZE, COUNTS), nested(SIZE, COUNTS[::-1])))
END = new(f"reshape {END} : (tensor<i32>) -> tensor<1xi32>")
ZERO, ONE = (new(f"constant dense<{n}> : tensor<1xi32>") for n in (0, 1))
PART = new(f"real_dynamic_slice %x, {ZERO}, {END}, {ONE} : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>")
print("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {", *lines, f"    return {PART} : tensor<?xf32>\n}}", sep="\n")
