// RUN: kiln-eval --ranks=4 %s | FileCheck %s
// RUN: not kiln-eval --ranks=3 %s 2>&1 | FileCheck %s --check-prefix=FEW

// What each rank has: its number, added to 10, 20, 30, 40.
func.func private @mine() -> tensor<4xi32> {
  %r = prim.rank : tensor<i32>
  %c = prim.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %b = prim.broadcast_in_dim %r dims [] : tensor<i32> -> tensor<4xi32>
  %s = prim.add %c, %b : tensor<4xi32>
  return %s : tensor<4xi32>
}

// CHECK: rank@0 = [] i32: 0
// CHECK: rank@3 = [] i32: 3
func.func @rank() -> tensor<i32> {
  %r = prim.rank : tensor<i32>
  return %r : tensor<i32>
}

// CHECK: all_reduce@0[0] = [4] i32: 21 41 61 81
// CHECK: all_reduce@0[1] = [4] i32: 10 20 30 40
// CHECK: all_reduce@1[0] = [4] i32: 21 41 61 81
// CHECK: all_reduce@1[1] = [4] i32: 11 21 31 41
// CHECK: all_reduce@2[0] = [4] i32: 25 45 65 85
// CHECK: all_reduce@3[1] = [4] i32: 12 22 32 42
// FEW: needs rank 3, and the program runs on {{[23]}} ranks
func.func @all_reduce() -> (tensor<4xi32>, tensor<4xi32>) {
  %x = call @mine() : () -> tensor<4xi32>
  %0 = prim.all_reduce add %x groups [[0, 1], [2, 3]] : tensor<4xi32>
  %1 = prim.all_reduce min %x groups [[0], [1], [2, 3]] : tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// In the order of the group.
// CHECK: all_gather@0[0] = [8] i32: 10 20 30 40 12 22 32 42
// CHECK: all_gather@0[1] = [2, 4] i32: 12 22 10 20 32 42 30 40
// CHECK: all_gather@1[0] = [8] i32: 13 23 33 43 11 21 31 41
func.func @all_gather() -> (tensor<8xi32>, tensor<2x4xi32>) {
  %x = call @mine() : () -> tensor<4xi32>
  %0 = prim.all_gather %x dim 0 groups [[0, 2], [3, 1]] : tensor<4xi32> -> tensor<8xi32>
  %y = prim.reshape %x : tensor<4xi32> -> tensor<2x2xi32>
  %1 = prim.all_gather %y dim 1 groups [[2, 0], [1, 3]] : tensor<2x2xi32> -> tensor<2x4xi32>
  return %0, %1 : tensor<8xi32>, tensor<2x4xi32>
}

// CHECK: reduce_scatter@0[0] = [1] i32: 46
// CHECK: reduce_scatter@0[1] = [2, 1] i32: 11 31
// CHECK: reduce_scatter@1[0] = [1] i32: 86
// CHECK: reduce_scatter@1[1] = [2, 1] i32: 21 41
// CHECK: reduce_scatter@3[0] = [1] i32: 166
func.func @reduce_scatter() -> (tensor<1xi32>, tensor<2x1xi32>) {
  %x = call @mine() : () -> tensor<4xi32>
  %0 = prim.reduce_scatter add %x dim 0 groups [[0, 1, 2, 3]] : tensor<4xi32> -> tensor<1xi32>
  %y = prim.reshape %x : tensor<4xi32> -> tensor<2x2xi32>
  %1 = prim.reduce_scatter umax %y dim 1 groups [[0, 1], [2, 3]] : tensor<2x2xi32> -> tensor<2x1xi32>
  return %0, %1 : tensor<1xi32>, tensor<2x1xi32>
}

// CHECK: all_to_all@0[0] = [4] i32: 10 11 12 13
// CHECK: all_to_all@0[1] = [1, 4] i32: 10 20 11 21
// CHECK: all_to_all@1[1] = [1, 4] i32: 30 40 31 41
// CHECK: all_to_all@3[0] = [4] i32: 40 41 42 43
func.func @all_to_all() -> (tensor<4xi32>, tensor<1x4xi32>) {
  %x = call @mine() : () -> tensor<4xi32>
  %0 = prim.all_to_all %x split 0 concat 0 groups [[0, 1, 2, 3]] : tensor<4xi32> -> tensor<4xi32>
  %y = prim.reshape %x : tensor<4xi32> -> tensor<2x2xi32>
  %1 = prim.all_to_all %y split 0 concat 1 groups [[0, 1], [2, 3]] : tensor<2x2xi32> -> tensor<1x4xi32>
  return %0, %1 : tensor<4xi32>, tensor<1x4xi32>
}

// CHECK: broadcast@0 = [4] i32: 11 21 31 41
// CHECK: broadcast@3 = [4] i32: 12 22 32 42
func.func @broadcast() -> tensor<4xi32> {
  %x = call @mine() : () -> tensor<4xi32>
  %0 = prim.broadcast %x groups [[1, 0], [2, 3]] : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK: permute@0 = [4] i32: 0 0 0 0
// CHECK: permute@1 = [4] i32: 10 20 30 40
// CHECK: permute@2 = [4] i32: 10 20 30 40
// CHECK: permute@3 = [4] i32: 13 23 33 43
func.func @permute() -> tensor<4xi32> {
  %x = call @mine() : () -> tensor<4xi32>
  %0 = prim.permute %x pairs [[0, 1], [0, 2], [3, 3]] : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// NaN wins, zeros have signs, truth values have bits, empty tensors nothing.
// CHECK: special@0[0] = [3] f32: nan -0 2
// CHECK: special@0[1] = [2] i1: 0 1
// CHECK: special@0[2] = [0] f32:
func.func @special() -> (tensor<3xf32>, tensor<2xi1>, tensor<0xf32>) {
  %r = prim.rank : tensor<i32>
  %one = prim.constant dense<1> : tensor<i32>
  %is = prim.lt %r, %one : tensor<i32> -> tensor<i1>
  %b = prim.broadcast_in_dim %is dims [] : tensor<i1> -> tensor<3xi1>
  %x = prim.constant dense<[0x7fc00000, -0.0, 2.0]> : tensor<3xf32>
  %y = prim.constant dense<[1.0, 0.0, 3.0]> : tensor<3xf32>
  %z = prim.where %b, %x, %y : tensor<3xi1>, tensor<3xf32>
  %0 = prim.all_reduce min %z groups [[0, 1, 2, 3]] : tensor<3xf32>
  %t = prim.constant dense<[true, true]> : tensor<2xi1>
  %f = prim.constant dense<[false, true]> : tensor<2xi1>
  %c = prim.broadcast_in_dim %is dims [] : tensor<i1> -> tensor<2xi1>
  %u = prim.where %c, %t, %f : tensor<2xi1>, tensor<2xi1>
  %1 = prim.all_reduce and %u groups [[0, 1, 2, 3]] : tensor<2xi1>
  %e = prim.constant dense<> : tensor<0xf32>
  %2 = prim.all_reduce add %e groups [[0, 1, 2, 3]] : tensor<0xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<2xi1>, tensor<0xf32>
}
