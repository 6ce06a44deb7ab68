// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<4x?xf32>, %b: tensor<4x8xi1>) -> (tensor<?xf32>, tensor<f32>, tensor<4xi1>, tensor<4xi64>) {
  // CHECK: prim.sum %{{.*}} dims [0] : tensor<4x?xf32> -> tensor<?xf32>
  %0 = prim.sum %x dims [0] : tensor<4x?xf32> -> tensor<?xf32>
  // CHECK: prim.prod %{{.*}} dims [1, 0] : tensor<4x?xf32> -> tensor<f32>
  %1 = prim.prod %x dims [1, 0] : tensor<4x?xf32> -> tensor<f32>
  // CHECK: prim.amax %{{.*}} dims [1] : tensor<4x8xi1> -> tensor<4xi1>
  %2 = prim.amax %b dims [1] : tensor<4x8xi1> -> tensor<4xi1>
  // CHECK: prim.argmax %{{.*}} dim 1 ignore_nan : tensor<4x?xf32> -> tensor<4xi64>
  %3 = prim.argmax %x dim 1 ignore_nan : tensor<4x?xf32> -> tensor<4xi64>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<f32>, tensor<4xi1>, tensor<4xi64>
}

// FOLD-LABEL: func.func @nothing
// FOLD: return %arg0
func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = prim.amin %x dims [] : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
