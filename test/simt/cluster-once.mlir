// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two blocks of a cluster copy halves of a box for each other into a slot that is filled once: nothing tells that it is empty. What lets the
// other block and the copy unit know of the barrier, and what waits for both, is needed: without one of them the verifier objects.
// RUN: for seed in 0 1 2 3 4 5; do kiln-eval --seed=$seed %s | FileCheck %s || exit 1; done
// RUN: %python %source/test/gpu/mutations.py kiln-opt --least=8 < %s | FileCheck %s --check-prefix=MUTANTS
// CHECK: once[1] = [16] i32: 8 10 12 14 16 18 20 22 8 10 12 14 16 18 20 22
// MUTANTS: 8 mutants of 1 functions, 0 wrong
//
// Each barrier of the cluster has a reason of its own.
// RUN: sed '/FIRST/d' %s > %t.first.mlir && sed '/LAST/d' %s > %t.last.mlir
// RUN: not kiln-opt %t.first.mlir --pass-pipeline='builtin.module(llvm.func(simt-verify-barriers))' 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: not kiln-opt %t.last.mlir --pass-pipeline='builtin.module(llvm.func(simt-verify-barriers))' 2>&1 | FileCheck %s --check-prefix=ENDS
// NEVER: unverified: {{.*}}reaches barriers of other blocks, which may not be there yet
// ENDS: unverified: {{.*}}reaches the memory of other blocks, which may end before
module {
  llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
  llvm.func @once(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 72>, eval.grid = array<i64: 2, 1, 1>, eval.args = [dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16xi32>, "zeros:i32:16"]} {
    simt.create_barriers {place = 64 : i64, count = 1 : i64, arrivals = 1 : i64}
    tile.cluster_barrier [2, 1, 1] // FIRST
    simt.publish
    gpu.barrier
    %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
    %full = llvm.getelementptr %memory[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %thread = gpu.thread_id x
    %t = arith.index_castui %thread : index to i32
    %block = gpu.block_id x
    %b = arith.index_castui %block : index to i32
    %c0 = arith.constant 0 : i32
    %c3 = arith.constant 3 : i32
    %c8 = arith.constant 8 : i32
    %c0_64 = arith.constant 0 : i64
    %c1_64 = arith.constant 1 : i64
    %c2_64 = arith.constant 2 : i64
    %c8_64 = arith.constant 8 : i64
    %first = arith.cmpi eq, %t, %c0 : i32
    %inside = arith.cmpi slt, %t, %c8 : i32
    simt.expect_bytes %full bytes 64 mask %first : !llvm.ptr<3>
    simt.copy_in_cluster 2 %in[%c0_64, %c0_64] sizes(%c2_64, %c8_64) strides(%c8_64, %c1_64) box [2, 8] of i32 along 1
      to %memory barrier %full mask %first : !llvm.ptr<1>, !llvm.ptr<3>
    simt.await_parity %full parity %c0 : !llvm.ptr<3>
    %p = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %q = llvm.getelementptr %p[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %x = simt.load %p mask %inside other %c0 : i32 align 4 : !llvm.ptr<3> -> i32
    %y = simt.load %q mask %inside other %c0 : i32 align 4 : !llvm.ptr<3> -> i32
    %sum = arith.addi %x, %y : i32
    %row = arith.shli %b, %c3 : i32
    %place = arith.addi %row, %t : i32
    %o = llvm.getelementptr %out[%place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    simt.store %sum, %o mask %inside align 4 : i32, !llvm.ptr<1>
    tile.cluster_barrier [2, 1, 1] // LAST
    llvm.return
  }
}
