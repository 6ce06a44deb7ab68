// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partial sums lie in memory as the result does: where its rows are contiguous along the other dimension than those of the product,
// so are those of the sums, and both kernels store whole lines.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec="nvidia:sm_90a,blocks=64x64x64x3"},func.func(prim-sink-transposes,prim-fuse),convert-prim-to-tile)' | FileCheck %s
// RUN: kiln-run %s --target=reference,blocks=64x64x64x3 --check
// RUN: kiln-run %s --target=cpu,blocks=64x64x64x3 --check

// CHECK-LABEL: tile.kernel private @main_0_dot(
// CHECK-SAME: %[[SPACE:[a-z0-9]+]]: !tile.view<3x128x256xf32, strides = [32768, 1, 128]> {tile.facts = {noalias}}
// CHECK: tile.store %{{.*}}, %[[SPACE]]
// CHECK-LABEL: tile.kernel private @main_0_dot_parts(
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: !tile.view<256x128xbf16> {tile.facts = {noalias}}
// CHECK: tile.load {{.*}} -> tensor<4x128xf32>
// CHECK: tile.store %{{.*}}, %[[OUT]]
func.func @main(%a: tensor<1000x128xbf16>, %b: tensor<1000x256xbf16>) -> tensor<256x128xbf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [0] x [0] : tensor<1000x128xbf16>, tensor<1000x256xbf16> -> tensor<128x256xbf16>
  %t = prim.transpose %d permutation [1, 0] : tensor<128x256xbf16> -> tensor<256x128xbf16>
  return %t : tensor<256x128xbf16>
}
