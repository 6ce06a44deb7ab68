// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes that go different ways, and meet again.
// RUN: kiln-eval %s | FileCheck %s
// RUN: kiln-eval --seed=3 %s | FileCheck %s

// Bounds, conditions and carried values are of a lane.
// CHECK: loops[0] = [4] i32: 100 11 112 33
llvm.func @loops(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 4, shared_bytes = 0>, eval.args = ["zeros:i32:4"]} {
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c11 = arith.constant 11 : i32
  %sum = scf.for %i = %c0 to %t step %c1 iter_args(%s = %c0) -> i32 : i32 {
    %next = arith.addi %s, %c11 : i32
    scf.yield %next : i32
  }
  %odd = arith.andi %t, %c1 : i32
  %isOdd = arith.cmpi eq, %odd, %c1 : i32
  // Even ones count down to 100 + sum.
  %value = scf.if %isOdd -> i32 {
    scf.yield %sum : i32
  } else {
    %c100 = arith.constant 100 : i32
    %least = arith.addi %sum, %c100 : i32
    %c5 = arith.constant 5 : i32
    %from = arith.addi %least, %c5 : i32
    %found = scf.while (%x = %from) : (i32) -> i32 {
      %more = arith.cmpi sgt, %x, %least : i32
      scf.condition(%more) %x : i32
    } do {
    ^bb0(%x: i32):
      %less = arith.subi %x, %c1 : i32
      scf.yield %less : i32
    }
    %fives = arith.muli %t, %c5 : i32
    %u = arith.subi %found, %fives : i32
    scf.yield %u : i32
  }
  %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %value, %p : i32, !llvm.ptr<1>
  llvm.return
}

// Blocks: each lane leaves the loop after its own number of rounds.
// CHECK: blocks[0] = [4] i32: 0 2 4 6
llvm.func @blocks(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 4, shared_bytes = 0>, eval.args = ["zeros:i32:4"]} {
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  llvm.br ^head(%c0, %c0 : i32, i32)
^head(%i: i32, %s: i32):
  %more = arith.cmpi slt, %i, %t : i32
  llvm.cond_br %more, ^body, ^end
^body:
  %next = arith.addi %i, %c1 : i32
  %sum = arith.addi %s, %c2 : i32
  llvm.br ^head(%next, %sum : i32, i32)
^end:
  %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %s, %p : i32, !llvm.ptr<1>
  llvm.return
}

// CHECK: choices[0] = [4] i32: 5 6 7 7
llvm.func @choices(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 4, shared_bytes = 0>, eval.args = ["zeros:i32:4"]} {
  %thread = gpu.thread_id x
  %value = scf.index_switch %thread -> i32
  case 0 {
    %c5 = arith.constant 5 : i32
    scf.yield %c5 : i32
  }
  case 1 {
    %c6 = arith.constant 6 : i32
    scf.yield %c6 : i32
  }
  default {
    %c7 = arith.constant 7 : i32
    scf.yield %c7 : i32
  }
  %t = arith.index_castui %thread : index to i32
  %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %value, %p : i32, !llvm.ptr<1>
  llvm.return
}

// A block that stops has an assertion that does not hold; poison decides nothing.
// RUN: kiln-eval --verify %S/Inputs/stops.mlir
