// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that asks for stages, and whose loads no ring takes, loads an iteration ahead; not where it hands on what it was handed.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts{warps=4},simt-stage-operands,stage-schedule,stage-pipeline))' 2>/dev/null | FileCheck %s

// CHECK-LABEL: tile.kernel @ahead
// CHECK: %[[FIRST:.*]] = tile.load
// CHECK: scf.for {{.*}} iter_args({{.*}} = %[[FIRST]])
tile.kernel @ahead(%x: !tile.view<?xf32> {tile.readonly}, %z: !tile.view<?xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %k = %c0 to %c8 step %c1 {
    %a = tile.load %x[%k] : !tile.view<?xf32> -> tensor<128xf32>
    %t = arith.addf %a, %a : tensor<128xf32>
    tile.store %t, %z[%k] : tensor<128xf32>, !tile.view<?xf32>
  } {tile.loop = #tile.loop_hints<stages = 3>}
}

// CHECK-LABEL: tile.kernel @handed
// CHECK-NOT: tile.load
// CHECK: scf.for
// CHECK: tile.load
tile.kernel @handed(%x: !tile.view<?xf32> {tile.readonly}, %z: !tile.view<?xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %l:2 = scf.for %k = %c0 to %c8 step %c1 iter_args(%one = %zero, %two = %zero) -> (tensor<128xf32>, tensor<128xf32>) {
    %a = tile.load %x[%k] : !tile.view<?xf32> -> tensor<128xf32>
    %t = arith.addf %a, %two : tensor<128xf32>
    scf.yield %t, %one : tensor<128xf32>, tensor<128xf32>
  } {tile.loop = #tile.loop_hints<stages = 3>}
  tile.store %l#0, %z[%c0] : tensor<128xf32>, !tile.view<?xf32>
}
