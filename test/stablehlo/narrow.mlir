// Integers of fewer than 8 bits lie in bytes, wrap, and are told apart from bytes where they come in and go out.
// RUN: kiln-run %s --target=reference --entry=signed | FileCheck %s --check-prefix=SIGNED
// RUN: kiln-run %s --target=cpu --entry=signed | FileCheck %s --check-prefix=SIGNED
// RUN: kiln-run %s --target=reference --entry=unsigned | FileCheck %s --check-prefix=UNSIGNED
// RUN: kiln-run %s --target=cpu --entry=unsigned | FileCheck %s --check-prefix=UNSIGNED
// RUN: kiln-compile %s --target=cpu --entry=through -o %t.kiln
// RUN: grep -a -o '"name":"[xy]"[^}]*"bits":[0-9]' %t.kiln | FileCheck %s --check-prefix=BITS

// SIGNED: 4xi8: -2, -8, 7, 0
// SIGNED: 4xi8: 4, 1, 3, 0
// SIGNED: 4xi8: 0, 0, 1, 4
// SIGNED: 4xi8: 7, 4, 3, 0
// SIGNED: i8: -2
func.func @signed() -> (tensor<4xi4>, tensor<4xi4>, tensor<4xi4>, tensor<4xi4>, tensor<i4>) {
  %x = stablehlo.constant dense<[-1, -8, 7, 0]> : tensor<4xi4>
  %y = stablehlo.constant dense<[-1, 0, 0, 0]> : tensor<4xi4>
  %one = stablehlo.constant dense<1> : tensor<4xi4>
  %zero = stablehlo.constant dense<0> : tensor<i4>
  %sum = stablehlo.add %x, %y : tensor<4xi4>
  %set = stablehlo.popcnt %x : tensor<4xi4>
  %lead = stablehlo.count_leading_zeros %x : tensor<4xi4>
  %low = stablehlo.shift_right_logical %x, %one : tensor<4xi4>
  %total = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xi4>, tensor<i4>) -> tensor<i4>
  return %sum, %set, %lead, %low, %total : tensor<4xi4>, tensor<4xi4>, tensor<4xi4>, tensor<4xi4>, tensor<i4>
}

// UNSIGNED: 4xu8: 14, 0, 6, 1
// UNSIGNED: 4xu8: 1, 8, 9, 0
// UNSIGNED: 4xf32: 15, 8, 7, 0
func.func @unsigned() -> (tensor<4xui4>, tensor<4xui4>, tensor<4xf32>) {
  %x = stablehlo.constant dense<[15, 8, 7, 0]> : tensor<4xui4>
  %y = stablehlo.constant dense<[15, 8, 15, 1]> : tensor<4xui4>
  %f = stablehlo.constant dense<[15.0, 8.0, 7.0, 0.0]> : tensor<4xf32>
  %sum = stablehlo.add %x, %y : tensor<4xui4>
  %neg = stablehlo.negate %x : tensor<4xui4>
  %to = stablehlo.convert %f : (tensor<4xf32>) -> tensor<4xui4>
  %back = stablehlo.convert %to : (tensor<4xui4>) -> tensor<4xf32>
  return %sum, %neg, %back : tensor<4xui4>, tensor<4xui4>, tensor<4xf32>
}

// BITS: "name":"x","dtype":"i8"{{.*}}"unsigned":true,"bits":4
// BITS: "name":"y","dtype":"i8"{{.*}}"bits":2
func.func @through(%x: tensor<4xui4>, %y: tensor<3xi2>) -> (tensor<4xui4>, tensor<3xi2>) {
  return %x, %y : tensor<4xui4>, tensor<3xi2>
}
