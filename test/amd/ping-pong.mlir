// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One half of eight waves reads LDS while the other multiplies: it has one barrier more before the loop, the other one behind.
// RUN: kiln-opt %s --amd-ping-pong --split-input-file | FileCheck %s

module attributes {kiln.target = #kiln.target<name = "amd", chip = "gfx950", cpu = "gfx950">} {
// What does not follow from products goes before them; copies of the next tile are waited for before the second barrier.
// CHECK-LABEL: llvm.func @turns(
// CHECK: simt.wait_copies but 1
// CHECK: %[[THREAD:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[WAVE:.*]] = llvm.call_intrinsic "llvm.amdgcn.readfirstlane"(%[[THREAD]])
// CHECK: %[[SECOND:.*]] = arith.cmpi uge, %[[WAVE]], %c256_i32
// CHECK: scf.if %[[SECOND]] {
// CHECK-NEXT: simt.barrier shared
// CHECK: scf.for
// CHECK-NEXT: simt.barrier shared
// CHECK-NEXT: simt.copy_async
// CHECK-NEXT: simt.commit_copies
// CHECK-NEXT: llvm.load
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.load
// CHECK-NEXT: simt.wait_copies but 1
// CHECK-NEXT: simt.barrier shared
// CHECK-NEXT: rocdl.s.setprio 1
// CHECK-NEXT: simt.mma
// CHECK-NEXT: simt.mma
// CHECK-NEXT: rocdl.s.setprio 0
// CHECK-NEXT: scf.yield
// CHECK: %[[FIRST:.*]] = arith.xori %[[SECOND]]
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: simt.barrier shared
// CHECK: llvm.return
llvm.func @turns(%x: !llvm.ptr<1>, %l: !llvm.ptr<3>, %b: vector<8xf16>, %begin: i32, %end: i32, %zero: vector<4xf32>) -> vector<4xf32>
    attributes {simt.block = #simt.thread_block<threads = 512, shared_bytes = 0>} {
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero) -> (vector<4xf32>) : i32 {
    simt.wait_copies but 1
    simt.barrier shared
    simt.copy_async %x to %l bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
    simt.commit_copies
    %a = llvm.load %l : !llvm.ptr<3> -> vector<8xf16>
    %s = simt.mma "mfma.f32.16x16x32.f16" (%a) by (%b) plus (%sum) : vector<8xf16>, vector<8xf16>, vector<4xf32>
    %q = llvm.getelementptr %l[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %c = llvm.load %q : !llvm.ptr<3> -> vector<8xf16>
    %t = simt.mma "mfma.f32.16x16x32.f16" (%c) by (%b) plus (%s) : vector<8xf16>, vector<8xf16>, vector<4xf32>
    scf.yield %t : vector<4xf32>
  }
  llvm.return %r : vector<4xf32>
}
}

// -----

module attributes {kiln.target = #kiln.target<name = "amd", chip = "gfx950", cpu = "gfx950">} {
// One wave of a SIMD; and a loop that writes LDS itself.
// CHECK-LABEL: llvm.func @four(
// CHECK-NOT: scf.if
llvm.func @four(%x: !llvm.ptr<1>, %l: !llvm.ptr<3>, %b: vector<8xf16>, %begin: i32, %end: i32, %zero: vector<4xf32>) -> vector<4xf32>
    attributes {simt.block = #simt.thread_block<threads = 256, shared_bytes = 0>} {
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero) -> (vector<4xf32>) : i32 {
    simt.wait_copies but 1
    simt.barrier shared
    simt.copy_async %x to %l bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
    simt.commit_copies
    %a = llvm.load %l : !llvm.ptr<3> -> vector<8xf16>
    %s = simt.mma "mfma.f32.16x16x32.f16" (%a) by (%b) plus (%sum) : vector<8xf16>, vector<8xf16>, vector<4xf32>
    scf.yield %s : vector<4xf32>
  }
  llvm.return %r : vector<4xf32>
}
// CHECK-LABEL: llvm.func @writes(
// CHECK-NOT: scf.if
llvm.func @writes(%x: !llvm.ptr<1>, %l: !llvm.ptr<3>, %b: vector<8xf16>, %begin: i32, %end: i32, %zero: vector<4xf32>) -> vector<4xf32>
    attributes {simt.block = #simt.thread_block<threads = 512, shared_bytes = 0>} {
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero) -> (vector<4xf32>) : i32 {
    simt.wait_copies but 1
    simt.barrier shared
    simt.copy_async %x to %l bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
    simt.commit_copies
    %a = llvm.load %l : !llvm.ptr<3> -> vector<8xf16>
    llvm.store %b, %l : vector<8xf16>, !llvm.ptr<3>
    %s = simt.mma "mfma.f32.16x16x32.f16" (%a) by (%b) plus (%sum) : vector<8xf16>, vector<8xf16>, vector<4xf32>
    scf.yield %s : vector<4xf32>
  }
  llvm.return %r : vector<4xf32>
}
}
