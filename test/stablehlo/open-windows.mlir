// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows over open sizes: the gradient of pooling.
// RUN: kiln-run %s --target=cpu --entry=gradient --dim=2,6,2,3 --check --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --entry=gradient --dim=1,7,1,3 --check --arg=random:1 --arg=random:2
// RUN: kiln-opt %s --convert-stablehlo-to-prim | FileCheck %s

// CHECK-LABEL: @gradient
// CHECK: prim.select_and_scatter max %{{.*}}, %{{.*}} {{.*}}: tensor<?x?xf32>, tensor<?x?xf32>
func.func @gradient(%x: tensor<?x?xf32>, %s: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %s, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>} : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
