# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel whose places and masks are added to themselves, and combined with themselves, so many times."""
import sys

print("""tt.func public @paths(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %i0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %all = tt.splat %n : i32 -> tensor<64xi32>
  %m0 = arith.cmpi slt, %i0, %all : tensor<64xi32>""")
count = int(sys.argv[1])
for k in range(count):
    print(f"  %i{k + 1} = arith.addi %i{k}, %i{k} : tensor<64xi32>")
    print(f"  %m{k + 1} = arith.andi %m{k}, %m{k} : tensor<64xi1>")
print(f"""  %p = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %p, %i{count} : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %q, %m{count} : tensor<64x!tt.ptr<f32>>
  %r = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %s = tt.addptr %r, %i0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %s, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}}""")
