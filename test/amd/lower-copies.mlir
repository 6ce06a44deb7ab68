// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies into LDS past registers: waits for groups of copies are waits for a number of loads, barriers leave copies in flight,
// and a copy is a load without a result, to an address of the wave. Lanes that copy nothing read zeros.
// RUN: kiln-opt %s --amd-lower-copies | FileCheck %s

module attributes {kiln.target = #kiln.target<name = "amd", chip = "gfx950", cpu = "gfx950">} {

// Two copies of a group: vmcnt(2), which is 2 + 7 * 16 + 15 * 256; then lgkmcnt(0) alone: 15 + 7 * 16 + 3 * 16384.
// CHECK-LABEL: llvm.func @copies(
// CHECK: %[[FIRST:.*]] = llvm.call_intrinsic "llvm.amdgcn.readfirstlane"(%arg2) : (i32) -> i32
// CHECK: %[[TO:.*]] = llvm.getelementptr %arg1[%[[FIRST]]]
// CHECK: %[[ZEROS:.*]] = llvm.mlir.addressof @kiln_zeros : !llvm.ptr<1>
// CHECK: %[[FROM:.*]] = arith.select %arg3, %arg0, %[[ZEROS]]
// CHECK: llvm.call_intrinsic "llvm.amdgcn.global.load.lds"(%[[FROM]], %[[TO]], %c16_i32, {{.*}}) : (!llvm.ptr<1>, !llvm.ptr<3>, i32, i32, i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.global.load.lds"(%arg0, {{.*}}
// CHECK-NOT: simt.
// CHECK: rocdl.s.waitcnt 3954
// CHECK-NEXT: llvm.fence syncscope("wavefront") release
// CHECK-NEXT: rocdl.s.waitcnt 49279
// CHECK-NEXT: llvm.call_intrinsic "llvm.amdgcn.s.barrier"
// CHECK-NEXT: llvm.fence syncscope("wavefront") acquire
// All copies: vmcnt(0).
// CHECK-NEXT: rocdl.s.waitcnt 3952
// CHECK-NEXT: gpu.barrier
llvm.func @copies(%x: !llvm.ptr<1>, %l: !llvm.ptr<3>, %mine: i32, %valid: i1) {
  %q = llvm.getelementptr %l[%mine] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  simt.copy_async %x to %q bytes 16 valid %valid : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.copy_async %x to %q bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  simt.wait_copies but 1
  simt.barrier shared
  simt.wait_copies but 0
  gpu.barrier
  llvm.return
}

// Copies that a mask skips write zeros, which are waited for behind the loop.
// CHECK-LABEL: llvm.func @masked(
// CHECK: scf.for
// CHECK: arith.select %arg2, %{{.*}}, %c-2147483648_i32
// CHECK: raw.ptr.buffer.load.lds
// CHECK: }
// CHECK-NEXT: rocdl.s.waitcnt 3952
// CHECK: llvm.amdgcn.s.barrier
// CHECK: llvm.return
llvm.func @masked(%x: !llvm.ptr<1>, %l: !llvm.ptr<3>, %mask: i1, %begin: i32, %end: i32) attributes {simt.block = #simt.thread_block<threads = 256, shared_bytes = 0>} {
  %c1 = arith.constant 1 : i32
  %thread = gpu.thread_id x
  %t = arith.index_cast %thread : index to i32
  %wide = arith.extui %t : i32 to i64
  scf.for %i = %begin to %end step %c1 : i32 {
    %q = llvm.getelementptr %x[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    simt.copy_async %q to %l bytes 16 mask %mask : !llvm.ptr<1>, !llvm.ptr<3>
    simt.commit_copies
  }
  llvm.return
}

// Without copies barriers are lowered with all else.
// CHECK-LABEL: llvm.func @none(
// CHECK: simt.barrier shared
llvm.func @none() {
  simt.barrier shared
  llvm.return
}
}
