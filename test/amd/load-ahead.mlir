// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of a loop with products are issued one iteration ahead, behind what puts their values into LDS and the barrier there,
// and carried by the loop.
// RUN: kiln-opt %s --amd-load-ahead --split-input-file | FileCheck %s

// CHECK-LABEL: llvm.func @ahead(
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %arg3, %arg4 : i32
// CHECK: %[[FIRST:.*]] = scf.if %[[ANY]] -> (vector<4xf16>) {
// CHECK: %[[AT0:.*]] = arith.extsi %arg3 : i32 to i64
// CHECK: llvm.getelementptr %arg0[%[[AT0]]]
// CHECK: simt.load
// CHECK: else
// CHECK: llvm.mlir.poison
// CHECK: scf.for %[[I:.*]] = %arg3 to %arg4 step %[[STEP:.*]] iter_args(%[[SUM:.*]] = %{{.*}}, %[[P:.*]] = %arg0, %[[V:.*]] = %[[FIRST]])
// CHECK-NOT: simt.load
// CHECK: llvm.store %[[V]], %arg1
// CHECK: simt.barrier shared
// CHECK: %[[LEFT:.*]] = arith.subi %arg4, %[[I]] : i32
// CHECK: %[[MORE:.*]] = arith.cmpi ugt, %[[LEFT]], %[[STEP]] : i32
// CHECK: %[[SUM1:.*]] = arith.addi %[[I]], %[[STEP]] : i32
// CHECK: %[[NEXT:.*]] = arith.select %[[MORE]], %[[SUM1]], %[[I]] : i32
// A carried address: that of the next iteration.
// CHECK: llvm.getelementptr %[[P]][16]
// CHECK: arith.select %[[MORE]], %{{.*}}, %[[P]] : !llvm.ptr<1>
// CHECK: arith.extsi %[[NEXT]] : i32 to i64
// CHECK: %[[LOADED:.*]] = simt.load
// CHECK: sched.barrier
// CHECK: simt.mma
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[LOADED]]
llvm.func @ahead(%x: !llvm.ptr<1>, %l: !llvm.ptr<3>, %b: vector<4xf16>, %begin: i32, %end: i32, %zero: f32) -> f32 {
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero, %p = %x) -> (f32, !llvm.ptr<1>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %q = llvm.getelementptr %p[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
    %v = simt.load %q align 8 : !llvm.ptr<1> -> vector<4xf16>
    llvm.store %v, %l : vector<4xf16>, !llvm.ptr<3>
    simt.barrier shared
    %a = llvm.load %l : !llvm.ptr<3> -> vector<4xf16>
    %s = simt.mma "mfma.f32.16x16x16f16" (%a) by (%b) plus (%sum) : vector<4xf16>, vector<4xf16>, f32
    simt.barrier shared
    %n = llvm.getelementptr %p[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f16
    scf.yield %s, %n : f32, !llvm.ptr<1>
  }
  llvm.return %r#0 : f32
}

// -----

// Not where the loop writes global memory, and not where the address comes from memory.
// CHECK-LABEL: llvm.func @writes(
// CHECK: scf.for
// CHECK-SAME: iter_args(%{{[^,]*}} = %{{[^,]*}}) -> (f32)
llvm.func @writes(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %b: vector<4xf16>, %begin: i32, %end: i32, %zero: f32) -> f32 {
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero) -> (f32) : i32 {
    %q = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %v = simt.load %q align 8 : !llvm.ptr<1> -> vector<4xf16>
    %s = simt.mma "mfma.f32.16x16x16f16" (%v) by (%b) plus (%sum) : vector<4xf16>, vector<4xf16>, f32
    simt.store %v, %y align 8 : vector<4xf16>, !llvm.ptr<1>
    scf.yield %s : f32
  }
  llvm.return %r : f32
}

// CHECK-LABEL: llvm.func @chased(
// CHECK: scf.for
// CHECK-SAME: iter_args(%{{[^,]*}} = %{{[^,]*}}, %{{[^,]*}} = %{{[^,]*}}) -> (f32, i32)
// CHECK: simt.load {{.*}} -> i32
// CHECK: simt.load {{.*}} -> vector<4xf16>
llvm.func @chased(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %b: vector<4xf16>, %begin: i32, %end: i32, %zero: f32) -> f32 {
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero, %j = %begin) -> (f32, i32) : i32 {
    %q = llvm.getelementptr %x[%j] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %k = simt.load %q align 4 : !llvm.ptr<1> -> i32
    %p = llvm.getelementptr %y[%k] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %v = simt.load %p align 8 : !llvm.ptr<1> -> vector<4xf16>
    %s = simt.mma "mfma.f32.16x16x16f16" (%v) by (%b) plus (%sum) : vector<4xf16>, vector<4xf16>, f32
    scf.yield %s, %k : f32, i32
  }
  llvm.return %r#0 : f32
}

// -----

// Masks of lanes that no hardware checks become branches: the last iteration has a branch around its loads instead of loading
// its own operands again.
// CHECK-LABEL: llvm.func @masked(
// CHECK: scf.for
// CHECK: simt.barrier shared
// CHECK: %[[MORE:.*]] = arith.cmpi ugt
// CHECK: %[[LOADED:.*]] = scf.if %[[MORE]] -> (vector<4xf16>) {
// CHECK: simt.load {{.*}} mask
// CHECK: else
// CHECK: llvm.mlir.poison
// CHECK: simt.mma
// CHECK: scf.yield %{{.*}}, %[[LOADED]]
llvm.func @masked(%x: !llvm.ptr<1>, %l: !llvm.ptr<3>, %b: vector<4xf16>, %begin: i32, %end: i32, %zero: f32, %most: i32, %none: vector<4xf16>) -> f32 {
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero) -> (f32) : i32 {
    %q = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %m = arith.cmpi slt, %i, %most : i32
    %v = simt.load %q mask %m other %none : vector<4xf16> align 8 : !llvm.ptr<1> -> vector<4xf16>
    llvm.store %v, %l : vector<4xf16>, !llvm.ptr<3>
    simt.barrier shared
    %a = llvm.load %l : !llvm.ptr<3> -> vector<4xf16>
    %s = simt.mma "mfma.f32.16x16x16f16" (%a) by (%b) plus (%sum) : vector<4xf16>, vector<4xf16>, f32
    simt.barrier shared
    scf.yield %s : f32
  }
  llvm.return %r : f32
}

// -----

// What a second product takes is loaded ahead as well, behind the write of what it replaces.
// CHECK-LABEL: llvm.func @second(
// CHECK: scf.for
// CHECK-SAME: iter_args(%{{[^,]*}} = %{{[^,]*}}, %[[V:[^,]*]] = %{{[^,]*}}, %[[W:[^,]*]] = %{{[^,]*}})
// CHECK: llvm.store %[[V]]
// CHECK: simt.barrier shared
// CHECK: %[[NEXT:.*]] = simt.load
// CHECK: simt.load_matrix
// CHECK: simt.mma
// CHECK-NOT: simt.load %
// CHECK: llvm.store %[[W]]
// CHECK: "llvm.amdgcn.sched.barrier"
// CHECK-NEXT: %[[LATER:.*]] = simt.load
// CHECK: "llvm.amdgcn.sched.barrier"
// CHECK: simt.mma
// CHECK: scf.yield %{{.*}}, %[[NEXT]], %[[LATER]]
llvm.func @second(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %l: !llvm.ptr<3>, %b: vector<4xf16>, %begin: i32, %end: i32, %zero: f32) -> f32 {
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero) -> (f32) : i32 {
    %q = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %v = simt.load %q align 8 : !llvm.ptr<1> -> vector<4xf16>
    llvm.store %v, %l : vector<4xf16>, !llvm.ptr<3>
    simt.barrier shared
    %a = simt.load_matrix "ds.read.tr16.b64" %l by 64 lanes of 8 : !llvm.ptr<3> -> i64
    %f = llvm.bitcast %a : i64 to vector<4xf16>
    %s = simt.mma "mfma.f32.16x16x16f16" (%f) by (%b) plus (%sum) : vector<4xf16>, vector<4xf16>, f32
    simt.barrier shared
    %p = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %w = simt.load %p align 8 : !llvm.ptr<1> -> vector<4xf16>
    llvm.store %w, %l : vector<4xf16>, !llvm.ptr<3>
    simt.barrier shared
    %c = llvm.load %l : !llvm.ptr<3> -> vector<4xf16>
    %t = simt.mma "mfma.f32.16x16x16f16" (%c) by (%b) plus (%s) : vector<4xf16>, vector<4xf16>, f32
    simt.barrier shared
    scf.yield %t : f32
  }
  llvm.return %r : f32
}

// -----

// A barrier that orders global memory as well keeps what is written behind the loop from loads; without a write before the loop
// it does not hold back those of the next iteration.
// CHECK-LABEL: llvm.func @written_behind(
// CHECK: scf.for
// CHECK: llvm.store
// CHECK: simt.barrier shared
// CHECK: simt.load
// CHECK: simt.mma
// CHECK: simt.barrier all
// CHECK: scf.yield
// CHECK-LABEL: llvm.func @written_before(
// CHECK: scf.for
// CHECK: simt.mma
// CHECK: simt.barrier all
// CHECK: simt.load
// CHECK: scf.yield
llvm.func @written_behind(%x: !llvm.ptr<1>, %l: !llvm.ptr<3>, %b: vector<4xf16>, %begin: i32, %end: i32, %zero: f32) {
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero) -> (f32) : i32 {
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %v = simt.load %p align 8 : !llvm.ptr<1> -> vector<4xf16>
    llvm.store %v, %l : vector<4xf16>, !llvm.ptr<3>
    simt.barrier shared
    %a = llvm.load %l : !llvm.ptr<3> -> vector<4xf16>
    %s = simt.mma "mfma.f32.16x16x16f16" (%a) by (%b) plus (%sum) : vector<4xf16>, vector<4xf16>, f32
    simt.barrier all
    scf.yield %s : f32
  }
  simt.store %r, %x align 4 : f32, !llvm.ptr<1>
  llvm.return
}
llvm.func @written_before(%x: !llvm.ptr<1>, %l: !llvm.ptr<3>, %b: vector<4xf16>, %begin: i32, %end: i32, %zero: f32) -> f32 {
  %c1 = arith.constant 1 : i32
  simt.store %zero, %x align 4 : f32, !llvm.ptr<1>
  %r = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero) -> (f32) : i32 {
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %v = simt.load %p align 8 : !llvm.ptr<1> -> vector<4xf16>
    llvm.store %v, %l : vector<4xf16>, !llvm.ptr<3>
    simt.barrier shared
    %a = llvm.load %l : !llvm.ptr<3> -> vector<4xf16>
    %s = simt.mma "mfma.f32.16x16x16f16" (%a) by (%b) plus (%sum) : vector<4xf16>, vector<4xf16>, f32
    simt.barrier all
    scf.yield %s : f32
  }
  llvm.return %r : f32
}
