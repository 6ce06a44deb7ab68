// RUN: kiln-opt %s --canonicalize --prim-raise-composites --prim-decompose --prim-simplify | FileCheck %s

// Shapes with no elements, and shapes whose number of elements does not fit 64
// bits, pass through; whether they can be run is decided later.

// CHECK-LABEL: func.func @empty
// CHECK-DAG: prim.constant dense<> : tensor<4x0xf32>
// CHECK-DAG: prim.constant dense<1> : tensor<0xi8>
func.func @empty() -> (tensor<4x0xf32>, tensor<0xi8>) {
  %e = prim.constant dense<> : tensor<0x4xf32>
  %0 = prim.mul %e, %e : tensor<0x4xf32>
  %1 = prim.transpose %0 permutation [1, 0] : tensor<0x4xf32> -> tensor<4x0xf32>
  %2 = prim.full 1.0 : f32 : tensor<0xf32>
  %3 = prim.convert_element_type %2 : tensor<0xf32> -> tensor<0xi8>
  return %1, %3 : tensor<4x0xf32>, tensor<0xi8>
}

// CHECK-LABEL: func.func @softmax
// CHECK: prim.amax
func.func @softmax(%x: tensor<9223372036854775807x4611686018427387904xf32>) -> tensor<9223372036854775807x4611686018427387904xf32> {
  %0 = prim.full 1.0 : f32 : tensor<9223372036854775807x4611686018427387904xf32>
  %1 = prim.mul %x, %0 : tensor<9223372036854775807x4611686018427387904xf32>
  %2 = prim.softmax %1 dim 0 : tensor<9223372036854775807x4611686018427387904xf32>
  return %2 : tensor<9223372036854775807x4611686018427387904xf32>
}

// CHECK-LABEL: func.func @dot
// CHECK: prim.dot_general %arg0, %arg0 batch [] x [] contract [0, 1] x [0, 1]
func.func @dot(%x: tensor<9223372036854775807x4611686018427387904xf32>) -> tensor<f32> {
  %0 = prim.dot_general %x, %x batch [] x [] contract [0, 1] x [0, 1]
    : tensor<9223372036854775807x4611686018427387904xf32>, tensor<9223372036854775807x4611686018427387904xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @avg_pool
// CHECK: prim.sum_pool
func.func @avg_pool(%x: tensor<1x4611686018427387904x1xf32>) -> tensor<1x4611686018427387905x1xf32> {
  %0 = prim.avg_pool %x {window = array<i64: 2>, strides = array<i64: 1>, pad_low = array<i64: 1>,
    pad_high = array<i64: 1>} : tensor<1x4611686018427387904x1xf32> -> tensor<1x4611686018427387905x1xf32>
  return %0 : tensor<1x4611686018427387905x1xf32>
}
