// Products of complex numbers over windows: the imaginary part of their neutral number is 0.
// RUN: kiln-run %s --target=cpu --check | FileCheck %s
// CHECK: result 0: ok
// CHECK: result 1: ok
func.func @main(%re: tensor<5xf32>, %im: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %x = stablehlo.complex %re, %im : tensor<5xcomplex<f32>>
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  %r = "stablehlo.reduce_window"(%x, %one) <{padding = dense<[[4, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 5>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %m = stablehlo.multiply %a, %b : tensor<complex<f32>>
    stablehlo.return %m : tensor<complex<f32>>
  }) : (tensor<5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<5xcomplex<f32>>
  %0 = stablehlo.real %r : (tensor<5xcomplex<f32>>) -> tensor<5xf32>
  %1 = stablehlo.imag %r : (tensor<5xcomplex<f32>>) -> tensor<5xf32>
  return %0, %1 : tensor<5xf32>, tensor<5xf32>
}
