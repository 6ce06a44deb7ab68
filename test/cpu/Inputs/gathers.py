# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a kernel that sums gathers.

Usage: gathers.py USED UNUSED    USED gathers are added, UNUSED ones are read by nothing
"""
import sys

used, unused = int(sys.argv[1]), int(sys.argv[2])
print("""tile.kernel @gathers(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %d: i32) {
  %iota = tile.iota 0 : tensor<16xi32>
  %divisor = tile.splat %d : tensor<16xi32>
  %quotient = arith.divsi %iota, %divisor : tensor<16xi32>
  %rest = arith.remsi %iota, %divisor : tensor<16xi32>
  %at = arith.muli %quotient, %rest : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %ys = tile.splat %y : tensor<16x!tile.ptr<f32>>
  %yp = tile.ptr_add %ys, %iota : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %sum0 = arith.constant dense<0.0> : tensor<16xf32>""")
for i in range(used + unused):
    print(f"""  %shift{i} = arith.constant dense<{i}> : tensor<16xi32>
  %at{i} = arith.addi %at, %shift{i} : tensor<16xi32>
  %xp{i} = tile.ptr_add %xs, %at{i} : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v{i} = tile.load_ptr %xp{i} : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>""")
    if i < used:
        print(f"  %sum{i + 1} = arith.addf %sum{i}, %v{i} : tensor<16xf32>")
print(f"""  tile.store_ptr %yp, %sum{used} : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
}}""")
