// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What thread code may do wrong is found where it happens. Whichever warp runs first, the second access is at fault.
// RUN: kiln-eval --verify %s
// RUN: for seed in 1 2 3; do not kiln-eval --seed=$seed %s 2> /dev/null | FileCheck %s --check-prefix=FAILS || exit 1; done
// FAILS: reads failed
// FAILS-NEXT: warps failed
// FAILS-NEXT: rounds failed
// FAILS-NEXT: global failed
// FAILS-NEXT: outside failed
// FAILS-NEXT: misaligned failed
// FAILS-NEXT: unwritten failed
// FAILS-NEXT: half failed
// FAILS-NEXT: one failed
// FAILS-NEXT: two failed
// FAILS-NEXT: exchange failed
// FAILS-NEXT: named failed
// FAILS-NEXT: all[0] = [64] i32: 0 1 2 3 {{.*}}
// FAILS-NEXT: alike failed
// FAILS-NEXT: crowd failed
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>

// Every thread reads what another one writes: the first of both to come is reported.
llvm.func @reads(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 128>, eval.args = ["zeros:i32:32"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c1 = arith.constant 1 : i32
  %other = arith.xori %t, %c1 : i32
  %p = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %q = llvm.getelementptr %memory[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  // expected-note@+1 {{it does so here}}
  llvm.store %t, %p : i32, !llvm.ptr<3>
  // expected-error@+1 {{race: thread 0 reads byte 4 of shared memory, which thread 1 writes without a barrier in between}}
  %x = llvm.load %q : !llvm.ptr<3> -> i32
  llvm.return
}

// A barrier of the warp parts its lanes, and no others.
llvm.func @warps() attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 256>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %near = arith.xori %t, %c1 : i32
  %far = arith.xori %t, %c32 : i32
  %p = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %q = llvm.getelementptr %memory[%near] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %r = llvm.getelementptr %memory[%far] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %isFirst = arith.cmpi ult, %t, %c32 : i32
  scf.if %isFirst {
    llvm.store %t, %p : i32, !llvm.ptr<3>
  }
  simt.warp_barrier
  scf.if %isFirst {
    %x = llvm.load %q : !llvm.ptr<3> -> i32
  }
  gpu.barrier
  scf.if %isFirst {
    // expected-error@+1 {{race: thread 0 writes byte 0 of shared memory, which thread 32 reads without a barrier in between}}
    llvm.store %t, %p : i32, !llvm.ptr<3>
  } else {
    // expected-note@+1 {{it does so here}}
    %y = llvm.load %r : !llvm.ptr<3> -> i32
  }
  llvm.return
}

// The next round writes what this one has read.
llvm.func @rounds() attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 128>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %other = arith.xori %t, %c1 : i32
  %p = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %q = llvm.getelementptr %memory[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  scf.for %i = %c0 to %c2 step %c1 : i32 {
    // expected-error@+1 {{race: thread 0 writes byte 0 of shared memory, which thread 1 reads without a barrier in between}}
    llvm.store %t, %p : i32, !llvm.ptr<3>
    gpu.barrier
    // expected-note@+1 {{it does so here}}
    %x = llvm.load %q : !llvm.ptr<3> -> i32
  }
  llvm.return
}

// Threads of a block race in global memory, too.
llvm.func @global(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 0>, eval.args = ["zeros:i32:1"]} {
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  // expected-error@+2 {{race: thread 1 writes byte 0 of argument 0, which thread 0 writes without a barrier in between}}
  // expected-note@+1 {{it does so here}}
  llvm.store %t, %out : i32, !llvm.ptr<1>
  llvm.return
}

llvm.func @outside() attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 64>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %p = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  // expected-error@+1 {{out-of-bounds access to shared memory: bytes 64 to 67 of 64}}
  llvm.store %t, %p : i32, !llvm.ptr<3>
  llvm.return
}

llvm.func @misaligned() attributes {simt.block = #simt.thread_block<threads = 1, shared_bytes = 64>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %p = llvm.getelementptr %memory[2] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // expected-error@+1 {{misaligned access to shared memory: byte 2, expected a multiple of 4}}
  %x = llvm.load %p : !llvm.ptr<3> -> i32
  llvm.return
}

// What nothing has written may be read, and computed with, but goes nowhere.
llvm.func @unwritten(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 1, shared_bytes = 64>, eval.args = ["zeros:i32:1"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  // expected-error@+1 {{reads byte 0 of shared memory, which no thread has written}}
  %x = llvm.load %memory : !llvm.ptr<3> -> i32
  %y = arith.addi %x, %x : i32
  // expected-note@+1 {{what is stored of thread 0 depends on it}}
  llvm.store %y, %out : i32, !llvm.ptr<1>
  llvm.return
}

// Half a warp comes to a barrier.
llvm.func @half() attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 4>} {
  %thread = gpu.thread_id x
  %c16 = arith.constant 16 : index
  %is = arith.cmpi ult, %thread, %c16 : index
  scf.if %is {
    // expected-error@+1 {{expected all lanes of the warp, found that thread 16 does not come here with thread 0}}
    gpu.barrier
  }
  llvm.return
}

// One warp of two.
llvm.func @one() attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 4>} {
  %thread = gpu.thread_id x
  %c32 = arith.constant 32 : index
  %is = arith.cmpi ult, %thread, %c32 : index
  scf.if %is {
    // expected-error@+1 {{thread 0 waits for thread 32, which does not come here}}
    gpu.barrier
  }
  // expected-note@+1 {{it has ended here}}
  llvm.return
}

// Two barriers are not one.
llvm.func @two() attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 4>} {
  %thread = gpu.thread_id x
  %c32 = arith.constant 32 : index
  %is = arith.cmpi ult, %thread, %c32 : index
  scf.if %is {
    // expected-error@+1 {{thread 0 waits for thread 32, which does not come here}}
    gpu.barrier
  } else {
    // expected-note@+1 {{it waits here}}
    gpu.barrier
  }
  llvm.return
}

llvm.func @exchange() attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 0>} {
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %is = arith.cmpi uge, %t, %c16 : i32
  scf.if %is {
    // expected-error@+1 {{expected all lanes of the warp, found that thread 0 does not come here with thread 16}}
    %x, %valid = gpu.shuffle xor %t, %c16, %c32 : i32
  }
  llvm.return
}

// A barrier that names shared memory orders no other memory.
llvm.func @named(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 0>, eval.args = ["zeros:i32:64"]} {
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c32 = arith.constant 32 : i32
  %other = arith.xori %t, %c32 : i32
  %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  %q = llvm.getelementptr %out[%other] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  // expected-note@+1 {{it does so here}}
  llvm.store %t, %p : i32, !llvm.ptr<1>
  simt.barrier shared
  // expected-error@+1 {{without a barrier in between}}
  %x = llvm.load %q : !llvm.ptr<1> -> i32
  llvm.return
}

// One for all memories does.
llvm.func @all(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 0>, eval.args = ["zeros:i32:64"]} {
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c32 = arith.constant 32 : i32
  %other = arith.xori %t, %c32 : i32
  %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  %q = llvm.getelementptr %out[%other] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %t, %p : i32, !llvm.ptr<1>
  simt.barrier all
  %x = llvm.load %q : !llvm.ptr<1> -> i32
  llvm.return
}

// What is said to be equal in a warp has to be.
llvm.func @alike() attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 0>} {
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  // expected-error@+1 {{expected one number in all lanes of a warp; that of thread 1 is another one}}
  %u = simt.uniform %t : i32
  llvm.return
}

// All warps of a cluster have a stack at once.
// expected-error@+1 {{unsupported: a cluster of more than 4096 warps}}
llvm.func @crowd() attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 0>, eval.grid = array<i64: 8192, 1, 1>} {
  tile.cluster_barrier [8192, 1, 1]
  llvm.return
}
