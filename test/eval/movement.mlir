// RUN: kiln-eval %s | FileCheck %s

// CHECK: broadcast_in_dim[0] = [2, 3] i32: 1 1 1 2 2 2
// CHECK: broadcast_in_dim[1] = [2, 2] i32: 1 2 1 2
func.func @broadcast_in_dim() -> (tensor<2x3xi32>, tensor<?x2xi32>) {
  %x = prim.constant dense<[1, 2]> : tensor<2xi32>
  %e = prim.reshape %x : tensor<2xi32> -> tensor<2x1xi32>
  %a = prim.broadcast_in_dim %e dims [0, 1] : tensor<2x1xi32> -> tensor<2x3xi32>
  %n = arith.constant 2 : index
  %b = prim.broadcast_in_dim %x dims [1] sizes (%n) : tensor<2xi32> -> tensor<?x2xi32>
  return %a, %b : tensor<2x3xi32>, tensor<?x2xi32>
}
// CHECK: reshape = [3, 2] i32: 0 1 2 3 4 5
func.func @reshape() -> tensor<3x2xi32> {
  %x = prim.iota dim 0 : tensor<6xi32>
  %r = prim.reshape %x : tensor<6xi32> -> tensor<3x2xi32>
  return %r : tensor<3x2xi32>
}
// CHECK: transpose[0] = [3, 2] i32: 0 3 1 4 2 5
// CHECK: transpose[1] = [3, 1, 2] f16: 0 3 1 4 2 5
func.func @transpose() -> (tensor<3x2xi32>, tensor<3x1x2xf16>) {
  %x = prim.iota dim 0 : tensor<6xi32>
  %y = prim.reshape %x : tensor<6xi32> -> tensor<2x3xi32>
  %r = prim.transpose %y permutation [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  %f = prim.convert_element_type %y : tensor<2x3xi32> -> tensor<2x3xf16>
  %g = prim.reshape %f : tensor<2x3xf16> -> tensor<1x2x3xf16>
  %t = prim.transpose %g permutation [2, 0, 1] : tensor<1x2x3xf16> -> tensor<3x1x2xf16>
  return %r, %t : tensor<3x2xi32>, tensor<3x1x2xf16>
}
// CHECK: slice = [2, 2] i32: 5 7 9 11
func.func @slice() -> tensor<2x2xi32> {
  %x = prim.iota dim 0 : tensor<12xi32>
  %y = prim.reshape %x : tensor<12xi32> -> tensor<3x4xi32>
  %r = prim.slice %y starts [1, 1] limits [3, -1] strides [1, 2] : tensor<3x4xi32> -> tensor<2x2xi32>
  return %r : tensor<2x2xi32>
}
// CHECK: rev = [2, 2] i32: 3 2 1 0
func.func @rev() -> tensor<2x2xi32> {
  %x = prim.iota dim 0 : tensor<4xi32>
  %y = prim.reshape %x : tensor<4xi32> -> tensor<2x2xi32>
  %r = prim.rev %y dims [0, 1] : tensor<2x2xi32>
  return %r : tensor<2x2xi32>
}
// CHECK: cat = [2, 3] i8: 1 2 5 3 4 6
func.func @cat() -> tensor<2x3xi8> {
  %x = prim.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %y = prim.constant dense<[[5], [6]]> : tensor<2x1xi8>
  %r = prim.cat %x, %y dim 1 : tensor<2x2xi8>, tensor<2x1xi8> -> tensor<2x3xi8>
  return %r : tensor<2x3xi8>
}
// CHECK: pad = [3, 3] f32: -1 1 2 -1 3 4 -1 -1 -1
func.func @pad() -> tensor<3x3xf32> {
  %x = prim.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %r = prim.pad %x low [0, 1] high [1, 0] value -1.0 : f32 : tensor<2x2xf32> -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}
// CHECK: full = [2] bf16: 3 3
func.func @full() -> tensor<?xbf16> {
  %n = arith.constant 2 : index
  %r = prim.full 3.0 : bf16 sizes (%n) : tensor<?xbf16>
  return %r : tensor<?xbf16>
}
// CHECK: iota = [2, 2] f32: 0 1 0 1
func.func @iota() -> tensor<2x2xf32> {
  %r = prim.iota dim 1 : tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
// CHECK: constant = [3] i1: 1 0 1
func.func @constant() -> tensor<3xi1> {
  %r = prim.constant dense<[true, false, true]> : tensor<3xi1>
  return %r : tensor<3xi1>
}
// CHECK: gather = [2, 2] i32: 4 5 0 1
func.func @gather() -> tensor<2x2xi32> {
  %x = prim.iota dim 0 : tensor<6xi32>
  %y = prim.reshape %x : tensor<6xi32> -> tensor<3x2xi32>
  %i = prim.constant dense<[2, 0]> : tensor<2xi64>
  %r = prim.gather %y, %i dim 0 batch_dims 0 : tensor<3x2xi32>, tensor<2xi64> -> tensor<2x2xi32>
  return %r : tensor<2x2xi32>
}
// CHECK: gather_batch = [2, 1] i32: 1 3
func.func @gather_batch() -> tensor<2x1xi32> {
  %x = prim.iota dim 0 : tensor<6xi32>
  %y = prim.reshape %x : tensor<6xi32> -> tensor<2x3xi32>
  %i = prim.constant dense<[[1], [0]]> : tensor<2x1xi32>
  %r = prim.gather %y, %i dim 1 batch_dims 1 : tensor<2x3xi32>, tensor<2x1xi32> -> tensor<2x1xi32>
  return %r : tensor<2x1xi32>
}
