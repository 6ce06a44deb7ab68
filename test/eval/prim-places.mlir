// RUN: kiln-eval %s | FileCheck %s

// CHECK: if = [2] f32: -1 -2
func.func @if() -> tensor<2xf32> {
  %p = prim.constant dense<false> : tensor<i1>
  %x = prim.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = prim.if %p : tensor<i1> -> (tensor<2xf32>) {
    prim.yield %x : tensor<2xf32>
  } else {
    %0 = prim.neg %x : tensor<2xf32>
    prim.yield %0 : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
// CHECK: while[0] = [] i32: 4
// CHECK: while[1] = [2] i32: 8 16
func.func @while() -> (tensor<i32>, tensor<2xi32>) {
  %zero = prim.constant dense<1> : tensor<i32>
  %n = prim.constant dense<4> : tensor<i32>
  %one = prim.constant dense<1> : tensor<i32>
  %x = prim.constant dense<[1, 2]> : tensor<2xi32>
  %r:2 = prim.while (%zero, %x) : (tensor<i32>, tensor<2xi32>) -> (tensor<i32>, tensor<2xi32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<2xi32>):
    %p = prim.lt %i, %n : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<2xi32>):
    %j = prim.add %i, %one : tensor<i32>
    %b = prim.add %a, %a : tensor<2xi32>
    prim.yield %j, %b : tensor<i32>, tensor<2xi32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<2xi32>
}
// Starts are clamped.
// CHECK: dynamic_slice[0] = [2] i32: 3 4
// CHECK: dynamic_slice[1] = [2] i32: 1 2
func.func @dynamic_slice() -> (tensor<2xi32>, tensor<2xi32>) {
  %x = prim.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %i = prim.constant dense<9> : tensor<i32>
  %j = prim.constant dense<-9> : tensor<i8>
  %0 = prim.dynamic_slice %x starts (%i) : tensor<4xi32>, tensor<i32> -> tensor<2xi32>
  %1 = prim.dynamic_slice %x starts (%j) : tensor<4xi32>, tensor<i8> -> tensor<2xi32>
  return %0, %1 : tensor<2xi32>, tensor<2xi32>
}
// CHECK: dynamic_update_slice = [4] i32: 1 7 8 4
func.func @dynamic_update_slice() -> tensor<4xi32> {
  %x = prim.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %u = prim.constant dense<[7, 8]> : tensor<2xi32>
  %i = prim.constant dense<1> : tensor<i32>
  %0 = prim.dynamic_update_slice %x, %u starts (%i) : tensor<4xi32>, tensor<2xi32>, tensor<i32>
  return %0 : tensor<4xi32>
}
// CHECK: from_index = [] i8: 44
func.func @from_index() -> tensor<i8> {
  %n = arith.constant 300 : index
  %0 = prim.from_index %n : tensor<i8>
  return %0 : tensor<i8>
}
// A size that is data.
// CHECK: to_index = [3] i32: 0 1 2
func.func @to_index() -> tensor<?xi32> {
  %t = prim.constant dense<3> : tensor<i8>
  %n = prim.to_index %t : tensor<i8>
  %0 = prim.iota dim 0 sizes (%n) : tensor<?xi32>
  return %0 : tensor<?xi32>
}
// CHECK: gather_slices = [2, 1, 2] i32: 5 6 2 3
func.func @gather_slices() -> tensor<2x1x2xi32> {
  %x = prim.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = prim.constant dense<[[7, 1], [1, 0]]> : tensor<2x2xi32>
  %0 = prim.gather_slices %x, %i dims [1, 0] batch_dims 0 slice_sizes [1, 2] : tensor<2x3xi32>, tensor<2x2xi32> -> tensor<2x1x2xi32>
  return %0 : tensor<2x1x2xi32>
}
// The last one of equal places counts, and what is outside does not.
// CHECK: scatter[0] = [3] i32: 7 2 8
// CHECK: scatter[1] = [3] i32: 8 2 16
func.func @scatter() -> (tensor<3xi32>, tensor<3xi32>) {
  %x = prim.constant dense<[1, 2, 3]> : tensor<3xi32>
  %i = prim.constant dense<[[0], [2], [2], [3], [-1]]> : tensor<5x1xi32>
  %u = prim.constant dense<[[7], [5], [8], [9], [9]]> : tensor<5x1xi32>
  %0 = prim.scatter set %x, %i, %u dims [0] batch_dims 0 : tensor<3xi32>, tensor<5x1xi32>, tensor<5x1xi32>
  %1 = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<3xi32>, tensor<5x1xi32>, tensor<5x1xi32>
  return %0, %1 : tensor<3xi32>, tensor<3xi32>
}
