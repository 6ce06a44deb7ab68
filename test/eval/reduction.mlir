// RUN: kiln-eval %s | FileCheck %s

// CHECK: sum[0] = [2] f32: 6 15
// CHECK: sum[1] = [3] f32: 5 7 9
// CHECK: sum[2] = [] f32: 21
func.func @sum() -> (tensor<2xf32>, tensor<3xf32>, tensor<f32>) {
  %x = prim.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %r = prim.sum %x dims [1] : tensor<2x3xf32> -> tensor<2xf32>
  %c = prim.sum %x dims [0] : tensor<2x3xf32> -> tensor<3xf32>
  %a = prim.sum %x dims [0, 1] : tensor<2x3xf32> -> tensor<f32>
  return %r, %c, %a : tensor<2xf32>, tensor<3xf32>, tensor<f32>
}
// The sum is wider than its operands: 1 does not get lost.
// CHECK: sum_wide = [1] f32: 1
func.func @sum_wide() -> tensor<1xf32> {
  %x = prim.constant dense<[[1.0e8, 1.0, -1.0e8]]> : tensor<1x3xf32>
  %r = prim.sum %x dims [1] : tensor<1x3xf32> -> tensor<1xf32>
  return %r : tensor<1xf32>
}
// CHECK: sum_wraps = [] i8: -56
func.func @sum_wraps() -> tensor<i8> {
  %x = prim.constant dense<100> : tensor<2xi8>
  %r = prim.sum %x dims [0] : tensor<2xi8> -> tensor<i8>
  return %r : tensor<i8>
}
// CHECK: prod = [] i32: 24
func.func @prod() -> tensor<i32> {
  %x = prim.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %r = prim.prod %x dims [0] : tensor<4xi32> -> tensor<i32>
  return %r : tensor<i32>
}
// CHECK: extremes[0] = [2] f32: 2 nan
// CHECK: extremes[1] = [2] f32: 1 nan
func.func @extremes() -> (tensor<2xf32>, tensor<2xf32>) {
  %x = prim.constant dense<[[1.0, 2.0], [0x7FC00000, 4.0]]> : tensor<2x2xf32>
  %a = prim.amax %x dims [1] : tensor<2x2xf32> -> tensor<2xf32>
  %i = prim.amin %x dims [1] : tensor<2x2xf32> -> tensor<2xf32>
  return %a, %i : tensor<2xf32>, tensor<2xf32>
}
// CHECK: of_nothing[0] = [1] f32: -inf
// CHECK: of_nothing[1] = [1] f32: 0
func.func @of_nothing() -> (tensor<1xf32>, tensor<1xf32>) {
  %x = prim.full 1.0 : f32 : tensor<1x0xf32>
  %a = prim.amax %x dims [1] : tensor<1x0xf32> -> tensor<1xf32>
  %s = prim.sum %x dims [1] : tensor<1x0xf32> -> tensor<1xf32>
  return %a, %s : tensor<1xf32>, tensor<1xf32>
}
// CHECK: argmax[0] = [2] i32: 1 1
// CHECK: argmax[1] = [2] i32: 1 2
func.func @argmax() -> (tensor<2xi32>, tensor<2xi32>) {
  %x = prim.constant dense<[[1.0, 3.0, 3.0], [1.0, 0x7FC00000, 2.0]]> : tensor<2x3xf32>
  %a = prim.argmax %x dim 1 : tensor<2x3xf32> -> tensor<2xi32>
  %i = prim.argmax %x dim 1 ignore_nan : tensor<2x3xf32> -> tensor<2xi32>
  return %a, %i : tensor<2xi32>, tensor<2xi32>
}
