// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<1x8x?x4xf32>, %i: tensor<1x8x4xi8>) {
  // CHECK: prim.max_pool {{.*}} -> tensor<1x4x?x4xf32>
  %0 = prim.max_pool %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>,
    pad_high = array<i64: 0, 0>} : tensor<1x8x?x4xf32> -> tensor<1x4x?x4xf32>
  // CHECK: prim.sum_pool {{.*}} -> tensor<1x7x4xi8>
  %1 = prim.sum_pool %i {window = array<i64: 2>, strides = array<i64: 1>, pad_low = array<i64: 0>,
    pad_high = array<i64: 0>} : tensor<1x8x4xi8> -> tensor<1x7x4xi8>
  // CHECK: prim.avg_pool {{.*}} -> tensor<1x4x?x4xf32>
  %2 = prim.avg_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, pad_low = array<i64: 0, 0>,
    pad_high = array<i64: 0, 0>} : tensor<1x8x?x4xf32> -> tensor<1x4x?x4xf32>
  return
}
