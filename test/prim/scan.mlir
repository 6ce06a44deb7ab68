// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<4x?xf32>, %i: tensor<8xi8>) {
  // CHECK: prim.scan logsumexp %{{.*}} dim 1 reverse exclusive : tensor<4x?xf32>
  %0 = prim.scan logsumexp %x dim 1 reverse exclusive : tensor<4x?xf32>
  // CHECK: prim.scan prod %{{.*}} dim 0 : tensor<8xi8>
  %1 = prim.scan prod %i dim 0 : tensor<8xi8>
  // CHECK: prim.arg_scan min %{{.*}} dim 1 reverse : tensor<4x?xf32> -> tensor<4x?xi64>
  %2 = prim.arg_scan min %x dim 1 reverse : tensor<4x?xf32> -> tensor<4x?xi64>
  return
}
