// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many updates for each element may come in runs of one element. An instance looks at the neighbours in its first block: where most of
// them are for one element, a scan combines each run of its blocks, and its last element is stored; else each is. Places outside of the result are in no run.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: for entry in mixed sorted; do for target in amd:gfx942,device=sim amd:gfx1100,device=sim; do \
// RUN:   kiln-run %s --entry=$entry --target=$target --check || exit 1; done; done
// RUN: for entry in mixed sorted; do kiln-compile %s --entry=$entry --target=nvidia:sm_90a,ptxas=none --no-fallback --verify-semantics \
// RUN:   --emit=asm -o %t.ptx 2>&1 | grep ' 0 changed' || exit 1; done

// CHECK-LABEL: tile.kernel private @mixed_{{.*}}scatter(
// CHECK-SAME: tile.hints = #tile.kernel_hints<warps = 1>
// CHECK: %[[FIRST:.*]] = arith.trunci {{.*}} : tensor<256xi64> to tensor<256xi32>
// CHECK: %[[BEFORE:.*]] = tile.gather %[[FIRST]] by
// CHECK: arith.cmpi ne, %[[BEFORE]], %[[FIRST]]
// CHECK: tile.reduce
// CHECK: %[[FEW:.*]] = arith.cmpi ult, %{{.*}}, %c128_i32 : i32
// CHECK: scf.if %[[FEW]] {
// CHECK: %[[UPDATE:.*]] = tile.load {{.*}} tensor<256xf32>
// CHECK: %[[SUMS:.*]] = tile.segmented_scan %[[UPDATE]] starts
// CHECK: %[[LAST:.*]] = arith.select
// CHECK: tile.store_scatter %[[SUMS]], %{{.*}}[] dim 0 by %[[LAST]] combine add : tensor<256xf32>
// CHECK: } else {
// CHECK-NOT: tile.gather
// CHECK: %[[EACH:.*]] = tile.load {{.*}} tensor<256xf32>
// CHECK: tile.store_scatter %[[EACH]], %{{.*}}[] dim 0 by %{{.*}} combine add : tensor<256xf32>
func.func @mixed(%x: tensor<50xf32>, %t: tensor<1001xi64>, %u: tensor<1001xf32>) -> tensor<50xf32> {
  %c = prim.constant dense<63> : tensor<1001xi64>
  %n = prim.bitwise_and %t, %c : tensor<1001xi64>
  %i = prim.reshape %n : tensor<1001xi64> -> tensor<1001x1xi64>
  %v = prim.reshape %u : tensor<1001xf32> -> tensor<1001x1xf32>
  %r = prim.scatter add %x, %i, %v dims [0] batch_dims 0 : tensor<50xf32>, tensor<1001x1xi64>, tensor<1001x1xf32>
  return %r : tensor<50xf32>
}
// CHECK-LABEL: tile.kernel private @sorted_{{.*}}scatter(
// CHECK: arith.maximumf
// CHECK: tile.store_scatter {{.*}} combine max : tensor<256xf32>
func.func @sorted(%x: tensor<50xf32>, %u: tensor<1001xf32>) -> tensor<50xf32> {
  %t = prim.iota dim 0 : tensor<1001xi64>
  %c = prim.constant dense<19> : tensor<1001xi64>
  %n = prim.div %t, %c : tensor<1001xi64>
  %i = prim.reshape %n : tensor<1001xi64> -> tensor<1001x1xi64>
  %v = prim.reshape %u : tensor<1001xf32> -> tensor<1001x1xf32>
  %r = prim.scatter max %x, %i, %v dims [0] batch_dims 0 : tensor<50xf32>, tensor<1001x1xi64>, tensor<1001x1xf32>
  return %r : tensor<50xf32>
}
