// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows over open sizes, whose elements are combined one by one: the gradient of pooling, and a combination of two tensors.
// The sizes are such that steps end with the input, before its end, and that no window fits.
// RUN: kiln-run %s --target=cpu --entry=gradient --dim=2,7,2,4 --check --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --entry=gradient --dim=1,8,1,4 --check --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --entry=gradient --dim=3,1,3,1 --check --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --entry=pairs --dim=9,9 --check --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --entry=pairs --dim=10,10 --check --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --entry=pairs --dim=2,2 --check --arg=random:1 --arg=random:2
// RUN: kiln-opt %s --prim-decompose | FileCheck %s
// CHECK-LABEL: @gradient
// CHECK-NOT: prim.select_and_scatter
// CHECK-LABEL: @pairs
// CHECK-NOT: prim.reduce_window
func.func @gradient(%x: tensor<?x?x2xf32>, %s: tensor<?x?x2xf32>) -> tensor<?x?x2xf32> {
  %r = prim.select_and_scatter max %x, %s {window = array<i64: 1, 3, 1>, strides = array<i64: 1, 2, 1>,
    pad_low = array<i64: 0, 1, 0>, pad_high = array<i64: 0, 1, 0>} : tensor<?x?x2xf32>, tensor<?x?x2xf32>
  return %r : tensor<?x?x2xf32>
}
func.func @pairs(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %0 = prim.full 0xFF800000 : f32 : tensor<f32>
  %1 = prim.full 0.0 : f32 : tensor<f32>
  %r:2 = prim.reduce_window (%x, %y) inits (%0, %1) {window = array<i64: 3, 1>, strides = array<i64: 2, 1>,
    pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 2, 1>, input_dilation = array<i64: 1, 1>}
    : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %s = prim.maximum %a, %c : tensor<f32>
    %p = prim.add %b, %d : tensor<f32>
    prim.yield %s, %p : tensor<f32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<?x3xf32>, tensor<?x3xf32>
}
