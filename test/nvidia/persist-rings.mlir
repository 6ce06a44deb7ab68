// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Persistent kernels whose rings go on from one point of the grid to the next: that the rings stand before the loop over points, that
// what a tile takes to change its layout has room beside them, that the result is verified and computes what it should with
// few instances and many, in several orders of events, and that no wait, arrival or fence of it can be left out.
// RUN: rm -rf %t && mkdir -p %t
// RUN: kiln-opt %s -o %t/staged.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,simt-choose-bulk-copies,simt-persist-rings,stage-allocate,simt-stage-products,simt-insert-barriers))'
// RUN: FileCheck %s < %t/staged.mlir
// RUN: kiln-opt %t/staged.mlir -o %t/threads.mlir --pass-pipeline='builtin.module(convert-tile-to-simt,canonicalize,cse,llvm.func(simt-verify-barriers))'
// RUN: %python %source/test/gpu/mutations.py kiln-opt --only=product --least=20 < %t/threads.mlir
// RUN: kiln-opt %t/threads.mlir --pass-pipeline='builtin.module(llvm.func(simt-split-producer))' | FileCheck %s --check-prefix=SPLIT
// RUN: for kernel in product wide single; do for seed in 0 1 2 3; do \
// RUN:   kiln-run %s --entry=$kernel --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=2,3 --inputs=random --check || exit 1; done; done
// All kernels are persistent if that is asked for, but for one whose hint says otherwise; no code is left unverified.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,persistent=on --no-fallback -o %t/all.kiln 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: unverified
// RUN: kiln-run %t/all.kiln --inspect | FileCheck %s --check-prefix=ALL
// ALL: kernel product
// ALL: persistent 1
// ALL: kernel wide
// ALL: persistent 1
// ALL: kernel single
// ALL-NOT: persistent
// ALL: kernel small
// ALL: persistent 1
// RUN: for seed in 0 1 2; do \
// RUN:   kiln-run %s --entry=small --target=reference,threads=nvidia:sm_90a,thread_options=persistent=on,seed=$seed --grid=3,5 --inputs=random --check || exit 1; done

!A = !tile.view<600x200xbf16>
!B = !tile.view<200x248xbf16>
!C = !tile.view<600x248xbf16>
!D = !tile.view<600x248xf32>

// CHECK-LABEL: tile.kernel @product(
// CHECK: simt.create_barriers
// CHECK: gpu.barrier
// CHECK-NEXT: %[[RING:.*]] = stage.ring {align = 1024 : i64, barriers
// CHECK-SAME: offset = 0 : i64} : !stage.ring<4 x
// CHECK: %[[ID:.*]] = tile.instance_id
// CHECK: %[[COUNT:.*]] = tile.num_instances
// CHECK: scf.for %[[POINT:.*]] = %[[ID]] to %{{.*}} step %[[COUNT]] {
// CHECK: tile.grid_coordinates %[[POINT]]
// CHECK: stage.produce %[[RING]]
// CHECK: scf.for
// CHECK-NOT: gpu.barrier
// CHECK: stage.consume %[[RING]]
// CHECK: stage.product
// CHECK: stage.release %[[RING]]
// CHECK-NOT: gpu.barrier
// Each warp changes the layout of its own rows, in two rounds behind the ring's 192 KiB.
// CHECK: simt.warp_barrier
// CHECK-NEXT: simt.convert_layout {{.*}}simt.decided = {scratch = array<i64: 196608, 32768, 196608, 32768>}
// CHECK-NOT: gpu.barrier
// CHECK: tile.store
// The producer loops over points, too, and counts the slots that it fills.
// SPLIT-LABEL: llvm.func @product(
// SPLIT-SAME: #simt.thread_block<threads = 384
// SPLIT-SAME: persistent = true
// SPLIT: simt.set_registers {count = 24 : i64}
// SPLIT: simt.named_barrier {number = 0 : i64, threads = 288 : i64}
// SPLIT: scf.for {{.*}} -> (i32)
// SPLIT: simt.await_parity
// SPLIT: simt.copy_bulk
// SPLIT: scf.for {{.*}} -> (i32)
// SPLIT: simt.await_parity
// SPLIT: simt.copy_bulk
// SPLIT: } else {
// SPLIT-NEXT: simt.set_registers {count = 240 : i64, more}
// SPLIT: simt.named_barrier {number = 0 : i64, threads = 288 : i64}
// SPLIT-NOT: simt.named_barrier
// SPLIT: llvm.return
tile.kernel @product(%a: !A {tile.align = 16 : i64, tile.readonly}, %b: !B {tile.align = 16 : i64, tile.readonly}, %c: !C {tile.align = 16 : i64, tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 8>} {
  %j, %i = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %a[1] by 64 : !A
  %zero = arith.constant dense<0.0> : tensor<256x128xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<256x128xf32>) {
    %x = tile.load %a[%i, %k] : !A -> tensor<256x64xbf16>
    %y = tile.load %b[%k, %j] : !B -> tensor<64x128xbf16>
    %d = tile.dot %x, %y, %s : tensor<256x64xbf16>, tensor<64x128xbf16>, tensor<256x128xf32>
    scf.yield %d : tensor<256x128xf32>
  }
  %t = arith.truncf %sum : tensor<256x128xf32> to tensor<256x128xbf16>
  tile.store %t, %c[%i, %j] : tensor<256x128xbf16>, !C
}

// A tile of 128 KiB goes through what memory is left in more rounds.
// CHECK-LABEL: tile.kernel @wide(
// CHECK: tile.num_instances
// CHECK: simt.convert_layout {{.*}}simt.decided = {scratch = array<i64: 196608,
tile.kernel @wide(%a: !A {tile.align = 16 : i64, tile.readonly}, %b: !B {tile.align = 16 : i64, tile.readonly}, %c: !D {tile.align = 16 : i64, tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 8>} {
  %j, %i = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %a[1] by 64 : !A
  %zero = arith.constant dense<0.0> : tensor<256x128xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<256x128xf32>) {
    %x = tile.load %a[%i, %k] : !A -> tensor<256x64xbf16>
    %y = tile.load %b[%k, %j] : !B -> tensor<64x128xbf16>
    %d = tile.dot %x, %y, %s : tensor<256x64xbf16>, tensor<64x128xbf16>, tensor<256x128xf32>
    scf.yield %d : tensor<256x128xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<256x128xf32>, !D
}

// A hint of the kernel keeps an instance for each point.
// CHECK-LABEL: tile.kernel @single(
// CHECK-NOT: tile.num_instances
// CHECK: tile.store
// SPLIT-LABEL: llvm.func @single(
// SPLIT-NOT: persistent = true
// SPLIT: llvm.return
tile.kernel @single(%a: !A {tile.align = 16 : i64, tile.readonly}, %b: !B {tile.align = 16 : i64, tile.readonly}, %c: !C {tile.align = 16 : i64, tile.noalias})
    attributes {hints = {nvidia = {persistent = false}}, tile.launch = #tile.kernel_hints<warps = 8>} {
  %j, %i = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %a[1] by 64 : !A
  %zero = arith.constant dense<0.0> : tensor<256x128xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<256x128xf32>) {
    %x = tile.load %a[%i, %k] : !A -> tensor<256x64xbf16>
    %y = tile.load %b[%k, %j] : !B -> tensor<64x128xbf16>
    %d = tile.dot %x, %y, %s : tensor<256x64xbf16>, tensor<64x128xbf16>, tensor<256x128xf32>
    scf.yield %d : tensor<256x128xf32>
  }
  %t = arith.truncf %sum : tensor<256x128xf32> to tensor<256x128xbf16>
  tile.store %t, %c[%i, %j] : tensor<256x128xbf16>, !C
}

// A core runs several of these blocks at once: they are persistent only where that is asked for.
// CHECK-LABEL: tile.kernel @small(
// CHECK-NOT: tile.num_instances
// CHECK: tile.store
tile.kernel @small(%a: !A {tile.align = 16 : i64, tile.readonly}, %b: !B {tile.align = 16 : i64, tile.readonly}, %c: !C {tile.align = 16 : i64, tile.noalias}) {
  %j, %i = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %a[1] by 64 : !A
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
    %x = tile.load %a[%i, %k] : !A -> tensor<128x64xbf16>
    %y = tile.load %b[%k, %j] : !B -> tensor<64x128xbf16>
    %d = tile.dot %x, %y, %s : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %t = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
  tile.store %t, %c[%i, %j] : tensor<128x128xbf16>, !C
}
