// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In loops that multiply, what lanes do not differ in is a scalar offset: that of the block and of the iteration.
// What may be negative stays with the lane.
// RUN: kiln-opt %s --amd-lower-accesses --canonicalize | FileCheck %s
// CHECK-LABEL: llvm.func @scalar(
// CHECK: %[[T:.*]] = arith.index_cast
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[STEP:.*]] = arith.trunci %[[I]]
// CHECK: %[[SCALAR:.*]] = arith.muli %[[STEP]], %c4096_i32
// CHECK: %[[OWN:.*]] = arith.trunci %[[T]]
// CHECK: %[[LANE:.*]] = arith.muli %[[OWN]], %c16_i32
// CHECK: raw.ptr.buffer.load"(%{{.*}}, %[[LANE]], %[[SCALAR]],
// CHECK: raw.ptr.buffer.load"(%{{.*}}, %{{.*}}, %c0_i32, %c0_i32)
module attributes {kiln.target = #kiln.target<name = "amd", chip = "gfx942", cpu = "gfx942">} {
llvm.func @scalar(%base: !llvm.ptr<1>, %k: i64, %mask: i1) {
  %extent = arith.constant 1048576 : i64
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c64 = arith.constant 64 : i64
  %c4096 = arith.constant 4096 : i64
  %thread = gpu.thread_id x
  %lane = arith.index_cast %thread : index to i64
  scf.for %i = %c0 to %c64 step %c1 : i64 {
    %row = arith.muli %i, %c4096 : i64
    %column = arith.muli %lane, %c16 : i64
    %offset = arith.addi %row, %column : i64
    %p = llvm.getelementptr %base[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %x = simt.load %p in %base[%offset] of %extent : !llvm.ptr<1> align 4 : !llvm.ptr<1> -> f32
    %other = arith.addi %offset, %k : i64
    %q = llvm.getelementptr %base[%other] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %z = simt.load %q in %base[%other] of %extent : !llvm.ptr<1> align 4 : !llvm.ptr<1> -> f32
    %t = simt.mma "mfma.f32.16x16x4f32" (%x) by (%z) plus (%z) : f32, f32, f32
    simt.store %t, %p align 4 : f32, !llvm.ptr<1>
  }
  llvm.return
}
// A mask that all iterations share chooses the part of the lane, in front of the loop. What the loop counts is the scalar part,
// as it stays inside of the buffer; the part of the block stays with the lane.
// CHECK-LABEL: llvm.func @shared_mask(
// CHECK: scf.for %[[I:.*]] =
// CHECK-DAG: %[[STEP:.*]] = arith.trunci %[[I]]
// CHECK-DAG: %[[SCALAR:.*]] = arith.muli %[[STEP]], %c4096_i32
// CHECK: %[[PLACE:.*]] = arith.select %arg1, %{{.*}}, %c-2147483648_i32
// CHECK: raw.ptr.buffer.load"(%{{.*}}, %[[PLACE]], %[[SCALAR]],
// The loop counts further than the buffer reaches: a lane outside could come inside. So it could where masks differ.
// CHECK-COUNT-2: raw.ptr.buffer.load"(%{{.*}}, %{{.*}}, %c0_i32, %c0_i32)
llvm.func @shared_mask(%base: !llvm.ptr<1>, %mask: i1) {
  %extent = arith.constant 1048576 : i64
  %small = arith.constant 65536 : i64
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c64 = arith.constant 64 : i64
  %c4096 = arith.constant 4096 : i64
  %block = gpu.block_id x
  %thread = gpu.thread_id x
  %first = arith.index_castui %block : index to i64
  %lane = arith.index_cast %thread : index to i64
  scf.for %i = %c0 to %c64 step %c1 : i64 {
    %row = arith.muli %i, %c4096 : i64
    %column = arith.muli %lane, %c16 : i64
    %moved = arith.addi %column, %first : i64
    %offset = arith.addi %row, %moved : i64
    %p = llvm.getelementptr %base[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %x = simt.load %p in %base[%offset] of %extent : !llvm.ptr<1> mask %mask align 4 : !llvm.ptr<1> -> f32
    %y = simt.load %p in %base[%offset] of %small : !llvm.ptr<1> mask %mask align 4 : !llvm.ptr<1> -> f32
    %own = arith.cmpi slt, %row, %first : i64
    %z = simt.load %p in %base[%offset] of %extent : !llvm.ptr<1> mask %own align 4 : !llvm.ptr<1> -> f32
    %t = simt.mma "mfma.f32.16x16x4f32" (%x) by (%y) plus (%z) : f32, f32, f32
    simt.store %t, %p align 4 : f32, !llvm.ptr<1>
  }
  llvm.return
}
}
