// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: kiln-opt %s --nvidia-lower-simt | FileCheck %s

// CHECK-LABEL: llvm.func @matrices
// CHECK-SAME: %[[P:.*]]: !llvm.ptr<3>
llvm.func @matrices(%p: !llvm.ptr<3>) {
  // CHECK: %[[ALL:.*]] = nvvm.ldmatrix %[[P]] {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32
  // CHECK: %[[A:.*]] = llvm.extractvalue %[[ALL]][0]
  // CHECK: %[[B:.*]] = llvm.extractvalue %[[ALL]][1]
  %w:4 = simt.load_matrix "ldmatrix.b16.trans" %p by 32 lanes of 16 : !llvm.ptr<3> -> i32, i32, i32, i32
  // CHECK: %[[C:.*]] = nvvm.ldmatrix %[[P]] {{.*}}layout = #nvvm.mma_layout<row>, num = 1 : i32
  %v = simt.load_matrix "ldmatrix.b16" %p by 8 lanes of 16 : !llvm.ptr<3> -> i32
  // CHECK: nvvm.stmatrix %[[P]], %[[A]], %[[B]] {{.*}}layout = #nvvm.mma_layout<row>
  simt.store_matrix "stmatrix.b16" %w#0, %w#1 to %p by 16 lanes of 16 : !llvm.ptr<3>, i32, i32
  // CHECK: nvvm.stmatrix %[[P]], %[[C]] {{.*}}layout = #nvvm.mma_layout<col>
  simt.store_matrix "stmatrix.b16.trans" %v to %p by 8 lanes of 16 : !llvm.ptr<3>, i32
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
  // What a comparison with a constant says is a predicate like others where there are few.
  // CHECK: selp.b32 size, 16, 0, $2;
  %c48 = arith.constant 48 : i32
  %more48 = arith.cmpi sgt, %n, %c48 : i32
  simt.copy_async %g to %s bytes 16 valid %more48 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  llvm.return
}

// Where there are many, their results would fill the registers: compared where they are used.
// CHECK-LABEL: llvm.func @limits
// CHECK-SAME: (%[[G:.*]]: !llvm.ptr<1>, %[[S:.*]]: !llvm.ptr<3>, %[[M:.*]]: i1, %[[N:.*]]: i32)
// CHECK: llvm.inline_asm has_side_effects "{ .reg .b32 size; .reg .pred valid; setp.gt.s32 valid, $2, 0; selp.b32 size, 16, 0, valid; @$3 cp.async.cg.shared.global [$0 + 0], [$1 + 0], 16, size; }", "r,l,r,b,~{memory}" %{{.*}}, %[[G]], %[[N]], %[[M]]
// CHECK-COUNT-16: setp.gt.s32 valid
llvm.func @limits(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %m: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %v0 = arith.cmpi sgt, %n, %c0 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v0 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c1 = arith.constant 1 : i32
  %v1 = arith.cmpi sgt, %n, %c1 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v1 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c2 = arith.constant 2 : i32
  %v2 = arith.cmpi sgt, %n, %c2 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v2 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c3 = arith.constant 3 : i32
  %v3 = arith.cmpi sgt, %n, %c3 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v3 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c4 = arith.constant 4 : i32
  %v4 = arith.cmpi sgt, %n, %c4 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v4 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c5 = arith.constant 5 : i32
  %v5 = arith.cmpi sgt, %n, %c5 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v5 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c6 = arith.constant 6 : i32
  %v6 = arith.cmpi sgt, %n, %c6 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v6 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c7 = arith.constant 7 : i32
  %v7 = arith.cmpi sgt, %n, %c7 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v7 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c8 = arith.constant 8 : i32
  %v8 = arith.cmpi sgt, %n, %c8 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v8 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c9 = arith.constant 9 : i32
  %v9 = arith.cmpi sgt, %n, %c9 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v9 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c10 = arith.constant 10 : i32
  %v10 = arith.cmpi sgt, %n, %c10 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v10 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c11 = arith.constant 11 : i32
  %v11 = arith.cmpi sgt, %n, %c11 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v11 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c12 = arith.constant 12 : i32
  %v12 = arith.cmpi sgt, %n, %c12 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v12 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c13 = arith.constant 13 : i32
  %v13 = arith.cmpi sgt, %n, %c13 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v13 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c14 = arith.constant 14 : i32
  %v14 = arith.cmpi sgt, %n, %c14 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v14 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c15 = arith.constant 15 : i32
  %v15 = arith.cmpi sgt, %n, %c15 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v15 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  %c16 = arith.constant 16 : i32
  %v16 = arith.cmpi sgt, %n, %c16 : i32
  simt.copy_async %g to %s bytes 16 mask %m valid %v16 : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  llvm.return
}
