// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A convolution that may read its operands as tf32 takes the matrix instructions of products, by its own precision or by the
// option; an exact one does not.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=allowed --emit=ptx -o - | FileCheck %s --check-prefix=MATRIX
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=exact --allow-tf32 --emit=ptx -o - | FileCheck %s --check-prefix=MATRIX
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=exact --emit=ptx -o - | FileCheck %s --check-prefix=EXACT
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=allowed --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// MATRIX: mma{{.*}}.f32.tf32.tf32
// EXACT-NOT: .tf32.
// SAME: comparisons, 0 changed

func.func @allowed(%x: tensor<4x14x14x64xf32>, %w: tensor<64x3x3x64xf32>) -> tensor<4x14x14x64xf32> {
  %r = prim.conv %x, %w precision tf32 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x14x14x64xf32>, tensor<64x3x3x64xf32> -> tensor<4x14x14x64xf32>
  return %r : tensor<4x14x14x64xf32>
}

func.func @exact(%x: tensor<4x14x14x64xf32>, %w: tensor<64x3x3x64xf32>) -> tensor<4x14x14x64xf32> {
  %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x14x14x64xf32>, tensor<64x3x3x64xf32> -> tensor<4x14x14x64xf32>
  return %r : tensor<4x14x14x64xf32>
}
