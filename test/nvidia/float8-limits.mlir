// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that were limited to what a format of 8 bits holds need no replacement of what is too large, and the limits that the
// instruction sets by itself are taken away.
// RUN: kiln-opt %s --kiln-set-target=spec=nvidia --nvidia-lower-math | FileCheck %s

// CHECK-LABEL: llvm.func @own(
// CHECK-SAME: %[[X:.*]]: f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%{{.*}}, %[[X]])
// CHECK-NOT: arith.select
// CHECK: llvm.return
llvm.func @own(%x: f32) -> i8 {
  %most = arith.constant 448.0 : f32
  %least = arith.constant -448.0 : f32
  %a = arith.minimumf %x, %most : f32
  %b = arith.maximumf %a, %least : f32
  %c = arith.truncf %b : f32 to f8E4M3FN
  %d = arith.bitcast %c : f8E4M3FN to i8
  llvm.return %d : i8
}

// These make a number of NaN, which the instruction does not: they stay.
// CHECK-LABEL: llvm.func @numbers(
// CHECK: %[[L:.*]] = arith.minnumf
// CHECK: llvm.call_intrinsic "llvm.nvvm.ff.to.e5m2x2.rn"(%{{.*}}, %[[L]])
// CHECK-NOT: arith.select
// CHECK: llvm.return
llvm.func @numbers(%x: f32) -> i8 {
  %most = arith.constant 57344.0 : f32
  %least = arith.constant -57344.0 : f32
  %a = arith.maxnumf %x, %least : f32
  %b = arith.minnumf %a, %most : f32
  %c = arith.truncf %b : f32 to f8E5M2
  %d = arith.bitcast %c : f8E5M2 to i8
  llvm.return %d : i8
}

// Too wide, and on one side only.
// CHECK-LABEL: llvm.func @wide(
// CHECK: "llvm.nvvm.ff.to.e4m3x2.rn"
// CHECK: arith.select
llvm.func @wide(%x: f32) -> i8 {
  %most = arith.constant 500.0 : f32
  %least = arith.constant -500.0 : f32
  %a = arith.minimumf %x, %most : f32
  %b = arith.maximumf %a, %least : f32
  %c = arith.truncf %b : f32 to f8E4M3FN
  %d = arith.bitcast %c : f8E4M3FN to i8
  llvm.return %d : i8
}

// CHECK-LABEL: llvm.func @side(
// CHECK: "llvm.nvvm.ff.to.e4m3x2.rn"
// CHECK: arith.select
llvm.func @side(%x: f32) -> i8 {
  %most = arith.constant 448.0 : f32
  %a = arith.minimumf %x, %most : f32
  %c = arith.truncf %a : f32 to f8E4M3FN
  %d = arith.bitcast %c : f8E4M3FN to i8
  llvm.return %d : i8
}
