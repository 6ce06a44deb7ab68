// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a target's offsets reach `most_extent` bytes, the variant with views is for launches whose strides keep each view within
// them. For other targets it is for all launches whose offsets do not wrap around.
// RUN: kiln-opt %s --split-input-file --pass-pipeline='builtin.module(tile-vary-views)' | FileCheck %s

#near = #kiln.target<name = "made-up", chip = "near", extra = {most_extent = 2147483647 : i64}>

module attributes {kiln.target = #near} {
// 15 rows of f32 behind the first one, and 7 elements of the last one: 4 * (15 * stride + 8) bytes are at most 2^31 - 1.
// CHECK: #[[NEAR:.*]] = affine_set<()[s0, s1, s2, s3, s4] : (s1 >= 0, s1 * -15 + 536870903 >= 0)>
// CHECK-LABEL: tile.kernel private @rows_views
// CHECK-SAME: condition = #[[NEAR]]
tile.kernel @rows(%x: !tile.ptr<f32>, %s: i32) {
  %rows = tile.iota 0 : tensor<16x8xi32>
  %columns = tile.iota 1 : tensor<16x8xi32>
  %ss = tile.splat %s : tensor<16x8xi32>
  %down = arith.muli %rows, %ss : tensor<16x8xi32>
  %wide = arith.extsi %down : tensor<16x8xi32> to tensor<16x8xi64>
  %across = arith.extsi %columns : tensor<16x8xi32> to tensor<16x8xi64>
  %offsets = arith.addi %wide, %across : tensor<16x8xi64>
  %xs = tile.splat %x : tensor<16x8x!tile.ptr<f32>>
  %xp = tile.ptr_add %xs, %offsets : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xi64>
  %v = tile.load_ptr %xp : tensor<16x8x!tile.ptr<f32>> -> tensor<16x8xf32>
  tile.store_ptr %xp, %v : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xf32>
}
}

// -----

// CHECK: #[[FAR:.*]] = affine_set<()[s0, s1, s2, s3, s4] : (s1 >= 0, s1 * -15 + 2147483647 >= 0)>
// CHECK-LABEL: tile.kernel private @rows_views
// CHECK-SAME: condition = #[[FAR]]
tile.kernel @rows(%x: !tile.ptr<f32>, %s: i32) {
  %rows = tile.iota 0 : tensor<16x8xi32>
  %columns = tile.iota 1 : tensor<16x8xi32>
  %ss = tile.splat %s : tensor<16x8xi32>
  %down = arith.muli %rows, %ss : tensor<16x8xi32>
  %wide = arith.extsi %down : tensor<16x8xi32> to tensor<16x8xi64>
  %across = arith.extsi %columns : tensor<16x8xi32> to tensor<16x8xi64>
  %offsets = arith.addi %wide, %across : tensor<16x8xi64>
  %xs = tile.splat %x : tensor<16x8x!tile.ptr<f32>>
  %xp = tile.ptr_add %xs, %offsets : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xi64>
  %v = tile.load_ptr %xp : tensor<16x8x!tile.ptr<f32>> -> tensor<16x8xf32>
  tile.store_ptr %xp, %v : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xf32>
}
