// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows over open sizes: the gradient of pooling, and pads that are computed.
// RUN: kiln-run %s --target=cpu --entry=gradient --dim=2,6,2,3 --check --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --entry=gradient --dim=1,7,1,3 --check --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --entry=padded --dim=2,6 --check --arg=random:1
// RUN: kiln-run %s --target=cpu --entry=padded --dim=2,7 --check --arg=random:1
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

// The pads depend on the size; the elements of padding count.
// CHECK-LABEL: @padded
// CHECK: prim.cat
// CHECK: prim.reduce_window({{.*}}pad_high = array<i64: 0, 0>, pad_low = array<i64: 0, 0>
func.func @padded(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %init = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %window = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  %strides = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<1x2xi32>
  %low = stablehlo.constant dense<1> : tensor<1x1xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %rest = stablehlo.remainder %n, %two : tensor<i32>
  %high = stablehlo.reshape %rest : (tensor<i32>) -> tensor<1x1xi32>
  %pair = stablehlo.concatenate %low, %high, dim = 1 : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x2xi32>
  %pads = stablehlo.concatenate %none, %pair, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %init, %window, %strides, %ones, %ones, %pads) {called_computations = [@sum]}
    : (tensor<?x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.add %a, %b : tensor<f32>
  return %c : tensor<f32>
}
