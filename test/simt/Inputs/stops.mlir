// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
llvm.mlir.global external @simt_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>

llvm.func @stops() attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 16>} {
  %thread = gpu.thread_id x
  %c32 = arith.constant 32 : index
  %isSecond = arith.cmpi uge, %thread, %c32 : index
  scf.if %isSecond {
    // expected-error@+1 {{the threads of a block stop here: an assertion does not hold}}
    simt.stop
  }
  // Those that have stopped are not waited for.
  gpu.barrier
  llvm.return
}

llvm.func @decides() attributes {simt.block = #simt.thread_block<threads = 32, shared_bytes = 0>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %bad = arith.divsi %c1, %c0 : i32
  %is = arith.cmpi eq, %bad, %c0 : i32
  // expected-error@+1 {{the condition of thread 0 is poison}}
  scf.if %is {
  }
  llvm.return
}
