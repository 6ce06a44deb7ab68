// RUN: kiln-eval %s | FileCheck %s
// One function per operation, named by its mnemonic.

// CHECK: abs = [3] f32: 1.5 0 inf
func.func @abs() -> tensor<3xf32> {
  %x = prim.constant dense<[-1.5, -0.0, 0xFF800000]> : tensor<3xf32>
  %r = prim.abs %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
// CHECK: neg = [2] i8: -128 1
func.func @neg() -> tensor<2xi8> {
  %x = prim.constant dense<[-128, -1]> : tensor<2xi8>
  %r = prim.neg %x : tensor<2xi8>
  return %r : tensor<2xi8>
}
// CHECK: rounding[0] = [4] f16: -1 3 -2 1
// CHECK: rounding[1] = [4] f16: -2 2 -3 0
// CHECK: rounding[2] = [4] f16: -2 2 -2 0
// CHECK: rounding[3] = [4] f16: -1 2 -2 0
func.func @rounding() -> (tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) {
  %x = prim.constant dense<[-1.5, 2.5, -2.5, 0.5]> : tensor<4xf16>
  %c = prim.ceil %x : tensor<4xf16>
  %f = prim.floor %x : tensor<4xf16>
  %r = prim.round %x : tensor<4xf16>
  %t = prim.trunc %x : tensor<4xf16>
  return %c, %f, %r, %t : tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>
}
// CHECK: sign = [4] f32: -1 -0 1 nan
func.func @sign() -> tensor<4xf32> {
  %x = prim.constant dense<[-3.0, -0.0, 2.0, 0x7FC00000]> : tensor<4xf32>
  %r = prim.sign %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
// bf16: 1 + 2^-8 is a tie and goes to even, 1.0078125 + 2^-8 goes up.
// CHECK: add = [2] bf16: 1 1.015625
func.func @add() -> tensor<2xbf16> {
  %x = prim.constant dense<[1.0, 1.0078125]> : tensor<2xbf16>
  %y = prim.constant dense<0.00390625> : tensor<2xbf16>
  %r = prim.add %x, %y : tensor<2xbf16>
  return %r : tensor<2xbf16>
}
// CHECK: sub = [2] i16: 32767 -1
func.func @sub() -> tensor<2xi16> {
  %x = prim.constant dense<[-32768, 1]> : tensor<2xi16>
  %y = prim.constant dense<[1, 2]> : tensor<2xi16>
  %r = prim.sub %x, %y : tensor<2xi16>
  return %r : tensor<2xi16>
}
// CHECK: mul = [2] i64: -2 6
func.func @mul() -> tensor<2xi64> {
  %x = prim.constant dense<[9223372036854775807, 2]> : tensor<2xi64>
  %y = prim.constant dense<[2, 3]> : tensor<2xi64>
  %r = prim.mul %x, %y : tensor<2xi64>
  return %r : tensor<2xi64>
}
// CHECK: div[0] = [2] i32: -3 -2147483648
// CHECK: div[1] = [3] f32: 0.333333343 inf nan
func.func @div() -> (tensor<2xi32>, tensor<3xf32>) {
  %x = prim.constant dense<[-7, -2147483648]> : tensor<2xi32>
  %y = prim.constant dense<[2, -1]> : tensor<2xi32>
  %r = prim.div %x, %y : tensor<2xi32>
  %a = prim.constant dense<[1.0, 1.0, 0.0]> : tensor<3xf32>
  %b = prim.constant dense<[3.0, 0.0, 0.0]> : tensor<3xf32>
  %q = prim.div %a, %b : tensor<3xf32>
  return %r, %q : tensor<2xi32>, tensor<3xf32>
}
// CHECK: remainder = [2] i32: 1 -1
// CHECK: fmod = [2] i32: -2 2
func.func @remainder() -> tensor<2xi32> {
  %x = prim.constant dense<[-5, 5]> : tensor<2xi32>
  %y = prim.constant dense<[3, -3]> : tensor<2xi32>
  %r = prim.remainder %x, %y : tensor<2xi32>
  return %r : tensor<2xi32>
}
func.func @fmod() -> tensor<2xi32> {
  %x = prim.constant dense<[-5, 5]> : tensor<2xi32>
  %y = prim.constant dense<[3, -3]> : tensor<2xi32>
  %r = prim.fmod %x, %y : tensor<2xi32>
  return %r : tensor<2xi32>
}
// CHECK: pow[0] = [3] i32: 81 0 1
// CHECK: pow[1] = [2] f32: 1.41421354 nan
func.func @pow() -> (tensor<3xi32>, tensor<2xf32>) {
  %x = prim.constant dense<[3, 2, -1]> : tensor<3xi32>
  %y = prim.constant dense<[4, -1, -2]> : tensor<3xi32>
  %r = prim.pow %x, %y : tensor<3xi32>
  %a = prim.constant dense<[2.0, -2.0]> : tensor<2xf32>
  %b = prim.constant dense<0.5> : tensor<2xf32>
  %q = prim.pow %a, %b : tensor<2xf32>
  return %r, %q : tensor<3xi32>, tensor<2xf32>
}
// CHECK: maximum = [3] f32: 0 nan 2
// CHECK: minimum = [3] f32: -0 nan 1
// CHECK: fmax = [3] f32: 0 1 2
// CHECK: fmin = [3] f32: -0 1 1
func.func @maximum() -> tensor<3xf32> {
  %x = prim.constant dense<[-0.0, 0x7FC00000, 1.0]> : tensor<3xf32>
  %y = prim.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %r = prim.maximum %x, %y : tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @minimum() -> tensor<3xf32> {
  %x = prim.constant dense<[-0.0, 0x7FC00000, 1.0]> : tensor<3xf32>
  %y = prim.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %r = prim.minimum %x, %y : tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @fmax() -> tensor<3xf32> {
  %x = prim.constant dense<[-0.0, 0x7FC00000, 1.0]> : tensor<3xf32>
  %y = prim.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %r = prim.fmax %x, %y : tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @fmin() -> tensor<3xf32> {
  %x = prim.constant dense<[-0.0, 0x7FC00000, 1.0]> : tensor<3xf32>
  %y = prim.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %r = prim.fmin %x, %y : tensor<3xf32>
  return %r : tensor<3xf32>
}
// CHECK: clamp[0] = [4] f32: 0 2 6 nan
// CHECK: clamp[1] = [2] i8: -56 10
func.func @clamp() -> (tensor<4xf32>, tensor<2xi8>) {
  %x = prim.constant dense<[-1.0, 2.0, 9.0, 0x7FC00000]> : tensor<4xf32>
  %r = prim.clamp %x min 0.0 : f32 max 6.0 : f32 : tensor<4xf32>
  %y = prim.constant dense<[-1, 3]> : tensor<2xi8>
  %u = prim.clamp %y min 10 : i8 max 200 : i8 unsigned : tensor<2xi8>
  return %r, %u : tensor<4xf32>, tensor<2xi8>
}
