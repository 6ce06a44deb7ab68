// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of two threads to one byte of shared memory need a barrier, a wait or a proxy fence between them; each function that
// breaks this rule does so on purpose.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(llvm.func(simt-verify-barriers))'

// Everybody reads what the next thread wrote, and then writes there again.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @parted(%x: f32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 512>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %after = arith.addi %i, %c1 : i32
  %next = arith.andi %after, %c63 : i32
  %p = llvm.getelementptr %memory[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %q = llvm.getelementptr %memory[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  llvm.store %x, %p : f32, !llvm.ptr<3>
  gpu.barrier
  %y = llvm.load %q : !llvm.ptr<3> -> f32
  gpu.barrier
  llvm.store %y, %p : f32, !llvm.ptr<3>
  %own = llvm.load %p : !llvm.ptr<3> -> f32
  // Other bytes, and two threads that only read.
  %beside = llvm.getelementptr %p[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  llvm.store %own, %beside : f32, !llvm.ptr<3>
  llvm.return
}

// A barrier that names shared memory parts accesses to it.
llvm.func @named(%x: f32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 256>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c32 = arith.constant 32 : i32
  %other = arith.xori %i, %c32 : i32
  %p = llvm.getelementptr %memory[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %q = llvm.getelementptr %memory[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  llvm.store %x, %p : f32, !llvm.ptr<3>
  simt.barrier shared
  %y = llvm.load %q : !llvm.ptr<3> -> f32
  simt.barrier all
  llvm.store %y, %p : f32, !llvm.ptr<3>
  llvm.return
}

// -----

llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @no_barrier(%x: f32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 256>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c32 = arith.constant 32 : i32
  %other = arith.xori %i, %c32 : i32
  %p = llvm.getelementptr %memory[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %q = llvm.getelementptr %memory[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  // expected-note@+1 {{it does so here}}
  llvm.store %x, %p : f32, !llvm.ptr<3>
  // The warp is not enough: the other thread is of another one.
  simt.warp_barrier
  // expected-error@+1 {{reads byte 0 of the block's memory in thread 32, which thread 0 writes before, and no barrier parts the two}}
  %y = llvm.load %q : !llvm.ptr<3> -> f32
  llvm.return
}

// -----

// Lanes of one warp wait for it alone.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @warp(%x: f32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 256>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c1 = arith.constant 1 : i32
  %other = arith.xori %i, %c1 : i32
  %p = llvm.getelementptr %memory[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %q = llvm.getelementptr %memory[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  llvm.store %x, %p : f32, !llvm.ptr<3>
  simt.warp_barrier
  // expected-note@+1 {{it does so here}}
  %y = llvm.load %q : !llvm.ptr<3> -> f32
  // expected-error@+1 {{writes byte 0 of the block's memory in thread 0, which thread 1 reads before, and no barrier parts the two}}
  llvm.store %y, %p : f32, !llvm.ptr<3>
  llvm.return
}

// -----

// The next round of a loop writes what this one reads at its end.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @around(%x: f32, %n: i32) attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 128>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %other = arith.xori %i, %c1 : i32
  %p = llvm.getelementptr %memory[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %q = llvm.getelementptr %memory[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> f32 : i32 {
    // expected-error@+1 {{writes byte 0 of the block's memory in thread 0, which thread 1 reads before, and no barrier parts the two}}
    llvm.store %v, %p : f32, !llvm.ptr<3>
    gpu.barrier
    // expected-note@+1 {{it does so here}}
    %y = llvm.load %q : !llvm.ptr<3> -> f32
    scf.yield %y : f32
  }
  llvm.return
}

// -----

// Three slots, of which two are filled ahead; the last two iterations fill none.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @ring(%from: !llvm.ptr<1>, %n: i64) attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 1536>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c16 = arith.constant 16 : i32
  %own = arith.muli %i, %c16 : i32
  %c1 = arith.constant 1 : i32
  %neighbour = arith.xori %i, %c1 : i32
  %others = arith.muli %neighbour, %c16 : i32
  %start = arith.constant 0 : i32
  %size = arith.constant 512 : i32
  %end = arith.constant 1536 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %p = llvm.getelementptr %memory[%own] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %some = arith.cmpi sgt, %n, %zero : i64
  simt.copy_async %from to %p bytes 16 mask %some : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  %more = arith.cmpi sgt, %n, %one : i64
  %p1 = llvm.getelementptr %p[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  simt.copy_async %from to %p1 bytes 16 mask %more : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  %filled = arith.constant 1024 : i32
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%fill = %filled, %use = %start) -> (i32, i32) : i64 {
    %ahead = arith.addi %k, %two : i64
    %is = arith.cmpi slt, %ahead, %n : i64
    simt.wait_copies but 1
    gpu.barrier
    %to = llvm.getelementptr %p[%fill] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    simt.copy_async %from to %to bytes 16 mask %is : !llvm.ptr<1>, !llvm.ptr<3>
    simt.commit_copies
    %q = llvm.getelementptr %memory[%others] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %slot = llvm.getelementptr %q[%use] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %y = llvm.load %slot : !llvm.ptr<3> -> vector<4xf32>
    %f = arith.addi %fill, %size : i32
    %f0 = arith.cmpi eq, %f, %end : i32
    %f1 = arith.select %f0, %start, %f : i32
    %f2 = arith.select %is, %f1, %fill : i32
    %u = arith.addi %use, %size : i32
    %u0 = arith.cmpi eq, %u, %end : i32
    %u1 = arith.select %u0, %start, %u : i32
    scf.yield %f2, %u1 : i32, i32
  }
  // Nothing is under way any more.
  gpu.barrier
  %z = arith.constant 0.0 : f32
  llvm.store %z, %p : f32, !llvm.ptr<3>
  llvm.return
}

// -----

// The same with two slots: the one that is filled is being read.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @short_ring(%from: !llvm.ptr<1>, %n: i64) attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 1024>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c16 = arith.constant 16 : i32
  %own = arith.muli %i, %c16 : i32
  %start = arith.constant 0 : i32
  %size = arith.constant 512 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %p = llvm.getelementptr %memory[%own] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  // expected-note@+1 {{it does so here}}
  simt.copy_async %from to %p bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  %r = scf.for %k = %zero to %n step %one iter_args(%use = %start) -> i32 : i64 {
    %fill = arith.xori %use, %size : i32
    %to = llvm.getelementptr %p[%fill] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    simt.copy_async %from to %to bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
    simt.commit_copies
    // One group too many may be under way: none is waited for here.
    simt.wait_copies but 2
    gpu.barrier
    %slot = llvm.getelementptr %p[%use] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    // expected-error@+1 {{which thread 0 writes before, and no wait covers that copy}}
    %y = llvm.load %slot : !llvm.ptr<3> -> vector<4xf32>
    gpu.barrier
    scf.yield %fill : i32
  }
  llvm.return
}

// -----

// A copy that is waited for is there for its own thread; others need the barrier.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @waited(%from: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 128>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %p = llvm.getelementptr %memory[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  // expected-note@+1 {{it does so here}}
  simt.copy_async %from to %p bytes 4 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  simt.wait_copies but 0
  %own = llvm.load %p : !llvm.ptr<3> -> f32
  // expected-error@+1 {{reads byte 4 of the block's memory in thread 0, which thread 1 writes before, and no barrier parts the two}}
  %all = llvm.load %memory : !llvm.ptr<3> -> vector<2xf32>
  llvm.return
}

// -----

// Half of the threads do not come to the barrier.
llvm.func @alone(%x: f32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 256>} {
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c32 = arith.constant 32 : i32
  %is = arith.cmpi ult, %i, %c32 : i32
  scf.if %is {
    // expected-error@+1 {{is a barrier that thread 32 of the block does not reach}}
    gpu.barrier
  }
  llvm.return
}

// -----

// One thread writes, the others do not; an index from memory stays in its bounds, and is any number there.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @looked_up(%x: f32, %from: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 512>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c0 = arith.constant 0 : i32
  %c63 = arith.constant 63 : i32
  %first = arith.cmpi eq, %i, %c0 : i32
  scf.if %first {
    llvm.store %x, %memory : f32, !llvm.ptr<3>
  }
  %n = llvm.load %from : !llvm.ptr<1> -> i32
  %in = arith.andi %n, %c63 : i32
  %q = llvm.getelementptr %memory[%in] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %beyond = llvm.getelementptr %q[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %y = llvm.load %beyond : !llvm.ptr<3> -> f32
  gpu.barrier
  // What all write at once to one place is taken to be one value.
  // expected-note@+1 {{it does so here}}
  llvm.store %x, %memory : f32, !llvm.ptr<3>
  // expected-error@+1 {{reads byte 0 of the block's memory in thread 0, which thread 1 writes before}}
  %z = llvm.load %q : !llvm.ptr<3> -> f32
  llvm.return
}

// -----

// Lanes of a warp read matrices together, from rows that all of them wrote.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @matrices(%x: i32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 1024>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c16 = arith.constant 16 : i32
  %at = arith.muli %i, %c16 : i32
  %p = llvm.getelementptr %memory[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  // expected-note@+1 {{it does so here}}
  simt.store_matrix "rows" %x, %x, %x, %x to %p by 32 lanes of 16 : !llvm.ptr<3>, i32, i32, i32, i32
  simt.warp_barrier
  %w:4 = simt.load_matrix "rows" %p by 32 lanes of 16 : !llvm.ptr<3> -> i32, i32, i32, i32
  // The other warp's.
  %c512 = arith.constant 512 : i32
  %o = arith.xori %at, %c512 : i32
  %q = llvm.getelementptr %memory[%o] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  simt.warp_barrier
  // expected-error@+1 {{writes byte 0 of the block's memory in thread 32, which thread 0 writes before}}
  simt.store_matrix "rows" %x to %q by 8 lanes of 16 : !llvm.ptr<3>, i32
  llvm.return
}

// -----

// A product reads by itself until it is waited for: what it reads is left alone.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @product(%c: f32, %v: f32) attributes {simt.block = #simt.thread_block<threads = 128, shared_bytes = 16384>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %more = llvm.getelementptr %memory[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // expected-note@+1 {{it does so here}}
  %d:4 = simt.mma_async "mma.64x8x16" %memory : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0], bytes = 8192>
    by %more as #simt.matrix<row = 128, group = 1024, panel = 1024, summed = true, steps = [0], bytes = 1024> plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
  simt.commit_products
  gpu.barrier
  %behind = llvm.getelementptr %more[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  llvm.store %v, %behind : f32, !llvm.ptr<3>
  %last = llvm.getelementptr %more[1020] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // expected-error@+1 {{writes byte 9212 of the block's memory in thread 0, which thread 0 reads before, and no wait covers that product}}
  llvm.store %v, %last : f32, !llvm.ptr<3>
  llvm.return
}

// -----

// Of two groups the first one is waited for; groups of copies are others.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @groups(%c: f32, %v: f32) attributes {simt.block = #simt.thread_block<threads = 128, shared_bytes = 32768>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %more = llvm.getelementptr %memory[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %third = llvm.getelementptr %memory[16384] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %d:4 = simt.mma_async "mma.64x8x16" %memory : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0], bytes = 8192>
    by %more as #simt.matrix<row = 128, group = 1024, panel = 1024, summed = true, steps = [0], bytes = 1024> plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
  simt.commit_products
  // expected-note@+1 {{it does so here}}
  %e:4 = simt.mma_async "mma.64x8x16" %third : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0], bytes = 8192>
    by %more as #simt.matrix<row = 128, group = 1024, panel = 1024, summed = true, steps = [0], bytes = 1024> plus (%d#0, %d#1, %d#2, %d#3) : f32 at !llvm.ptr<3>
  simt.commit_products
  simt.commit_copies
  simt.wait_copies but 0
  %f:4 = simt.wait_products but 1 (%e#0, %e#1, %e#2, %e#3) : f32
  gpu.barrier
  llvm.store %v, %memory : f32, !llvm.ptr<3>
  // expected-error@+1 {{writes byte 16384 of the block's memory in thread 0, which thread 0 reads before, and no wait covers that product}}
  llvm.store %v, %third : f32, !llvm.ptr<3>
  llvm.return
}

// -----

// What threads write needs a proxy fence before the barrier behind which a product reads it.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @fenced(%c: f32, %v: f32) attributes {simt.block = #simt.thread_block<threads = 128, shared_bytes = 16384>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %more = llvm.getelementptr %memory[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  llvm.store %v, %more : f32, !llvm.ptr<3>
  simt.publish
  gpu.barrier
  %d:4 = simt.mma_async "mma.64x8x16" %memory : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0], bytes = 8192>
    by %more as #simt.matrix<row = 128, group = 1024, panel = 1024, summed = true, steps = [0], bytes = 1024> plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
  simt.commit_products
  %e:4 = simt.wait_products but 0 (%d#0, %d#1, %d#2, %d#3) : f32
  llvm.return
}

// -----

llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @late_fence(%c: f32, %v: f32) attributes {simt.block = #simt.thread_block<threads = 128, shared_bytes = 16384>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %more = llvm.getelementptr %memory[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // expected-note@+1 {{it does so here}}
  llvm.store %v, %more : f32, !llvm.ptr<3>
  gpu.barrier
  // Another thread's product may begin before the writer's fence.
  simt.publish
  // expected-error@+1 {{unverified: 'simt.mma_async' reads byte 8192 of the block's memory in thread 0, which thread 0 writes before, and no proxy fence stands between it and the barrier behind it}}
  %d:4 = simt.mma_async "mma.64x8x16" %memory : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0], bytes = 8192>
    by %more as #simt.matrix<row = 128, group = 1024, panel = 1024, summed = true, steps = [0], bytes = 1024> plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
  simt.commit_products
  %e:4 = simt.wait_products but 0 (%d#0, %d#1, %d#2, %d#3) : f32
  llvm.return
}

// -----

// Sums are in registers that the product still writes.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @early_sums(%c: f32, %n: i64, %to: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 128, shared_bytes = 16384>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %more = llvm.getelementptr %memory[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = scf.for %k = %zero to %n step %one iter_args(%s = %c) -> f32 : i64 {
    // expected-note@+1 {{the product is here}}
    %d:4 = simt.mma_async "mma.64x8x16" %memory : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0], bytes = 8192>
      by %more as #simt.matrix<row = 128, group = 1024, panel = 1024, summed = true, steps = [0], bytes = 1024> plus (%s, %c, %c, %c) : f32 at !llvm.ptr<3>
    simt.commit_products
    %e:4 = simt.wait_products but 1 (%d#0, %d#1, %d#2, %d#3) : f32
    scf.yield %e#0 : f32
  }
  %w = simt.wait_products but 0 (%c) : f32
  // expected-error@+1 {{unverified: 'llvm.store' uses sums of a product before a wait covers it}}
  llvm.store %r, %to : f32, !llvm.ptr<1>
  llvm.return
}

// -----

// A copy writes for as long as nothing waits for it, even if no thread of the function reads it.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @never_waited(%from: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 128>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %p = llvm.getelementptr %memory[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  // expected-error@+1 {{unverified: 'simt.copy_async' may still be in flight where the function ends: no wait covers it}}
  simt.copy_async %from to %p bytes 4 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  simt.wait_copies but 1
  llvm.return
}

// -----

// A split barrier orders what comes before the arrival, and what comes behind the wait.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @split(%x: f32) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 264>} {
  simt.create_split_barrier {place = 256 : i64}
  gpu.barrier
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c32 = arith.constant 32 : i32
  %other = arith.xori %i, %c32 : i32
  %p = llvm.getelementptr %memory[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %q = llvm.getelementptr %memory[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  llvm.store %x, %p : f32, !llvm.ptr<3>
  %phase = simt.arrive {place = 256 : i64}
  %own = llvm.load %p : !llvm.ptr<3> -> f32
  simt.await %phase {place = 256 : i64}
  // expected-note@+1 {{it does so here}}
  %y = llvm.load %q : !llvm.ptr<3> -> f32
  %again = simt.arrive {place = 256 : i64}
  // expected-error@+1 {{writes byte 0 of the block's memory in thread 0, which thread 32 reads before, and no barrier parts the two}}
  llvm.store %y, %p : f32, !llvm.ptr<3>
  simt.await %again {place = 256 : i64}
  llvm.return
}

// -----

// The threads that arrive must know that the barrier is there, and wait before they arrive again.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @not_made() attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 8>} {
  // expected-note@+1 {{it does so here}}
  simt.create_split_barrier {place = 0 : i64}
  // expected-error@+1 {{reads byte 0 of the block's memory in thread 1, which thread 0 writes before, and no barrier parts the two}}
  %phase = simt.arrive {place = 0 : i64}
  simt.await %phase {place = 0 : i64}
  llvm.return
}

// -----

llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @twice() attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 8>} {
  simt.create_split_barrier {place = 0 : i64}
  gpu.barrier
  %phase = simt.arrive {place = 0 : i64}
  // expected-error@+1 {{is a second arrival before the wait for the first one}}
  %second = simt.arrive {place = 0 : i64}
  simt.await %phase {place = 0 : i64}
  simt.await %second {place = 0 : i64}
  llvm.return
}

// -----

// The phase of an older arrival is over already.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @stale(%count: i64) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 8>} {
  simt.create_split_barrier {place = 0 : i64}
  gpu.barrier
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.index_cast %count : i64 to index
  // expected-error@+1 {{is an arrival that is waited for in several places}}
  %first = simt.arrive {place = 0 : i64}
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%phase = %first) -> (i64) {
    simt.await %first {place = 0 : i64}
    %next = simt.arrive {place = 0 : i64}
    scf.yield %next : i64
  }
  simt.await %last {place = 0 : i64}
  llvm.return
}

// -----

llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @other_phase(%phase: i64) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 8>} {
  simt.create_split_barrier {place = 0 : i64}
  gpu.barrier
  // expected-error@+1 {{waits for a phase that is not that of the latest arrival}}
  simt.await %phase {place = 0 : i64}
  llvm.return
}

// -----

// A loop within a loop, which begins where the outer one stands: what is copied before it is copied only if it runs.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @triangular(%from: !llvm.ptr<1>, %n: i64, %x: f32) attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 512>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c16 = arith.constant 16 : i32
  %own = arith.muli %i, %c16 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %p = llvm.getelementptr %memory[%own] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %end = arith.subi %n, %one : i64
  scf.for %k = %zero to %n step %one : i64 {
    %some = arith.cmpi slt, %k, %end : i64
    simt.copy_async %from to %p bytes 16 mask %some : !llvm.ptr<1>, !llvm.ptr<3>
    simt.commit_copies
    scf.for %j = %k to %end step %one : i64 {
      simt.wait_copies but 0
      %y = llvm.load %p : !llvm.ptr<3> -> vector<4xf32>
      %next = arith.addi %j, %one : i64
      %more = arith.cmpi slt, %next, %end : i64
      simt.copy_async %from to %p bytes 16 mask %more : !llvm.ptr<1>, !llvm.ptr<3>
      simt.commit_copies
    }
    llvm.store %x, %p : f32, !llvm.ptr<3>
  }
  llvm.return
}

// -----

// The same where what is copied before the inner loop is copied in any case.
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.func @triangular_always(%from: !llvm.ptr<1>, %n: i64, %x: f32) attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 512>} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %i = arith.index_castui %thread : index to i32
  %c16 = arith.constant 16 : i32
  %own = arith.muli %i, %c16 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %p = llvm.getelementptr %memory[%own] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %end = arith.subi %n, %one : i64
  scf.for %k = %zero to %n step %one : i64 {
    // expected-note@+1 {{it does so here}}
    simt.copy_async %from to %p bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
    simt.commit_copies
    scf.for %j = %k to %end step %one : i64 {
      simt.wait_copies but 0
      %y = llvm.load %p : !llvm.ptr<3> -> vector<4xf32>
    }
    // expected-error@+1 {{which thread 0 writes before, and no wait covers that copy}}
    llvm.store %x, %p : f32, !llvm.ptr<3>
  }
  llvm.return
}
