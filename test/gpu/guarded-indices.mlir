// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An index that a condition replaces by a number outside of the view is accessed where the condition holds, and is not compared where
// its range lies inside.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,stage-allocate,simt-insert-barriers),convert-tile-to-simt)' | FileCheck %s
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,stage-allocate,simt-insert-barriers),convert-tile-to-simt)' -o %t

// CHECK-LABEL: llvm.func @guarded
// CHECK: %[[N:.*]] = arith.cmpi slt, %[[I:.*]], %{{.*}} : i32
// CHECK-NOT: ult
// CHECK: arith.andi %[[I]], %{{.*}} : i32
// CHECK-NOT: ult
// CHECK: simt.load %{{.*}} mask %[[N]]
tile.kernel @guarded(%a: !tile.view<4096xf32> {tile.readonly}, %o: !tile.view<32xf32>, %n: i32) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant dense<-1> : tensor<32xi32>
  %mask = arith.constant dense<1023> : tensor<32xi32>
  %i = tile.iota 0 : tensor<32xi32>
  %ns = tile.splat %n : tensor<32xi32>
  %c = arith.cmpi slt, %i, %ns : tensor<32xi32>
  %m = arith.andi %i, %mask : tensor<32xi32>
  %s = arith.select %c, %m, %none : tensor<32xi1>, tensor<32xi32>
  %t = tile.load_gather %a[] dim 0 by %s pad %zero : f32 : !tile.view<4096xf32>, tensor<32xi32> -> tensor<32xf32>
  tile.store %t, %o[%c0] : tensor<32xf32>, !tile.view<32xf32>
}

// No memory reaches the end of this view: the condition is enough, whatever the index is.
// CHECK-LABEL: llvm.func @far
// CHECK: %[[N:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK-NOT: ult
// CHECK: simt.load %{{.*}} mask %[[N]]
tile.kernel @far(%a: !tile.view<2305843009213693951xf32> {tile.readonly}, %o: !tile.view<32xf32>, %n: i32, %first: i64)
    attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant dense<-1> : tensor<32xi64>
  %i = tile.iota 0 : tensor<32xi32>
  %ns = tile.splat %n : tensor<32xi32>
  %c = arith.cmpi slt, %i, %ns : tensor<32xi32>
  %wide = arith.extsi %i : tensor<32xi32> to tensor<32xi64>
  %from = tile.splat %first : tensor<32xi64>
  %m = arith.muli %wide, %from : tensor<32xi64>
  %s = arith.select %c, %m, %none : tensor<32xi1>, tensor<32xi64>
  %t = tile.load_gather %a[] dim 0 by %s pad %zero : f32 : !tile.view<2305843009213693951xf32>, tensor<32xi64> -> tensor<32xf32>
  tile.store %t, %o[%c0] : tensor<32xf32>, !tile.view<32xf32>
}
