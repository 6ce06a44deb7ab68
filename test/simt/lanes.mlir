// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lanes of a warp do together.
// RUN: kiln-eval %s | FileCheck %s
// RUN: kiln-eval --seed=5 %s | FileCheck %s
module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one",
  memories = [#kiln.memory<name = "shared", scope = core, kind = explicit, size = 65536>],
  tile_moves = [
    #kiln.tile_move<name = "load", kind = load, home = "shared", bits = 32, matrices = 4,
      held = #simt.layout<rank = 2, register = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = []>,
      addressed = #simt.layout<rank = 2, register = [], lane = [[1, 0], [2, 0], [4, 0]], warp = []>>,
    #kiln.tile_move<name = "load.trans", kind = load, home = "shared", bits = 16, matrices = 4,
      held = #simt.layout<rank = 2, register = [[1, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>,
      addressed = #simt.layout<rank = 2, register = [], lane = [[1, 0], [2, 0], [4, 0]], warp = []>>,
    #kiln.tile_move<name = "store", kind = store, home = "shared", bits = 32, matrices = 4,
      held = #simt.layout<rank = 2, register = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = []>,
      addressed = #simt.layout<rank = 2, register = [], lane = [[1, 0], [2, 0], [4, 0]], warp = []>>]>} {
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>

// CHECK: shuffles[0] = [4, 8] i32: 1 0 3 2 5 4 7 6 -1 0 1 2 -1 4 5 6 2 3 -1 -1 6 7 -1 -1 3 3 3 3 7 7 7 7
llvm.func @shuffles(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 8, shared_bytes = 0>, eval.args = ["zeros:i32:4x8"]} {
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %none = arith.constant -1 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %x, %hasX = gpu.shuffle xor %t, %c1, %c4 : i32
  %u, %hasU = gpu.shuffle up %t, %c1, %c4 : i32
  %d, %hasD = gpu.shuffle down %t, %c2, %c4 : i32
  %i, %hasI = gpu.shuffle idx %t, %c3, %c4 : i32
  // What a lane gets of no lane is unspecified.
  %u1 = arith.select %hasU, %u, %none : i32
  %d1 = arith.select %hasD, %d, %none : i32
  %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %x, %p : i32, !llvm.ptr<1>
  %p1 = llvm.getelementptr %p[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  llvm.store %u1, %p1 : i32, !llvm.ptr<1>
  %p2 = llvm.getelementptr %p[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  llvm.store %d1, %p2 : i32, !llvm.ptr<1>
  %p3 = llvm.getelementptr %p[24] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  llvm.store %i, %p3 : i32, !llvm.ptr<1>
  llvm.return
}

// Two matrices of 8 rows of 8 numbers: a lane has two neighbours of a row, or, transposed, two of a column.
// CHECK: matrices[0] = [32, 2] i16: 0 1 2 3 4 5 6 7 8 9
// CHECK: matrices[1] = [32, 2] i16: 0 8 16 24 32 40 48 56 1 9
// CHECK: matrices[2] = [32] i16: 0 8 16 24 32 40 48 56 1 9
llvm.func @matrices(%plain: !llvm.ptr<1>, %across: !llvm.ptr<1>, %stored: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 256>, eval.args = ["zeros:i16:32x2", "zeros:i16:32x2", "zeros:i16:32"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %c16 = arith.constant 16 : i32
  // Thread t has the numbers 2 t and 2 t + 1.
  %even = arith.addi %t, %t : i32
  %high = arith.addi %even, %c1 : i32
  %shifted = arith.shli %high, %c16 : i32
  %word = arith.ori %shifted, %even : i32
  %p = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  llvm.store %word, %p : i32, !llvm.ptr<3>
  simt.warp_barrier
  %row = arith.andi %t, %c7 : i32
  %at = arith.muli %row, %c16 : i32
  %q = llvm.getelementptr %memory[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %w = simt.load_matrix "load" %q by 8 lanes of 16 : !llvm.ptr<3> -> i32
  %x:2 = simt.load_matrix "load.trans" %q by 16 lanes of 16 : !llvm.ptr<3> -> i32, i32
  %out = llvm.getelementptr %plain[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %w, %out : i32, !llvm.ptr<1>
  %out1 = llvm.getelementptr %across[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %x#1, %out1 : i32, !llvm.ptr<1>
  // Stored transposed, they lie as they were read.
  %r = llvm.getelementptr %q[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  simt.store_matrix "store" %x#0 to %r by 8 lanes of 16 : !llvm.ptr<3>, i32
  simt.warp_barrier
  %s = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i16
  %s1 = llvm.getelementptr %s[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %n = llvm.load %s1 : !llvm.ptr<3> -> i16
  %out2 = llvm.getelementptr %stored[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i16
  llvm.store %n, %out2 : i16, !llvm.ptr<1>
  llvm.return
}

// Every thread adds to one place; one of them changes 0 to 5.
// CHECK: atomics[0] = [3] i32: 2016 63 5
llvm.func @atomics(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 4>,
    eval.args = ["zeros:i32:3"]} {
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %old = llvm.atomicrmw add %out, %t monotonic : !llvm.ptr<1>, i32
  %p1 = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  %most = llvm.atomicrmw max %p1, %t monotonic : !llvm.ptr<1>, i32
  %p2 = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  %c0 = arith.constant 0 : i32
  %c5 = arith.constant 5 : i32
  %pair = llvm.cmpxchg %p2, %c0, %c5 acq_rel monotonic : !llvm.ptr<1>, i32
  %found = llvm.extractvalue %pair[0] : !llvm.struct<(i32, i1)>
  %changed = llvm.extractvalue %pair[1] : !llvm.struct<(i32, i1)>
  %wasNone = arith.cmpi eq, %found, %c0 : i32
  %differs = arith.xori %wasNone, %changed : i1
  scf.if %differs {
    llvm.store %c0, %p2 : i32, !llvm.ptr<1>
  }
  llvm.return
}

// The same for atomic operations of this level, between fences.
// CHECK: told[0] = [3] i32: 2016 0 7
llvm.func @told(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 4>,
    eval.args = ["zeros:i32:3"]} {
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  simt.fence release device
  %old = simt.atomic_rmw add monotonic device %out, %t : !llvm.ptr<1>, i32
  simt.fence acquire device
  %p2 = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  %c0 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %found = simt.atomic_cas acq_rel device %p2, %c0, %c7 : !llvm.ptr<1>, i32
  llvm.return
}
}
