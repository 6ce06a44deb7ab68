# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a program with a table that is aligned in bytecode, and long enough to be mapped."""
print(f"""func.func @main(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {{
  %table = arith.constant dense_resource<table> : tensor<64x128xf32>
  %0 = tosa.add %x, %table : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}}
{{-# dialect_resources: {{ builtin: {{ table: "0x40000000{'0000803F' * 64 * 128}" }} }} #-}}""")
