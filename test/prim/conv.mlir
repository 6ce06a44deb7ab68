// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<?x8x8x16xf32>, %w: tensor<32x3x3x4xf32>, %l: tensor<1x?x3xi8>, %f: tensor<6x4x3xi8>) {
  // CHECK: prim.conv {{.*}} -> tensor<?x4x4x32xf32>
  %0 = prim.conv %x, %w {strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 4 : i64}
    : tensor<?x8x8x16xf32>, tensor<32x3x3x4xf32> -> tensor<?x4x4x32xf32>
  // CHECK: prim.conv {{.*}} -> tensor<1x?x6xi32>
  %1 = prim.conv %l, %f {strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>,
    dilation = array<i64: 2>, input_dilation = array<i64: 3>, groups = 1 : i64}
    : tensor<1x?x3xi8>, tensor<6x4x3xi8> -> tensor<1x?x6xi32>
  // CHECK: prim.conv {{.*}} precision tf32 {
  %2 = prim.conv %x, %w precision tf32 {strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 4 : i64}
    : tensor<?x8x8x16xf32>, tensor<32x3x3x4xf32> -> tensor<?x4x4x32xf32>
  return
}
