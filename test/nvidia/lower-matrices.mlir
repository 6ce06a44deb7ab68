// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: kiln-opt %s --nvidia-lower-simt | FileCheck %s

// CHECK-LABEL: llvm.func @matrices
// CHECK-SAME: %[[P:.*]]: !llvm.ptr<3>
llvm.func @matrices(%p: !llvm.ptr<3>) {
  // CHECK: %[[ALL:.*]] = nvvm.ldmatrix %[[P]] {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32
  // CHECK: %[[A:.*]] = llvm.extractvalue %[[ALL]][0]
  // CHECK: %[[B:.*]] = llvm.extractvalue %[[ALL]][1]
  %w:4 = simt.load_matrix %p transposed : !llvm.ptr<3> -> i32, i32, i32, i32
  // CHECK: %[[C:.*]] = nvvm.ldmatrix %[[P]] {{.*}}layout = #nvvm.mma_layout<row>, num = 1 : i32
  %v = simt.load_matrix %p : !llvm.ptr<3> -> i32
  // CHECK: nvvm.stmatrix %[[P]], %[[A]], %[[B]] {{.*}}layout = #nvvm.mma_layout<row>
  simt.store_matrix %w#0, %w#1 to %p : !llvm.ptr<3>
  // CHECK: nvvm.stmatrix %[[P]], %[[C]] {{.*}}layout = #nvvm.mma_layout<col>
  simt.store_matrix %v to %p transposed : !llvm.ptr<3>
  llvm.return
}

// Constants of addresses are those of the instruction; what is known to be whole or not at all is a predicate.
// CHECK-LABEL: llvm.func @copies
// CHECK-SAME: (%[[G:.*]]: !llvm.ptr<1>, %[[S:.*]]: !llvm.ptr<3>, %[[M:.*]]: i1, %[[I:.*]]: i1, %[[N:.*]]: i32)
llvm.func @copies(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %m: i1, %inside: i1, %n: i32) {
  // CHECK: %[[A:.*]] = llvm.ptrtoint %[[S]] : !llvm.ptr<3> to i32
  // CHECK: llvm.inline_asm has_side_effects "cp.async.cg.shared.global [$0 + 256], [$1 + 64], 16;", "r,l,~{memory}" %[[A]], %[[G]]
  %c32 = llvm.mlir.constant(32 : i64) : i64
  %more = llvm.getelementptr %g[%c32] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
  %there = llvm.getelementptr %s[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  simt.copy_async %more to %there bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  // CHECK: llvm.inline_asm has_side_effects "{ .reg .b32 size; selp.b32 size, 4, 0, $2; @$3 cp.async.ca.shared.global [$0 + 0], [$1 + 0], 4, size; }", "r,l,b,b,~{memory}" %{{.*}}, %[[G]], %[[I]], %[[M]]
  simt.copy_async %g to %s bytes 4 mask %m valid %inside : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  // CHECK: llvm.inline_asm has_side_effects "cp.async.ca.shared.global [$0 + 0], [$1 + 0], 8, $2;", "r,l,r,~{memory}" %{{.*}}, %[[G]], %[[N]]
  simt.copy_async %g to %s bytes 8 valid %n : i32 : !llvm.ptr<1>, !llvm.ptr<3>
  // What a comparison with a constant says is compared where it is used.
  // CHECK: llvm.inline_asm has_side_effects "{ .reg .b32 size; .reg .pred valid; setp.gt.s32 valid, $2, 48; selp.b32 size, 16, 0, valid; @$3 cp.async.cg.shared.global [$0 + 0], [$1 + 0], 16, size; }", "r,l,r,b,~{memory}" %{{.*}}, %[[G]], %[[N]], %[[M]]
  %c48 = arith.constant 48 : i32
  %more48 = arith.cmpi sgt, %n, %c48 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %more48 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  llvm.return
}
