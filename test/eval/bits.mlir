// RUN: kiln-eval %s | FileCheck %s

// CHECK: bitwise_not[0] = [2] i8: -1 0
// CHECK: bitwise_not[1] = [2] i1: 1 0
func.func @bitwise_not() -> (tensor<2xi8>, tensor<2xi1>) {
  %x = prim.constant dense<[0, -1]> : tensor<2xi8>
  %r = prim.bitwise_not %x : tensor<2xi8>
  %b = prim.constant dense<[false, true]> : tensor<2xi1>
  %n = prim.bitwise_not %b : tensor<2xi1>
  return %r, %n : tensor<2xi8>, tensor<2xi1>
}
// CHECK: clz = [3] i16: 16 15 0
func.func @clz() -> tensor<3xi16> {
  %x = prim.constant dense<[0, 1, -1]> : tensor<3xi16>
  %r = prim.clz %x : tensor<3xi16>
  return %r : tensor<3xi16>
}
// CHECK: logic[0] = [2] i32: 8 0
// CHECK: logic[1] = [2] i32: 14 7
// CHECK: logic[2] = [2] i32: 6 7
func.func @logic() -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %x = prim.constant dense<[12, 5]> : tensor<2xi32>
  %y = prim.constant dense<[10, 2]> : tensor<2xi32>
  %a = prim.bitwise_and %x, %y : tensor<2xi32>
  %o = prim.bitwise_or %x, %y : tensor<2xi32>
  %e = prim.bitwise_xor %x, %y : tensor<2xi32>
  return %a, %o, %e : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}
// Amounts outside of [0, width) are defined.
// CHECK: shifts[0] = [4] i8: -2 0 0 0
// CHECK: shifts[1] = [4] i8: -1 -1 -1 -1
// CHECK: shifts[2] = [4] i8: 127 1 0 0
func.func @shifts() -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %x = prim.constant dense<-1> : tensor<4xi8>
  %y = prim.constant dense<[1, 7, 8, -1]> : tensor<4xi8>
  %z = prim.constant dense<[1, 8, 100, -1]> : tensor<4xi8>
  %l = prim.shift_left %x, %z : tensor<4xi8>
  %a = prim.shift_right_arithmetic %x, %y : tensor<4xi8>
  %g = prim.shift_right_logical %x, %y : tensor<4xi8>
  return %l, %a, %g : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}
// CHECK: compare[0] = [3] i1: 0 1 0
// CHECK: compare[1] = [3] i1: 1 0 1
// CHECK: compare[2] = [3] i1: 1 0 0
// CHECK: compare[3] = [3] i1: 1 1 0
// CHECK: compare[4] = [3] i1: 0 0 0
// CHECK: compare[5] = [3] i1: 0 1 0
func.func @compare() -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %x = prim.constant dense<[1.0, 2.0, 0x7FC00000]> : tensor<3xf32>
  %y = prim.constant dense<[2.0, 2.0, 1.0]> : tensor<3xf32>
  %eq = prim.eq %x, %y : tensor<3xf32> -> tensor<3xi1>
  %ne = prim.ne %x, %y : tensor<3xf32> -> tensor<3xi1>
  %lt = prim.lt %x, %y : tensor<3xf32> -> tensor<3xi1>
  %le = prim.le %x, %y : tensor<3xf32> -> tensor<3xi1>
  %gt = prim.gt %x, %y : tensor<3xf32> -> tensor<3xi1>
  %ge = prim.ge %x, %y : tensor<3xf32> -> tensor<3xi1>
  return %eq, %ne, %lt, %le, %gt, %ge : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}
// CHECK: where = [2] f64: 1 4
func.func @where() -> tensor<2xf64> {
  %c = prim.constant dense<[true, false]> : tensor<2xi1>
  %x = prim.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %y = prim.constant dense<[3.0, 4.0]> : tensor<2xf64>
  %r = prim.where %c, %x, %y : tensor<2xi1>, tensor<2xf64>
  return %r : tensor<2xf64>
}
