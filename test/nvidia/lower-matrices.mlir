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
