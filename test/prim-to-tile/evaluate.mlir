// The program computes what the prims do. Small whole numbers keep every sum exact.
// RUN: kiln-eval %s > %t.prim
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-fuse),convert-prim-to-tile)' -o %t.mlir
// RUN: kiln-eval %t.mlir > %t.tile
// RUN: diff %t.prim %t.tile
// RUN: FileCheck %s --input-file=%t.prim

// CHECK: ids = [3, 5] f32: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14
func.func @ids() -> tensor<3x5xf32> {
  %i = prim.iota dim 0 : tensor<15xi32>
  %f = prim.convert_element_type %i : tensor<15xi32> -> tensor<15xf32>
  %r = prim.reshape %f : tensor<15xf32> -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// CHECK: product = [3, 4] f32: 30 30 30 30 80 80 80 80 130 130 130 130
func.func @product() -> tensor<3x4xf32> {
  %i = prim.iota dim 0 : tensor<15xi32>
  %f = prim.convert_element_type %i : tensor<15xi32> -> tensor<15xf32>
  %a = prim.reshape %f : tensor<15xf32> -> tensor<3x5xf32>
  %m = prim.constant dense<2.0> : tensor<5x4xf32>
  %b = prim.constant dense<[10.0, 10.0, 10.0, 10.0]> : tensor<4xf32>
  %d = prim.dot_general %a, %m batch [] x [] contract [1] x [0] : tensor<3x5xf32>, tensor<5x4xf32> -> tensor<3x4xf32>
  %bb = prim.broadcast_in_dim %b dims [1] : tensor<4xf32> -> tensor<3x4xf32>
  %r = prim.add %d, %bb : tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// CHECK: moved = [4, 4] i32: 9 9 9 9 9 1 3 9 9 5 7 9 9 9 9 9
func.func @moved() -> tensor<4x4xi32> {
  %c = prim.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  %s = prim.slice %c starts [0, 0] limits [2, 4] strides [1, 2] : tensor<2x4xi32> -> tensor<2x2xi32>
  %p = prim.pad %s low [1, 1] high [1, 1] value 9 : i32 : tensor<2x2xi32> -> tensor<4x4xi32>
  return %p : tensor<4x4xi32>
}

// CHECK: joined = [3, 4] i32: 3 2 1 -1 6 5 4 -2 9 8 7 -3
func.func @joined() -> tensor<3x4xi32> {
  %c = prim.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi32>
  %d = prim.constant dense<[[1], [2], [3]]> : tensor<3x1xi32>
  %r = prim.rev %c dims [1] : tensor<3x3xi32>
  %n = prim.neg %d : tensor<3x1xi32>
  %j = prim.cat %r, %n dim 1 : tensor<3x3xi32>, tensor<3x1xi32> -> tensor<3x4xi32>
  return %j : tensor<3x4xi32>
}

// CHECK: rows = [2] i32: 20001000 30001500
func.func @rows() -> tensor<2xi32> {
  %i = prim.iota dim 1 : tensor<2x20001xi32>
  %j = prim.iota dim 0 : tensor<2x20001xi32>
  %two = prim.full 2 : i32 : tensor<2x20001xi32>
  %k = prim.add %j, %two : tensor<2x20001xi32>
  %z = prim.full 0 : i32 : tensor<2x20001xi32>
  %c = prim.ge %i, %z : tensor<2x20001xi32> -> tensor<2x20001xi1>
  %h = prim.full 500 : i32 : tensor<2x20001xi32>
  %w = prim.where %c, %h, %z : tensor<2x20001xi1>, tensor<2x20001xi32>
  %p = prim.mul %w, %k : tensor<2x20001xi32>
  %s = prim.sum %p dims [1] : tensor<2x20001xi32> -> tensor<2xi32>
  return %s : tensor<2xi32>
}

// CHECK: first = [3] i32: 1 0 2
func.func @first() -> tensor<3xi32> {
  %c = prim.constant dense<[[1.0, 3.0, 3.0], [5.0, 5.0, 5.0], [0.0, 1.0, 0x7FC00000]]> : tensor<3x3xf32>
  %r = prim.argmax %c dim 1 : tensor<3x3xf32> -> tensor<3xi32>
  return %r : tensor<3xi32>
}

// CHECK: window = [1, 2, 2, 1] f32: 9 13 21 25
func.func @window() -> tensor<1x2x2x1xf32> {
  %c = prim.constant dense<[[[[0.0], [1.0], [2.0]], [[3.0], [4.0], [5.0]], [[6.0], [7.0], [8.0]]]]> : tensor<1x3x3x1xf32>
  %w = prim.constant dense<1.0> : tensor<1x2x2x1xf32>
  %r = prim.conv %c, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x3x3x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x1xf32>
  %o = prim.full 1.0 : f32 : tensor<1x2x2x1xf32>
  %s = prim.add %r, %o : tensor<1x2x2x1xf32>
  return %s : tensor<1x2x2x1xf32>
}

// CHECK: picked = [2, 2] i32: 5 6 0 0
func.func @picked() -> tensor<2x2xi32> {
  %c = prim.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %i = prim.constant dense<[2, 0]> : tensor<2xi32>
  %g = prim.gather %c, %i dim 0 batch_dims 0 : tensor<3x2xi32>, tensor<2xi32> -> tensor<2x2xi32>
  %one = prim.constant dense<[[0, 0], [1, 2]]> : tensor<2x2xi32>
  %r = prim.sub %g, %one : tensor<2x2xi32>
  return %r : tensor<2x2xi32>
}
