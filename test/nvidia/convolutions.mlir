// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A convolution is one product: rows are images and positions, each with a place in the input, which every step of the window
// moves; the depth is the window and blocks of input channels. Copies of looked-up rows go ahead into slots that products of
// warpgroups read. All threads are executed, with asynchronous effects at random times.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,blocks=64x64x32 --emit=tile --entry=same -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,blocks=64x64x32 --emit=tile --entry=run -o %t.run.mlir
// RUN: for seed in 0 3; do kiln-run %t.run.mlir --entry=run_0_conv --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=2,3 \
// RUN:   --arg=random:1:f16:144x32 --arg=random:2:f16:3x3x32x72 --arg=random:3:f16:72 --arg=zeros:f16:144x72 --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-2: argument 3: ok: 144x72xf16
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,without=generic.grouped_window --emit=tile --entry=chunks | FileCheck %s --check-prefix=CHUNKS
// RUN: for entry in chunks chunks_f16; do kiln-compile %s --target=nvidia:sm_90a,ptxas=none,without=generic.grouped_window --no-fallback --entry=$entry --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,blocks=64x64x32 --emit=tile --entry=few | FileCheck %s --check-prefix=LINES
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,blocks=64x64x32 --no-fallback --emit=asm --entry=same | FileCheck %s --check-prefix=PTX
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none --no-fallback --emit=asm --entry=same | FileCheck %s --check-prefix=OLDER
// RUN: for entry in same strided spread planes grouped chunks chunks_f16 line open few odd; do \
// RUN:   kiln-compile %s --target=nvidia:sm_90a,ptxas=none,blocks=64x64x32 --no-fallback --entry=$entry --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none,blocks=32x32x32x3 --no-fallback --entry=same --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// CHECK-LABEL: tile.kernel @same_0_conv(%{{.*}}: !tile.view<144x32xf16>
// CHECK: arith.divui
// CHECK: %[[SUM:.*]] = scf.for
// CHECK-NOT: scf.for
// CHECK: %[[INSIDE:.*]] = arith.andi %{{.*}} : tensor<64xi1>
// CHECK: %[[PLACES:.*]] = arith.select %[[INSIDE]]
// CHECK: %[[X:.*]] = tile.load_gather %{{.*}}[%c0] dim 0 by %[[PLACES]] : {{.*}} -> tensor<64x32xf16>
// CHECK: %[[W:.*]] = tile.load {{.*}} -> tensor<32x64xf16>
// CHECK: tile.dot %[[X]], %[[W]]
// CHECK: arith.truncf %[[SUM]]
// CHECK: tile.store {{.*}} !tile.view<144x72xf16>

// PTX: cp.async.cg.shared.global {{.*}}, 16, size
// PTX: wgmma.mma_async
// OLDER: cp.async.cg.shared.global {{.*}}, 16, size
// OLDER: mma.sync
func.func @same(%x: tensor<2x8x9x32xf16>, %w: tensor<72x3x3x32xf16>, %b: tensor<72xf16>) -> tensor<2x8x9x72xf16> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x8x9x32xf16>, tensor<72x3x3x32xf16> -> tensor<2x8x9x72xf16>
  %bb = prim.broadcast_in_dim %b dims [3] : tensor<72xf16> -> tensor<2x8x9x72xf16>
  %s = prim.add %r, %bb : tensor<2x8x9x72xf16>
  return %s : tensor<2x8x9x72xf16>
}

// Steps over the input; channels that no block divides.
func.func @strided(%x: tensor<2x7x9x40xf16>, %w: tensor<24x3x2x40xf16>) -> tensor<2x4x4x24xf16> {
  %r = prim.conv %x, %w {strides = array<i64: 2, 2>, pad_low = array<i64: 1, 0>, pad_high = array<i64: 1, 0>, dilation = array<i64: 1, 2>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x7x9x40xf16>, tensor<24x3x2x40xf16> -> tensor<2x4x4x24xf16>
  return %r : tensor<2x4x4x24xf16>
}

// The input is spread: what lies between its elements is zero.
func.func @spread(%x: tensor<2x5x4x32xf16>, %w: tensor<64x3x3x32xf16>) -> tensor<2x9x7x64xf16> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 2, 2>, groups = 1 : i64} : tensor<2x5x4x32xf16>, tensor<64x3x3x32xf16> -> tensor<2x9x7x64xf16>
  return %r : tensor<2x9x7x64xf16>
}

// Channels that lie outside of the positions are copied to where they lie inside.
func.func @planes(%x: tensor<2x32x5x6xf16>, %w: tensor<64x32x3x3xf16>) -> tensor<2x64x5x6xf16> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<2x32x5x6xf16> -> tensor<2x5x6x32xf16>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<64x32x3x3xf16> -> tensor<64x3x3x32xf16>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>, dilation = array<i64: 2, 2>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x5x6x32xf16>, tensor<64x3x3x32xf16> -> tensor<2x5x6x64xf16>
  %3 = prim.transpose %2 permutation [0, 3, 1, 2] : tensor<2x5x6x64xf16> -> tensor<2x64x5x6xf16>
  return %3 : tensor<2x64x5x6xf16>
}

func.func @grouped(%x: tensor<1x5x6x64xf16>, %w: tensor<48x3x3x32xf16>) -> tensor<1x5x6x48xf16> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 2 : i64} : tensor<1x5x6x64xf16>, tensor<48x3x3x32xf16> -> tensor<1x5x6x48xf16>
  return %r : tensor<1x5x6x48xf16>
}

// Groups whose channels are a chunk that copies bring: a step has those of one position of the window.
// CHUNKS-LABEL: tile.kernel @chunks_0_conv(
// CHUNKS: tile.load_gather {{.*}} -> tensor<{{[0-9]+}}x4xf32>
// CHUNKS: tile.dot {{.*}} precision tf32 : tensor<{{[0-9]+}}x4xf32>, tensor<4x
func.func @chunks(%x: tensor<1x5x6x16xf32>, %w: tensor<32x3x3x4xf32>) -> tensor<1x5x6x32xf32> {
  %r = prim.conv %x, %w precision tf32 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 4 : i64} : tensor<1x5x6x16xf32>, tensor<32x3x3x4xf32> -> tensor<1x5x6x32xf32>
  return %r : tensor<1x5x6x32xf32>
}
func.func @chunks_f16(%x: tensor<1x5x6x32xf16>, %w: tensor<32x3x3x8xf16>) -> tensor<1x5x6x32xf16> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 4 : i64} : tensor<1x5x6x32xf16>, tensor<32x3x3x8xf16> -> tensor<1x5x6x32xf16>
  return %r : tensor<1x5x6x32xf16>
}

// One dimension of positions.
func.func @line(%x: tensor<3x20x32xbf16>, %w: tensor<32x4x32xbf16>) -> tensor<3x19x32xbf16> {
  %r = prim.conv %x, %w {strides = array<i64: 1>, pad_low = array<i64: 2>, pad_high = array<i64: 0>, dilation = array<i64: 1>, input_dilation = array<i64: 1>, groups = 1 : i64} : tensor<3x20x32xbf16>, tensor<32x4x32xbf16> -> tensor<3x19x32xbf16>
  return %r : tensor<3x19x32xbf16>
}

// Sizes that only a call knows.
func.func @open(%x: tensor<?x?x9x32xf16>, %w: tensor<64x3x3x32xf16>) -> tensor<?x?x9x64xf16> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<?x?x9x32xf16>, tensor<64x3x3x32xf16> -> tensor<?x?x9x64xf16>
  return %r : tensor<?x?x9x64xf16>
}

// The same with a filter that lies across the sum, and dense.
func.func @run(%x: tensor<2x8x9x32xf16>, %v: tensor<3x3x32x72xf16>, %b: tensor<72xf16>) -> tensor<2x8x9x72xf16> {
  %w = prim.transpose %v permutation [3, 0, 1, 2] : tensor<3x3x32x72xf16> -> tensor<72x3x3x32xf16>
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x8x9x32xf16>, tensor<72x3x3x32xf16> -> tensor<2x8x9x72xf16>
  %bb = prim.broadcast_in_dim %b dims [3] : tensor<72xf16> -> tensor<2x8x9x72xf16>
  %s = prim.add %r, %bb : tensor<2x8x9x72xf16>
  return %s : tensor<2x8x9x72xf16>
}

// A line of the window with few channels is one piece of a copy that has zeros around it.
// LINES-LABEL: tile.kernel @few_0_conv(%{{.*}}: !tile.view<{{[0-9]+}}x20xf16, strides = [8, 1]>
// LINES: tile.load_gather {{.*}} -> tensor<64x32xf16>
// LINES: tile.load {{.*}}!tile.view<5x20x32xf16{{.*}} -> tensor<32x
func.func @few(%x: tensor<2x3x11x12xf16>, %w: tensor<32x3x5x5xf16>) -> tensor<2x6x6x32xf16> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<2x3x11x12xf16> -> tensor<2x11x12x3xf16>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<32x3x5x5xf16> -> tensor<32x5x5x3xf16>
  %2 = prim.conv %0, %1 {strides = array<i64: 2, 2>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x11x12x3xf16>, tensor<32x5x5x3xf16> -> tensor<2x6x6x32xf16>
  return %2 : tensor<2x6x6x32xf16>
}

// Rows that begin between words are copied, with zeros behind their ends; the input is computed on the way.
func.func @odd(%x: tensor<2x6x5x33xf16>, %w: tensor<16x3x3x33xf16>) -> tensor<2x6x5x16xf16> {
  %0 = prim.exp %x : tensor<2x6x5x33xf16>
  %1 = prim.conv %0, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x6x5x33xf16>, tensor<16x3x3x33xf16> -> tensor<2x6x5x16xf16>
  return %1 : tensor<2x6x5x16xf16>
}
