// A convolution may read f32 as tf32 since version 4 of the wire form. Older readers get it without that permission.
// RUN: kiln-opt %s --tile-to-wire | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile-to-wire{version=3})' | FileCheck %s --check-prefix=OLD
// CHECK: prim.conv {{.*}} precision tf32
// OLD: prim.conv
// OLD-NOT: tf32
func.func @claimed(%x: tensor<1x8x8x16xf32>, %w: tensor<32x3x3x16xf32>) -> tensor<1x6x6x32xf32> {
  %0 = prim.conv %x, %w precision tf32 {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x6x6x32xf32>
  return %0 : tensor<1x6x6x32xf32>
}
