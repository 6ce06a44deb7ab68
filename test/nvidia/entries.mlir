// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels written by hand: where rows begin at multiples of 16 bytes, which each launch asks, factors of products go through
// rings as deep as the loop's hint says. Elsewhere threads load them element by element, and store them where the instruction reads them.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,verify=1 --no-fallback --emit=ptx -o %t.ptx 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: warning
// RUN: FileCheck %s < %t.ptx
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --explain -o %t.kiln | FileCheck %s --check-prefix=WHY
// RUN: kiln-run %t.kiln --inspect | FileCheck %s --check-prefix=HOST
// A chip without copies that go on by themselves has no ring, and says so.
// RUN: kiln-compile %s --target=nvidia:sm_75,ptxas=none --no-fallback -o %t.kiln 2>&1 | FileCheck %s --check-prefix=OLD

// CHECK: .entry open(
// CHECK-NOT: cp.async
// CHECK: .entry open_aligned(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.wait_group
// CHECK: wgmma.mma_async
// HOST: launch if r{{[0-9]+}} open_aligned{{.*}} open<
// WHY-DAG: open: tile.load x2 -> accesses of threads [nvidia] of 2 bytes
// WHY-DAG: open: tile.dot -> wgmma.m64k16.f32.bf16 [nvidia]
// WHY: open_aligned: tile.load x2 -> ring [nvidia] 5 slots of 16384 bytes
// WHY: open_aligned: tile.dot -> wgmma.m64k16.f32.bf16 [nvidia]
// OLD: entries.mlir:[[# @LINE + 8]]:{{.*}}: warning: 5 stages were asked for, but nothing of this loop is copied ahead: nothing on 'sm_75' copies beside the threads
// OLD-NOT: stages were asked for
tile.kernel @open(%a: !tile.view<?x?xbf16> {tile.readonly}, %b: !tile.view<?x?xbf16> {tile.readonly}, %c: !tile.view<?x?xf32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n = tile.num_blocks %a[1] by 64 : !tile.view<?x?xbf16>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
    %d = tile.dot %x, %y, %s : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile.loop = #tile.loop_hints<stages = 5>}
  tile.store %acc, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
}
