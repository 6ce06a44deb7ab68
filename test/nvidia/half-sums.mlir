// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of f16 by instructions of four warps: two in each register. The left factor is in shared memory, or computed, in registers, as the
// probabilities of an attention are whose scores are products of integers: bytes of the left factor lie along the sum, and are written once.
// RUN: kiln-opt %s -o %t --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts))'
// RUN: FileCheck %s < %t
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm -o %t.ptx 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: unverified
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: for seed in 0 1 2; do for k in sums scores; do kiln-run %s --entry=$k --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=1,1 \
// RUN:   --inputs=random --check || exit 1; done; done
// RUN: kiln-opt %s -o %t.threads --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,simt-choose-bulk-copies,stage-allocate,simt-stage-products,simt-insert-barriers),convert-tile-to-simt,canonicalize,cse,llvm.func(simt-verify-barriers))'
// RUN: %python %source/test/gpu/mutations.py kiln-opt --least=53 < %t.threads

!A = !tile.view<64x256xf16>
!B = !tile.view<64x256xf16>
!C = !tile.view<64x64xf16>

// CHECK-LABEL: tile.kernel @sums(
// CHECK: tile.dot {{.*}}row = "wgmma.m64k16.f16.f16"
// PTX-LABEL: .entry sums(
// PTX: wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 {{[{]%r[0-9]+(,%r[0-9]+){15}[}]}}, lhs, rhs
tile.kernel @sums(%a: !A {tile.align = 16 : i64, tile.readonly}, %b: !B {tile.align = 16 : i64, tile.readonly},
    %c: !C {tile.align = 16 : i64, tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %a[1] by 64 : !A
  %zero = arith.constant dense<0.0> : tensor<64x64xf16>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf16>) {
    %x = tile.load %a[%c0, %k] : !A -> tensor<64x64xf16>
    %y = tile.load %b[%c0, %k] : !B -> tensor<64x64xf16>
    %t = tile.transpose %y [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %t, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>
    scf.yield %d : tensor<64x64xf16>
  }
  tile.store %s, %c[%c0, %c0] : tensor<64x64xf16>, !C
}

!Q = !tile.view<64x64xi8>
!K = !tile.view<512x64xi8>
!V = !tile.view<512x64xf16>
!O = !tile.view<64x64xf32>

// CHECK-LABEL: tile.kernel @scores(
// CHECK: tile.dot {{.*}}row = "wgmma.m64k32.i32.i8"
// CHECK: tile.dot {{.*}}row = "wgmma.m64k16.f16.f16.registers"
// PTX-LABEL: .entry scores(
// PTX: wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8
// PTX: wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16
tile.kernel @scores(%q: !Q {tile.align = 16 : i64, tile.readonly}, %k: !K {tile.align = 16 : i64, tile.readonly}, %v: !V {tile.align = 16 : i64, tile.readonly},
    %o: !O {tile.align = 16 : i64, tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %k[0] by 64 : !K
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0> : tensor<64x64xi32>
  %half = arith.constant dense<0.0> : tensor<64x64xf16>
  %scale = arith.constant dense<1.0e-4> : tensor<64x64xf32>
  %left = tile.load %q[%c0, %c0] : !Q -> tensor<64x64xi8>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %k[%i, %c0] : !K -> tensor<64x64xi8>
    %t = tile.transpose %x [1, 0] : tensor<64x64xi8> -> tensor<64x64xi8>
    %d = tile.dot %left, %t, %none : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
    %f = arith.sitofp %d : tensor<64x64xi32> to tensor<64x64xf32>
    %m = arith.mulf %f, %scale : tensor<64x64xf32>
    %p = arith.truncf %m : tensor<64x64xf32> to tensor<64x64xf16>
    %y = tile.load %v[%i, %c0] : !V -> tensor<64x64xf16>
    %e = tile.dot %p, %y, %half : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>
    %w = arith.extf %e : tensor<64x64xf16> to tensor<64x64xf32>
    %u = arith.addf %acc, %w : tensor<64x64xf32>
    scf.yield %u : tensor<64x64xf32>
  }
  tile.store %s, %o[%c0, %c0] : tensor<64x64xf32>, !O
}

// A loop that carries sums of f16 waits for them in the iteration, as assembly cannot hold halves: the copies stay asynchronous.
// CHECK-LABEL: tile.kernel @carried(
// PTX-LABEL: .entry carried(
// PTX: cp.async
// PTX: wgmma.mma_async.sync.aligned.m64n256k16.f16.f16.f16
// PTX: wgmma.wait_group.sync.aligned 0
tile.kernel @carried(%a: !tile.view<4096x4096xf16> {tile.facts = {readonly, align = 16 : i64}}, %b: !tile.view<4096x4096xf16> {tile.facts = {readonly, align = 16 : i64}},
    %c: !tile.view<4096x4096xf16> {tile.facts = {noalias, align = 16 : i64}}) attributes {tile.hints = #tile.kernel_hints<warps = 8>} {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf16>
  %r = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> tensor<128x256xf16> {
    %x = tile.load %a[%i, %k] : !tile.view<4096x4096xf16> -> tensor<128x64xf16>
    %y = tile.load %b[%k, %j] : !tile.view<4096x4096xf16> -> tensor<64x256xf16>
    %n = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf16>
    scf.yield %n : tensor<128x256xf16>
  }
  tile.store %r, %c[%i, %j] : tensor<128x256xf16>, !tile.view<4096x4096xf16>
}
