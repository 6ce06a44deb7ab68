// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which copies the two instances of a cluster share: those of boxes that provably do not depend on the coordinate along x, where both use as
// many slots.
// RUN: kiln-opt %s -o %t.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,simt-choose-bulk-copies,simt-share-copies))'
// RUN: FileCheck %s < %t.mlir
// Each of them computes what it should, shared or not.
// RUN: for kernel in rhs moved; do for seed in 0 1; do \
// RUN:   kiln-run %s --entry=$kernel --target=reference,threads=nvidia:sm_90a,seed=$seed,races=error --grid=4,2 --arg=random:1:bf16:256x192 --arg=random:2:bf16:192x128 \
// RUN:     --arg=zeros:f32:256x128 --check || exit 1; done; done

!A = !tile.view<256x192xbf16>
!B = !tile.view<192x128xbf16>
!C = !tile.view<256x128xf32>
!D = !tile.view<192x128xbf16, strides = [136, 1]>

// CHECK-LABEL: tile.kernel @rhs(
// CHECK: stage.copy async bulk %arg0{{[^{]*}} : !tile.view
// CHECK: stage.copy async bulk %arg1{{.*}}{simt.decided = {shared_by = 2 : i64}}
// CHECK: scf.for
// CHECK: stage.copy async bulk %arg0{{[^{]*}} : !tile.view
// CHECK: stage.copy async bulk %arg1{{.*}}{simt.decided = {shared_by = 2 : i64}}
// CHECK: tile.cluster_barrier
tile.kernel @rhs(%a: !A {tile.facts = {align = 16 : i64, readonly}}, %b: !B {tile.facts = {align = 16 : i64, readonly}}, %c: !C {tile.facts = {align = 16 : i64, noalias}}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !A -> tensor<64x64xbf16>
    %y = tile.load %b[%k, %j] : !B -> tensor<64x64xbf16>
    %d = tile.dot %x, %y, %s : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<64x64xf32>, !C
  tile.cluster_barrier [2, 1, 1]
}

// The depth begins elsewhere in each instance, and comes round.
// CHECK-LABEL: tile.kernel @moved(
// CHECK-NOT: shared_by
tile.kernel @moved(%a: !A {tile.facts = {align = 16 : i64, readonly}}, %b: !B {tile.facts = {align = 16 : i64, readonly}}, %c: !C {tile.facts = {align = 16 : i64, noalias}}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %n = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %from = arith.addi %n, %i : index
    %k = arith.remui %from, %c3 : index
    %x = tile.load %a[%i, %k] : !A -> tensor<64x64xbf16>
    %y = tile.load %b[%k, %j] : !B -> tensor<64x64xbf16>
    %d = tile.dot %x, %y, %s : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<64x64xf32>, !C
  tile.cluster_barrier [2, 1, 1]
}

// One instance uses more slots than the other.
// CHECK-LABEL: tile.kernel @uneven(
// CHECK-NOT: shared_by
tile.kernel @uneven(%a: !A {tile.facts = {align = 16 : i64, readonly}}, %b: !B {tile.facts = {align = 16 : i64, readonly}}, %c: !C {tile.facts = {align = 16 : i64, noalias}}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.addi %i, %c1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %count step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !A -> tensor<64x64xbf16>
    %y = tile.load %b[%k, %j] : !B -> tensor<64x64xbf16>
    %d = tile.dot %x, %y, %s : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<64x64xf32>, !C
  tile.cluster_barrier [2, 1, 1]
}

// Nothing holds the instance at its end.
// CHECK-LABEL: tile.kernel @early(
// CHECK-NOT: shared_by
tile.kernel @early(%a: !A {tile.facts = {align = 16 : i64, readonly}}, %b: !B {tile.facts = {align = 16 : i64, readonly}}, %c: !C {tile.facts = {align = 16 : i64, noalias}}) {
  tile.cluster_barrier [2, 1, 1]
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !A -> tensor<64x64xbf16>
    %y = tile.load %b[%k, %j] : !B -> tensor<64x64xbf16>
    %d = tile.dot %x, %y, %s : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<64x64xf32>, !C
}

// Each copy has a view of its own, which is the same in both instances.
// CHECK-LABEL: tile.kernel @made(
// CHECK: stage.copy async bulk {{.*}}{simt.decided = {shared_by = 2 : i64}}
// CHECK: scf.for
// CHECK: stage.copy async bulk {{.*}}{simt.decided = {shared_by = 2 : i64}}
// CHECK: tile.cluster_barrier
tile.kernel @made(%a: !A {tile.facts = {align = 16 : i64, readonly}}, %p: !tile.ptr<bf16> {tile.facts = {align = 16 : i64, readonly}}, %c: !C {tile.facts = {align = 16 : i64, noalias}}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !A -> tensor<64x64xbf16>
    %b = tile.make_view %p : !tile.ptr<bf16> -> !D
    %y = tile.load %b[%k, %j] : !D -> tensor<64x64xbf16>
    %d = tile.dot %x, %y, %s : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<64x64xf32>, !C
  tile.cluster_barrier [2, 1, 1]
}
