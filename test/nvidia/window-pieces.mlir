// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of output channels of a convolution may be the sum of several powers of two: a piece each, with a product and a store of its own
// for the same looked-up rows. Numbers of channels such as 320 then leave no columns of a block empty, nor cores of the last round idle.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile --entry=wide | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile --entry=few | FileCheck %s --check-prefix=FEW
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,blocks=64x192x64x1 --no-fallback --entry=small --verify-semantics \
// RUN:   --verify-limit=0 -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,blocks=64x192x64x1 --no-fallback --emit=tile --entry=run -o %t.mlir
// RUN: FileCheck %s --check-prefix=SMALL < %t.mlir
// RUN: for seed in 0 3; do kiln-run %t.mlir --entry=run_0_conv --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=1,1 \
// RUN:   --arg=random:1:f16:64x64 --arg=random:2:f16:3x3x64x192 --arg=zeros:f16:64x192 --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-2: argument 2: ok: 64x192xf16

// CHECK-LABEL: tile.kernel @wide_0_conv(
// CHECK-SAME: -> 128x320x64"
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load_gather {{.*}} -> tensor<128x64xf16>
// CHECK: %[[A:.*]] = tile.load {{.*}} -> tensor<64x256xf16>
// CHECK: tile.dot %[[X]], %[[A]]
// CHECK: %[[B:.*]] = tile.load {{.*}} -> tensor<64x64xf16>
// CHECK: tile.dot %[[X]], %[[B]]
// CHECK: tile.store {{.*}} tensor<128x256xf16>
// CHECK: tile.store {{.*}} tensor<128x64xf16>
func.func @wide(%x: tensor<4x64x64x320xf16>, %w: tensor<320x3x3x320xf16>, %b: tensor<320xf16>) -> tensor<4x64x64x320xf16> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x64x64x320xf16>, tensor<320x3x3x320xf16> -> tensor<4x64x64x320xf16>
  %c = prim.broadcast_in_dim %b dims [3] : tensor<320xf16> -> tensor<4x64x64x320xf16>
  %s = prim.add %r, %c : tensor<4x64x64x320xf16>
  return %s : tensor<4x64x64x320xf16>
}

// FEW-LABEL: tile.kernel @few_0_conv(
// FEW-SAME: -> 128x160x64"
func.func @few(%x: tensor<4x32x32x640xf16>, %w: tensor<640x3x3x640xf16>) -> tensor<4x32x32x640xf16> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x32x32x640xf16>, tensor<640x3x3x640xf16> -> tensor<4x32x32x640xf16>
  return %r : tensor<4x32x32x640xf16>
}

func.func @small(%x: tensor<1x8x8x64xf16>, %w: tensor<192x3x3x64xf16>, %b: tensor<192xf16>) -> tensor<1x8x8x192xf16> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x8x8x64xf16>, tensor<192x3x3x64xf16> -> tensor<1x8x8x192xf16>
  %c = prim.broadcast_in_dim %b dims [3] : tensor<192xf16> -> tensor<1x8x8x192xf16>
  %s = prim.add %r, %c : tensor<1x8x8x192xf16>
  return %s : tensor<1x8x8x192xf16>
}

// SMALL: tile.dot {{.*}} tensor<64x128xf32>
// SMALL: tile.dot {{.*}} tensor<64x64xf32>
func.func @run(%x: tensor<1x8x8x64xf16>, %w: tensor<3x3x64x192xf16>) -> tensor<1x8x8x192xf16> {
  %t = prim.transpose %w permutation [3, 0, 1, 2] : tensor<3x3x64x192xf16> -> tensor<192x3x3x64xf16>
  %r = prim.conv %x, %t {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x8x8x64xf16>, tensor<192x3x3x64xf16> -> tensor<1x8x8x192xf16>
  return %r : tensor<1x8x8x192xf16>
}
