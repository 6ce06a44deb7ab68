// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is copied ahead of a product by tf32 is rounded to the nearest number of tf32, ties away from zero: infinities, NaN, and what would
// become infinite stay. Where nothing else but the product reads the copy, and where a machine multiplies tf32.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=window -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=columns | FileCheck %s --check-prefix=COLUMNS
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=shared | FileCheck %s --check-prefix=EXACT
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=exact | FileCheck %s --check-prefix=EXACT
// RUN: kiln-compile %s --target=nvidia:sm_75,ptxas=none --emit=tile --entry=window | FileCheck %s --check-prefix=EXACT
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=window --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: rm -rf %t.d && mkdir %t.d && %python %S/Inputs/rounded.py %t.d
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=program --entry=window -o %t.program.mlir
// RUN: kiln-run %t.program.mlir --entry=window --target=reference --arg=%t.d/x.npy --arg=%t.d/w.npy --expect 0:%t.d/y.npy | FileCheck %s --check-prefix=NEAREST
// NEAREST: result 0: ok: 1x8x15x32xf32, largest error 0
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// CHECK-LABEL: tile.kernel @window_0_conv_input(
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[BITS:.*]] = arith.bitcast %[[X]]
// CHECK: arith.addi %[[BITS]]
// CHECK: arith.cmpi ult
// CHECK: arith.select
// CHECK: tile.store
// CHECK-LABEL: tile.kernel @window_0_conv_filter(
// CHECK: arith.bitcast
// EXACT: tile.kernel
// EXACT-NOT: arith.bitcast
func.func @window(%x: tensor<1x32x8x16xf32>, %w: tensor<32x32x1x2xf32>) -> tensor<1x8x15x32xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x32x8x16xf32> -> tensor<1x8x16x32xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<32x32x1x2xf32> -> tensor<32x1x2x32xf32>
  %r = prim.conv %0, %1 precision tf32 {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x8x16x32xf32>, tensor<32x1x2x32xf32> -> tensor<1x8x15x32xf32>
  return %r : tensor<1x8x15x32xf32>
}

func.func @exact(%x: tensor<1x32x8x16xf32>, %w: tensor<32x32x1x2xf32>) -> tensor<1x8x15x32xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x32x8x16xf32> -> tensor<1x8x16x32xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<32x32x1x2xf32> -> tensor<32x1x2x32xf32>
  %r = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x8x16x32xf32>, tensor<32x1x2x32xf32> -> tensor<1x8x15x32xf32>
  return %r : tensor<1x8x15x32xf32>
}

// COLUMNS-LABEL: tile.kernel @columns_0_dot_rows0(
// COLUMNS: arith.bitcast
// COLUMNS: tile.store
func.func @columns(%x: tensor<2048x2048xf32>, %y: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %r = prim.dot_general %x, %y batch [] x [] contract [1] x [0] precision tf32 : tensor<2048x2048xf32>, tensor<2048x2048xf32> -> tensor<2048x2048xf32>
  return %r : tensor<2048x2048xf32>
}

// The right operand is added, too.
func.func @shared(%x: tensor<2048x2048xf32>, %y: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %r = prim.dot_general %x, %y batch [] x [] contract [1] x [0] precision tf32 : tensor<2048x2048xf32>, tensor<2048x2048xf32> -> tensor<2048x2048xf32>
  %s = prim.add %r, %y : tensor<2048x2048xf32>
  return %s : tensor<2048x2048xf32>
}
