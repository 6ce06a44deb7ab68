// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A left factor that a loop does not change, where threads need their registers for sums: products read it in shared memory, and a copy
// unit brings it there once. A row of numbers goes through the ring buffer of the factors, and threads read it there. The result is verified
// and computes what it should in several orders of events, and no wait, arrival or fence of it can be left out.
// RUN: rm -rf %t && mkdir -p %t
// RUN: kiln-opt %s -o %t/staged.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,simt-choose-bulk-copies,stage-allocate,simt-stage-products,simt-insert-barriers))'
// RUN: FileCheck %s < %t/staged.mlir
// RUN: kiln-opt %s --verify-semantics -o /dev/null --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers))' 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed
// RUN: kiln-opt %t/staged.mlir -o %t/threads.mlir --pass-pipeline='builtin.module(convert-tile-to-simt,canonicalize,cse,llvm.func(simt-verify-barriers))'
// RUN: FileCheck %s --check-prefix=THREADS < %t/threads.mlir
// RUN: %python %source/test/gpu/mutations.py kiln-opt --only=fixed --least=20 < %t/threads.mlir
// RUN: kiln-opt %t/threads.mlir --pass-pipeline='builtin.module(llvm.func(simt-split-producer))' | kiln-opt --nvidia-lower-simt | FileCheck %s --check-prefix=PTX
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a})' | sed 's/, loses_held_lhs = true//g' | kiln-opt --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' | FileCheck %s --check-prefix=KEPT
// RUN: for seed in 0 1 2 3; do kiln-run %s --entry=fixed --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=2,1 --inputs=random --check || exit 1; done
// RUN: kiln-run %s --entry=branched --target=reference,threads=nvidia:sm_90a,seed=1 --grid=2,1 --inputs=random --check
// RUN: kiln-run %s --entry=few --target=reference,threads=nvidia:sm_90a,seed=1 --grid=2,1 --inputs=random --check

!A = !tile.view<256x128xbf16>
!B = !tile.view<504x128xbf16>
!R = !tile.view<3x504xf32>
!C = !tile.view<256x128xf32>

// CHECK-LABEL: tile.kernel @fixed(
// CHECK: %[[FIXED:.*]] = stage.ring {{.*}}barriers = {{.*}}!stage.ring<1 x (memref<128x128xbf16
// CHECK: stage.produce %[[FIXED]]
// CHECK-NEXT: stage.copy async bulk %arg0
// CHECK: %[[RING:.*]] = stage.ring {{.*}}barriers = {{.*}}memref<1x64xf32
// CHECK: stage.produce %[[RING]]
// CHECK: stage.copy async bulk %arg{{[12]}}
// CHECK: stage.copy async bulk %arg{{[12]}}
// CHECK: %[[LEFT:.*]] = stage.consume %[[FIXED]]
// CHECK: scf.for
// CHECK: stage.consume %[[RING]]
// CHECK-NOT: stage.read
// CHECK: stage.product async %[[LEFT]], {{.*}} by @wgmma.m64k16.f32.bf16{{[ :]}}
// A product whose left factor is in registers is done before the next wait for a slot.
// CHECK: stage.release %[[RING]]
// CHECK: scf.yield
// CHECK: stage.release %[[FIXED]]
// One lane of each warp arrives for what all lanes have read.
// THREADS-LABEL: llvm.func @fixed(
// THREADS: scf.for
// THREADS: simt.warp_barrier
// THREADS: simt.arrive_at
// A row is not permuted.
// PTX-LABEL: llvm.func @fixed(
// PTX-SAME: array<i64: 2, 4, 0, 1, 64, 0, 1>
tile.kernel @fixed(%a: !A {tile.align = 16 : i64, tile.readonly}, %b: !B {tile.align = 16 : i64, tile.readonly}, %r: !R {tile.align = 16 : i64, tile.readonly},
    %c: !C {tile.align = 16 : i64, tile.noalias}, %e: !C {tile.align = 16 : i64, tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 8>} {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %b[0] by 64 : !B
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %left = tile.load %a[%i, %c0] : !A -> tensor<128x128xbf16>
  %sums:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %none, %t = %none) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
    %y = tile.load %b[%k, %c0] : !B -> tensor<64x128xbf16>
    %row = tile.load %r[%c1, %k] : !R -> tensor<64xf32>
    %x = tile.transpose %y [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %d = tile.dot %left, %x, %zero : tensor<128x128xbf16>, tensor<128x64xbf16>, tensor<128x64xf32>
    %one = tile.reshape %row : tensor<64xf32> -> tensor<1x64xf32>
    %wide = tile.broadcast %one : tensor<1x64xf32> -> tensor<128x64xf32>
    %p = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xbf16>
    %scaled = arith.mulf %d, %wide : tensor<128x64xf32>
    %q = arith.truncf %scaled : tensor<128x64xf32> to tensor<128x64xbf16>
    %u = tile.dot %p, %y, %s : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    %v = tile.dot %q, %y, %t : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %u, %v : tensor<128x128xf32>, tensor<128x128xf32>
  }
  tile.store %sums#0, %c[%i, %j] : tensor<128x128xf32>, !C
  tile.store %sums#1, %e[%i, %j] : tensor<128x128xf32>, !C
}

// With registers to spare threads keep the left factor.
// CHECK-LABEL: tile.kernel @few(
// CHECK-NOT: !stage.ring<1 x
// CHECK: stage.product {{.*}} by @wgmma.m64k16.f32.bf16.registers
tile.kernel @few(%a: !A {tile.align = 16 : i64, tile.readonly}, %b: !B {tile.align = 16 : i64, tile.readonly}, %c: !C {tile.align = 16 : i64, tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 8>} {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %b[0] by 64 : !B
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %left = tile.load %a[%i, %c0] : !A -> tensor<128x128xbf16>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %none) -> (tensor<128x128xf32>) {
    %y = tile.load %b[%k, %c0] : !B -> tensor<64x128xbf16>
    %x = tile.transpose %y [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %d = tile.dot %left, %x, %zero : tensor<128x128xbf16>, tensor<128x64xbf16>, tensor<128x64xf32>
    %p = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xbf16>
    %u = tile.dot %p, %y, %s : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %u : tensor<128x128xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<128x128xf32>, !C
}

// A branch between products stands against that: rows of the target say that they lose a held left operand there.
// Rows that do not say it take it from registers here, too.
// KEPT-LABEL: tile.kernel @branched(
// KEPT-COUNT-2: tile.dot {{.*}}simt.decided = {row = "wgmma.m64k16.f32.bf16.registers"}
// CHECK-LABEL: tile.kernel @branched(
// CHECK: !stage.ring<1 x
// CHECK: stage.product {{.*}} by @wgmma.m64k16.f32.bf16{{[ :]}}
// CHECK: stage.product {{.*}} by @wgmma.m64k16.f32.bf16.registers
tile.kernel @branched(%a: !A {tile.align = 16 : i64, tile.readonly}, %b: !B {tile.align = 16 : i64, tile.readonly}, %c: !C {tile.align = 16 : i64, tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 8>} {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %b[0] by 64 : !B
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %halves = arith.constant dense<0.5> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %left = tile.load %a[%i, %c0] : !A -> tensor<128x128xbf16>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %none) -> (tensor<128x128xf32>) {
    %y = tile.load %b[%k, %c0] : !B -> tensor<64x128xbf16>
    %x = tile.transpose %y [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %d = tile.dot %left, %x, %zero : tensor<128x128xbf16>, tensor<128x64xbf16>, tensor<128x64xf32>
    %isFirst = arith.cmpi eq, %k, %c0 : index
    %kept = scf.if %isFirst -> (tensor<128x64xf32>) {
      %half = arith.mulf %d, %halves : tensor<128x64xf32>
      scf.yield %half : tensor<128x64xf32>
    } else {
      scf.yield %d : tensor<128x64xf32>
    }
    %p = arith.truncf %kept : tensor<128x64xf32> to tensor<128x64xbf16>
    %u = tile.dot %p, %y, %s : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %u : tensor<128x128xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<128x128xf32>, !C
}
