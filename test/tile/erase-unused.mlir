// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and arithmetic without users are erased, with the loop that holds nothing else. What has an effect stays.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-erase-unused))' | FileCheck %s

// CHECK-LABEL: tile.kernel @chain
// CHECK-NEXT: %[[I:.*]] = tile.iota 0
// CHECK-NEXT: %[[YS:.*]] = tile.splat
// CHECK-NEXT: %[[YP:.*]] = tile.ptr_add %[[YS]], %[[I]]
// CHECK-NEXT: tile.load_ptr %[[YP]] volatile
// CHECK-NEXT: tile.store_ptr %[[YP]], %[[I]]
// CHECK-NEXT: }
tile.kernel @chain(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %n: i32) {
  %i = tile.iota 0 : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<i32>>
  %xp = tile.ptr_add %xs, %i : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %a = tile.load_ptr %xp : tensor<16x!tile.ptr<i32>> -> tensor<16xi32>
  %ap = tile.ptr_add %xs, %a : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %b = tile.load_ptr %ap : tensor<16x!tile.ptr<i32>> -> tensor<16xi32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %k = %zero to %n step %one iter_args(%s = %b) -> tensor<16xi32> : i32 {
    %v = tile.load_ptr %xp : tensor<16x!tile.ptr<i32>> -> tensor<16xi32>
    %t = arith.addi %s, %v : tensor<16xi32>
    scf.yield %t : tensor<16xi32>
  }
  %ys = tile.splat %y : tensor<16x!tile.ptr<i32>>
  %yp = tile.ptr_add %ys, %i : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %kept = tile.load_ptr %yp volatile : tensor<16x!tile.ptr<i32>> -> tensor<16xi32>
  tile.store_ptr %yp, %i : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
}

// CHECK-LABEL: tile.kernel @loop
// CHECK: scf.for
// CHECK-NEXT: tile.atomic_rmw
// CHECK-NEXT: }
// CHECK-NEXT: }
tile.kernel @loop(%x: !tile.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %k = %zero to %n step %one : i32 {
    %v = tile.load_ptr %x : !tile.ptr<i32> -> i32
    %w = arith.addi %v, %one : i32
    %old = tile.atomic_rmw add relaxed device %x, %one : !tile.ptr<i32>, i32
  }
}
