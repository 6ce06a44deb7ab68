// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @load(%p: !llvm.ptr<3>) {
  // (C1)
  // expected-error@+1 {{'simt.load_matrix' op expected 1, 2 or 4 words, found 3}}
  %w:3 = simt.load_matrix "rows" %p by 32 lanes of 16 : !llvm.ptr<3> -> i32, i32, i32
  return
}

// -----

func.func @store(%p: !llvm.ptr<3>, %w: i32) {
  // (C1)
  // expected-error@+1 {{'simt.store_matrix' op expected 1, 2 or 4 words, found 3}}
  simt.store_matrix "rows" %w, %w, %w to %p by 32 lanes of 16 : !llvm.ptr<3>, i32, i32, i32
  return
}

// -----

func.func @types(%p: !llvm.ptr<3>) {
  // (C1)
  // expected-error@+1 {{'simt.load_matrix' op expected words of one type}}
  %w:2 = simt.load_matrix "rows" %p by 16 lanes of 16 : !llvm.ptr<3> -> i32, i64
  return
}

// -----

func.func @lanes(%p: !llvm.ptr<3>) {
  // (C2)
  // expected-error@+1 {{'simt.load_matrix' op expected lanes to be a power of two, found 12}}
  %w = simt.load_matrix "rows" %p by 12 lanes of 16 : !llvm.ptr<3> -> i32
  return
}
