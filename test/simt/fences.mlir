// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Relaxed atomic operations synchronise blocks by the fences around them: what is in front of a release fence is known behind an
// acquire fence. What stands between a fence and an atomic operation is not.
// RUN: kiln-eval --verify %s
// RUN: kiln-eval %s 2> /dev/null | FileCheck %s
// CHECK: passed[0] = [3] i32: 1 7 7
// CHECK: chained[0] = [3] i32: 3 7 7

// Block 0 writes, and block 1 reads what it wrote where it has found the flag.
llvm.func @passed(%flag: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 1, shared_bytes = 0>,
    eval.grid = array<i64: 2, 1, 1>, eval.args = ["zeros:i32:3"]} {
  %data = llvm.getelementptr %flag[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  %copy = llvm.getelementptr %flag[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %block = gpu.block_id x
  %b = arith.index_castui %block : index to i32
  %isFirst = arith.cmpi eq, %b, %c0 : i32
  scf.if %isFirst {
    llvm.store %c7, %data : i32, !llvm.ptr<1>
    simt.fence release device
    %old = simt.atomic_rmw add monotonic device %flag, %c1 : !llvm.ptr<1>, i32
  } else {
    %old = simt.atomic_rmw add monotonic device %flag, %c0 : !llvm.ptr<1>, i32
    simt.fence acquire device
    %isSet = arith.cmpi eq, %old, %c1 : i32
    scf.if %isSet {
      %x = llvm.load %data : !llvm.ptr<1> -> i32
      llvm.store %x, %copy : i32, !llvm.ptr<1>
    }
  }
  llvm.return
}

// What block 1 has acquired it releases with its own fence.
llvm.func @chained(%flag: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 1, shared_bytes = 0>,
    eval.grid = array<i64: 3, 1, 1>, eval.args = ["zeros:i32:3"]} {
  %data = llvm.getelementptr %flag[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  %copy = llvm.getelementptr %flag[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c7 = arith.constant 7 : i32
  %block = gpu.block_id x
  %b = arith.index_castui %block : index to i32
  %isFirst = arith.cmpi eq, %b, %c0 : i32
  scf.if %isFirst {
    llvm.store %c7, %data : i32, !llvm.ptr<1>
  }
  simt.fence acq_rel device
  %old = simt.atomic_rmw add monotonic device %flag, %c1 : !llvm.ptr<1>, i32
  simt.fence acquire device
  %isLast = arith.cmpi eq, %old, %c2 : i32
  scf.if %isLast {
    %x = llvm.load %data : !llvm.ptr<1> -> i32
    llvm.store %x, %copy : i32, !llvm.ptr<1>
  }
  llvm.return
}

// Written behind the fence: the atomic operation does not release it, although another fence follows.
llvm.func @unreleased(%flag: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 1, shared_bytes = 0>,
    eval.grid = array<i64: 2, 1, 1>, eval.args = ["zeros:i32:3"]} {
  %data = llvm.getelementptr %flag[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %block = gpu.block_id x
  %b = arith.index_castui %block : index to i32
  %isFirst = arith.cmpi eq, %b, %c0 : i32
  scf.if %isFirst {
    simt.fence release device
    llvm.store %c7, %data : i32, !llvm.ptr<1>
    %old = simt.atomic_rmw add monotonic device %flag, %c1 : !llvm.ptr<1>, i32
    simt.fence acquire device
  } else {
    %old = simt.atomic_rmw add acquire device %flag, %c0 : !llvm.ptr<1>, i32
    // expected-warning@+1 {{race: instance 1 reads byte 4 of a buffer of 12 bytes that instance 0 has written without an order}}
    %x = llvm.load %data : !llvm.ptr<1> -> i32
  }
  llvm.return
}

// Read in front of the acquire fence: a release fence before the atomic operation does not stand for it.
llvm.func @unacquired(%flag: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 1, shared_bytes = 0>,
    eval.grid = array<i64: 2, 1, 1>, eval.args = ["zeros:i32:3"]} {
  %data = llvm.getelementptr %flag[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %block = gpu.block_id x
  %b = arith.index_castui %block : index to i32
  %isFirst = arith.cmpi eq, %b, %c0 : i32
  scf.if %isFirst {
    llvm.store %c7, %data : i32, !llvm.ptr<1>
    %old = simt.atomic_rmw add release device %flag, %c1 : !llvm.ptr<1>, i32
  } else {
    simt.fence release device
    %old = simt.atomic_rmw add monotonic device %flag, %c0 : !llvm.ptr<1>, i32
    // expected-warning@+1 {{race: instance 1 reads byte 4 of a buffer of 12 bytes that instance 0 has written without an order}}
    %x = llvm.load %data : !llvm.ptr<1> -> i32
    simt.fence acquire device
  }
  llvm.return
}

// An acquire fence in front of the atomic operation orders nothing that it finds.
llvm.func @early(%flag: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 1, shared_bytes = 0>,
    eval.grid = array<i64: 2, 1, 1>, eval.args = ["zeros:i32:3"]} {
  %data = llvm.getelementptr %flag[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %block = gpu.block_id x
  %b = arith.index_castui %block : index to i32
  %isFirst = arith.cmpi eq, %b, %c0 : i32
  scf.if %isFirst {
    llvm.store %c7, %data : i32, !llvm.ptr<1>
    simt.fence release device
    %old = simt.atomic_rmw add monotonic device %flag, %c1 : !llvm.ptr<1>, i32
  } else {
    simt.fence acquire device
    %old = simt.atomic_rmw add monotonic device %flag, %c0 : !llvm.ptr<1>, i32
    // expected-warning@+1 {{race: instance 1 reads byte 4 of a buffer of 12 bytes that instance 0 has written without an order}}
    %x = llvm.load %data : !llvm.ptr<1> -> i32
  }
  llvm.return
}
