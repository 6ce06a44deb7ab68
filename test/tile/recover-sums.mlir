// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An index that is a sum of several vectors along one dimension is added in its own type and widened once; its parts are not
// computed again in 64 bits.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-recover-views{report=true}),canonicalize,cse)' -verify-diagnostics | FileCheck %s

// Quotient and rest by a parameter, each times a stride.
// CHECK-LABEL: tile.kernel @parts
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<16xi32>
// CHECK: arith.extsi %[[SUM]] : tensor<16xi32> to tensor<16xi64>
// CHECK-NOT: arith.muli {{.*}}tensor<16xi64>
// CHECK: tile.load_gather
tile.kernel @parts(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %d: i32) {
  %c3 = arith.constant dense<3> : tensor<16xi32>
  %c5 = arith.constant dense<5> : tensor<16xi32>
  %iota = tile.iota 0 : tensor<16xi32>
  %ds = tile.splat %d : tensor<16xi32>
  %q = arith.divsi %iota, %ds : tensor<16xi32>
  %r = arith.remsi %iota, %ds : tensor<16xi32>
  %a = arith.muli %q, %c3 : tensor<16xi32>
  %b = arith.muli %r, %c5 : tensor<16xi32>
  %at = arith.addi %a, %b : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %xp = tile.ptr_add %xs, %at : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // expected-remark@+1 {{gather}}
  %v = tile.load_ptr %xp : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %ys = tile.splat %y : tensor<16x!tile.ptr<f32>>
  %yp = tile.ptr_add %ys, %iota : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // expected-remark@+1 {{view}}
  tile.store_ptr %yp, %v : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
}

// Along another dimension the parts stay apart: rows have their own indices.
// CHECK-LABEL: tile.kernel @rows
// CHECK: tile.load_gather {{.*}} dim 0
tile.kernel @rows(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %d: i32) {
  %c64 = arith.constant dense<64> : tensor<16x1xi32>
  %i = tile.iota 0 : tensor<16xi32>
  %ds = tile.splat %d : tensor<16xi32>
  %q = arith.divsi %i, %ds : tensor<16xi32>
  %rows = tile.expand_dims %q axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %starts = arith.muli %rows, %c64 : tensor<16x1xi32>
  %wide = tile.broadcast %starts : tensor<16x1xi32> -> tensor<16x8xi32>
  %j = tile.iota 1 : tensor<16x8xi32>
  %at = arith.addi %wide, %j : tensor<16x8xi32>
  %xs = tile.splat %x : tensor<16x8x!tile.ptr<f32>>
  %xp = tile.ptr_add %xs, %at : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xi32>
  // expected-remark@+1 {{gather}}
  %v = tile.load_ptr %xp : tensor<16x8x!tile.ptr<f32>> -> tensor<16x8xf32>
  %c8 = arith.constant dense<8> : tensor<16x8xi32>
  %k = tile.iota 0 : tensor<16x8xi32>
  %k8 = arith.muli %k, %c8 : tensor<16x8xi32>
  %to = arith.addi %k8, %j : tensor<16x8xi32>
  %ys = tile.splat %y : tensor<16x8x!tile.ptr<f32>>
  %yp = tile.ptr_add %ys, %to : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xi32>
  // expected-remark@+1 {{view}}
  tile.store_ptr %yp, %v : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xf32>
}
