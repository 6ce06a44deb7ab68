// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Causal attention in f32: each thread multiplies for itself. Keys lie along the sum of the scores, so threads write 16 bytes of a key at
// a time, and read as many. Each pass keeps what is computed; blocks of keys behind the last query are not visited.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --verify-semantics --verify-limit=0 -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --print-ir-after=simt-stage-products -o %t.kiln 2>&1 | FileCheck %s
// CHECK: scf.for
// CHECK: stage.product {{.*}} tensor<64x64xf32, #simt.layout<rank = 2, register = {{\[\[}}16, 0], [32, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}1, 0], [0, 1], [0, 2], [0, 4], [2, 0]]
// CHECK: stage.product {{.*}} tensor<64x64xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [0, 2],
func.func @causal(%q: tensor<1x128x64xf32>, %k: tensor<1x128x64xf32>, %v: tensor<1x128x64xf32>) -> tensor<1x128x64xf32> {
  %i = prim.iota dim 0 : tensor<128x128xi32>
  %j = prim.iota dim 1 : tensor<128x128xi32>
  %c = prim.ge %i, %j : tensor<128x128xi32> -> tensor<128x128xi1>
  %z = prim.full 0.0 : f32 : tensor<128x128xf32>
  %n = prim.full 0xFF800000 : f32 : tensor<128x128xf32>
  %w = prim.where %c, %z, %n : tensor<128x128xi1>, tensor<128x128xf32>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<128x128xf32> -> tensor<1x128x128xf32>
  %o = prim.attention %q, %k, %v mask %m scale 0.125 : tensor<1x128x64xf32>, tensor<1x128x64xf32>, tensor<1x128x64xf32>, tensor<1x128x128xf32> -> tensor<1x128x64xf32>
  return %o : tensor<1x128x64xf32>
}
