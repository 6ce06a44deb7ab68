// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where threads share tiles, a sum and one of squared distances from what is computed of it read their elements in one loop, after
// the first block has given a value near the mean.
// RUN: kiln-opt %s --load-target=%S/Inputs/threads.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=threads},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s
// This target has no code generator, so the host runs what it chooses:
// RUN: unset KILN_NO_FALLBACK
// RUN: kiln-run %s --load-target=%S/Inputs/threads.mlir --target=threads --check --entry=batch_norm

// CHECK-LABEL: tile.kernel private @batch_norm_0_norm(
// The first block: its sum, and its mean unless that of all elements is no number then.
// CHECK: %[[LOAD:.*]] = tile.load
// CHECK-NEXT: tile.reduce %[[LOAD]]
// CHECK: %[[MEAN:.*]] = arith.mulf
// CHECK: %[[ALL:.*]] = arith.mulf %[[MEAN]]
// CHECK: %[[REST:.*]] = arith.subf %[[ALL]], %[[ALL]]
// CHECK: %[[FINITE:.*]] = arith.cmpf oeq, %[[REST]]
// CHECK: %[[SHIFT:.*]] = arith.select %[[FINITE]], %[[MEAN]]
// CHECK: %[[AT:.*]] = tile.broadcast %[[SHIFT]]
// Both sums.
// CHECK: %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%[[S1:.*]] = {{.*}}, %[[S2:.*]] = {{.*}})
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[APART:.*]] = arith.subf %[[X]], %[[AT]]
// CHECK: %[[TERM:.*]] = arith.select {{.*}}, %[[APART]]
// CHECK: arith.addf %[[S1]], %[[TERM]]
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[TERM]], %[[TERM]]
// CHECK: arith.addf %[[S2]], %[[SQUARE]]
// CHECK: tile.reduce %[[SUMS]]#0
// CHECK: tile.reduce %[[SUMS]]#1
// CHECK: arith.maximumf
// The loop of the result alone is left.
// CHECK: scf.for
// CHECK: tile.store
// CHECK-NOT: scf.for
func.func @batch_norm(%x: tensor<16x9x3000xf32>) -> tensor<16x9x3000xf32> {
  %sum = prim.sum %x dims [0, 2] : tensor<16x9x3000xf32> -> tensor<9xf32>
  %n = prim.full 48000.0 : f32 : tensor<9xf32>
  %mean = prim.div %sum, %n : tensor<9xf32>
  %m = prim.broadcast_in_dim %mean dims [1] : tensor<9xf32> -> tensor<16x9x3000xf32>
  %apart = prim.sub %x, %m : tensor<16x9x3000xf32>
  %square = prim.mul %apart, %apart : tensor<16x9x3000xf32>
  %squares = prim.sum %square dims [0, 2] : tensor<16x9x3000xf32> -> tensor<9xf32>
  %variance = prim.div %squares, %n : tensor<9xf32>
  %factor = prim.rsqrt %variance : tensor<9xf32>
  %f = prim.broadcast_in_dim %factor dims [1] : tensor<9xf32> -> tensor<16x9x3000xf32>
  %result = prim.mul %apart, %f : tensor<16x9x3000xf32>
  return %result : tensor<16x9x3000xf32>
}

// Many blocks of few elements have sums of their own: the squares of distances from the mean of one of them may be too large.
// CHECK-LABEL: tile.kernel private @many_blocks_0_norm(
// CHECK-NOT: iter_args({{.*}}, {{.*}})
// CHECK: program.return
func.func @many_blocks(%x: tensor<400x8x20xf32>) -> tensor<400x8x20xf32> {
  %sum = prim.sum %x dims [0, 2] : tensor<400x8x20xf32> -> tensor<8xf32>
  %n = prim.full 8000.0 : f32 : tensor<8xf32>
  %mean = prim.div %sum, %n : tensor<8xf32>
  %m = prim.broadcast_in_dim %mean dims [1] : tensor<8xf32> -> tensor<400x8x20xf32>
  %apart = prim.sub %x, %m : tensor<400x8x20xf32>
  %square = prim.mul %apart, %apart : tensor<400x8x20xf32>
  %squares = prim.sum %square dims [0, 2] : tensor<400x8x20xf32> -> tensor<8xf32>
  %variance = prim.div %squares, %n : tensor<8xf32>
  %factor = prim.rsqrt %variance : tensor<8xf32>
  %f = prim.broadcast_in_dim %factor dims [1] : tensor<8xf32> -> tensor<400x8x20xf32>
  %result = prim.mul %apart, %f : tensor<400x8x20xf32>
  return %result : tensor<400x8x20xf32>
}

// Infinite elements leave an infinite sum of squares, as far as the base is finite:
// RUN: kiln-run %s --load-target=%S/Inputs/threads.mlir --target=threads --check --entry=infinite
// CHECK-LABEL: tile.kernel private @infinite_0_sum(
// CHECK: scf.for {{.*}} iter_args({{.*}}, {{.*}})
// CHECK: arith.maximumf
func.func @infinite(%x: tensor<16x9x3000xf32>, %b: tensor<9xf32>) -> tensor<16x9x3000xf32> {
  %big = prim.full 3.0e38 : f32 : tensor<16x9x3000xf32>
  %a = prim.abs %x : tensor<16x9x3000xf32>
  %y = prim.mul %a, %big : tensor<16x9x3000xf32>
  %sum = prim.sum %y dims [0, 2] : tensor<16x9x3000xf32> -> tensor<9xf32>
  %m = prim.broadcast_in_dim %b dims [1] : tensor<9xf32> -> tensor<16x9x3000xf32>
  %apart = prim.sub %y, %m : tensor<16x9x3000xf32>
  %square = prim.mul %apart, %apart : tensor<16x9x3000xf32>
  %squares = prim.sum %square dims [0, 2] : tensor<16x9x3000xf32> -> tensor<9xf32>
  %both = prim.add %squares, %sum : tensor<9xf32>
  %r = prim.broadcast_in_dim %both dims [1] : tensor<9xf32> -> tensor<16x9x3000xf32>
  return %r : tensor<16x9x3000xf32>
}
