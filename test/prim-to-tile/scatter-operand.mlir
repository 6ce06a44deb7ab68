// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel puts the operand of a scatter where the result goes, if that has gaps: as a part of a concatenation. The host would copy such
// memory of a device itself, in both directions. Where the operand is one number everywhere, no memory has it.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: for entry in zeros part line matched; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done

// CHECK-LABEL: tile.kernel private @zeros_{{.*}}scatter(
// CHECK: tile.store_scatter {{.*}} combine add : {{.*}}, !tile.view<400x64xbf16>
// CHECK-LABEL: tile.kernel private @zeros_{{.*}}scatter_operand(%arg0: !tile.view<200x64xbf16, strides = [128, 1]>
// CHECK-NOT: tile.load
// CHECK: tile.store %cst
// CHECK-LABEL: program.func @zeros
// CHECK-NOT: program.constant
// CHECK-NOT: program.copy
func.func @zeros(%x: tensor<200x64xbf16>, %t: tensor<700x1xi64>, %u: tensor<700x1x64xbf16>) -> tensor<200x128xbf16> {
  %c = prim.constant dense<127> : tensor<700x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<700x1xi64>
  %z = prim.full 0.0 : bf16 : tensor<200x64xbf16>
  %r = prim.scatter add %z, %i, %u dims [0] batch_dims 0 : tensor<200x64xbf16>, tensor<700x1xi64>, tensor<700x1x64xbf16>
  %all = prim.cat %x, %r dim 1 : tensor<200x64xbf16>, tensor<200x64xbf16> -> tensor<200x128xbf16>
  return %all : tensor<200x128xbf16>
}
// CHECK-LABEL: tile.kernel private @part_{{.*}}scatter_operand(
// CHECK: tile.load %arg0{{.*}} !tile.view<200x64xf32>
// CHECK-LABEL: program.func @part
// CHECK-NOT: program.copy
func.func @part(%x: tensor<200x64xf32>, %t: tensor<700x1xi64>, %u: tensor<700x1x64xf32>) -> tensor<200x128xf32> {
  %c = prim.constant dense<127> : tensor<700x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<700x1xi64>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<200x64xf32>, tensor<700x1xi64>, tensor<700x1x64xf32>
  %n = prim.neg %x : tensor<200x64xf32>
  %all = prim.cat %n, %r dim 1 : tensor<200x64xf32>, tensor<200x64xf32> -> tensor<200x128xf32>
  return %all : tensor<200x128xf32>
}
// Memory without gaps is copied as it is.
// CHECK-LABEL: program.func @line
// CHECK: program.copy
func.func @line(%x: tensor<200xf32>, %t: tensor<700x1xi64>, %u: tensor<700x1xf32>) -> tensor<200xf32> {
  %c = prim.constant dense<127> : tensor<700x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<700x1xi64>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<200xf32>, tensor<700x1xi64>, tensor<700x1xf32>
  return %r : tensor<200xf32>
}
// Neighbours in memory of many updates are of a matched dimension: the result lies so, too, whatever the order of its dimensions.
// CHECK-LABEL: tile.kernel private @matched_0_scatter(
// CHECK: tile.load %arg0{{.*}} !tile.view<32x700xf32, strides = [1, 32]>
// CHECK-LABEL: tile.kernel private @matched_0_scatter_operand(%arg0: !tile.view<32x200xf32, strides = [1, 32]>
func.func @matched(%t: tensor<700x32xi64>, %u: tensor<700x32xf32>) -> tensor<200x32xf32> {
  %c = prim.constant dense<127> : tensor<700x32xi64>
  %i = prim.bitwise_and %t, %c : tensor<700x32xi64>
  %z = prim.full 0.0 : f32 : tensor<32x200xf32>
  %0 = prim.transpose %i permutation [1, 0] : tensor<700x32xi64> -> tensor<32x700xi64>
  %1 = prim.transpose %u permutation [1, 0] : tensor<700x32xf32> -> tensor<32x700xf32>
  %2 = prim.reshape %0 : tensor<32x700xi64> -> tensor<32x700x1xi64>
  %3 = prim.reshape %1 : tensor<32x700xf32> -> tensor<32x700x1xf32>
  %4 = prim.scatter max %z, %2, %3 dims [1] batch_dims 1 : tensor<32x200xf32>, tensor<32x700x1xi64>, tensor<32x700x1xf32>
  %r = prim.transpose %4 permutation [1, 0] : tensor<32x200xf32> -> tensor<200x32xf32>
  return %r : tensor<200x32xf32>
}
