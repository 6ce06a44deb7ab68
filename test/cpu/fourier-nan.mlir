// A NaN in one part of an element is NaN in every real result of the line, also where its sine is zero. The imaginary part of the first element is not read.
// RUN: kiln-run %s --target=cpu --check --entry=odd --arg=random:1:f32:2x3 | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=columns --arg=random:1:f32:5x2 | FileCheck %s
// CHECK: result 0: ok{{.*}}50% NaN, both sides

func.func @odd(%re: tensor<2x3xf32>) -> tensor<2x5xf32> {
  %im = prim.constant dense<[[1.0, 0x7FC00000, 2.0], [0x7FC00000, 1.0, 2.0]]> : tensor<2x3xf32>
  %r = prim.fourier %re, %im dim 1 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}

func.func @columns(%re: tensor<5x2xf32>) -> tensor<8x2xf32> {
  %im = prim.constant dense<[[1.0, 0x7FC00000], [3.0, 1.0], [0x7FC00000, 2.0], [1.0, 1.0], [1.0, 1.0]]> : tensor<5x2xf32>
  %r = prim.fourier %re, %im dim 0 : tensor<5x2xf32>, tensor<5x2xf32> -> tensor<8x2xf32>
  return %r : tensor<8x2xf32>
}
