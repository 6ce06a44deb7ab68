// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ring buffers that a copy unit fills: which are chosen, where their slots are released, that the result is verified and computes what
// it should in several orders of events, and that no wait, arrival or fence of it can be left out.
// RUN: rm -rf %t && mkdir -p %t
// RUN: kiln-opt %s -o %t/staged.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-choose-bulk-copies,simt-stage-products,simt-insert-barriers))'
// RUN: FileCheck %s < %t/staged.mlir
// RUN: kiln-opt %t/staged.mlir -o %t/threads.mlir --pass-pipeline='builtin.module(convert-tile-to-simt,canonicalize,cse,llvm.func(simt-verify-barriers))'
// RUN: %python %source/test/gpu/mutations.py kiln-opt --only=product --least=20 < %t/threads.mlir
// RUN: kiln-opt %t/threads.mlir -o %t/split.mlir --pass-pipeline='builtin.module(llvm.func(simt-split-producer{everywhere=1}))'
// RUN: FileCheck %s --check-prefix=SPLIT < %t/split.mlir
// Loops that only multiply get no producer unless it is asked for.
// RUN: kiln-opt %t/threads.mlir --pass-pipeline='builtin.module(llvm.func(simt-split-producer))' | diff %t/threads.mlir -
// RUN: kiln-opt %t/split.mlir --nvidia-lower-simt | FileCheck %s --check-prefix=PTX
// RUN: for kernel in product product_across; do for seed in 0 1 2 3; do \
// RUN:   kiln-run %s --entry=$kernel --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=2,2 --inputs=random --check || exit 1; done; done
// RUN: kiln-run %s --entry=few --target=reference,threads=nvidia:sm_90a,seed=2 --grid=2,2 --inputs=random --check

!A = !tile.view<200x328xbf16>
!B = !tile.view<328x248xbf16>
!C = !tile.view<200x248xf32>

// An MMA is awaited in the next iteration: the release there is one of the slot before.
// CHECK-LABEL: tile.kernel @product(
// CHECK: simt.create_barriers {arrivals = 1 : i64, count = 4 : i64, place = [[FULL:.*]] : i64}
// CHECK: simt.create_barriers {arrivals = 8 : i64, count = 4 : i64, place = [[EMPTY:.*]] : i64}
// CHECK-NEXT: simt.publish
// CHECK-NEXT: gpu.barrier
// CHECK: %[[RING:.*]] = stage.ring {align = 1024 : i64, barriers = #simt.slot_barriers<place = [[FULL]]>, held = 1 : i64,
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK-NEXT: stage.produce %[[RING]]
// CHECK-NEXT: stage.copy async bulk %arg0
// CHECK-NEXT: stage.copy async bulk %arg1
// CHECK: scf.for
// CHECK-NOT: simt.wait_copies
// CHECK-NOT: gpu.barrier
// CHECK: stage.consume %[[RING]]
// CHECK: stage.product async
// CHECK-NEXT: stage.wait but 1
// CHECK-NEXT: stage.release %[[RING]]
// The kernel is alone on its core: it gets a group of warps more, one of which fills the slots.
// SPLIT-LABEL: llvm.func @product(
// SPLIT-SAME: #simt.thread_block<threads = 384
// SPLIT: simt.create_barriers
// SPLIT: simt.create_barriers
// SPLIT: %[[PRODUCER:.*]] = arith.cmpi sge, %{{.*}}, %c256_i32
// SPLIT: scf.if %[[PRODUCER]] {
// SPLIT-NEXT: simt.set_registers {count = 24 : i64}
// SPLIT: simt.named_barrier {number = 0 : i64, threads = 288 : i64}
// SPLIT-NOT: simt.mma_async
// SPLIT: simt.expect_bytes
// SPLIT: simt.copy_bulk
// SPLIT: scf.for {{.*}} -> (i32)
// SPLIT: scf.if
// SPLIT: simt.await_parity
// SPLIT-NOT: mask
// SPLIT: simt.expect_bytes {{.*}} bytes 49152
// SPLIT: simt.copy_bulk
// SPLIT: simt.copy_bulk
// SPLIT: } else {
// SPLIT-NEXT: simt.set_registers {count = 240 : i64, more}
// SPLIT: simt.named_barrier {number = 0 : i64, threads = 288 : i64}
// SPLIT-NOT: simt.copy_bulk
// SPLIT: scf.for
// SPLIT: simt.await_parity
// SPLIT: simt.mma_async
// SPLIT: simt.wait_products but 1
// SPLIT: simt.arrive_at
// SPLIT: simt.named_barrier {number = 1 : i64, threads = 256 : i64}

// Tensor maps are the last parameters; the attribute has the recipes by which the driver makes them.
// PTX-LABEL: llvm.func @product(
// PTX-SAME: %[[MAP:arg[0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// PTX-SAME: nvvm.minctasm = 1
// PTX-SAME: simt.decided = {recipes = [array<i64: 0, 2, 128, 1, 64, 0, 256>, array<i64: 1, 2, 128, 1, 64, 0, 64>]}
// PTX: mbarrier.init.shared::cta.b64 [$0 + 196608], 1;
// PTX: mbarrier.init.shared::cta.b64 [$0 + 196640], 8;
// PTX: setmaxnreg.dec.sync.aligned.u32 24;
// PTX: bar.sync 0, 288;
// PTX: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 49152;
// PTX: @$3 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0 + 0], [$1, {$4, $5}], [$2];
// Two pieces of 128 bytes of each row of 256 bytes.
// PTX: [$0 + 0], [$1, {$4, $5}], [$2];
// PTX: [$0 + 8192], [$1, {$4, $5}], [$2];
// PTX: mbarrier.try_wait.parity.shared::cta.b64 over, [$0], $1; @!over bra WAIT;
// PTX: setmaxnreg.inc.sync.aligned.u32 240;
// PTX: mbarrier.arrive.shared::cta.b64 _, [$0];
// PTX: bar.sync 1, 256;
tile.kernel @product(%a: !A {tile.align = 16 : i64, tile.readonly}, %b: !B {tile.align = 16 : i64, tile.readonly}, %c: !C {tile.align = 16 : i64, tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 8>} {
  %i, %j = tile.program_id : index, index
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
  tile.store %sum, %c[%i, %j] : tensor<256x128xf32>, !C
}

// What the products sum up is contiguous in the other view of the two.
// Another kernel may have the other half of the core: its first warp fills the slots.
// SPLIT-LABEL: llvm.func @product_across(
// SPLIT-SAME: #simt.thread_block<threads = 128
// SPLIT-NOT: simt.named_barrier
// CHECK-LABEL: tile.kernel @product_across(
// CHECK: stage.copy async bulk %arg0
// CHECK: stage.copy async bulk %arg1
!T = !tile.view<328x200xbf16>
!U = !tile.view<248x328xbf16>
tile.kernel @product_across(%a: !T {tile.align = 16 : i64, tile.readonly}, %b: !U {tile.align = 16 : i64, tile.readonly}, %c: !C {tile.align = 16 : i64, tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %a[0] by 64 : !T
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
    %w = tile.load %a[%k, %i] : !T -> tensor<64x128xbf16>
    %x = tile.transpose %w [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %v = tile.load %b[%j, %k] : !U -> tensor<128x64xbf16>
    %y = tile.transpose %v [1, 0] : tensor<128x64xbf16> -> tensor<64x128xbf16>
    %d = tile.dot %x, %y, %s : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<128x128xf32>, !C
}

// Rows that begin at multiples of 8 bytes are no views for a copy unit: threads copy them.
// CHECK-LABEL: tile.kernel @few(
// CHECK-NOT: barriers =
// CHECK-NOT: bulk
// CHECK: tile.store
!F = !tile.view<200x324xbf16>
!G = !tile.view<324x248xbf16>
tile.kernel @few(%a: !F {tile.align = 16 : i64, tile.readonly}, %b: !G {tile.align = 16 : i64, tile.readonly}, %c: !C {tile.align = 16 : i64, tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %a[1] by 64 : !F
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
    %x = tile.load %a[%i, %k] : !F -> tensor<128x64xbf16>
    %y = tile.load %b[%k, %j] : !G -> tensor<64x128xbf16>
    %d = tile.dot %x, %y, %s : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<128x128xf32>, !C
}

// Launches compute no number that a cast may cut: threads copy such a view.
// CHECK-LABEL: tile.kernel @cut(
// CHECK-NOT: bulk
// CHECK: tile.store
tile.kernel @cut(%a: !tile.ptr<bf16> {tile.facts = {align = 16 : i64}}, %b: !B {tile.align = 16 : i64, tile.readonly}, %c: !C {tile.align = 16 : i64, tile.noalias}, %rows: i32) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c328 = arith.constant 328 : index
  %whole = arith.index_cast %rows : i32 to index
  %more = arith.muli %whole, %c328 : index
  %short = arith.index_cast %more : index to i32
  %least = arith.muli %short, %rows : i32
  %size = arith.index_cast %least : i32 to index
  %v = tile.make_view %a sizes[%size, %c328] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, strides = [328, 1]>
  %n = tile.num_blocks %b[0] by 64 : !B
  %zero = arith.constant dense<0.0> : tensor<256x128xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<256x128xf32>) {
    %x = tile.load %v[%i, %k] : !tile.view<?x?xbf16, strides = [328, 1]> -> tensor<256x64xbf16>
    %y = tile.load %b[%k, %j] : !B -> tensor<64x128xbf16>
    %d = tile.dot %x, %y, %s : tensor<256x64xbf16>, tensor<64x128xbf16>, tensor<256x128xf32>
    scf.yield %d : tensor<256x128xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<256x128xf32>, !C
}
