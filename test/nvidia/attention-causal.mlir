// Causal attention on threads: each pass keeps what is computed, with a producer warp and without. Queries are loaded by the warps whose
// matrix instructions take them, so that no barrier of several warps stands before the first loop. Behind the loops, warps that multiply
// have one that the producer does not come to.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --verify-semantics --verify-limit=0 -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,producer=off --no-fallback --verify-semantics --verify-limit=0 -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --print-ir-after=simt-split-producer -o %t.kiln 2>&1 | FileCheck %s
// CHECK: simt.warp_barrier
// CHECK-NOT: named_barrier
// CHECK: simt.mma_async
// CHECK-NOT: named_barrier
// CHECK: scf.for
// CHECK: simt.named_barrier {number = 0 : i64, threads = 160 : i64}
// CHECK: simt.named_barrier {number = 1 : i64, threads = 128 : i64}
func.func @causal(%q: tensor<1x256x128xf16>, %k: tensor<1x256x128xf16>, %v: tensor<1x256x128xf16>) -> tensor<1x256x128xf16> {
  %i = prim.iota dim 0 : tensor<256x256xi32>
  %j = prim.iota dim 1 : tensor<256x256xi32>
  %c = prim.ge %i, %j : tensor<256x256xi32> -> tensor<256x256xi1>
  %z = prim.full 0.0 : f16 : tensor<256x256xf16>
  %n = prim.full 0xFC00 : f16 : tensor<256x256xf16>
  %w = prim.where %c, %z, %n : tensor<256x256xi1>, tensor<256x256xf16>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<256x256xf16> -> tensor<1x256x256xf16>
  %o = prim.attention %q, %k, %v mask %m scale 0.125 : tensor<1x256x128xf16>, tensor<1x256x128xf16>, tensor<1x256x128xf16>, tensor<1x256x256xf16> -> tensor<1x256x128xf16>
  return %o : tensor<1x256x128xf16>
}
