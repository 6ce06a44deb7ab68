// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers whose arrival and wait stand apart: what a thread did before it arrived is done for others behind their wait. Warps may be
// a phase apart, and no more.
// RUN: kiln-eval --verify %s
// RUN: for seed in 1 2 3; do not kiln-eval --seed=$seed %s 2> /dev/null | FileCheck %s --check-prefix=RUNS || exit 1; done
// RUNS: turns[0] = [128] i32: 32 33 34
// RUNS: early failed
// RUNS-NEXT: late failed
// RUNS-NEXT: made failed
// RUNS-NEXT: few failed
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>

// Two places in turns: each round reads what another warp wrote in the round before, while others write the other place.
llvm.func @turns(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 128, shared_bytes = 1544>, eval.args = ["zeros:i32:128"]} {
  simt.create_split_barrier {place = 1536 : i64}
  gpu.barrier
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c32 = arith.constant 32 : i32
  %c127 = arith.constant 127 : i32
  %c128 = arith.constant 128 : i32
  %after = arith.addi %t, %c32 : i32
  %other = arith.andi %after, %c127 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %p = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  llvm.store %t, %p : i32, !llvm.ptr<3>
  %first = simt.arrive {place = 1536 : i64}
  %last = scf.for %i = %c0 to %c8 step %c1 iter_args(%phase = %first) -> (i64) {
    simt.await %phase {place = 1536 : i64}
    %next = arith.addi %i, %c1 : index
    %round = arith.remui %i, %c3 : index
    %second = arith.remui %next, %c3 : index
    %r = arith.index_cast %round : index to i32
    %s = arith.index_cast %second : index to i32
    %base = arith.muli %r, %c128 : i32
    %there = arith.muli %s, %c128 : i32
    %from = arith.addi %base, %other : i32
    %to = arith.addi %there, %t : i32
    %q = llvm.getelementptr %memory[%from] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %w = llvm.getelementptr %memory[%to] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %w : i32, !llvm.ptr<3>
    %goes = simt.arrive {place = 1536 : i64}
    %x = llvm.load %q : !llvm.ptr<3> -> i32
    %o = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
    scf.yield %goes : i64
  }
  simt.await %last {place = 1536 : i64}
  llvm.return
}

// An arrival does not wait.
llvm.func @early() attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 264>} {
  simt.create_split_barrier {place = 256 : i64}
  gpu.barrier
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c32 = arith.constant 32 : i32
  %far = arith.xori %t, %c32 : i32
  %p = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %q = llvm.getelementptr %memory[%far] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %isFirst = arith.cmpi ult, %t, %c32 : i32
  scf.if %isFirst {
    // expected-error@+1 {{race: thread 0 writes byte 0 of shared memory, which thread 32 reads without a barrier in between}}
    llvm.store %t, %p : i32, !llvm.ptr<3>
  }
  %phase = simt.arrive {place = 256 : i64}
  scf.if %isFirst {
  } else {
    // expected-note@+1 {{it does so here}}
    %y = llvm.load %q : !llvm.ptr<3> -> i32
  }
  simt.await %phase {place = 256 : i64}
  llvm.return
}

// What comes behind an arrival is not ordered by it.
llvm.func @late() attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 264>} {
  simt.create_split_barrier {place = 256 : i64}
  gpu.barrier
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c32 = arith.constant 32 : i32
  %far = arith.xori %t, %c32 : i32
  %p = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %q = llvm.getelementptr %memory[%far] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %isFirst = arith.cmpi ult, %t, %c32 : i32
  %phase = simt.arrive {place = 256 : i64}
  scf.if %isFirst {
    // expected-note@+1 {{it does so here}}
    llvm.store %t, %p : i32, !llvm.ptr<3>
  }
  simt.await %phase {place = 256 : i64}
  scf.if %isFirst {
  } else {
    // expected-error@+1 {{race: thread 32 reads byte 0 of shared memory, which thread 0 writes without a barrier in between}}
    %y = llvm.load %q : !llvm.ptr<3> -> i32
  }
  llvm.return
}

// Others have to know that the barrier is there.
llvm.func @made() attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 8>} {
  // expected-note@+1 {{it does so here}}
  simt.create_split_barrier {place = 0 : i64}
  // expected-error@+1 {{race: thread 1 reads byte 0 of shared memory, which thread 0 writes without a barrier in between}}
  %phase = simt.arrive {place = 0 : i64}
  simt.await %phase {place = 0 : i64}
  llvm.return
}

// All threads arrive.
llvm.func @few() attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 8>} {
  simt.create_split_barrier {place = 0 : i64}
  gpu.barrier
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c32 = arith.constant 32 : i32
  %isFirst = arith.cmpi ult, %t, %c32 : i32
  scf.if %isFirst {
    %phase = simt.arrive {place = 0 : i64}
    // expected-error@+1 {{thread 0 waits for thread 32, which does not arrive}}
    simt.await %phase {place = 0 : i64}
  }
  // expected-note@+1 {{it has ended here}}
  llvm.return
}
