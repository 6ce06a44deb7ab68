// RUN: kiln-eval %s | FileCheck %s

// CHECK: lines[0] = [1, 4] f32: 10 -2 -2 -2
// CHECK: lines[1] = [1, 4] f32: 0 2 0 -2
// CHECK: lines[2] = [1, 4] f32: 10 -2 -2 -2
// CHECK: lines[3] = [1, 4] f32: 0 -2 0 2
func.func @lines() -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  %x = prim.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
  %z = prim.constant dense<0.0> : tensor<1x4xf32>
  %a, %b = prim.fourier %x, %z dim 1 : tensor<1x4xf32>, tensor<1x4xf32> -> tensor<1x4xf32>, tensor<1x4xf32>
  %c, %d = prim.fourier %x, %z dim 1 inverse : tensor<1x4xf32>, tensor<1x4xf32> -> tensor<1x4xf32>, tensor<1x4xf32>
  return %a, %b, %c, %d : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
}

// Imaginary parts of what is its own conjugate count for nothing.
// CHECK: halves[0] = [3, 1] f64: 10 -2 -2
// CHECK: halves[1] = [3, 1] f64: 0 2 0
// CHECK: halves[2] = [4, 1] f64: 4 8 12 16
func.func @halves() -> (tensor<3x1xf64>, tensor<3x1xf64>, tensor<4x1xf64>) {
  %x = prim.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf64>
  %a, %b = prim.fourier %x dim 0 : tensor<4x1xf64> -> tensor<3x1xf64>, tensor<3x1xf64>
  %other = prim.constant dense<[[5.0], [2.0], [7.0]]> : tensor<3x1xf64>
  %r = prim.fourier %a, %other dim 0 inverse : tensor<3x1xf64>, tensor<3x1xf64> -> tensor<4x1xf64>
  return %a, %b, %r : tensor<3x1xf64>, tensor<3x1xf64>, tensor<4x1xf64>
}

// CHECK: tile[0] = [2] f32: 3 -1
// CHECK: tile[1] = [2] f32: 0 0
func.func @tile() -> (tensor<2xf32>, tensor<2xf32>) {
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %a, %b = tile.fourier %x axis 0 : tensor<2xf32> -> tensor<2xf32>, tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}
