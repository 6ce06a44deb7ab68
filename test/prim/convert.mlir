// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<4xf32>, %i: tensor<4x2xi8>, %t: tensor<256xi8>)
    -> (tensor<4xi8>, tensor<4x2xi32>, tensor<4x2xi8>) {
  // CHECK: prim.convert_element_type %{{.*}} round to_unsigned : tensor<4xf32> -> tensor<4xi8>
  %0 = prim.convert_element_type %x round to_unsigned : tensor<4xf32> -> tensor<4xi8>
  // CHECK: prim.rescale %{{.*}} rounding double {{.*}} tensor<4x2xi8> -> tensor<4x2xi32>
  %1 = prim.rescale %i rounding double {multiplier = array<i32: 1073741824, 5>, shift = array<i8: 30, 31>,
    input_zp = -3 : i32, output_zp = 0 : i32, scale32} : tensor<4x2xi8> -> tensor<4x2xi32>
  // CHECK: prim.table
  %2 = prim.table %i, %t : tensor<4x2xi8>, tensor<256xi8> -> tensor<4x2xi8>
  return %0, %1, %2 : tensor<4xi8>, tensor<4x2xi32>, tensor<4x2xi8>
}

// There and back, when the way there is exact.
// FOLD-LABEL: func.func @chains
// FOLD: %[[LOSSY:.*]] = prim.convert_element_type %arg1 : tensor<4xf32> -> tensor<4xbf16>
// FOLD: %[[BACK:.*]] = prim.convert_element_type %[[LOSSY]]
// FOLD: %[[DIRECT:.*]] = prim.convert_element_type %arg0 : tensor<4xbf16> -> tensor<4xf64>
// FOLD: return %arg0, %[[BACK]], %[[DIRECT]]
func.func @chains(%h: tensor<4xbf16>, %x: tensor<4xf32>) -> (tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>) {
  %0 = prim.convert_element_type %h : tensor<4xbf16> -> tensor<4xf32>
  %1 = prim.convert_element_type %0 : tensor<4xf32> -> tensor<4xbf16>
  %2 = prim.convert_element_type %x : tensor<4xf32> -> tensor<4xbf16>
  %3 = prim.convert_element_type %2 : tensor<4xbf16> -> tensor<4xf32>
  %4 = prim.convert_element_type %0 : tensor<4xf32> -> tensor<4xf64>
  return %1, %3, %4 : tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>
}

// Float to integer truncates or rounds to even, saturates, and NaN is 0.
// FOLD-LABEL: func.func @saturate
// FOLD-DAG: prim.constant dense<[2, -128, 127, 0]> : tensor<4xi8>
// FOLD-DAG: prim.constant dense<[3, 0, -1, 0]> : tensor<4xi8>
func.func @saturate() -> (tensor<4xi8>, tensor<4xi8>) {
  %c = prim.constant dense<[2.9, -1000.0, 0x7F800000, 0x7FC00000]> : tensor<4xf32>
  %0 = prim.convert_element_type %c : tensor<4xf32> -> tensor<4xi8>
  %1 = prim.convert_element_type %c round to_unsigned : tensor<4xf32> -> tensor<4xi8>
  return %0, %1 : tensor<4xi8>, tensor<4xi8>
}

// FOLD-LABEL: func.func @bits
// FOLD: %[[C:.*]] = prim.constant dense<1065353216> : tensor<2xi32>
// FOLD: return %[[C]], %arg0, %arg1 :
func.func @bits(%x: tensor<?xf32>, %y: tensor<4xf64>) -> (tensor<2xi32>, tensor<?xf32>, tensor<4xf64>) {
  %one = prim.constant dense<1.0> : tensor<2xf32>
  %0 = prim.bitcast %one : tensor<2xf32> -> tensor<2xi32>
  %1 = prim.bitcast %x : tensor<?xf32> -> tensor<?xi32>
  %2 = prim.bitcast %1 : tensor<?xi32> -> tensor<?xf32>
  %3 = prim.bitcast_convert %y : tensor<4xf64> -> tensor<4xf64>
  return %0, %2, %3 : tensor<2xi32>, tensor<?xf32>, tensor<4xf64>
}
