// Convolutions as products: sizes that neither registers nor blocks divide.
// RUN: kiln-run %s --entry=same --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=strided --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=grouped --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=together --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=dilated --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=line --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=half --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=wide --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=channels_last --target=cpu --check | FileCheck %s
// CHECK: result 0: ok

func.func @same(%x: tensor<2x5x9x11xf32>, %w: tensor<7x5x3x3xf32>, %b: tensor<7xf32>) -> tensor<2x7x9x11xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<2x5x9x11xf32> -> tensor<2x9x11x5xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<7x5x3x3xf32> -> tensor<7x3x3x5xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x9x11x5xf32>, tensor<7x3x3x5xf32> -> tensor<2x9x11x7xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<7xf32> -> tensor<2x9x11x7xf32>
  %4 = prim.add %2, %3 : tensor<2x9x11x7xf32>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<2x9x11x7xf32> -> tensor<2x7x9x11xf32>
  %6 = prim.relu %5 : tensor<2x7x9x11xf32>
  return %6 : tensor<2x7x9x11xf32>
}

func.func @strided(%x: tensor<1x3x37x37xf32>, %w: tensor<20x3x7x7xf32>, %b: tensor<20xf32>) -> tensor<1x20x19x19xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x3x37x37xf32> -> tensor<1x37x37x3xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<20x3x7x7xf32> -> tensor<20x7x7x3xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 2, 2>, pad_low = array<i64: 3, 3>, pad_high = array<i64: 3, 3>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x37x37x3xf32>, tensor<20x7x7x3xf32> -> tensor<1x19x19x20xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<20xf32> -> tensor<1x19x19x20xf32>
  %4 = prim.add %2, %3 : tensor<1x19x19x20xf32>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<1x19x19x20xf32> -> tensor<1x20x19x19xf32>
  %6 = prim.relu %5 : tensor<1x20x19x19xf32>
  return %6 : tensor<1x20x19x19xf32>
}

func.func @grouped(%x: tensor<2x12x12x12xf32>, %w: tensor<18x4x3x3xf32>, %b: tensor<18xf32>) -> tensor<2x18x12x12xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<2x12x12x12xf32> -> tensor<2x12x12x12xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<18x4x3x3xf32> -> tensor<18x3x3x4xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 3 : i64} : tensor<2x12x12x12xf32>, tensor<18x3x3x4xf32> -> tensor<2x12x12x18xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<18xf32> -> tensor<2x12x12x18xf32>
  %4 = prim.add %2, %3 : tensor<2x12x12x18xf32>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<2x12x12x18xf32> -> tensor<2x18x12x12xf32>
  %6 = prim.relu %5 : tensor<2x18x12x12xf32>
  return %6 : tensor<2x18x12x12xf32>
}

func.func @together(%x: tensor<8x33x2x2xf32>, %w: tensor<40x33x3x3xf32>, %b: tensor<40xf32>) -> tensor<8x40x2x2xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<8x33x2x2xf32> -> tensor<8x2x2x33xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<40x33x3x3xf32> -> tensor<40x3x3x33xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<8x2x2x33xf32>, tensor<40x3x3x33xf32> -> tensor<8x2x2x40xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<40xf32> -> tensor<8x2x2x40xf32>
  %4 = prim.add %2, %3 : tensor<8x2x2x40xf32>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<8x2x2x40xf32> -> tensor<8x40x2x2xf32>
  %6 = prim.relu %5 : tensor<8x40x2x2xf32>
  return %6 : tensor<8x40x2x2xf32>
}

func.func @dilated(%x: tensor<1x6x28x28xf32>, %w: tensor<9x6x3x3xf32>, %b: tensor<9xf32>) -> tensor<1x9x24x24xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x6x28x28xf32> -> tensor<1x28x28x6xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<9x6x3x3xf32> -> tensor<9x3x3x6xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 2, 2>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x28x28x6xf32>, tensor<9x3x3x6xf32> -> tensor<1x24x24x9xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<9xf32> -> tensor<1x24x24x9xf32>
  %4 = prim.add %2, %3 : tensor<1x24x24x9xf32>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<1x24x24x9xf32> -> tensor<1x9x24x24xf32>
  %6 = prim.relu %5 : tensor<1x9x24x24xf32>
  return %6 : tensor<1x9x24x24xf32>
}

func.func @line(%x: tensor<2x4x1500xf32>, %w: tensor<6x4x3xf32>, %b: tensor<6xf32>) -> tensor<2x6x1500xf32> {
  %0 = prim.transpose %x permutation [0, 2, 1] : tensor<2x4x1500xf32> -> tensor<2x1500x4xf32>
  %1 = prim.transpose %w permutation [0, 2, 1] : tensor<6x4x3xf32> -> tensor<6x3x4xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 1>, dilation = array<i64: 1>, input_dilation = array<i64: 1>, groups = 1 : i64} : tensor<2x1500x4xf32>, tensor<6x3x4xf32> -> tensor<2x1500x6xf32>
  %3 = prim.broadcast_in_dim %b dims [2] : tensor<6xf32> -> tensor<2x1500x6xf32>
  %4 = prim.add %2, %3 : tensor<2x1500x6xf32>
  %5 = prim.transpose %4 permutation [0, 2, 1] : tensor<2x1500x6xf32> -> tensor<2x6x1500xf32>
  %6 = prim.relu %5 : tensor<2x6x1500xf32>
  return %6 : tensor<2x6x1500xf32>
}

func.func @half(%x: tensor<1x16x14x14xbf16>, %w: tensor<16x16x3x3xbf16>, %b: tensor<16xbf16>) -> tensor<1x16x14x14xbf16> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x16x14x14xbf16> -> tensor<1x14x14x16xbf16>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<16x16x3x3xbf16> -> tensor<16x3x3x16xbf16>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x14x14x16xbf16>, tensor<16x3x3x16xbf16> -> tensor<1x14x14x16xbf16>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<16xbf16> -> tensor<1x14x14x16xbf16>
  %4 = prim.add %2, %3 : tensor<1x14x14x16xbf16>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<1x14x14x16xbf16> -> tensor<1x16x14x14xbf16>
  %6 = prim.relu %5 : tensor<1x16x14x14xbf16>
  return %6 : tensor<1x16x14x14xbf16>
}

func.func @wide(%x: tensor<1x2x5x700xf32>, %w: tensor<3x2x3x3xf32>, %b: tensor<3xf32>) -> tensor<1x3x5x700xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x2x5x700xf32> -> tensor<1x5x700x2xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<3x2x3x3xf32> -> tensor<3x3x3x2xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x5x700x2xf32>, tensor<3x3x3x2xf32> -> tensor<1x5x700x3xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<3xf32> -> tensor<1x5x700x3xf32>
  %4 = prim.add %2, %3 : tensor<1x5x700x3xf32>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<1x5x700x3xf32> -> tensor<1x3x5x700xf32>
  %6 = prim.relu %5 : tensor<1x3x5x700xf32>
  return %6 : tensor<1x3x5x700xf32>
}

func.func @channels_last(%x: tensor<1x5x8x8xf32>, %w: tensor<7x5x3x3xf32>, %b: tensor<7xf32>) -> tensor<1x8x8x7xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x5x8x8xf32> -> tensor<1x8x8x5xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<7x5x3x3xf32> -> tensor<7x3x3x5xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x8x8x5xf32>, tensor<7x3x3x5xf32> -> tensor<1x8x8x7xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<7xf32> -> tensor<1x8x8x7xf32>
  %4 = prim.add %2, %3 : tensor<1x8x8x7xf32>
  return %4 : tensor<1x8x8x7xf32>
}
