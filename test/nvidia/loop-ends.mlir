// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Before loops become branches, those whose next number may wrap run over their trips.
// RUN: kiln-opt %s --allow-unregistered-dialect --nvidia-lower-simt | FileCheck %s

// CHECK-LABEL: llvm.func @loops(
// CHECK-SAME: %[[N:.*]]: i32, %[[W:.*]]: i64)
llvm.func @loops(%n: i32, %w: i64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant 32 : i32
  // Nothing is behind the last number of steps of 1.
  // CHECK: scf.for %{{.*}} = %c0_i32 to %[[N]] step %c1_i32
  scf.for %i = %zero to %n step %one : i32 {
    "test.use"(%i) : (i32) -> ()
  }
  // CHECK: %[[DISTANCE:.*]] = arith.subi %[[N]], %c0_i32
  // CHECK: %[[REST:.*]] = arith.subi %[[DISTANCE]]
  // CHECK: %[[MORE:.*]] = arith.divui %[[REST]], %c32_i32
  // CHECK: %[[TRIPS:.*]] = arith.addi %[[MORE]]
  // CHECK: %[[RUNS:.*]] = arith.cmpi slt, %c0_i32, %[[N]]
  // CHECK: %[[END:.*]] = arith.select %[[RUNS]], %[[TRIPS]]
  // CHECK: scf.for unsigned %[[TRIP:.*]] = %{{.*}} to %[[END]]
  // CHECK: %[[PASSED:.*]] = arith.muli %[[TRIP]], %c32_i32
  // CHECK: %[[NUMBER:.*]] = arith.addi %c0_i32, %[[PASSED]]
  // CHECK: "test.use"(%[[NUMBER]])
  scf.for %i = %zero to %n step %step : i32 {
    "test.use"(%i) : (i32) -> ()
  }
  // 32-bit numbers are far from the ends of 64 bits, and so are sizes.
  // CHECK-NOT: arith.divui
  %n64 = arith.extsi %n : i32 to i64
  %zero64 = arith.constant 0 : i64
  %step64 = arith.constant 32 : i64
  scf.for %i = %zero64 to %n64 step %step64 : i64 {
    "test.use"(%i) : (i64) -> ()
  }
  %start = arith.constant 0 : index
  %size = arith.index_cast %w : i64 to index
  %block = arith.constant 64 : index
  scf.for %i = %start to %size step %block {
    "test.use"(%i) : (index) -> ()
  }
  // An unknown end of 64 bits is taken for a size.
  scf.for %i = %zero64 to %w step %step64 : i64 {
    "test.use"(%i) : (i64) -> ()
  }
  // CHECK: arith.divui
  %last = arith.constant 9223372036854775800 : i64
  scf.for %i = %zero64 to %last step %step64 : i64 {
    "test.use"(%i) : (i64) -> ()
  }
  llvm.return
}
