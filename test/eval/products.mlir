// RUN: kiln-eval %s | FileCheck %s

// CHECK: dot_general[0] = [2, 2] f32: 10 13 28 40
// CHECK: dot_general[1] = [2, 1, 1] i32: 5 25
func.func @dot_general() -> (tensor<2x2xf32>, tensor<2x1x1xi32>) {
  %i = prim.iota dim 0 : tensor<6xf32>
  %a = prim.reshape %i : tensor<6xf32> -> tensor<2x3xf32>
  %b = prim.reshape %i : tensor<6xf32> -> tensor<3x2xf32>
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [0]
    : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>
  %x = prim.constant dense<[[[1, 2]], [[3, 4]]]> : tensor<2x1x2xi8>
  %q = prim.dot_general %x, %x batch [0] x [0] contract [2] x [2]
    : tensor<2x1x2xi8>, tensor<2x1x2xi8> -> tensor<2x1x1xi32>
  return %r, %q : tensor<2x2xf32>, tensor<2x1x1xi32>
}
// CHECK: dot_wraps = [] i32: 1
func.func @dot_wraps() -> tensor<i32> {
  %x = prim.constant dense<[2147483647, 65536]> : tensor<2xi32>
  %r = prim.dot_general %x, %x batch [] x [] contract [0] x [0] : tensor<2xi32>, tensor<2xi32> -> tensor<i32>
  return %r : tensor<i32>
}
// CHECK: conv = [1, 2, 2, 1] f32: 8 12 20 24
func.func @conv() -> tensor<1x2x2x1xf32> {
  %i = prim.iota dim 0 : tensor<9xf32>
  %x = prim.reshape %i : tensor<9xf32> -> tensor<1x3x3x1xf32>
  %f = prim.full 1.0 : f32 : tensor<1x2x2x1xf32>
  %r = prim.conv %x, %f {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x3x3x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x1xf32>
  return %r : tensor<1x2x2x1xf32>
}
// Depthwise, with padding and a stride.
// CHECK: conv_groups = [1, 2, 2] i32: 1 10 5 70
func.func @conv_groups() -> tensor<1x2x2xi32> {
  %x = prim.constant dense<[[[1, 1], [2, 3], [3, 4]]]> : tensor<1x3x2xi8>
  %f = prim.constant dense<[[[1], [1]], [[10], [10]]]> : tensor<2x2x1xi8>
  %r = prim.conv %x, %f {strides = array<i64: 2>, pad_low = array<i64: 1>, pad_high = array<i64: 0>,
    dilation = array<i64: 1>, input_dilation = array<i64: 1>, groups = 2 : i64}
    : tensor<1x3x2xi8>, tensor<2x2x1xi8> -> tensor<1x2x2xi32>
  return %r : tensor<1x2x2xi32>
}
// Transposed: zeros between the inputs.
// CHECK: conv_transposed = [1, 4, 1] f32: 1 1 2 2
func.func @conv_transposed() -> tensor<1x4x1xf32> {
  %x = prim.constant dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>
  %f = prim.full 1.0 : f32 : tensor<1x2x1xf32>
  %r = prim.conv %x, %f {strides = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 1>,
    dilation = array<i64: 1>, input_dilation = array<i64: 2>, groups = 1 : i64}
    : tensor<1x2x1xf32>, tensor<1x2x1xf32> -> tensor<1x4x1xf32>
  return %r : tensor<1x4x1xf32>
}
// CHECK: pools[0] = [1, 2, 1] f32: 2 4
// CHECK: pools[1] = [1, 2, 1] f32: 3 7
// CHECK: pools[2] = [1, 3, 1] f32: 1 2.5 4
func.func @pools() -> (tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x3x1xf32>) {
  %x = prim.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %m = prim.max_pool %x {window = array<i64: 2>, strides = array<i64: 2>, pad_low = array<i64: 0>,
    pad_high = array<i64: 0>} : tensor<1x4x1xf32> -> tensor<1x2x1xf32>
  %s = prim.sum_pool %x {window = array<i64: 2>, strides = array<i64: 2>, pad_low = array<i64: 0>,
    pad_high = array<i64: 0>} : tensor<1x4x1xf32> -> tensor<1x2x1xf32>
  %a = prim.avg_pool %x {window = array<i64: 2>, strides = array<i64: 2>, pad_low = array<i64: 1>,
    pad_high = array<i64: 1>} : tensor<1x4x1xf32> -> tensor<1x3x1xf32>
  return %m, %s, %a : tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x3x1xf32>
}
