// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The type of a result may leave open what its operand says: slices of windows have the type of the result.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(prim-decompose))' | FileCheck %s
// RUN: kiln-run %s --target=cpu --check | FileCheck %s --check-prefix=VALUES
// VALUES: ok: 4xf32

// CHECK-LABEL: func.func @pairs(
// CHECK: prim.slice {{.*}} : tensor<8xf32> -> tensor<?xf32>
// CHECK: %[[SUM:.*]] = prim.add {{.*}} : tensor<?xf32>
// CHECK: return %[[SUM]] : tensor<?xf32>
func.func @pairs(%x: tensor<8xf32>) -> tensor<?xf32> {
  %z = prim.constant dense<0.0> : tensor<f32>
  %0 = prim.reduce_window (%x) inits (%z) {window = array<i64: 2>, strides = array<i64: 2>, pad_low = array<i64: 0>,
    pad_high = array<i64: 0>, dilation = array<i64: 1>, input_dilation = array<i64: 1>} : (tensor<8xf32>, tensor<f32>) -> tensor<?xf32> {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = prim.add %p, %q : tensor<f32>
    prim.yield %s : tensor<f32>
  }
  return %0 : tensor<?xf32>
}
