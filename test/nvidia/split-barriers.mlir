// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A split barrier is an mbarrier object that counts the threads of the block: one thread makes it, and a wait may have to be repeated.
// RUN: kiln-opt %s --nvidia-lower-simt | FileCheck %s
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>

// CHECK-LABEL: llvm.func @phases
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]]
// CHECK: scf.if %[[FIRST]] {
// CHECK: %[[BASE:.*]] = llvm.mlir.addressof @simt_shared
// CHECK: %[[OBJECT:.*]] = llvm.getelementptr %[[BASE]][1024]
// CHECK: %[[COUNT:.*]] = arith.constant 256
// CHECK: nvvm.mbarrier.init %[[OBJECT]], %[[COUNT]]
// CHECK: }
llvm.func @phases() attributes {simt.block = #simt.thread_block<threads = 256, shared_bytes = 1032>} {
  simt.create_split_barrier {place = 1024 : i64}
  gpu.barrier
  // CHECK: %[[STATE:.*]] = nvvm.mbarrier.arrive %{{.*}} : !llvm.ptr<3> -> i64
  %phase = simt.arrive {place = 1024 : i64}
  // CHECK: scf.while : () -> () {
  // CHECK: %[[OVER:.*]] = nvvm.mbarrier.try_wait %{{.*}}, %[[STATE]]
  // CHECK: %[[WAITS:.*]] = arith.xori %[[OVER]]
  // CHECK: scf.condition(%[[WAITS]])
  simt.await %phase {place = 1024 : i64}
  llvm.return
}
