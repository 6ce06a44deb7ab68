// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of equal elements is selected, and how updates are combined, follow from both regions. The numbers are those of the
// specification's definition, by numpy.
// RUN: kiln-run %s --target=reference | FileCheck %s
// RUN: kiln-run %s --target=cpu --no-fallback | FileCheck %s

// GT: the last of equals; LT: the smallest, the last of equals; GE with arguments in the other order is LE; products, and maxima.
// CHECK: 6xf32: 1, 1, 11, 1, 101, 1
// CHECK: 6xf32: 10, 0, 0, 0, 0, 100
// CHECK: 6xf32: 10, 0, 0, 100, 0, 0
// CHECK: 6xf32: 2, 20, 2, 2, 200, 2
// CHECK: 6xu8: 3, 10, 3, 3, 100, 3
func.func @main() -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xui8>) {
  %x = stablehlo.constant dense<[1.0, 5.0, 5.0, 2.0, 7.0, 2.0]> : tensor<6xf32>
  %s = stablehlo.constant dense<[10.0, 100.0]> : tensor<2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %last = "stablehlo.select_and_scatter"(%x, %s, %one) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<6xf32>, tensor<2xf32>, tensor<f32>) -> tensor<6xf32>
  %least = "stablehlo.select_and_scatter"(%x, %s, %zero) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<6xf32>, tensor<2xf32>, tensor<f32>) -> tensor<6xf32>
  %other = "stablehlo.select_and_scatter"(%x, %s, %zero) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %b, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<6xf32>, tensor<2xf32>, tensor<f32>) -> tensor<6xf32>
  %product = "stablehlo.select_and_scatter"(%x, %s, %two) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<6xf32>, tensor<2xf32>, tensor<f32>) -> tensor<6xf32>
  // Padding is never selected, and bytes from 128 on are large.
  %bytes = stablehlo.constant dense<[100, 200, 100, 2, 7, 3]> : tensor<6xui8>
  %updates = stablehlo.constant dense<[10, 1, 100]> : tensor<3xui8>
  %three = stablehlo.constant dense<3> : tensor<ui8>
  %max = "stablehlo.select_and_scatter"(%bytes, %updates, %three) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
    %c = stablehlo.compare GT, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
    %c = stablehlo.maximum %a, %b : tensor<ui8>
    stablehlo.return %c : tensor<ui8>
  }) : (tensor<6xui8>, tensor<3xui8>, tensor<ui8>) -> tensor<6xui8>
  return %last, %least, %other, %product, %max : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xui8>
}
