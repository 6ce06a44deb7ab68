// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text with effects runs in one thread, which must not wait for others.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --nvidia-lower-simt

llvm.func @barrier() {
  // expected-error@+1 {{unsupported: inline assembly with effects in which threads wait for each other}}
  simt.inline_asm "{ bar.sync 0; }" isa "ptx" constraints ""() : () -> ()
  llvm.return
}

// -----

llvm.func @lanes(%x: i32) {
  // expected-error@+1 {{unsupported: inline assembly with effects in which threads wait for each other}}
  %a = simt.inline_asm "redux.sync.add.s32 $0, $1, -1;" isa "ptx" constraints "=r,r"(%x) : (i32) -> i32
  llvm.return
}

// -----

llvm.func @others(%x: i64) {
  simt.inline_asm "membar.gl; mbarrier.inval.b64 [$0];" isa "ptx" constraints "l"(%x) : (i64) -> ()
  llvm.return
}
