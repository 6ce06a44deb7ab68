// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @load(%p: !llvm.ptr<3>) {
  // (C1)
  // expected-error@+1 {{'simt.load_matrix' op expected 1, 2 or 4 words, found 3}}
  %w:3 = simt.load_matrix %p : !llvm.ptr<3> -> i32, i32, i32
  return
}

// -----

func.func @store(%p: !llvm.ptr<3>, %w: i32) {
  // (C1)
  // expected-error@+1 {{'simt.store_matrix' op expected 1, 2 or 4 words, found 3}}
  simt.store_matrix %w, %w, %w to %p : !llvm.ptr<3>
  return
}
