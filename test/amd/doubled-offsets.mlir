// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Offsets that add a value to itself again and again: what they are computed from is looked at a bounded number of times.
// RUN: timeout 60 kiln-opt %s --amd-lower-accesses | FileCheck %s
// CHECK-LABEL: llvm.func @doubled(
// CHECK: raw.ptr.buffer.load"
module attributes {kiln.target = #kiln.target<name = "amd", chip = "gfx942", cpu = "gfx942">} {
llvm.func @doubled(%base: !llvm.ptr<1>, %mask: i1) {
  %extent = arith.constant 1048576 : i64
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %block = gpu.block_id x
  %x0 = arith.index_castui %block : index to i64
  scf.for %i = %c0 to %c64 step %c1 : i64 {
    %x1 = arith.addi %x0, %x0 : i64
    %x2 = arith.addi %x1, %x1 : i64
    %x3 = arith.addi %x2, %x2 : i64
    %x4 = arith.addi %x3, %x3 : i64
    %x5 = arith.addi %x4, %x4 : i64
    %x6 = arith.addi %x5, %x5 : i64
    %x7 = arith.addi %x6, %x6 : i64
    %x8 = arith.addi %x7, %x7 : i64
    %x9 = arith.addi %x8, %x8 : i64
    %x10 = arith.addi %x9, %x9 : i64
    %x11 = arith.addi %x10, %x10 : i64
    %x12 = arith.addi %x11, %x11 : i64
    %x13 = arith.addi %x12, %x12 : i64
    %x14 = arith.addi %x13, %x13 : i64
    %x15 = arith.addi %x14, %x14 : i64
    %x16 = arith.addi %x15, %x15 : i64
    %x17 = arith.addi %x16, %x16 : i64
    %x18 = arith.addi %x17, %x17 : i64
    %x19 = arith.addi %x18, %x18 : i64
    %x20 = arith.addi %x19, %x19 : i64
    %x21 = arith.addi %x20, %x20 : i64
    %x22 = arith.addi %x21, %x21 : i64
    %x23 = arith.addi %x22, %x22 : i64
    %x24 = arith.addi %x23, %x23 : i64
    %x25 = arith.addi %x24, %x24 : i64
    %x26 = arith.addi %x25, %x25 : i64
    %x27 = arith.addi %x26, %x26 : i64
    %x28 = arith.addi %x27, %x27 : i64
    %x29 = arith.addi %x28, %x28 : i64
    %x30 = arith.addi %x29, %x29 : i64
    %x31 = arith.addi %x30, %x30 : i64
    %x32 = arith.addi %x31, %x31 : i64
    %x33 = arith.addi %x32, %x32 : i64
    %x34 = arith.addi %x33, %x33 : i64
    %x35 = arith.addi %x34, %x34 : i64
    %x36 = arith.addi %x35, %x35 : i64
    %x37 = arith.addi %x36, %x36 : i64
    %x38 = arith.addi %x37, %x37 : i64
    %x39 = arith.addi %x38, %x38 : i64
    %x40 = arith.addi %x39, %x39 : i64
    %y0 = arith.andi %x40, %c64 : i64
    %y1 = arith.xori %y0, %y0 : i64
    %y2 = arith.xori %y1, %y1 : i64
    %y3 = arith.xori %y2, %y2 : i64
    %y4 = arith.xori %y3, %y3 : i64
    %y5 = arith.xori %y4, %y4 : i64
    %y6 = arith.xori %y5, %y5 : i64
    %y7 = arith.xori %y6, %y6 : i64
    %y8 = arith.xori %y7, %y7 : i64
    %y9 = arith.xori %y8, %y8 : i64
    %y10 = arith.xori %y9, %y9 : i64
    %y11 = arith.xori %y10, %y10 : i64
    %y12 = arith.xori %y11, %y11 : i64
    %y13 = arith.xori %y12, %y12 : i64
    %y14 = arith.xori %y13, %y13 : i64
    %y15 = arith.xori %y14, %y14 : i64
    %y16 = arith.xori %y15, %y15 : i64
    %y17 = arith.xori %y16, %y16 : i64
    %y18 = arith.xori %y17, %y17 : i64
    %y19 = arith.xori %y18, %y18 : i64
    %y20 = arith.xori %y19, %y19 : i64
    %y21 = arith.xori %y20, %y20 : i64
    %y22 = arith.xori %y21, %y21 : i64
    %y23 = arith.xori %y22, %y22 : i64
    %y24 = arith.xori %y23, %y23 : i64
    %y25 = arith.xori %y24, %y24 : i64
    %y26 = arith.xori %y25, %y25 : i64
    %y27 = arith.xori %y26, %y26 : i64
    %y28 = arith.xori %y27, %y27 : i64
    %y29 = arith.xori %y28, %y28 : i64
    %y30 = arith.xori %y29, %y29 : i64
    %y31 = arith.xori %y30, %y30 : i64
    %y32 = arith.xori %y31, %y31 : i64
    %y33 = arith.xori %y32, %y32 : i64
    %y34 = arith.xori %y33, %y33 : i64
    %y35 = arith.xori %y34, %y34 : i64
    %y36 = arith.xori %y35, %y35 : i64
    %y37 = arith.xori %y36, %y36 : i64
    %y38 = arith.xori %y37, %y37 : i64
    %y39 = arith.xori %y38, %y38 : i64
    %y40 = arith.xori %y39, %y39 : i64
    %offset = arith.addi %x40, %y40 : i64
    %p = llvm.getelementptr %base[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %v = simt.load %p in %base[%offset] of %extent : !llvm.ptr<1> align 4 : !llvm.ptr<1> -> f32
    %w = simt.load %p in %base[%y40] of %extent : !llvm.ptr<1> align 4 : !llvm.ptr<1> -> f32
    %t = simt.mma "mfma.f32.16x16x4f32" (%v) by (%w) plus (%w) : f32, f32, f32
    simt.store %t, %p align 4 : f32, !llvm.ptr<1>
  }
  llvm.return
}
}
