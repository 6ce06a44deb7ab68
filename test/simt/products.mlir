// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products: of fragments in registers, and of factors in shared memory, which are in flight until the wait.
// RUN: kiln-eval --verify %s | FileCheck %s
// RUN: for seed in 1 2 3; do not kiln-eval --seed=$seed %s 2> /dev/null | FileCheck %s --check-prefixes=CHECK,FAILS || exit 1; done
module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one",
  memories = [#kiln.memory<name = "registers", scope = thread, kind = register>, #kiln.memory<name = "shared", scope = core, kind = explicit, size = 65536>],
  units = [#kiln.unit<name = "matrix", kind = matrix>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "mma", unit = "matrix", m = <2>, n = <2>, k = <2>,
      lhs = <types = [i8], home = "registers", layout = #simt.layout<rank = 2, register = [], lane = [[0, 1], [1, 0]], warp = []>>,
      rhs = <types = [i8], home = "registers", layout = #simt.layout<rank = 2, register = [], lane = [[1, 0], [0, 1]], warp = []>>,
      acc = <types = [i32], home = "registers", layout = #simt.layout<rank = 2, register = [], lane = [[0, 1], [1, 0]], warp = []>>>,
    #kiln.matrix_instruction<name = "wide", unit = "matrix", m = <4>, n = <2 to 8 by 2>, k = <16>,
      lhs = <types = [f16], home = "shared", layout = #simt.swizzle<row = 128, chunk = 16, align = 1024>>,
      rhs = <types = [f16], home = "shared", layout = #simt.swizzle<row = 128, chunk = 16, align = 1024>>,
      acc = <types = [f32], home = "registers", layout = #simt.layout<rank = 2, register = [], lane = [[0, 1], [1, 0]], warp = [[2, 0]]>>>]>} {
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>

// Lanes 0 to 3 have [0 1; 2 3] and [10 12; 11 13]; bytes are signed unless the operation says otherwise.
// CHECK: registers[0] = [4] i32: 111 113 153 163
llvm.func @registers(%out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 4, lanes = 4, shared_bytes = 0>, eval.args = ["zeros:i32:4"]} {
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %a = arith.trunci %t : i32 to i8
  %c10 = arith.constant 10 : i8
  %c100 = arith.constant 100 : i32
  %b = arith.addi %a, %c10 : i8
  %d = simt.mma "mma" (%a) by (%b) plus (%c100) : i8, i8, i32
  %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %d, %p : i32, !llvm.ptr<1>
  llvm.return
}

// Two products, the second one adds to the sums of the first one, which is in flight.
// CHECK: memory[2] = [4, 2] f32: 8 16 16 32 24 48 32 64
llvm.func @memory(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 8, lanes = 4, shared_bytes = 512>,
    eval.args = [dense<[[1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0], [2.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 0.0], [3.0, 0.0, 3.0, 0.0, 3.0, 0.0, 3.0, 0.0, 3.0, 0.0, 3.0, 0.0, 3.0, 0.0, 3.0, 0.0], [4.0, 0.0, 4.0, 0.0, 4.0, 0.0, 4.0, 0.0, 4.0, 0.0, 4.0, 0.0, 4.0, 0.0, 4.0, 0.0]]> : tensor<4x16xf16>,
                 dense<[[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]]> : tensor<2x16xf16>, "zeros:f32:4x2"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c4 = arith.constant 4 : i32
  %isLow = arith.cmpi ult, %t, %c4 : i32
  %lhs = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %right = llvm.getelementptr %memory[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %rhs = llvm.getelementptr %right[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %fromA = llvm.getelementptr %a[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %fromB = llvm.getelementptr %b[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %zero = arith.constant 0.0 : f32
  simt.copy_async %fromA to %lhs bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.copy_async %fromB to %rhs bytes 16 mask %isLow : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  simt.wait_copies but 0
  simt.publish
  gpu.barrier
  %d = simt.mma_async "wide" %memory : !llvm.ptr<3> as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 128>
    by %right as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 64> plus (%zero) : f32
    at !llvm.ptr<3>
  simt.commit_products
  %e = simt.mma_async "wide" %memory : !llvm.ptr<3> as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 128>
    by %right as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 64> plus (%d) : f32
    at !llvm.ptr<3>
  simt.commit_products
  %x:2 = simt.wait_products but 0 (%d, %e) : f32
  %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %sum = arith.subf %x#1, %x#0 : f32
  llvm.store %sum, %p : f32, !llvm.ptr<1>
  llvm.return
}

llvm.func @unpublished(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 8, lanes = 4, shared_bytes = 512>,
    eval.args = ["zeros:f16:4x16", "zeros:f16:2x16", "zeros:f32:4x2"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c4 = arith.constant 4 : i32
  %isLow = arith.cmpi ult, %t, %c4 : i32
  %lhs = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %right = llvm.getelementptr %memory[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %rhs = llvm.getelementptr %right[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %fromA = llvm.getelementptr %a[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %fromB = llvm.getelementptr %b[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %zero = arith.constant 0.0 : f32
  // expected-note@+1 {{it is written here}}
  simt.copy_async %fromA to %lhs bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.copy_async %fromB to %rhs bytes 16 mask %isLow : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  simt.wait_copies but 0
  gpu.barrier
  // expected-error@+1 {{reads byte 0 of shared memory, which its writer does not publish before a barrier}}
  %d = simt.mma_async "wide" %memory : !llvm.ptr<3> as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 128>
    by %right as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 64> plus (%zero) : f32
    at !llvm.ptr<3>
  llvm.return
}

// The barrier comes too early or not at all.
llvm.func @late(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 8, lanes = 4, shared_bytes = 512>,
    eval.args = ["zeros:f16:4x16", "zeros:f16:2x16", "zeros:f32:4x2"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c4 = arith.constant 4 : i32
  %isLow = arith.cmpi ult, %t, %c4 : i32
  %lhs = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %right = llvm.getelementptr %memory[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %rhs = llvm.getelementptr %right[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %fromA = llvm.getelementptr %a[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %fromB = llvm.getelementptr %b[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %zero = arith.constant 0.0 : f32
  // expected-note@+1 {{it does so here}}
  simt.copy_async %fromA to %lhs bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.copy_async %fromB to %rhs bytes 16 mask %isLow : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  simt.wait_copies but 0
  simt.publish
  // expected-error@+1 {{reads byte 64 of shared memory, which a thread writes without a barrier in between}}
  %d = simt.mma_async "wide" %memory : !llvm.ptr<3> as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 128>
    by %right as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 64> plus (%zero) : f32
    at !llvm.ptr<3>
  llvm.return
}

llvm.func @copied(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 8, lanes = 4, shared_bytes = 512>,
    eval.args = ["zeros:f16:4x16", "zeros:f16:2x16", "zeros:f32:4x2"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c4 = arith.constant 4 : i32
  %isLow = arith.cmpi ult, %t, %c4 : i32
  %lhs = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %right = llvm.getelementptr %memory[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %rhs = llvm.getelementptr %right[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %fromA = llvm.getelementptr %a[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %fromB = llvm.getelementptr %b[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %zero = arith.constant 0.0 : f32
  // expected-note@+1 {{the copy, which is not waited for before}}
  simt.copy_async %fromA to %lhs bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.copy_async %fromB to %rhs bytes 16 mask %isLow : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  simt.publish
  gpu.barrier
  // expected-error@+1 {{reads byte 0 of shared memory, which a copy in flight writes}}
  %d = simt.mma_async "wide" %memory : !llvm.ptr<3> as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 128>
    by %right as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 64> plus (%zero) : f32
    at !llvm.ptr<3>
  llvm.return
}

llvm.func @overwritten(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 8, lanes = 4, shared_bytes = 512>,
    eval.args = ["zeros:f16:4x16", "zeros:f16:2x16", "zeros:f32:4x2"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c4 = arith.constant 4 : i32
  %isLow = arith.cmpi ult, %t, %c4 : i32
  %lhs = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %right = llvm.getelementptr %memory[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %rhs = llvm.getelementptr %right[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %fromA = llvm.getelementptr %a[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %fromB = llvm.getelementptr %b[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %zero = arith.constant 0.0 : f32
  simt.copy_async %fromA to %lhs bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.copy_async %fromB to %rhs bytes 16 mask %isLow : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  simt.wait_copies but 0
  simt.publish
  gpu.barrier
  // expected-note@+1 {{the product, which is not waited for before}}
  %d = simt.mma_async "wide" %memory : !llvm.ptr<3> as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 128>
    by %right as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 64> plus (%zero) : f32
    at !llvm.ptr<3>
  simt.commit_products
  gpu.barrier
  %last = llvm.getelementptr %memory[28] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %c0 = arith.constant 0 : i32
  %isFirst = arith.cmpi eq, %t, %c0 : i32
  // expected-error@+1 {{thread 0 writes byte 28 of shared memory, which a product in flight reads}}
  simt.store %zero, %last mask %isFirst align 4 : f32, !llvm.ptr<3>
  %x = simt.wait_products but 0 (%d) : f32
  llvm.return
}

llvm.func @used(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 8, lanes = 4, shared_bytes = 512>,
    eval.args = ["zeros:f16:4x16", "zeros:f16:2x16", "zeros:f32:4x2"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c4 = arith.constant 4 : i32
  %isLow = arith.cmpi ult, %t, %c4 : i32
  %lhs = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %right = llvm.getelementptr %memory[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %rhs = llvm.getelementptr %right[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %fromA = llvm.getelementptr %a[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %fromB = llvm.getelementptr %b[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %zero = arith.constant 0.0 : f32
  simt.copy_async %fromA to %lhs bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.copy_async %fromB to %rhs bytes 16 mask %isLow : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  simt.wait_copies but 0
  simt.publish
  gpu.barrier
  // expected-error@+1 {{is a product in flight, which is not waited for before its sum is used}}
  %d = simt.mma_async "wide" %memory : !llvm.ptr<3> as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 128>
    by %right as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 64> plus (%zero) : f32
    at !llvm.ptr<3>
  simt.commit_products
  %x = simt.wait_products but 1 (%d) : f32
  %y = arith.addf %x, %x : f32
  %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  // expected-note@+1 {{what is stored of thread 0 depends on it}}
  llvm.store %y, %p : f32, !llvm.ptr<1>
  llvm.return
}

llvm.func @left(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 8, lanes = 4, shared_bytes = 512>,
    eval.args = ["zeros:f16:4x16", "zeros:f16:2x16", "zeros:f32:4x2"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c4 = arith.constant 4 : i32
  %isLow = arith.cmpi ult, %t, %c4 : i32
  %lhs = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %right = llvm.getelementptr %memory[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %rhs = llvm.getelementptr %right[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %fromA = llvm.getelementptr %a[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %fromB = llvm.getelementptr %b[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %zero = arith.constant 0.0 : f32
  simt.copy_async %fromA to %lhs bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.copy_async %fromB to %rhs bytes 16 mask %isLow : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  simt.wait_copies but 0
  simt.publish
  gpu.barrier
  // expected-error@+1 {{is a product that thread 0 does not wait for before it ends}}
  %d = simt.mma_async "wide" %memory : !llvm.ptr<3> as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 128>
    by %right as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 64> plus (%zero) : f32
    at !llvm.ptr<3>
  simt.commit_products
  llvm.return
}

// Both warps of the instruction must come to it.
llvm.func @alone(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 8, lanes = 4, shared_bytes = 512>,
    eval.args = ["zeros:f16:4x16", "zeros:f16:2x16", "zeros:f32:4x2"]} {
  %memory = llvm.mlir.addressof @simt_shared : !llvm.ptr<3>
  %thread = gpu.thread_id x
  %t = arith.index_castui %thread : index to i32
  %c4 = arith.constant 4 : i32
  %isLow = arith.cmpi ult, %t, %c4 : i32
  %lhs = llvm.getelementptr %memory[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %right = llvm.getelementptr %memory[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %rhs = llvm.getelementptr %right[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<8xf16>
  %fromA = llvm.getelementptr %a[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %fromB = llvm.getelementptr %b[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf16>
  %zero = arith.constant 0.0 : f32
  simt.copy_async %fromA to %lhs bytes 16 : !llvm.ptr<1>, !llvm.ptr<3>
  simt.copy_async %fromB to %rhs bytes 16 mask %isLow : !llvm.ptr<1>, !llvm.ptr<3>
  simt.commit_copies
  simt.wait_copies but 0
  simt.publish
  gpu.barrier
  scf.if %isLow {
    // expected-error@+1 {{thread 0 waits for thread 4, which does not come here}}
    %d = simt.mma_async "wide" %memory : !llvm.ptr<3> as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 128>
      by %right as #simt.matrix<row = 32, group = 256, panel = 256, summed = true, steps = [0], bytes = 64> plus (%zero) : f32
      at !llvm.ptr<3>
    simt.commit_products
    %x = simt.wait_products but 0 (%d) : f32
  }
  // expected-note@+1 {{it has ended here}}
  llvm.return
}
}

// Whatever the order of events is.
// FAILS: unpublished failed
// FAILS: late failed
// FAILS: copied failed
// FAILS: overwritten failed
// FAILS: used failed
// FAILS: left failed
// FAILS: alone failed
