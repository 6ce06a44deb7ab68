// RUN: kiln-eval %s | FileCheck %s
// The published answers of the generators for counters and keys of zeros and of ones.

// CHECK: philox[0] = [2, 2] i32: 1713891541 -513161843 -1135104948 -1694442536
// CHECK: philox[1] = [2] i64: -2204013331526194987 -7277575273911440308
// CHECK: philox[2] = [3] i8: -43 -115 76
// CHECK: philox[3] = [1] i32: 1713891541
func.func @philox() -> (tensor<2x2xi32>, tensor<2xi64>, tensor<3xi8>, tensor<1xi32>) {
  %key = prim.constant dense<0> : tensor<2xi32>
  %counter = prim.constant dense<0> : tensor<4xi32>
  %a = prim.random_bits philox %key, %counter : tensor<2xi32>, tensor<4xi32> -> tensor<2x2xi32>
  %b = prim.random_bits philox %key, %counter : tensor<2xi32>, tensor<4xi32> -> tensor<2xi64>
  %c = prim.random_bits philox %key, %counter : tensor<2xi32>, tensor<4xi32> -> tensor<3xi8>
  %d = prim.random_bits philox_word %key, %counter : tensor<2xi32>, tensor<4xi32> -> tensor<1xi32>
  return %a, %b, %c, %d : tensor<2x2xi32>, tensor<2xi64>, tensor<3xi8>, tensor<1xi32>
}
// The block behind the last counter is the first one of counter 0.
// CHECK: philox_of_ones = [6] i32: 1083123565 1103641358 -1576286266 1834242557 {{.*}}
func.func @philox_of_ones() -> tensor<6xi32> {
  %key = prim.constant dense<-1> : tensor<2xi32>
  %counter = prim.constant dense<-1> : tensor<4xi32>
  %a = prim.random_bits philox %key, %counter : tensor<2xi32>, tensor<4xi32> -> tensor<6xi32>
  return %a : tensor<6xi32>
}
// CHECK: threefry[0] = [1] i64: 7719171245655871230
// CHECK: threefry[1] = [1] i32: -224768089
// CHECK: threefry[2] = [1] i64: 2069851515966729191
func.func @threefry() -> (tensor<1xi64>, tensor<1xi32>, tensor<1xi64>) {
  %zero = prim.constant dense<0> : tensor<2xi32>
  %ones = prim.constant dense<-1> : tensor<2xi32>
  %a = prim.random_bits threefry %zero, %zero : tensor<2xi32>, tensor<2xi32> -> tensor<1xi64>
  %b = prim.random_bits threefry %zero, %zero : tensor<2xi32>, tensor<2xi32> -> tensor<1xi32>
  %c = prim.random_bits threefry %ones, %ones : tensor<2xi32>, tensor<2xi32> -> tensor<1xi64>
  return %a, %b, %c : tensor<1xi64>, tensor<1xi32>, tensor<1xi64>
}
