// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many rows that lie in the same lanes: these share out the rows, reduce 32 values each once instead of five times,
// and fetch the results. A combiner of two values does both alike; a padded axis has parts that are not there.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,cse,canonicalize)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,cse,canonicalize)' --mlir-print-op-generic | %python %S/execute.py %s

#rows = #simt.layout<rank = 2, register = [[0, 32], [1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#left = #simt.layout<rank = 1, register = [[1], [2], [4]], lane = [], warp = []>
#lane = #simt.layout<rank = 1, register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []>
#up = #simt.layout<rank = 2, register = [[0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>

// Eight rows: 4 + 2 + 1 exchanges by three bits of the lane, one by each of the other two, 8 fetches; not 40.
// CHECK-LABEL: llvm.func @sums(
// CHECK-COUNT-9: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle xor
// CHECK-COUNT-8: gpu.shuffle idx
// CHECK-NOT: gpu.shuffle
// CHECK: llvm.return
// sums: a: f32 = [float((i * 7) % 32) for i in range(512)], b: f32 = [0.0] * 8
// sums: expect b == [sum(a[64 * r:64 * r + 64]) for r in range(8)]
tile.kernel @sums(%x: !tile.view<8x64xf32> {tile.readonly}, %y: !tile.view<8xf32>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<8x64xf32> -> tensor<8x64xf32, #rows>
  %s = tile.reduce %a axis 1 : tensor<8x64xf32, #rows> -> tensor<8xf32, #left> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  tile.store %s, %y[%c0] : tensor<8xf32, #left>, !tile.view<8xf32>
}

// CHECK-LABEL: llvm.func @largest(
// largest: a: i32 = [(i * 37) % 101 for i in range(480)], b: i32 = [0] * 8
// largest: expect b == [max(range(60), key=lambda i: (a[60 * r + i], i)) for r in range(8)]
tile.kernel @largest(%x: !tile.view<8x60xi32> {tile.readonly}, %y: !tile.view<8xi32>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<8x60xi32> -> tensor<8x60xi32, #rows>
  %i = tile.iota 0 : tensor<60xi32, #lane>
  %e = tile.expand_dims %i axis 0 : tensor<60xi32, #lane> -> tensor<1x60xi32, #up>
  %n = tile.broadcast %e : tensor<1x60xi32, #up> -> tensor<8x60xi32, #rows>
  %m:2 = tile.reduce %a, %n axis 1 : tensor<8x60xi32, #rows>, tensor<8x60xi32, #rows> -> tensor<8xi32, #left>, tensor<8xi32, #left> {
  ^bb0(%p: i32, %i1: i32, %q: i32, %i2: i32):
    %more = arith.cmpi sgt, %p, %q : i32
    %same = arith.cmpi eq, %p, %q : i32
    %later = arith.cmpi sgt, %i1, %i2 : i32
    %both = arith.andi %same, %later : i1
    %first = arith.ori %more, %both : i1
    %v = arith.select %first, %p, %q : i32
    %j = arith.select %first, %i1, %i2 : i32
    tile.yield %v, %j : i32, i32
  }
  tile.store %m#1, %y[%c0] : tensor<8xi32, #left>, !tile.view<8xi32>
}
