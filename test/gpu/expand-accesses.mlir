// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses with a mask become branches around those of llvm; what is not read is what `other` says, or anything.
// RUN: kiln-opt %s --simt-expand-accesses | FileCheck %s

// CHECK-LABEL: func @accesses(
// CHECK-SAME: %[[P:.*]]: !llvm.ptr<1>, %[[S:.*]]: !llvm.ptr<3>, %[[M:.*]]: i1, %[[O:.*]]: vector<4xf32>
func.func @accesses(%p: !llvm.ptr<1>, %s: !llvm.ptr<3>, %m: i1, %o: vector<4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = llvm.load volatile %[[P]] {alignment = 4 : i64} : !llvm.ptr<1> -> f32
  %a = simt.load %p align 4 volatile : !llvm.ptr<1> -> f32
  // CHECK-NEXT: %[[B:.*]] = scf.if %[[M]] -> (vector<4xf32>) {
  // CHECK-NEXT: %[[LOADED:.*]] = llvm.load %[[P]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  // CHECK-NEXT: scf.yield %[[LOADED]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %[[O]]
  %b = simt.load %p mask %m other %o : vector<4xf32> align 16 cache streaming : !llvm.ptr<1> -> vector<4xf32>
  // CHECK: %[[C:.*]] = scf.if %[[M]] -> (f16)
  // CHECK: else
  // CHECK-NEXT: %[[ANY:.*]] = llvm.mlir.poison : f16
  // CHECK-NEXT: scf.yield %[[ANY]]
  %c = simt.load %s mask %m align 2 : !llvm.ptr<3> -> f16
  // CHECK: scf.if %[[M]] {
  // CHECK-NEXT: llvm.store %[[A]], %[[P]] {alignment = 4 : i64} : f32, !llvm.ptr<1>
  // CHECK-NEXT: }
  simt.store %a, %p mask %m align 4 : f32, !llvm.ptr<1>
  // CHECK-NEXT: llvm.store volatile %[[B]], %[[S]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
  simt.store %b, %s align 16 volatile : vector<4xf32>, !llvm.ptr<3>
  // CHECK-NEXT: llvm.store %[[C]], %[[S]]
  simt.store %c, %s align 2 : f16, !llvm.ptr<3>
  return
}
