// What surrounds the input of a window is there along dimensions of stride 0, too: of one element, and repeated ones.
// RUN: kiln-run %s --target=cpu --check --entry=one --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --check --entry=repeated --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu,schedule=generic.patches --check --entry=channels --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --check --entry=spread --arg=random:1 --arg=random:2
// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s

// CHECK-LABEL: tile.kernel private @one_0_conv_pad
// CHECK: arith.select
// CHECK: tile.store
func.func @one(%x: tensor<2x1x1x9xf32>, %w: tensor<4x3x3x1xf32>) -> tensor<2x1x1x4xf32> {
  %s = prim.slice %x starts [0, 0, 0, 4] limits [2, 1, 1, 8] strides [1, 1, 1, 1] : tensor<2x1x1x9xf32> -> tensor<2x1x1x4xf32>
  %r = prim.conv %s, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 4 : i64} : tensor<2x1x1x4xf32>, tensor<4x3x3x1xf32> -> tensor<2x1x1x4xf32>
  return %r : tensor<2x1x1x4xf32>
}

func.func @repeated(%x: tensor<2x4xf32>, %w: tensor<4x3x3x1xf32>) -> tensor<2x5x6x4xf32> {
  %s = prim.broadcast_in_dim %x dims [0, 3] : tensor<2x4xf32> -> tensor<2x5x6x4xf32>
  %r = prim.conv %s, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 4 : i64} : tensor<2x5x6x4xf32>, tensor<4x3x3x1xf32> -> tensor<2x5x6x4xf32>
  return %r : tensor<2x5x6x4xf32>
}

func.func @channels(%x: tensor<2x1x7x8xf32>, %w: tensor<16x3x3x8xf32>) -> tensor<2x1x7x16xf32> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x7x8xf32>, tensor<16x3x3x8xf32> -> tensor<2x1x7x16xf32>
  return %r : tensor<2x1x7x16xf32>
}

// A spread dimension of one element whose stride is 0 after the transposition.
func.func @spread(%x: tensor<2x8x1x5xf32>, %w: tensor<2x2x3x8xf32>) -> tensor<2x2x5x2xf32> {
  %t = prim.transpose %x permutation [0, 2, 3, 1] : tensor<2x8x1x5xf32> -> tensor<2x1x5x8xf32>
  %r = prim.conv %t, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 1>, groups = 1 : i64} : tensor<2x1x5x8xf32>, tensor<2x2x3x8xf32> -> tensor<2x2x5x2xf32>
  return %r : tensor<2x2x5x2xf32>
}
