// RUN: kiln-opt %s --convert-tosa-to-prim | FileCheck %s

// CHECK-LABEL: func.func @broadcast
// CHECK-DAG: %[[A:.*]] = prim.broadcast_in_dim %arg0 dims [0, 1] : tensor<1x4xf32> -> tensor<3x4xf32>
// CHECK-DAG: %[[B:.*]] = prim.broadcast_in_dim %arg1 dims [0, 1] : tensor<3x1xf32> -> tensor<3x4xf32>
// CHECK: prim.add %[[A]], %[[B]] : tensor<3x4xf32>
func.func @broadcast(%a: tensor<1x4xf32>, %b: tensor<3x1xf32>) -> tensor<3x4xf32> {
  %0 = tosa.add %a, %b : (tensor<1x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// A constant that is repeated is one number.
// CHECK-LABEL: func.func @repeated_constant
// CHECK: %[[C:.*]] = prim.full 2.000000e+00 : f32 : tensor<3x4xf32>
// CHECK: prim.mul %arg0, %[[C]] : tensor<3x4xf32>
func.func @repeated_constant(%a: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %c = "tosa.const"() <{values = dense<2.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.mul %a, %c, %s : (tensor<3x4xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// The product of i32 with a shift is formed in 64 bits.
// CHECK-LABEL: func.func @mul_shift
// CHECK: prim.mul {{.*}} : tensor<4xi64>
// CHECK: prim.full 16 : i64
// CHECK: prim.shift_right_arithmetic {{.*}} : tensor<4xi64>
// CHECK: prim.convert_element_type {{.*}} : tensor<4xi64> -> tensor<4xi32>
func.func @mul_shift(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %s = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.mul %a, %b, %s : (tensor<4xi32>, tensor<4xi32>, tensor<1xi8>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @nan
// CHECK: prim.fmax
// CHECK: prim.maximum
// CHECK: prim.clamp {{.*}} min -1.000000e+00 : f32 max 1.000000e+00 : f32 ignore_nan
func.func @nan(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.maximum %a, %b {nan_mode = IGNORE} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = tosa.maximum %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = tosa.clamp %1 {min_val = -1.0 : f32, max_val = 1.0 : f32, nan_mode = IGNORE} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @cast
// CHECK: prim.convert_element_type %arg0 round : tensor<4xf32> -> tensor<4xi8>
// CHECK: prim.convert_element_type %{{.*}} : tensor<4xi8> -> tensor<4xi1>
func.func @cast(%a: tensor<4xf32>) -> tensor<4xi1> {
  %0 = tosa.cast %a : (tensor<4xf32>) -> tensor<4xi8>
  %1 = tosa.cast %0 : (tensor<4xi8>) -> tensor<4xi1>
  return %1 : tensor<4xi1>
}

// Sums of truth values are exclusive or.
// CHECK-LABEL: func.func @truth
// CHECK: prim.bitwise_xor %arg0, %arg1 : tensor<4xi1>
func.func @truth(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  %0 = tosa.add %a, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: func.func @sizes_at_run_time
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: %[[B:.*]] = prim.broadcast_in_dim %arg1 dims [0, 1] sizes(%[[N]]) : tensor<1x4xf32> -> tensor<?x4xf32>
// CHECK: prim.sub %arg0, %[[B]] : tensor<?x4xf32>
func.func @sizes_at_run_time(%a: tensor<?x4xf32>, %b: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %0 = tosa.sub %a, %b : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
