// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s

// CHECK-LABEL: tile.kernel private @conv_0_conv(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.load %{{.*}} at [{{.*}}] step [1, 1, 2, 1] : !tile.view<2x9x11x5xf32> -> tensor<6x5xf32>
// CHECK: tile.dot
func.func @conv(%x: tensor<2x9x11x5xf32>, %w: tensor<12x3x3x5xf32>) -> tensor<2x5x6x12xf32> {
  %r = prim.conv %x, %w {strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x9x11x5xf32>, tensor<12x3x3x5xf32> -> tensor<2x5x6x12xf32>
  return %r : tensor<2x5x6x12xf32>
}

// One channel per group: no product of matrices.
// CHECK-LABEL: tile.kernel private @depthwise_0_conv(
// CHECK-NOT: tile.dot
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: tile.store
func.func @depthwise(%x: tensor<1x16x16x6xf32>, %w: tensor<6x3x3x1xf32>) -> tensor<1x16x16x6xf32> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 6 : i64} : tensor<1x16x16x6xf32>, tensor<6x3x3x1xf32> -> tensor<1x16x16x6xf32>
  return %r : tensor<1x16x16x6xf32>
}

// What lies outside does not take part.
// CHECK-LABEL: tile.kernel private @pool_0_max_pool(
// CHECK: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK: tile.load %{{.*}} pad %[[LOW]] : f32 step [1, 2, 1]
// CHECK: arith.maximumf
func.func @pool(%x: tensor<1x9x9x4xf32>) -> tensor<1x5x5x4xf32> {
  %r = prim.max_pool %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} : tensor<1x9x9x4xf32> -> tensor<1x5x5x4xf32>
  return %r : tensor<1x5x5x4xf32>
}

// What reads of its operands a convolution allows, its product allows.
// CHECK-LABEL: tile.kernel private @tf32_0_conv(
// CHECK: tile.dot {{.*}} precision tf32
func.func @tf32(%x: tensor<2x9x11x5xf32>, %w: tensor<12x3x3x5xf32>) -> tensor<2x5x6x12xf32> {
  %r = prim.conv %x, %w precision tf32 {strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x9x11x5xf32>, tensor<12x3x3x5xf32> -> tensor<2x5x6x12xf32>
  return %r : tensor<2x5x6x12xf32>
}
