// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depthwise convolutions and poolings of small windows read each position of the window through a view of the input: where it
// is outside there is nothing, or what changes no maximum. Blocks leave few channels empty.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=depthwise | FileCheck %s
// RUN: for entry in depthwise largest; do \
// RUN:   kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=$entry --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// CHECK-LABEL: tile.kernel @depthwise_0_conv(
// CHECK-SAME: !tile.view<2x2x3x144xf16, strides = [5760, 2304, 288, 1]>
// CHECK-SAME: elementwise 2x3x4x144<=64 holds
// CHECK-NOT: scf.for
// CHECK-COUNT-9: arith.mulf {{.*}}xf32>
// CHECK-NOT: arith.mulf
func.func @depthwise(%x: tensor<2x5x8x144xf16>, %w: tensor<144x3x3x1xf16>) -> tensor<2x3x4x144xf16> {
  %r = prim.conv %x, %w {strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 144 : i64} : tensor<2x5x8x144xf16>, tensor<144x3x3x1xf16> -> tensor<2x3x4x144xf16>
  return %r : tensor<2x3x4x144xf16>
}

func.func @largest(%x: tensor<2x5x7x33xf32>) -> tensor<2x3x4x33xf32> {
  %r = prim.max_pool %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} : tensor<2x5x7x33xf32> -> tensor<2x3x4x33xf32>
  return %r : tensor<2x3x4x33xf32>
}

// Where there are enough results for all cores, a thread computes neighbours: five in a line read 3 x 7 elements of the input, each
// once, not 45. Factors are loaded for the first result that needs them. What is behind the end of a line is not stored. What follows the
// window is computed for each.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=neighbours | FileCheck %s --check-prefix=BESIDE
// RUN: for entry in neighbours largest_neighbours; do \
// RUN:   kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=$entry --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// BESIDE-LABEL: tile.kernel @neighbours_0_conv(
// BESIDE-NOT: scf.for
// BESIDE: tile.load {{.*}} -> tensor<4x4x32xf16>
// BESIDE-NOT: tile.load
// BESIDE: tile.load {{.*}} !tile.view<3x3x64xf16> -> tensor<32xf16>
// BESIDE: tile.load {{.*}} -> tensor<4x4x32xf16>
// BESIDE-NOT: tile.load
// BESIDE: tile.load {{.*}} !tile.view<3x3x64xf16> -> tensor<32xf16>
// BESIDE: tile.load {{.*}} -> tensor<4x4x32xf16>
// BESIDE-NOT: tile.load
// BESIDE: tile.load {{.*}} !tile.view<3x3x64xf16> -> tensor<32xf16>
// BESIDE-COUNT-4: tile.load {{.*}} -> tensor<4x4x32xf16>
// BESIDE-NOT: !tile.view<3x3x64xf16>
// BESIDE: tile.load {{.*}} -> tensor<4x4x32xf16>
// BESIDE-NOT: tile.load
// BESIDE: tile.load {{.*}} !tile.view<3x3x64xf16> -> tensor<32xf16>
// BESIDE: tile.load {{.*}} -> tensor<4x4x32xf16>
// BESIDE-NOT: tile.load
// BESIDE: tile.load {{.*}} !tile.view<3x3x64xf16> -> tensor<32xf16>
// BESIDE: tile.load {{.*}} -> tensor<4x4x32xf16>
// BESIDE-NOT: tile.load
// BESIDE: tile.load {{.*}} !tile.view<3x3x64xf16> -> tensor<32xf16>
// BESIDE-COUNT-4: tile.load {{.*}} -> tensor<4x4x32xf16>
// BESIDE-NOT: !tile.view<3x3x64xf16>
// BESIDE: tile.load {{.*}} -> tensor<4x4x32xf16>
// BESIDE-NOT: tile.load
// BESIDE: tile.load {{.*}} !tile.view<3x3x64xf16> -> tensor<32xf16>
// BESIDE: tile.load {{.*}} -> tensor<4x4x32xf16>
// BESIDE-NOT: tile.load
// BESIDE: tile.load {{.*}} !tile.view<3x3x64xf16> -> tensor<32xf16>
// BESIDE: tile.load {{.*}} -> tensor<4x4x32xf16>
// BESIDE-NOT: tile.load
// BESIDE: tile.load {{.*}} !tile.view<3x3x64xf16> -> tensor<32xf16>
// BESIDE-COUNT-4: tile.load {{.*}} -> tensor<4x4x32xf16>
// BESIDE-NOT: tile.load
// BESIDE-COUNT-5: tile.store
// BESIDE-NOT: tile.store
// BESIDE-LABEL: tile.kernel @neighbours_0_conv_filter(
func.func @neighbours(%x: tensor<9x19x21x64xf16>, %w: tensor<64x3x3x1xf16>) -> tensor<9x19x21x64xf16> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 64 : i64} : tensor<9x19x21x64xf16>, tensor<64x3x3x1xf16> -> tensor<9x19x21x64xf16>
  %0 = prim.abs %r : tensor<9x19x21x64xf16>
  return %0 : tensor<9x19x21x64xf16>
}

func.func @largest_neighbours(%x: tensor<9x37x41x64xf32>) -> tensor<9x19x21x64xf32> {
  %r = prim.max_pool %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} : tensor<9x37x41x64xf32> -> tensor<9x19x21x64xf32>
  return %r : tensor<9x19x21x64xf32>
}

// Along elements that lie side by side neighbours belong to neighbouring threads: each computes one result, of lines that are read
// and written as they lie.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=lines | FileCheck %s --check-prefix=LINES
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=lines --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// LINES-LABEL: tile.kernel @lines_0_conv(
// LINES: tile.load {{.*}} !tile.view<{{[x0-9]*}}xbf16, strides = [131072, 2048, 1]> -> tensor<2048xbf16>
// LINES: tile.load {{.*}} -> tensor<1xbf16>
// LINES: tile.load {{.*}} !tile.view<{{[x0-9]*}}xbf16, strides = [131072, 2048, 1]> -> tensor<2048xbf16>
// LINES: tile.load {{.*}} -> tensor<1xbf16>
// LINES: tile.load {{.*}} !tile.view<{{[x0-9]*}}xbf16, strides = [131072, 2048, 1]> -> tensor<2048xbf16>
// LINES: tile.load {{.*}} -> tensor<1xbf16>
// LINES: tile.load {{.*}} !tile.view<8x64x2048xbf16> -> tensor<2048xbf16>
// LINES: tile.load {{.*}} -> tensor<1xbf16>
// LINES-NOT: tile.load
// LINES: tile.store {{.*}} !tile.view<8x64x2048xbf16>
// LINES-NOT: tile.store
func.func @lines(%x: tensor<8x64x2048xbf16>, %w: tensor<64x4x1xbf16>) -> tensor<8x64x2048xbf16> {
  %0 = prim.pad %x low [0, 0, 3] high [0, 0, 0] value 0.0 : bf16 : tensor<8x64x2048xbf16> -> tensor<8x64x2051xbf16>
  %1 = prim.transpose %0 permutation [0, 2, 1] : tensor<8x64x2051xbf16> -> tensor<8x2051x64xbf16>
  %2 = prim.conv %1, %w {strides = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, dilation = array<i64: 1>, input_dilation = array<i64: 1>, groups = 64 : i64} : tensor<8x2051x64xbf16>, tensor<64x4x1xbf16> -> tensor<8x2048x64xbf16>
  %3 = prim.transpose %2 permutation [0, 2, 1] : tensor<8x2048x64xbf16> -> tensor<8x64x2048xbf16>
  return %3 : tensor<8x64x2048xbf16>
}

// With strides elements lie apart for one result, too, and neighbours share what they read.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=apart | FileCheck %s --check-prefix=APART
// APART-LABEL: tile.kernel @apart_0_max_pool(
// APART-COUNT-2: tile.store
func.func @apart(%x: tensor<32x64x112x112xbf16>) -> tensor<32x64x56x56xbf16> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<32x64x112x112xbf16> -> tensor<32x112x112x64xbf16>
  %1 = prim.max_pool %0 {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} : tensor<32x112x112x64xbf16> -> tensor<32x56x56x64xbf16>
  %2 = prim.transpose %1 permutation [0, 3, 1, 2] : tensor<32x56x56x64xbf16> -> tensor<32x64x56x56xbf16>
  return %2 : tensor<32x64x56x56xbf16>
}

// A window of many positions would need a view for each: it reads one copy of the input, with zeros around it, from which a thread computes
// neighbours as well. The copy has the rows that the last neighbours read.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=many | FileCheck %s --check-prefix=MANY
// RUN: for entry in many many_apart many_largest; do \
// RUN:   kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=$entry --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// MANY-LABEL: tile.kernel @many_0_conv(
// MANY-NOT: scf.for
// MANY: tile.store
// MANY: tile.kernel @many_0_conv_pad(
// Factors are loaded once, beside the first position that needs each.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=many | grep -c "tile.load .* !tile.view<7x7x96xf32, strides = .7, 1, 49.>" | FileCheck %s --check-prefix=FACTORS
// FACTORS: {{^49$}}
func.func @many(%x: tensor<4x96x13x29xf32>, %w: tensor<96x1x7x7xf32>) -> tensor<4x96x13x29xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<4x96x13x29xf32> -> tensor<4x13x29x96xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<96x1x7x7xf32> -> tensor<96x7x7x1xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 3, 3>, pad_high = array<i64: 3, 3>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 96 : i64} : tensor<4x13x29x96xf32>, tensor<96x7x7x1xf32> -> tensor<4x13x29x96xf32>
  %3 = prim.transpose %2 permutation [0, 3, 1, 2] : tensor<4x13x29x96xf32> -> tensor<4x96x13x29xf32>
  return %3 : tensor<4x96x13x29xf32>
}

func.func @many_apart(%x: tensor<2x17x19x64xf32>, %w: tensor<64x7x7x1xf32>) -> tensor<2x6x9x64xf32> {
  %r = prim.conv %x, %w {strides = array<i64: 3, 2>, pad_low = array<i64: 3, 2>, pad_high = array<i64: 3, 3>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 64 : i64} : tensor<2x17x19x64xf32>, tensor<64x7x7x1xf32> -> tensor<2x6x9x64xf32>
  return %r : tensor<2x6x9x64xf32>
}

func.func @many_largest(%x: tensor<2x11x13x64xf32>) -> tensor<2x6x7x64xf32> {
  %r = prim.max_pool %x {window = array<i64: 5, 7>, strides = array<i64: 2, 2>, pad_low = array<i64: 2, 3>, pad_high = array<i64: 2, 3>} : tensor<2x11x13x64xf32> -> tensor<2x6x7x64xf32>
  return %r : tensor<2x6x7x64xf32>
}
