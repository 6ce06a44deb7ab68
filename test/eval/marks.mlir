// RUN: kiln-eval %s | FileCheck %s
// An element that is not there harms no result that does not depend on it.

// CHECK: masked = [3] f32: 2 -1 4
func.func @masked() -> tensor<3xf32> {
  %x = prim.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %i = prim.constant dense<[1, 9, 3]> : tensor<3xi32>
  %m = prim.constant dense<[true, false, true]> : tensor<3xi1>
  %o = prim.full -1.0 : f32 : tensor<3xf32>
  %r = prim.gather %x, %i dim 0 batch_dims 0 : tensor<4xf32>, tensor<3xi32> -> tensor<3xf32>
  %s = prim.where %m, %r, %o : tensor<3xi1>, tensor<3xf32>
  return %s : tensor<3xf32>
}

// Rows are moved, added to and reduced; one of them is cut off.
// CHECK: rows = [1] f32: 5
func.func @rows() -> tensor<1xf32> {
  %x = prim.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %i = prim.constant dense<[0, -1]> : tensor<2xi64>
  %r = prim.gather %x, %i dim 0 batch_dims 0 : tensor<2x2xf32>, tensor<2xi64> -> tensor<2x2xf32>
  %t = prim.transpose %r permutation [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  %o = prim.full 1.0 : f32 : tensor<2x2xf32>
  %a = prim.add %t, %o : tensor<2x2xf32>
  %s = prim.sum %a dims [0] : tensor<2x2xf32> -> tensor<2xf32>
  %c = prim.slice %s starts [0] limits [1] strides [1] : tensor<2xf32> -> tensor<1xf32>
  return %c : tensor<1xf32>
}

// What an index without a value reads has none, and may be left, too.
// CHECK: chained = [2] i32: 8 0
func.func @chained() -> tensor<2xi32> {
  %x = prim.constant dense<[1, 0]> : tensor<2xi32>
  %y = prim.constant dense<[7, 8]> : tensor<2xi32>
  %i = prim.constant dense<[0, 2]> : tensor<2xi32>
  %m = prim.constant dense<[true, false]> : tensor<2xi1>
  %z = prim.full 0 : i32 : tensor<2xi32>
  %a = prim.gather %x, %i dim 0 batch_dims 0 : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  %b = prim.gather %y, %a dim 0 batch_dims 0 : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  %r = prim.where %m, %b, %z : tensor<2xi1>, tensor<2xi32>
  return %r : tensor<2xi32>
}

// What is overwritten is of no use any more.
// CHECK: overwritten = [2] f32: 5 1
func.func @overwritten() -> tensor<2xf32> {
  %x = prim.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %i = prim.constant dense<[7, 0]> : tensor<2xi32>
  %c = prim.constant dense<0> : tensor<i32>
  %u = prim.constant dense<5.0> : tensor<1xf32>
  %a = prim.gather %x, %i dim 0 batch_dims 0 : tensor<2xf32>, tensor<2xi32> -> tensor<2xf32>
  %r = prim.dynamic_update_slice %a, %u starts (%c) : tensor<2xf32>, tensor<1xf32>, tensor<i32>
  return %r : tensor<2xf32>
}
