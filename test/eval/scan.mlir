// RUN: kiln-eval %s | FileCheck %s

// CHECK: scan[0] = [2, 3] f32: 1 3 6 4 9 15
// CHECK: scan[1] = [2, 3] f32: 5 7 9 4 5 6
func.func @scan() -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %t = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %s = tile.scan %t axis 1 : tensor<2x3xf32> -> tensor<2x3xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %r = tile.scan %t axis 0 reverse : tensor<2x3xf32> -> tensor<2x3xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %s, %r : tensor<2x3xf32>, tensor<2x3xf32>
}
// CHECK: segmented_scan[0] = [6] i32: 1 3 3 7 12 6
// CHECK: segmented_scan[1] = [6] i32: 3 2 12 9 5 6
func.func @segmented_scan() -> (tensor<6xi32>, tensor<6xi32>) {
  %t = arith.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %f = arith.constant dense<[false, false, true, false, false, true]> : tensor<6xi1>
  %s = tile.segmented_scan %t starts %f : tensor<6xi1> axis 0 : tensor<6xi32> -> tensor<6xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %g = arith.constant dense<[false, true, false, false, true, false]> : tensor<6xi1>
  %r = tile.segmented_scan %t starts %g : tensor<6xi1> axis 0 reverse : tensor<6xi32> -> tensor<6xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  return %s, %r : tensor<6xi32>, tensor<6xi32>
}
// CHECK: histogram = [3] i32: 2 0 1
func.func @histogram() -> tensor<3xi32> {
  %t = arith.constant dense<[0, 2, 0, 9, -1]> : tensor<5xi32>
  %h = tile.histogram %t : tensor<5xi32> -> tensor<3xi32>
  return %h : tensor<3xi32>
}
// CHECK: take = [2, 2] i32: 3 1 5 5
func.func @take() -> tensor<2x2xi32> {
  %t = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = arith.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>
  %r = tile.gather %t by %i axis 1 : tensor<2x3xi32>, tensor<2x2xi32> -> tensor<2x2xi32>
  return %r : tensor<2x2xi32>
}
// CHECK: sort[0] = [5] f32: -1 -0 0 2 nan
// CHECK: sort[1] = [2, 2] i8: 3 4 1 2
func.func @sort() -> (tensor<5xf32>, tensor<2x2xi8>) {
  %t = arith.constant dense<[0x7FC00000, 0.0, 2.0, -0.0, -1.0]> : tensor<5xf32>
  %a = tile.sort %t axis 0 : tensor<5xf32>
  %u = arith.constant dense<[[1, 4], [3, 2]]> : tensor<2x2xi8>
  %d = tile.sort %u axis 0 descending : tensor<2x2xi8>
  return %a, %d : tensor<5xf32>, tensor<2x2xi8>
}
// CHECK: join_split[0] = [2, 2] i32: 1 3 2 4
// CHECK: join_split[1] = [2] i32: 1 2
// CHECK: join_split[2] = [2] i32: 3 4
func.func @join_split() -> (tensor<2x2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %x = arith.constant dense<[1, 2]> : tensor<2xi32>
  %y = arith.constant dense<[3, 4]> : tensor<2xi32>
  %j = tile.join %x, %y : tensor<2xi32> -> tensor<2x2xi32>
  %a, %b = tile.split %j : tensor<2x2xi32> -> tensor<2xi32>
  return %j, %a, %b : tensor<2x2xi32>, tensor<2xi32>, tensor<2xi32>
}
// CHECK: convert[0] = [4] f16: 2050 65504 -65504 inf
// CHECK: convert[1] = [4] f16: 2052 inf -inf inf
// CHECK: convert[2] = [4] f8E4M3FN: 448 448 -448 448
func.func @convert() -> (tensor<4xf16>, tensor<4xf16>, tensor<4xf8E4M3FN>) {
  %x = arith.constant dense<[2051.9, 1.0e6, -1.0e6, 0x7F800000]> : tensor<4xf32>
  %z = tile.convert_float %x toward_zero : tensor<4xf32> -> tensor<4xf16>
  %n = tile.convert_float %x nearest_even : tensor<4xf32> -> tensor<4xf16>
  %s = tile.convert_float %x nearest_even saturate : tensor<4xf32> -> tensor<4xf8E4M3FN>
  return %z, %n, %s : tensor<4xf16>, tensor<4xf16>, tensor<4xf8E4M3FN>
}
