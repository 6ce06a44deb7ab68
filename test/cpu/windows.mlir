// Depthwise convolutions and poolings, with positions or channels side by side.
// RUN: kiln-run %s --entry=depthwise --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=depthwise_strided --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=multiplied --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=depthwise_last --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=depthwise_half --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=max --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=max_last --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=sum --target=cpu --check | FileCheck %s
// CHECK: result 0: ok

func.func @depthwise(%x: tensor<2x13x17x17xf32>, %w: tensor<13x1x3x3xf32>, %b: tensor<13xf32>) -> tensor<2x13x17x17xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<2x13x17x17xf32> -> tensor<2x17x17x13xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<13x1x3x3xf32> -> tensor<13x3x3x1xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 13 : i64} : tensor<2x17x17x13xf32>, tensor<13x3x3x1xf32> -> tensor<2x17x17x13xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<13xf32> -> tensor<2x17x17x13xf32>
  %4 = prim.add %2, %3 : tensor<2x17x17x13xf32>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<2x17x17x13xf32> -> tensor<2x13x17x17xf32>
  return %5 : tensor<2x13x17x17xf32>
}

func.func @depthwise_strided(%x: tensor<1x10x19x19xf32>, %w: tensor<10x1x5x5xf32>, %b: tensor<10xf32>) -> tensor<1x10x10x10xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x10x19x19xf32> -> tensor<1x19x19x10xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<10x1x5x5xf32> -> tensor<10x5x5x1xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 2, 2>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 10 : i64} : tensor<1x19x19x10xf32>, tensor<10x5x5x1xf32> -> tensor<1x10x10x10xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<10xf32> -> tensor<1x10x10x10xf32>
  %4 = prim.add %2, %3 : tensor<1x10x10x10xf32>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<1x10x10x10xf32> -> tensor<1x10x10x10xf32>
  return %5 : tensor<1x10x10x10xf32>
}

func.func @multiplied(%x: tensor<1x6x9x9xf32>, %w: tensor<12x1x3x3xf32>, %b: tensor<12xf32>) -> tensor<1x12x9x9xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x6x9x9xf32> -> tensor<1x9x9x6xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<12x1x3x3xf32> -> tensor<12x3x3x1xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 6 : i64} : tensor<1x9x9x6xf32>, tensor<12x3x3x1xf32> -> tensor<1x9x9x12xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<12xf32> -> tensor<1x9x9x12xf32>
  %4 = prim.add %2, %3 : tensor<1x9x9x12xf32>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<1x9x9x12xf32> -> tensor<1x12x9x9xf32>
  return %5 : tensor<1x12x9x9xf32>
}

func.func @depthwise_last(%x: tensor<1x9x9x11xf32>, %w: tensor<11x3x3x1xf32>) -> tensor<1x9x9x11xf32> {
  %2 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 11 : i64} : tensor<1x9x9x11xf32>, tensor<11x3x3x1xf32> -> tensor<1x9x9x11xf32>
  return %2 : tensor<1x9x9x11xf32>
}

func.func @depthwise_half(%x: tensor<1x8x12x12xbf16>, %w: tensor<8x1x3x3xbf16>, %b: tensor<8xbf16>) -> tensor<1x8x12x12xbf16> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x8x12x12xbf16> -> tensor<1x12x12x8xbf16>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<8x1x3x3xbf16> -> tensor<8x3x3x1xbf16>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 8 : i64} : tensor<1x12x12x8xbf16>, tensor<8x3x3x1xbf16> -> tensor<1x12x12x8xbf16>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<8xbf16> -> tensor<1x12x12x8xbf16>
  %4 = prim.add %2, %3 : tensor<1x12x12x8xbf16>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<1x12x12x8xbf16> -> tensor<1x8x12x12xbf16>
  return %5 : tensor<1x8x12x12xbf16>
}

func.func @max(%x: tensor<1x5x23x23xf32>) -> tensor<1x5x12x12xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x5x23x23xf32> -> tensor<1x23x23x5xf32>
  %1 = prim.max_pool %0 {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} : tensor<1x23x23x5xf32> -> tensor<1x12x12x5xf32>
  %2 = prim.transpose %1 permutation [0, 3, 1, 2] : tensor<1x12x12x5xf32> -> tensor<1x5x12x12xf32>
  return %2 : tensor<1x5x12x12xf32>
}

func.func @max_last(%x: tensor<2x11x11x9xf32>) -> tensor<2x6x6x9xf32> {
  %1 = prim.max_pool %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} : tensor<2x11x11x9xf32> -> tensor<2x6x6x9xf32>
  return %1 : tensor<2x6x6x9xf32>
}

func.func @sum(%x: tensor<1x7x14x14xf32>) -> tensor<1x7x7x7xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x7x14x14xf32> -> tensor<1x14x14x7xf32>
  %1 = prim.sum_pool %0 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>} : tensor<1x14x14x7xf32> -> tensor<1x7x7x7xf32>
  %2 = prim.transpose %1 permutation [0, 3, 1, 2] : tensor<1x7x7x7xf32> -> tensor<1x7x7x7xf32>
  return %2 : tensor<1x7x7x7xf32>
}
