// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions whose groups have few channels are sums of products of elements: a tile for each channel of a group, and for each of
// the neighbours that an instance computes. The channels of a group are one access of a thread.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=last | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=first | FileCheck %s --check-prefix=FIRST
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm --entry=last | FileCheck %s --check-prefix=PTX
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm --entry=first | FileCheck %s --check-prefix=LANES
// RUN: for entry in small_last small_first strided odd single line half wide one shuffled; do \
// RUN:   kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=$entry --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// Channels are innermost: lanes are along groups. Columns of results share what they read of a line.
// CHECK-LABEL: tile.kernel @last_0_conv(
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: tile.load {{.*}} : !tile.view<3x3x4x8x4xf32> -> tensor<8x4xf32>
// CHECK: tile.split
// CHECK: tile.load {{.*}} -> tensor<2x8x8x4xf32>
// CHECK: arith.mulf {{.*}} fastmath<contract>
// CHECK: tile.join
// CHECK: tile.store {{.*}} : tensor<2x8x8x4xf32>
// PTX-LABEL: .entry last_0_conv(
// PTX-NOT: shfl
// PTX-NOT: shared
// PTX: ld.global.v4.b32
// PTX: fma.rn.f32
// PTX: st.global.v4.b32
// PTX: .entry
func.func @last(%x: tensor<32x56x56x32xf32>, %w: tensor<32x3x3x4xf32>, %b: tensor<32xf32>) -> tensor<32x56x56x32xf32> {
  %r = prim.conv %x, %w precision tf32 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 8 : i64} : tensor<32x56x56x32xf32>, tensor<32x3x3x4xf32> -> tensor<32x56x56x32xf32>
  %bb = prim.broadcast_in_dim %b dims [3] : tensor<32xf32> -> tensor<32x56x56x32xf32>
  %s = prim.add %r, %bb : tensor<32x56x56x32xf32>
  return %s : tensor<32x56x56x32xf32>
}

// Columns are innermost: all lanes have one group, and neighbours are lines.
// FIRST-LABEL: tile.kernel @first_0_conv(
// FIRST: scf.for
// FIRST-NOT: scf.for
// FIRST: tile.load {{.*}} : !tile.view<8x3x3x4x4xf32> -> tensor<4xf32>
// FIRST: tile.load {{.*}} step [{{.*}}] : {{.*}} -> tensor<2x64xf32>
// FIRST: arith.mulf {{.*}} fastmath<contract>
// FIRST-NOT: tile.join
// FIRST: tile.store {{.*}} : tensor<2x64xf32>
// LANES-LABEL: .entry first_0_conv(
// LANES-NOT: shfl
// LANES-NOT: shared
// LANES: ld.global.v4.b32
// LANES: fma.rn.f32
// LANES: .entry
func.func @first(%x: tensor<32x32x56x56xf32>, %w: tensor<32x4x3x3xf32>) -> tensor<32x32x56x56xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<32x32x56x56xf32> -> tensor<32x56x56x32xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<32x4x3x3xf32> -> tensor<32x3x3x4xf32>
  %r = prim.conv %0, %1 precision tf32 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 8 : i64} : tensor<32x56x56x32xf32>, tensor<32x3x3x4xf32> -> tensor<32x56x56x32xf32>
  %s = prim.transpose %r permutation [0, 3, 1, 2] : tensor<32x56x56x32xf32> -> tensor<32x32x56x56xf32>
  return %s : tensor<32x32x56x56xf32>
}

// The same with fewer images, to be evaluated.
func.func @small_last(%x: tensor<2x29x30x32xf32>, %w: tensor<32x3x3x4xf32>, %b: tensor<32xf32>) -> tensor<2x29x30x32xf32> {
  %r = prim.conv %x, %w precision tf32 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 8 : i64} : tensor<2x29x30x32xf32>, tensor<32x3x3x4xf32> -> tensor<2x29x30x32xf32>
  %bb = prim.broadcast_in_dim %b dims [3] : tensor<32xf32> -> tensor<2x29x30x32xf32>
  %s = prim.add %r, %bb : tensor<2x29x30x32xf32>
  return %s : tensor<2x29x30x32xf32>
}

func.func @small_first(%x: tensor<2x32x29x30xf32>, %w: tensor<32x4x3x3xf32>) -> tensor<2x32x29x30xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<2x32x29x30xf32> -> tensor<2x29x30x32xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<32x4x3x3xf32> -> tensor<32x3x3x4xf32>
  %r = prim.conv %0, %1 precision tf32 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 8 : i64} : tensor<2x29x30x32xf32>, tensor<32x3x3x4xf32> -> tensor<2x29x30x32xf32>
  %s = prim.transpose %r permutation [0, 3, 1, 2] : tensor<2x29x30x32xf32> -> tensor<2x32x29x30xf32>
  return %s : tensor<2x32x29x30xf32>
}

// Steps over the input, with room between what a window reads, and more results than inputs in a group.
func.func @strided(%x: tensor<2x11x13x16xf32>, %w: tensor<32x3x2x4xf32>) -> tensor<2x5x7x32xf32> {
  %r = prim.conv %x, %w {strides = array<i64: 2, 2>, pad_low = array<i64: 1, 2>, pad_high = array<i64: 1, 0>, dilation = array<i64: 2, 2>, input_dilation = array<i64: 1, 1>, groups = 4 : i64} : tensor<2x11x13x16xf32>, tensor<32x3x2x4xf32> -> tensor<2x5x7x32xf32>
  return %r : tensor<2x5x7x32xf32>
}

// Numbers of channels that are no powers of two are read and written one by one.
func.func @odd(%x: tensor<2x6x7x15xf32>, %w: tensor<30x3x3x3xf32>) -> tensor<2x6x7x30xf32> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 5 : i64} : tensor<2x6x7x15xf32>, tensor<30x3x3x3xf32> -> tensor<2x6x7x30xf32>
  return %r : tensor<2x6x7x30xf32>
}

// A group has one result.
func.func @single(%x: tensor<3x6x7x12xf32>, %w: tensor<6x1x3x2xf32>) -> tensor<3x6x7x6xf32> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 1>, pad_high = array<i64: 0, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 6 : i64} : tensor<3x6x7x12xf32>, tensor<6x1x3x2xf32> -> tensor<3x6x7x6xf32>
  return %r : tensor<3x6x7x6xf32>
}

// One spatial dimension, which is innermost: there are no neighbours.
func.func @line(%x: tensor<2x8x50xf32>, %w: tensor<8x2x5xf32>) -> tensor<2x8x50xf32> {
  %0 = prim.transpose %x permutation [0, 2, 1] : tensor<2x8x50xf32> -> tensor<2x50x8xf32>
  %1 = prim.transpose %w permutation [0, 2, 1] : tensor<8x2x5xf32> -> tensor<8x5x2xf32>
  %r = prim.conv %0, %1 {strides = array<i64: 1>, pad_low = array<i64: 2>, pad_high = array<i64: 2>, dilation = array<i64: 1>, input_dilation = array<i64: 1>, groups = 4 : i64} : tensor<2x50x8xf32>, tensor<8x5x2xf32> -> tensor<2x50x8xf32>
  %s = prim.transpose %r permutation [0, 2, 1] : tensor<2x50x8xf32> -> tensor<2x8x50xf32>
  return %s : tensor<2x8x50xf32>
}

// Products of f16 are summed in f32. A loop goes through all positions of the window.
func.func @half(%x: tensor<2x6x7x32xf16>, %w: tensor<32x3x3x8xf16>) -> tensor<2x6x7x32xf16> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 4 : i64} : tensor<2x6x7x32xf16>, tensor<32x3x3x8xf16> -> tensor<2x6x7x32xf16>
  return %r : tensor<2x6x7x32xf16>
}

func.func @wide(%x: tensor<2x16x9x11xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<16xf32>) -> tensor<2x16x9x11xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<2x16x9x11xf32> -> tensor<2x9x11x16xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<16x8x3x3xf32> -> tensor<16x3x3x8xf32>
  %r = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x9x11x16xf32>, tensor<16x3x3x8xf32> -> tensor<2x9x11x16xf32>
  %bb = prim.broadcast_in_dim %b dims [3] : tensor<16xf32> -> tensor<2x9x11x16xf32>
  %t = prim.maximum %r, %bb : tensor<2x9x11x16xf32>
  %s = prim.transpose %t permutation [0, 3, 1, 2] : tensor<2x9x11x16xf32> -> tensor<2x16x9x11xf32>
  return %s : tensor<2x16x9x11xf32>
}

// A window of one position.
func.func @one(%x: tensor<1x5x5x8xf32>, %w: tensor<16x1x1x2xf32>) -> tensor<1x5x5x16xf32> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 4 : i64} : tensor<1x5x5x8xf32>, tensor<16x1x1x2xf32> -> tensor<1x5x5x16xf32>
  return %r : tensor<1x5x5x16xf32>
}

// Channels that follow the convolution in another order are written one by one.
func.func @shuffled(%x: tensor<2x9x12x32xf32>, %w: tensor<32x3x3x4xf32>) -> tensor<2x9x12x4x8xf32> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 8 : i64} : tensor<2x9x12x32xf32>, tensor<32x3x3x4xf32> -> tensor<2x9x12x32xf32>
  %s = prim.reshape %r : tensor<2x9x12x32xf32> -> tensor<2x9x12x8x4xf32>
  %t = prim.transpose %s permutation [0, 1, 2, 4, 3] : tensor<2x9x12x8x4xf32> -> tensor<2x9x12x4x8xf32>
  %u = prim.exp %t : tensor<2x9x12x4x8xf32>
  return %u : tensor<2x9x12x4x8xf32>
}
