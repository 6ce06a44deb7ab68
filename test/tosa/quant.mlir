// RUN: kiln-opt %s --convert-tosa-to-prim | FileCheck %s

// CHECK-LABEL: func.func @rescale
// CHECK: prim.rescale %arg0 rounding double {input_zp = -3 : i32, multiplier = array<i32: 1073741824>,
// CHECK-SAME: output_zp = 0 : i32, scale32, shift = array<i8: 30>}
func.func @rescale(%x: tensor<4xi8>) -> tensor<4xi32> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zo = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %0 = tosa.rescale %x, %m, %s, %zi, %zo {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// Unsigned values travel in signless types; their zero points are unsigned too.
// CHECK-LABEL: func.func @is_unsigned
// CHECK-SAME: tensor<4xi8>) -> tensor<4xi8>
// CHECK: prim.rescale %arg0 {input_unsigned, input_zp = 128 : i32
func.func @is_unsigned(%x: tensor<4xui8>) -> tensor<4xi8> {
  %m = arith.constant dense<1073741824> : tensor<1xi32>
  %s = arith.constant dense<30> : tensor<1xi8>
  %zi = arith.constant dense<128> : tensor<1xi8>
  %zo = arith.constant dense<0> : tensor<1xi8>
  %0 = tosa.rescale %x, %m, %s, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = true, output_unsigned = false} : (tensor<4xui8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: func.func @table
// CHECK: prim.table %arg0, %arg1 : tensor<4xi16>, tensor<513xi16> -> tensor<4xi32>
func.func @table(%x: tensor<4xi16>, %t: tensor<513xi16>) -> tensor<4xi32> {
  %0 = tosa.table %x, %t : (tensor<4xi16>, tensor<513xi16>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// Sums of i16 products have 48 bits and are kept in 64.
// CHECK-LABEL: func.func @wide_sum
// CHECK: %[[D:.*]] = prim.dot_general {{.*}} -> tensor<1x2x2xi64>
// CHECK: prim.rescale %[[D]] {{.*}} : tensor<1x2x2xi64> -> tensor<1x2x2xi16>
func.func @wide_sum(%a: tensor<1x2x3xi16>, %b: tensor<1x3x2xi16>) -> tensor<1x2x2xi16> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %z48 = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
  %m = "tosa.const"() <{values = dense<16384> : tensor<1xi16>}> : () -> tensor<1xi16>
  %s = "tosa.const"() <{values = dense<20> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<1x2x3xi16>, tensor<1x3x2xi16>, tensor<1xi16>, tensor<1xi16>) -> tensor<1x2x2xi48>
  %1 = tosa.rescale %0, %m, %s, %z48, %z {scale32 = false, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x2xi48>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, tensor<1xi16>) -> tensor<1x2x2xi16>
  return %1 : tensor<1x2x2xi16>
}
