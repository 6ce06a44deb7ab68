// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread gets at most 512 elements of a tile, because compiling more takes minutes: a kernel with four warps gets more of them, and a
// tile beyond 512 elements for each of 1024 threads is refused.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx942},tile.kernel(simt-assign-layouts))' | FileCheck %s

// CHECK-LABEL: tile.kernel @shared
// CHECK-SAME: warps = 8
tile.kernel @shared(%x: !tile.view<262144xf32>) attributes {tile.hints = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<262144xf32> -> tensor<262144xf32>
  tile.store %a, %x[%c0] : tensor<262144xf32>, !tile.view<262144xf32>
}

// -----

tile.kernel @beyond(%x: !tile.view<2097152xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{unsupported: a tile of 2097152 elements is 2048 for each of 1024 threads, more than 512 for threads of 512 registers}}
  %a = tile.load %x[%c0] : !tile.view<2097152xf32> -> tensor<2097152xf32>
}
