// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of matrices by warps, where a description has them.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' --mlir-print-op-generic | %python %S/execute.py %s

#lhs = #simt.layout<rank = 2, register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
  warp = [[16, 0], [32, 0]]>
#rhs = #simt.layout<rank = 2, register = [[1, 0], [8, 0], [0, 8], [0, 16], [0, 32]],
  lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#columns = #simt.layout<rank = 2, register = [[1, 0], [2, 0], [4, 0]],
  lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]]>
#rows = #simt.layout<rank = 2, register = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#row_pairs = #simt.layout<rank = 2, register = [[0, 1], [0, 2], [0, 4]],
  lane = [[0, 8], [4, 0], [8, 0], [16, 0], [32, 0]], warp = [[1, 0], [2, 0]]>

#words = #simt.layout<rank = 2, register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#turned = #simt.layout<rank = 2, register = [[1, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#starts = #simt.layout<rank = 2, register = [], lane = [[1, 0], [2, 0], [4, 0]], warp = []>

module attributes {kiln.target = #kiln.target<name = "board", chip = "b1", memories = [
    #kiln.memory<name = "shared", scope = core, kind = explicit, size = 98304, align = 16, line = 128, banks = 32>],
    tile_moves = [
      #kiln.tile_move<name = "load", kind = load, home = "shared", bits = 16, matrices = 4, held = #words, addressed = #starts>,
      #kiln.tile_move<name = "load-turned", kind = load, home = "shared", bits = 16, matrices = 4, held = #turned, addressed = #starts>,
      #kiln.tile_move<name = "store", kind = store, home = "shared", bits = 16, matrices = 4, held = #words, addressed = #starts>,
      #kiln.tile_move<name = "store-turned", kind = store, home = "shared", bits = 16, matrices = 4, held = #turned, addressed = #starts>]>} {

// A factor out of rows that lie along the depth, and one out of rows across it.
// CHECK-LABEL: llvm.func @factors
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>
// CHECK: gpu.barrier
// CHECK: simt.load_matrix "load" %{{[0-9]*}} by 32 lanes of 16 : !llvm.ptr<3> -> i32, i32, i32, i32
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>
// CHECK: gpu.barrier
// CHECK-COUNT-4: simt.load_matrix "load-turned" %{{[0-9]*}} by 32 lanes of 16 : !llvm.ptr<3> -> i32, i32, i32, i32
// factors: a: i16 = range(1024), b: i16 = [0] * 1024
// factors: c: i16 = range(1024), d: i16 = [0] * 1024
// factors: expect b == a and d == c
tile.kernel @factors(%a: !tile.view<64x16xf16>, %b: !tile.view<64x16xf16> {tile.noalias},
                     %c: !tile.view<16x64xf16>, %d: !tile.view<16x64xf16> {tile.noalias}) attributes {warps = 4 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z, %z] : !tile.view<64x16xf16> -> tensor<64x16xf16, #row_pairs>
  %y = simt.convert_layout %x : tensor<64x16xf16, #row_pairs> -> tensor<64x16xf16, #lhs>
  tile.store %y, %b[%z, %z] : tensor<64x16xf16, #lhs>, !tile.view<64x16xf16>
  %v = tile.load %c[%z, %z] : !tile.view<16x64xf16> -> tensor<16x64xf16, #rows>
  %w = simt.convert_layout %v : tensor<16x64xf16, #rows> -> tensor<16x64xf16, #rhs>
  tile.store %w, %d[%z, %z] : tensor<16x64xf16, #rhs>, !tile.view<16x64xf16>
  tile.return
}

// A result goes back to columns in vectors.
// CHECK-LABEL: llvm.func @result
// CHECK: simt.store_matrix "store-turned" {{.*}} : !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// result: a: i16 = range(1024), b: i16 = [0] * 1024
// result: expect b == a
tile.kernel @result(%a: !tile.view<64x16xf16>, %b: !tile.view<64x16xf16> {tile.noalias}) attributes {warps = 4 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z, %z] : !tile.view<64x16xf16> -> tensor<64x16xf16, #lhs>
  %y = simt.convert_layout %x : tensor<64x16xf16, #lhs> -> tensor<64x16xf16, #columns>
  tile.store %y, %b[%z, %z] : tensor<64x16xf16, #columns>, !tile.view<64x16xf16>
  tile.return
}
}
