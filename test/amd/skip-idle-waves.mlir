// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads whose stores are all masked branch around what the others do.
// RUN: kiln-opt %s --amd-skip-idle-waves --split-input-file | FileCheck %s
// RUN: kiln-opt %s --amd-skip-idle-waves --split-input-file | FileCheck %s --check-prefix=ALONE

// What the masks are computed from is computed first; a condition around a store is as good as a mask.
// CHECK-LABEL: llvm.func @masked(
// CHECK-DAG: %[[ID:.*]] = gpu.thread_id x
// CHECK-DAG: %[[T:.*]] = arith.index_cast %[[ID]]
// CHECK-DAG: %[[M:.*]] = arith.cmpi slt, %[[T]], %arg2 : i32
// CHECK-DAG: %[[WHOLE:.*]] = arith.cmpi sgt, %arg2, %{{.*}} : i32
// CHECK: %[[ANY:.*]] = arith.ori %[[WHOLE]], %[[M]]
// CHECK: scf.if %[[ANY]] {
// CHECK: simt.load
// CHECK: simt.barrier
// CHECK: simt.store
// CHECK: simt.store
// CHECK: llvm.return
llvm.func @masked(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: i32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 0>} {
  %c64_i32 = arith.constant 64 : i32
  %p = llvm.getelementptr %x[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  %v = simt.load %p align 4 : !llvm.ptr<1> -> f32
  %w = arith.addf %v, %v : f32
  simt.barrier all
  %id = gpu.thread_id x
  %t = arith.index_cast %id : index to i32
  %whole = arith.cmpi sgt, %n, %c64_i32 : i32
  scf.if %whole {
    simt.store %w, %y align 4 : f32, !llvm.ptr<1>
  } else {
    %m = arith.cmpi slt, %t, %n : i32
    simt.store %w, %y mask %m align 4 : f32, !llvm.ptr<1>
  }
  llvm.return
}

// -----

// Not where a mask comes from memory, where a store has none, and where threads exchange something.
// ALONE-LABEL: llvm.func @loaded(
// ALONE-NOT: scf.if
llvm.func @loaded(%x: !llvm.ptr<1>, %n: i32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 0>} {
  %v = simt.load %x align 4 : !llvm.ptr<1> -> i32
  %m = arith.cmpi slt, %v, %n : i32
  simt.store %v, %x mask %m align 4 : i32, !llvm.ptr<1>
  llvm.return
}
// ALONE-LABEL: llvm.func @all(
// ALONE-NOT: scf.if
llvm.func @all(%x: !llvm.ptr<1>, %m: i1, %v: i32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 0>} {
  simt.store %v, %x mask %m align 4 : i32, !llvm.ptr<1>
  simt.store %v, %x align 4 : i32, !llvm.ptr<1>
  llvm.return
}
// ALONE-LABEL: llvm.func @exchanged(
// ALONE-NOT: scf.if
llvm.func @exchanged(%x: !llvm.ptr<1>, %m: i1, %v: i32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 0>} {
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %w, %ok = gpu.shuffle xor %v, %c1, %c64 : i32
  simt.store %w, %x mask %m align 4 : i32, !llvm.ptr<1>
  llvm.return
}
