// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trips of a loop with matrix instructions whose loads alone need masks follow the loop: in it the mask of the depth is true.
// RUN: kiln-opt %s --amd-peel-trips | FileCheck %s
// RUN: kiln-opt %s --amd-peel-trips --amd-rotate-loops | FileCheck %s --check-prefix=ROTATED

// 70 elements in trips of 16: four are whole, the fifth has 6.
// CHECK-LABEL: llvm.func @depth(
// CHECK: %[[LEFT:.*]] = arith.constant 6 : i32
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK: %[[ACC:.*]] = scf.for %{{.*}} = %{{.*}} to %[[FOUR]] step
// CHECK-NOT: mask
// CHECK: simt.mma
// CHECK: {peeled}
// CHECK: %[[MASK:.*]] = arith.cmpi slt, %{{.*}}, %[[LEFT]] : i32
// CHECK: simt.load {{.*}} mask %[[MASK]]
// CHECK: %[[LAST:.*]] = simt.mma {{.*}} plus (%[[ACC]])
// CHECK-NOT: simt.mma
// CHECK: simt.store %[[LAST]]

// It tests behind its body.
// ROTATED-LABEL: llvm.func @depth(
// ROTATED: scf.while
// ROTATED: simt.mma
// ROTATED: arith.cmpi slt
// ROTATED-NEXT: scf.condition
// ROTATED: scf.yield
// ROTATED-NOT: scf.for
// ROTATED: llvm.return
llvm.func @depth(%p: !llvm.ptr<1>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %c15 = arith.constant 15 : i32
  %c16 = arith.constant 16 : i32
  %c70 = arith.constant 70 : i32
  %zero = arith.constant 0.0 : f32
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %lane = arith.andi %t, %c15 : i32
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero) -> f32 : i32 {
    %k = arith.muli %i, %c16 : i32
    %left = arith.subi %c70, %k : i32
    %size = arith.minsi %left, %c16 : i32
    %mask = arith.cmpi slt, %lane, %size : i32
    %at = arith.addi %k, %lane : i32
    %q = llvm.getelementptr %p[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = simt.load %q mask %mask other %zero : f32 align 4 : !llvm.ptr<1> -> f32
    %d = simt.mma "mfma.f32.16x16x4f32" (%x) by (%x) plus (%s) : f32, f32, f32
    scf.yield %d : f32
  }
  simt.store %r, %p align 4 : f32, !llvm.ptr<1>
  llvm.return
}

// What stays: loops of which all trips need masks, loops of unknown length, and those without masks.
// CHECK-LABEL: llvm.func @others(
// CHECK-COUNT-3: simt.mma
// CHECK-NOT: simt.mma
// CHECK: llvm.return
llvm.func @others(%p: !llvm.ptr<1>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %zero = arith.constant 0.0 : f32
  %a = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero) -> f32 : i32 {
    %mask = arith.cmpi slt, %i, %n : i32
    %x = simt.load %p mask %mask other %zero : f32 align 4 : !llvm.ptr<1> -> f32
    %d = simt.mma "mfma.f32.16x16x4f32" (%x) by (%x) plus (%s) : f32, f32, f32
    scf.yield %d : f32
  }
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> f32 : i32 {
    %mask = arith.cmpi slt, %i, %c5 : i32
    %x = simt.load %p mask %mask other %zero : f32 align 4 : !llvm.ptr<1> -> f32
    %d = simt.mma "mfma.f32.16x16x4f32" (%x) by (%x) plus (%s) : f32, f32, f32
    scf.yield %d : f32
  }
  %c = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %b) -> f32 : i32 {
    %x = simt.load %p align 4 : !llvm.ptr<1> -> f32
    %d = simt.mma "mfma.f32.16x16x4f32" (%x) by (%x) plus (%s) : f32, f32, f32
    scf.yield %d : f32
  }
  simt.store %c, %p align 4 : f32, !llvm.ptr<1>
  llvm.return
}
