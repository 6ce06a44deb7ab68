// Small windows without a product are one expression of elements.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},func.func(prim-simplify,prim-fuse),convert-prim-to-tile)' | FileCheck %s

// What is around the input is in a copy of it. Multiply-adds may be fused.
// CHECK-LABEL: tile.kernel private @depthwise_0_conv(
// CHECK-NOT: scf.for
// The window goes down first: a nest computes several lines at once, and what a line reads next is what the line below it
// has read last.
// CHECK: tile.load %arg0[%0, %c0, %c0, %c0,
// CHECK: tile.load %arg0[%0, %c1, %c0, %c0,
// CHECK: tile.load %arg0[%0, %c2, %c0, %c0,
// CHECK: tile.load %arg0[%0, %c0, %c1, %c0,
// CHECK-COUNT-6: arith.mulf {{.*}} fastmath<contract>
// CHECK-NOT: arith.mulf
// CHECK: tile.kernel private @depthwise_0_conv_pad(
func.func @depthwise(%x: tensor<2x13x17x17xf32>, %w: tensor<13x1x3x3xf32>, %b: tensor<13xf32>) -> tensor<2x13x17x17xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<2x13x17x17xf32> -> tensor<2x17x17x13xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<13x1x3x3xf32> -> tensor<13x3x3x1xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 13 : i64} : tensor<2x17x17x13xf32>, tensor<13x3x3x1xf32> -> tensor<2x17x17x13xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<13xf32> -> tensor<2x17x17x13xf32>
  %4 = prim.add %2, %3 : tensor<2x17x17x13xf32>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<2x17x17x13xf32> -> tensor<2x13x17x17xf32>
  return %5 : tensor<2x13x17x17xf32>
}

// CHECK-LABEL: tile.kernel private @max_0_max_pool(
// CHECK-NOT: scf.for
// CHECK-COUNT-8: arith.maximumf
// CHECK-NOT: arith.maximumf
// CHECK: tile.kernel private @max_0_max_pool_pad(
// CHECK: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// With steps of two, every other element of a line is side by side there, so that a position of the window reads neighbours.
// CHECK-COUNT-2: tile.load %{{.*}} pad %[[LOW]] : f32 : {{.*}}, 2]>
// CHECK: return
func.func @max(%x: tensor<1x5x23x23xf32>) -> tensor<1x5x12x12xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x5x23x23xf32> -> tensor<1x23x23x5xf32>
  %1 = prim.max_pool %0 {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} : tensor<1x23x23x5xf32> -> tensor<1x12x12x5xf32>
  %2 = prim.transpose %1 permutation [0, 3, 1, 2] : tensor<1x12x12x5xf32> -> tensor<1x5x12x12xf32>
  return %2 : tensor<1x5x12x12xf32>
}

// With channels innermost, columns are the lines of a nest. All lanes share the condition by which a window reads around the
// input, so that it needs no copy. A copy of the filter has channels innermost, too.
// CHECK-LABEL: tile.kernel private @channels_last_0_conv(
// CHECK-SAME: %arg0: !tile.view<2x7x7x32xf32>
// CHECK-SAME: %arg1: !tile.view<3x3x32xf32>
// CHECK: tile.load %arg0 at [%c0, %c-1, %c-1, %c0] {{.*}} -> tensor<2x7x7x32xf32>
// CHECK: tile.load %arg0 at [%c0, %c-1, %c0, %c0]
// CHECK: tile.load %arg0 at [%c0, %c-1, %c1, %c0]
// CHECK: tile.load %arg0 at [%c0, %c0, %c-1, %c0]
// CHECK: tile.kernel private @channels_last_0_conv_filter(
// CHECK-NOT: tile.kernel private @channels_last_0_conv_pad(
func.func @channels_last(%x: tensor<2x7x7x32xf32>, %w: tensor<32x1x3x3xf32>) -> tensor<2x7x7x32xf32> {
  %0 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<32x1x3x3xf32> -> tensor<32x3x3x1xf32>
  %1 = prim.conv %x, %0 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 32 : i64} : tensor<2x7x7x32xf32>, tensor<32x3x3x1xf32> -> tensor<2x7x7x32xf32>
  return %1 : tensor<2x7x7x32xf32>
}

// The same of a pooling with strides; around the input is what no maximum is.
// CHECK-LABEL: tile.kernel private @max_channels_last_0_max_pool(
// CHECK-SAME: %arg0: !tile.view<2x9x9x16xf32>
// CHECK: tile.load %arg0 at [%c0, %c-1, %c-1, %c0] pad %{{.*}} : f32 step [1, 2, 2, 1] : {{.*}} -> tensor<2x5x5x16xf32>
// CHECK: tile.load %arg0 at [%c0, %c-1, %c0, %c0]
func.func @max_channels_last(%x: tensor<2x9x9x16xf32>) -> tensor<2x5x5x16xf32> {
  %0 = prim.max_pool %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} : tensor<2x9x9x16xf32> -> tensor<2x5x5x16xf32>
  return %0 : tensor<2x5x5x16xf32>
}

// Larger windows do, too.
// CHECK-LABEL: tile.kernel private @five_by_five_0_conv(
// CHECK-SAME: %arg0: !tile.view<2x7x7x32xf32>
// CHECK-SAME: %arg1: !tile.view<5x5x32xf32>
// CHECK: tile.load %arg0 at [%c0, %c-2, %c-2, %c0] {{.*}} -> tensor<2x7x7x32xf32>
// CHECK: tile.load %arg0 at [%c0, %c-2, %c-1, %c0]
// CHECK: tile.load %arg0 at [%c0, %c2, %c2, %c0]
// CHECK: tile.store {{.*}} : tensor<2x7x7x32xf32>, !tile.view<2x7x7x32xf32>
// CHECK: tile.kernel private @five_by_five_0_conv_filter(
// CHECK-NOT: tile.kernel private @five_by_five_0_conv_pad(
func.func @five_by_five(%x: tensor<2x7x7x32xf32>, %w: tensor<32x1x5x5xf32>) -> tensor<2x7x7x32xf32> {
  %0 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<32x1x5x5xf32> -> tensor<32x5x5x1xf32>
  %1 = prim.conv %x, %0 {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 32 : i64} : tensor<2x7x7x32xf32>, tensor<32x5x5x1xf32> -> tensor<2x7x7x32xf32>
  return %1 : tensor<2x7x7x32xf32>
}

// With strides they read every other place of the input.
// CHECK-LABEL: tile.kernel private @five_with_strides_0_conv(
// CHECK: tile.load %arg0 at [%c-2, %c-1, %c0] step [2, 3, 1] : !tile.view<9x11x48xf32> -> tensor<5x4x48xf32>
// CHECK-NOT: tile.kernel private @five_with_strides_0_conv_pad(
func.func @five_with_strides(%x: tensor<1x9x11x48xf32>, %w: tensor<48x5x5x1xf32>) -> tensor<1x5x4x48xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 2, 3>, pad_low = array<i64: 2, 1>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 48 : i64} : tensor<1x9x11x48xf32>, tensor<48x5x5x1xf32> -> tensor<1x5x4x48xf32>
  return %0 : tensor<1x5x4x48xf32>
}

// Tiles have several positions: many channels are equal blocks of whole lines of memory, and positions equal blocks.
// CHECK-LABEL: tile.kernel private @even_blocks_0_conv(
// CHECK: tile.load %arg0 at {{.*}} -> tensor<7x336xf32>
// CHECK: tile.store {{.*}} : tensor<7x336xf32>, !tile.view<14x14x672xf32>
func.func @even_blocks(%x: tensor<1x14x14x672xf32>, %w: tensor<672x5x5x1xf32>) -> tensor<1x14x14x672xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 672 : i64} : tensor<1x14x14x672xf32>, tensor<672x5x5x1xf32> -> tensor<1x14x14x672xf32>
  return %0 : tensor<1x14x14x672xf32>
}

// Of windows that stay inside of the input, an instance computes the channels of a cache line.
// CHECK-LABEL: tile.kernel private @channel_blocks_0_conv(
// CHECK: tile.load %arg0[{{.*}} -> tensor<2x7x7x16xf32>
// CHECK: tile.store {{.*}} : tensor<2x7x7x16xf32>, !tile.view<2x2x7x7x16xf32, strides = [16, 1568, 224, 32, 1]>
func.func @channel_blocks(%x: tensor<2x11x11x32xf32>, %w: tensor<32x5x5x1xf32>) -> tensor<2x7x7x32xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 32 : i64} : tensor<2x11x11x32xf32>, tensor<32x5x5x1xf32> -> tensor<2x7x7x32xf32>
  return %0 : tensor<2x7x7x32xf32>
}

// Channels that fill no whole lines stay together.
// CHECK-LABEL: tile.kernel private @odd_channels_0_conv(
// CHECK: tile.store {{.*}} : tensor<2x7x7x20xf32>
func.func @odd_channels(%x: tensor<2x11x11x20xf32>, %w: tensor<20x5x5x1xf32>) -> tensor<2x7x7x20xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 20 : i64} : tensor<2x11x11x20xf32>, tensor<20x5x5x1xf32> -> tensor<2x7x7x20xf32>
  return %0 : tensor<2x7x7x20xf32>
}

// A large image has no copy either.
// CHECK-LABEL: tile.kernel private @large_image_0_conv(
// CHECK: tile.load %arg0 at {{.*}} -> tensor<224x16xf32>
// CHECK-NOT: tile.kernel private @large_image_0_conv_pad(
// CHECK: program.func @large_image
func.func @large_image(%x: tensor<1x224x224x16xf32>, %w: tensor<16x5x5x1xf32>) -> tensor<1x224x224x16xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 16 : i64} : tensor<1x224x224x16xf32>, tensor<16x5x5x1xf32> -> tensor<1x224x224x16xf32>
  return %0 : tensor<1x224x224x16xf32>
}
