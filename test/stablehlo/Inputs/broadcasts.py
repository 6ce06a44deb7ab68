# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A chain of COUNT broadcasts of an open size, each to the size of the one before it.

Usage: broadcasts.py COUNT"""
import sys

count = int(sys.argv[1])
print("func.func @main(%0: tensor<?x1xf32>, %like: tensor<?x2xf32>) -> tensor<?x1xf32> {")
print("  %one = stablehlo.constant dense<1> : tensor<1xi32>")
for i in range(count):
    print(f"  %size{i} = stablehlo.get_dimension_size %{i}, dim = 0 : (tensor<?x1xf32>) -> tensor<i32>")
    print(f"  %first{i} = stablehlo.reshape %size{i} : (tensor<i32>) -> tensor<1xi32>")
    print(f"  %shape{i} = stablehlo.concatenate %first{i}, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>")
    print(f"  %b{i} = stablehlo.dynamic_broadcast_in_dim %{i}, %shape{i}, dims = [0, 1] : "
          "(tensor<?x1xf32>, tensor<2xi32>) -> tensor<?x1xf32>")
    print(f"  %{i + 1} = stablehlo.negate %b{i} : tensor<?x1xf32>")
print(f"  return %{count} : tensor<?x1xf32>")
print("}")
