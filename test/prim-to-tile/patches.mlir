// A convolution is a product of its filter with patches of its input.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},func.func(prim-simplify,prim-fuse),convert-prim-to-tile)' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir

// Zeros around the input are a copy; patches are a view whose dimensions overlap.
// CHECK-LABEL: tile.kernel private @same_0_conv(
// CHECK-SAME: !tile.view<64x576xf32>
// CHECK-SAME: !tile.view<64x3x3x56x56xf32, strides = [3364, 58, 1, 58, 1]>
// CHECK-SAME: -> 64x448x576"
// CHECK: %[[W:.*]] = tile.load {{.*}} -> tensor<64x576xf32>
// CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<64x3x3x8x56xf32>
// CHECK: %[[P:.*]] = tile.reshape %[[X]] : tensor<64x3x3x8x56xf32> -> tensor<576x448xf32>
// CHECK: %[[S:.*]] = tile.dot %[[W]], %[[P]]
// CHECK: arith.addf %[[S]]
// CHECK: tile.store {{.*}} : tensor<64x448xf32>, !tile.view<64x3136xf32>
// CHECK: tile.kernel private @same_0_conv_pad(
// CHECK: tile.load {{.*}} : !tile.view<64x56x56xf32> -> tensor<58x58xf32>
func.func @same(%x: tensor<1x64x56x56xf32>, %w: tensor<64x64x3x3xf32>, %b: tensor<64xf32>) -> tensor<1x64x56x56xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x64x56x56xf32> -> tensor<1x56x56x64xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<64x64x3x3xf32> -> tensor<64x3x3x64xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x56x56x64xf32>, tensor<64x3x3x64xf32> -> tensor<1x56x56x64xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<64xf32> -> tensor<1x56x56x64xf32>
  %4 = prim.add %2, %3 : tensor<1x56x56x64xf32>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<1x56x56x64xf32> -> tensor<1x64x56x56xf32>
  return %5 : tensor<1x64x56x56xf32>
}

// Images with few positions share a tile.
// CHECK-LABEL: tile.kernel private @together_0_conv(
// CHECK: tile.reshape {{.*}} : tensor<32x3x3x4x4x4xf32> -> tensor<288x64xf32>
// CHECK: tile.dot
// CHECK: tile.reshape {{.*}} : tensor<48x64xf32> -> tensor<48x4x16xf32>
// CHECK: tile.store {{.*}} : tensor<48x4x16xf32>
func.func @together(%x: tensor<4x32x4x4xf32>, %w: tensor<48x32x3x3xf32>, %b: tensor<48xf32>) -> tensor<4x48x4x4xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<4x32x4x4xf32> -> tensor<4x4x4x32xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<48x32x3x3xf32> -> tensor<48x3x3x32xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x4x4x32xf32>, tensor<48x3x3x32xf32> -> tensor<4x4x4x48xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<48xf32> -> tensor<4x4x4x48xf32>
  %4 = prim.add %2, %3 : tensor<4x4x4x48xf32>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<4x4x4x48xf32> -> tensor<4x48x4x4xf32>
  return %5 : tensor<4x48x4x4xf32>
}

// CHECK-LABEL: tile.kernel private @grouped_0_conv(
// CHECK-SAME: !tile.view<2x8x72xf32>
// CHECK: %[[G:.*]] = tile.program_id
// CHECK: tile.load {{.*}} at [%[[G]], {{.*}}] {{.*}} -> tensor<8x72xf32>
// CHECK: tile.dot
func.func @grouped(%x: tensor<1x16x8x8xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x16x8x8xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x16x8x8xf32> -> tensor<1x8x8x16xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<16x8x3x3xf32> -> tensor<16x3x3x8xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 2 : i64} : tensor<1x8x8x16xf32>, tensor<16x3x3x8xf32> -> tensor<1x8x8x16xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<16xf32> -> tensor<1x8x8x16xf32>
  %4 = prim.add %2, %3 : tensor<1x8x8x16xf32>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<1x8x8x16xf32> -> tensor<1x16x8x8xf32>
  return %5 : tensor<1x16x8x8xf32>
}

// With channels innermost the patches are on the left. Channels and the columns of the window are one run of the input.
// CHECK-LABEL: tile.kernel private @channels_last_0_conv(
// CHECK-SAME: !tile.view<576x64xf32, strides = [1, 576]>
// CHECK-SAME: !tile.view<14x14x3x192xf32, strides = [1024, 64, 1024, 1]>
// CHECK: %[[W:.*]] = tile.load {{.*}} -> tensor<576x64xf32>
// CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<14x14x3x192xf32>
// CHECK: %[[P:.*]] = tile.reshape %[[X]] : tensor<14x14x3x192xf32> -> tensor<196x576xf32>
// CHECK: %[[S:.*]] = tile.dot %[[P]], %[[W]]
// CHECK: tile.store {{.*}} : tensor<196x64xf32>, !tile.view<196x64xf32>
// CHECK: tile.kernel private @channels_last_0_conv_pad(
func.func @channels_last(%x: tensor<1x14x14x64xf32>, %w: tensor<64x3x3x64xf32>) -> tensor<1x14x14x64xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x14x14x64xf32>, tensor<64x3x3x64xf32> -> tensor<1x14x14x64xf32>
  return %0 : tensor<1x14x14x64xf32>
}

// A filter whose channels lie apart is copied. Images share a tile, and groups have a block of channels each.
// CHECK-LABEL: tile.kernel private @channels_last_grouped_0_conv(
// CHECK: %[[P:.*]] = tile.reshape {{.*}} : tensor<4x4x4x3x3x16xf32> -> tensor<64x144xf32>
// CHECK: tile.dot %[[P]], {{.*}} : tensor<64x144xf32>, tensor<144x16xf32>, tensor<64x16xf32>
// CHECK: tile.kernel private @channels_last_grouped_0_conv_filter(
func.func @channels_last_grouped(%x: tensor<4x8x8x32xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<4x4x4x32xf32> {
  %0 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<32x16x3x3xf32> -> tensor<32x3x3x16xf32>
  %1 = prim.conv %x, %0 {strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 2 : i64} : tensor<4x8x8x32xf32>, tensor<32x3x3x16xf32> -> tensor<4x4x4x32xf32>
  return %1 : tensor<4x4x4x32xf32>
}

// Positions of a line and their three channels are copied as one dimension.
// CHECK-LABEL: tile.kernel private @few_channels_0_conv_pad(
// CHECK-SAME: !tile.view<2x21x60xf32>
// CHECK-SAME: !tile.view<2x23x63xf32>
// CHECK: tile.load %arg0 at [%c0, %c-1, %c-3] {{.*}} -> tensor<2x23x63xf32>
func.func @few_channels(%x: tensor<2x21x20x3xf32>, %w: tensor<40x3x3x3xf32>) -> tensor<2x11x10x40xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x21x20x3xf32>, tensor<40x3x3x3xf32> -> tensor<2x11x10x40xf32>
  return %0 : tensor<2x11x10x40xf32>
}

// A filter whose results lie side by side, as that of a transposed convolution, is read as it is, in the order of patches.
// CHECK-LABEL: tile.kernel private @results_innermost_0_conv(
// CHECK-SAME: !tile.view<3x3x16x32xf32, strides = [-96, -32, 288, 1]>
// CHECK: %[[L:.*]] = tile.load {{.*}} -> tensor<3x3x16x32xf32>
// CHECK: %[[W:.*]] = tile.reshape %[[L]] : tensor<3x3x16x32xf32> -> tensor<144x32xf32>
// CHECK: tile.dot {{.*}}, %[[W]]
// CHECK-NOT: results_innermost_0_conv_filter
// CHECK: program.func @results_innermost(
func.func @results_innermost(%x: tensor<1x8x8x16xf32>, %w: tensor<16x3x3x32xf32>) -> tensor<1x8x8x32xf32> {
  %0 = prim.rev %w dims [1, 2] : tensor<16x3x3x32xf32>
  %1 = prim.transpose %0 permutation [3, 1, 2, 0] : tensor<16x3x3x32xf32> -> tensor<32x3x3x16xf32>
  %2 = prim.conv %x, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x8x8x32xf32>
  return %2 : tensor<1x8x8x32xf32>
}
