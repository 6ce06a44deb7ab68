// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies in flight: their bytes arrive at any time until the wait, and are nobody's until then.
// RUN: kiln-eval --verify %s | FileCheck %s
// RUN: kiln-eval --verify --seed=1 %s | FileCheck %s
// RUN: kiln-eval --verify --seed=2 %s | FileCheck %s
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>

// Groups end in order; what is not valid is zero, what is masked is not copied.
// CHECK: groups[1] = [4, 4] f32: 1 1 1 1 2 0 0 0 0 0 0 0 1 1 1 1
llvm.func @groups(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 4, shared_bytes = 128>,
    eval.args = [dense<[[1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0], [3.0, 3.0, 3.0, 3.0], [4.0, 4.0, 4.0, 4.0]]> : tensor<4x4xf32>,
                 "zeros:f32:4x4"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %p = llvm.getelementptr %in[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
  %q = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xf32>
  // 16 bytes of thread 0, 4 of thread 1, none of thread 2; thread 3 copies nothing.
  %is0 = arith.cmpi eq, %t, %c0 : i32
  %is1 = arith.cmpi eq, %t, %c1 : i32
  %few = arith.select %is1, %c4, %c0 : i32
  %valid = arith.select %is0, %c16, %few : i32
  %not3 = arith.cmpi ne, %t, %c3 : i32
  simt.copy_async %p to %q bytes 16 mask %not3 valid %valid : i32 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  %behind = llvm.getelementptr %q[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %yes = arith.constant true
  simt.copy_async %in to %behind bytes 16 valid %yes : i1 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  simt.wait_copies but 1
  gpu.barrier
  %o = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
  scf.if %not3 {
    %x = llvm.load %q : !llvm.ptr<3> -> vector<4xf32>
    llvm.store %x, %o : vector<4xf32>, !llvm.ptr<1>
  }
  simt.wait_copies but 0
  scf.if %not3 {
  } else {
    %y = llvm.load %behind : !llvm.ptr<3> -> vector<4xf32>
    llvm.store %y, %o : vector<4xf32>, !llvm.ptr<1>
  }
  llvm.return
}

llvm.func @early(%in: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 1, shared_bytes = 16>, eval.args = ["zeros:f32:4"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  // expected-note@+1 {{the copy, which is not waited for before}}
  simt.copy_async %in to %memory bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  simt.wait_copies but 1
  // expected-error@+1 {{thread 0 reads byte 0 of shared memory, which a copy in flight writes}}
  %x = llvm.load %memory : !llvm.ptr<3> -> f32
  llvm.return
}

// A group that was not committed is not waited for.
llvm.func @open(%in: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 1, shared_bytes = 16>, eval.args = ["zeros:f32:4"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  // expected-error@+1 {{is a copy that thread 0 does not wait for before it ends}}
  simt.copy_async %in to %memory bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.wait_copies but 0
  llvm.return
}

llvm.func @overwritten(%in: !llvm.ptr<1>, %x: f32) attributes {simt.block = #simt.thread_block<threads = 1, shared_bytes = 16>,
    eval.args = ["zeros:f32:4", 1.0 : f32]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  // expected-note@+1 {{the copy, which is not waited for before}}
  simt.copy_async %in to %memory bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  %p = llvm.getelementptr %memory[12] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // expected-error@+1 {{thread 0 writes byte 12 of shared memory, which a copy in flight writes}}
  llvm.store %x, %p : f32, !llvm.ptr<3>
  llvm.return
}

// The thread itself has waited: others need a barrier behind that.
llvm.func @apart(%in: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 2, shared_bytes = 32>, eval.args = ["zeros:f32:4"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c1 = arith.constant 1 : i32
  %other = arith.xori %t, %c1 : i32
  %p = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xf32>
  %q = llvm.getelementptr %memory[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xf32>
  // expected-note@+1 {{it does so here}}
  simt.copy_async %in to %p bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  gpu.barrier
  simt.wait_copies but 0
  // expected-error@+1 {{race: thread 0 reads byte 16 of shared memory, which thread 1 writes without a barrier in between}}
  %x = llvm.load %q : !llvm.ptr<3> -> f32
  llvm.return
}

// What is copied stays as it is until it has arrived.
llvm.func @source(%in: !llvm.ptr<1>, %x: f32) attributes {simt.block = #simt.thread_block<threads = 1, shared_bytes = 16>,
    eval.args = ["zeros:f32:4", 1.0 : f32]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  // expected-error@+1 {{is a copy whose source is written while it is in flight}}
  simt.copy_async %in to %memory bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  llvm.store %x, %in : f32, !llvm.ptr<1>
  simt.wait_copies but 0
  llvm.return
}

llvm.func @far(%in: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 1, shared_bytes = 16>, eval.args = ["zeros:f32:2"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  // expected-error@+1 {{out-of-bounds access by instance 0: byte}}
  simt.copy_async %in to %memory bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  simt.wait_copies but 0
  llvm.return
}
