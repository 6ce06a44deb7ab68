// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: ptxas
// A core has shared memory for two blocks of this kernel, and ptxas takes a few registers more than two of them have. It is asked for an
// allocation that fits, and stores none of them.
// RUN: kiln-compile %s --target=nvidia:sm_90a --schedule=%S/Inputs/attention-64.script --no-fallback -o %t.kpkg
// RUN: kiln-run %t.kpkg --inspect | FileCheck %s
// CHECK: blocks_per_core: 2
// CHECK: registers: 1{{([01][0-9]|2[0-8])$}}
// CHECK: spill_load_bytes: 0
// CHECK: spill_store_bytes: 0
//
// The schedule that is chosen has one block for each core, of twelve warps, and stores no registers either.
// RUN: kiln-compile %s --target=nvidia:sm_90a --no-fallback -o %t.chosen.kpkg
// RUN: kiln-run %t.chosen.kpkg --inspect | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: launched with threads! 384 x 1 x 1, {{.*}}persistent 1
// CHOSEN-NOT: blocks_per_core
// CHOSEN: registers: 1{{([0-5][0-9]|6[0-8])$}}
// CHOSEN: spill_load_bytes: 0
// CHOSEN: spill_store_bytes: 0
func.func @causal(%q: tensor<64x1024x64xbf16>, %k: tensor<64x1024x64xbf16>, %v: tensor<64x1024x64xbf16>) -> tensor<64x1024x64xbf16> {
  %i = prim.iota dim 0 : tensor<1024x1024xi32>
  %j = prim.iota dim 1 : tensor<1024x1024xi32>
  %c = prim.ge %i, %j : tensor<1024x1024xi32> -> tensor<1024x1024xi1>
  %z = prim.full 0.0 : bf16 : tensor<1024x1024xbf16>
  %n = prim.full 0xFF80 : bf16 : tensor<1024x1024xbf16>
  %w = prim.where %c, %z, %n : tensor<1024x1024xi1>, tensor<1024x1024xbf16>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<1024x1024xbf16> -> tensor<64x1024x1024xbf16>
  %o = prim.attention %q, %k, %v mask %m scale 0.125 : tensor<64x1024x64xbf16>, tensor<64x1024x64xbf16>, tensor<64x1024x64xbf16>, tensor<64x1024x1024xbf16> -> tensor<64x1024x64xbf16>
  return %o : tensor<64x1024x64xbf16>
}
