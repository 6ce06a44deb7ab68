// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bulk copies, and barriers that count their bytes and the arrivals of warps that need a slot no more.
// RUN: for seed in 1 2 3; do not kiln-eval --seed=$seed %s 2> %t.err | FileCheck %s --check-prefix=RUNS || exit 1; done
// RUN: FileCheck %s --check-prefix=ERRORS < %t.err
// Columns 6 and 7 of rows 1 and 2 of a view of 3 x 8, and zeros outside: rows of 32 bytes, whose chunks of 16 bytes would change places in
// the next 128 bytes.
// RUNS: box[1] = [32] i32: 14 15 0 0 0 0 0 0 22 23 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// Without a swizzle rows lie whole: columns 6 to 9 of rows 1 and 2.
// RUNS: whole[1] = [32] i32: 14 15 0 0 22 23 0 0 0
// RUNS: early failed
// RUNS: unpublished failed
// RUNS: more failed
// RUNS: stuck failed
// RUNS: reused failed
// RUNS: roles[0] = [32] i32: 0 3 6 9
// RUNS: counts[0] = [32] i32: 0 1 2 3
// RUNS: alone failed
// ERRORS-DAG: which a copy in flight writes
// ERRORS-DAG: which a thread has written before and does not publish
// ERRORS-DAG: expected 1 arrivals in phase 0 of a barrier, found one more by thread 0
// ERRORS-DAG: thread 0 waits for phase 0 of the barrier at byte 128, which has 0 of 1 arrivals, and 0 bytes that nothing copies
// ERRORS-DAG: thread 0 waits for thread 32, which does not come here
// ERRORS-DAG: {{race: thread 0 writes byte 0 of shared memory, which thread 32 reads|thread 32 waits for phase 2 of the barrier}}
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>

llvm.func @box(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 136>,
    eval.args = [dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]> : tensor<24xi32>, "zeros:i32:32"]} {
  simt.create_barriers {place = 128 : i64, count = 1 : i64, arrivals = 1 : i64}
  simt.publish
  gpu.barrier
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %barrier = llvm.getelementptr %memory[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %t, %c0 : i32
  %c1_64 = arith.constant 1 : i64
  %c3_64 = arith.constant 3 : i64
  %c6_64 = arith.constant 6 : i64
  %c8_64 = arith.constant 8 : i64
  simt.expect_bytes %barrier bytes 128 mask %first : !llvm.ptr<3>
  simt.copy_bulk %in[%c1_64, %c6_64] sizes(%c3_64, %c8_64) strides(%c8_64, %c1_64) box [4, 8] of i32 along 1
    by #simt.swizzle<row = 128, chunk = 16, align = 128> to %memory barrier %barrier mask %first : !llvm.ptr<1>, !llvm.ptr<3>
  simt.await_parity %barrier parity %c0 : !llvm.ptr<3>
  %p = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %x = llvm.load %p : !llvm.ptr<3> -> i32
  %o = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %x, %o : i32, !llvm.ptr<1>
  llvm.return
}

llvm.func @whole(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 136>,
    eval.args = [dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]> : tensor<24xi32>, "zeros:i32:32"]} {
  simt.create_barriers {place = 128 : i64, count = 1 : i64, arrivals = 1 : i64}
  simt.publish
  gpu.barrier
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %barrier = llvm.getelementptr %memory[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %first = arith.cmpi eq, %t, %c0 : i32
  %inside = arith.cmpi slt, %t, %c8 : i32
  %c1_64 = arith.constant 1 : i64
  %c3_64 = arith.constant 3 : i64
  %c6_64 = arith.constant 6 : i64
  %c8_64 = arith.constant 8 : i64
  simt.expect_bytes %barrier bytes 32 mask %first : !llvm.ptr<3>
  simt.copy_bulk %in[%c1_64, %c6_64] sizes(%c3_64, %c8_64) strides(%c8_64, %c1_64) box [2, 4] of i32 along 1
    to %memory barrier %barrier mask %first : !llvm.ptr<1>, !llvm.ptr<3>
  simt.await_parity %barrier parity %c0 : !llvm.ptr<3>
  scf.if %inside {
    %p = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %x = llvm.load %p : !llvm.ptr<3> -> i32
    %o = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
  }
  llvm.return
}

// Threads read before they wait.
llvm.func @early(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 136>,
    eval.args = ["random:1:i32:32", "zeros:i32:32"]} {
  simt.create_barriers {place = 128 : i64, count = 1 : i64, arrivals = 1 : i64}
  simt.publish
  gpu.barrier
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %barrier = llvm.getelementptr %memory[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %t, %c0 : i32
  %c0_64 = arith.constant 0 : i64
  %c1_64 = arith.constant 1 : i64
  %c32_64 = arith.constant 32 : i64
  simt.expect_bytes %barrier bytes 128 mask %first : !llvm.ptr<3>
  simt.copy_bulk %in[%c0_64] sizes(%c32_64) strides(%c1_64) box [32] of i32 along 0
    by #simt.swizzle<row = 128, chunk = 16, align = 128> to %memory barrier %barrier mask %first : !llvm.ptr<1>, !llvm.ptr<3>
  %p = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %x = llvm.load %p : !llvm.ptr<3> -> i32
  %o = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %x, %o : i32, !llvm.ptr<1>
  simt.await_parity %barrier parity %c0 : !llvm.ptr<3>
  llvm.return
}

// What threads wrote before needs a proxy fence.
llvm.func @unpublished(%in: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 136>, eval.args = ["random:1:i32:32"]} {
  simt.create_barriers {place = 128 : i64, count = 1 : i64, arrivals = 1 : i64}
  simt.publish
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %barrier = llvm.getelementptr %memory[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %p = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  llvm.store %t, %p : i32, !llvm.ptr<3>
  gpu.barrier
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %t, %c0 : i32
  %c0_64 = arith.constant 0 : i64
  %c1_64 = arith.constant 1 : i64
  %c32_64 = arith.constant 32 : i64
  simt.expect_bytes %barrier bytes 128 mask %first : !llvm.ptr<3>
  simt.copy_bulk %in[%c0_64] sizes(%c32_64) strides(%c1_64) box [32] of i32 along 0
    by #simt.swizzle<row = 128, chunk = 16, align = 128> to %memory barrier %barrier mask %first : !llvm.ptr<1>, !llvm.ptr<3>
  simt.await_parity %barrier parity %c0 : !llvm.ptr<3>
  llvm.return
}

// More arrivals than a phase has.
llvm.func @more() attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 136>, eval.args = []} {
  simt.create_barriers {place = 128 : i64, count = 1 : i64, arrivals = 1 : i64}
  gpu.barrier
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %barrier = llvm.getelementptr %memory[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %t, %c0 : i32
  simt.expect_bytes %barrier bytes 128 mask %first : !llvm.ptr<3>
  simt.arrive_at %barrier mask %first : !llvm.ptr<3>
  llvm.return
}

// A wait for what nobody does.
llvm.func @stuck() attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 136>, eval.args = []} {
  simt.create_barriers {place = 128 : i64, count = 1 : i64, arrivals = 1 : i64}
  gpu.barrier
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %barrier = llvm.getelementptr %memory[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %c0 = arith.constant 0 : i32
  simt.await_parity %barrier parity %c0 : !llvm.ptr<3>
  llvm.return
}

// The second copy does not wait until the other warp has read the first one.
llvm.func @reused(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 136>,
    eval.args = ["random:1:i32:32", "zeros:i32:64"]} {
  simt.create_barriers {place = 128 : i64, count = 1 : i64, arrivals = 1 : i64}
  simt.publish
  gpu.barrier
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %barrier = llvm.getelementptr %memory[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c31 = arith.constant 31 : i32
  %first = arith.cmpi eq, %t, %c0 : i32
  %c0_64 = arith.constant 0 : i64
  %c1_64 = arith.constant 1 : i64
  %c32_64 = arith.constant 32 : i64
  simt.expect_bytes %barrier bytes 128 mask %first : !llvm.ptr<3>
  simt.copy_bulk %in[%c0_64] sizes(%c32_64) strides(%c1_64) box [32] of i32 along 0
    by #simt.swizzle<row = 128, chunk = 16, align = 128> to %memory barrier %barrier mask %first : !llvm.ptr<1>, !llvm.ptr<3>
  simt.await_parity %barrier parity %c0 : !llvm.ptr<3>
  %l = arith.andi %t, %c31 : i32
  %p = llvm.getelementptr %memory[%l] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %x = llvm.load %p : !llvm.ptr<3> -> i32
  %o = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %x, %o : i32, !llvm.ptr<1>
  simt.warp_barrier
  simt.expect_bytes %barrier bytes 128 mask %first : !llvm.ptr<3>
  simt.copy_bulk %in[%c0_64] sizes(%c32_64) strides(%c1_64) box [32] of i32 along 0
    by #simt.swizzle<row = 128, chunk = 16, align = 128> to %memory barrier %barrier mask %first : !llvm.ptr<1>, !llvm.ptr<3>
  simt.await_parity %barrier parity %c1 : !llvm.ptr<3>
  llvm.return
}

// Two warps with roles: one writes, and the other one reads behind a barrier of both. Registers change no values.
llvm.func @roles(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 128>, eval.args = ["zeros:i32:32"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %c3 = arith.constant 3 : i32
  %l = arith.andi %t, %c31 : i32
  %p = llvm.getelementptr %memory[%l] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %writes = arith.cmpi slt, %t, %c32 : i32
  scf.if %writes {
    simt.set_registers {count = 24 : i64}
    %x = arith.muli %t, %c3 : i32
    llvm.store %x, %p : i32, !llvm.ptr<3>
    simt.named_barrier {number = 1 : i64, threads = 64 : i64}
  } else {
    simt.set_registers {count = 240 : i64, more}
    simt.named_barrier {number = 1 : i64, threads = 64 : i64}
    %x = llvm.load %p : !llvm.ptr<3> -> i32
    %o = llvm.getelementptr %out[%l] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
  }
  llvm.return
}

// One role has a barrier of its own before the one of both: the other writes behind it what was read before.
llvm.func @counts(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 128>, eval.args = ["zeros:i32:32"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c32 = arith.constant 32 : i32
  %c31 = arith.constant 31 : i32
  %l = arith.andi %t, %c31 : i32
  %p = llvm.getelementptr %memory[%l] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %reads = arith.cmpi slt, %t, %c32 : i32
  scf.if %reads {
    llvm.store %t, %p : i32, !llvm.ptr<3>
    simt.named_barrier {number = 2 : i64, threads = 32 : i64}
    %x = llvm.load %p : !llvm.ptr<3> -> i32
    simt.named_barrier {number = 1 : i64, threads = 64 : i64}
    %o = llvm.getelementptr %out[%l] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
  } else {
    simt.named_barrier {number = 1 : i64, threads = 64 : i64}
    llvm.store %t, %p : i32, !llvm.ptr<3>
  }
  llvm.return
}

// A barrier that waits for more threads than come.
llvm.func @alone(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 128>, eval.args = ["zeros:i32:32"]} {
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c32 = arith.constant 32 : i32
  %comes = arith.cmpi slt, %t, %c32 : i32
  scf.if %comes {
    simt.named_barrier {number = 1 : i64, threads = 64 : i64}
  }
  llvm.return
}
