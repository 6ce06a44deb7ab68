// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts: pairs meet in a thread, in a warp, or in the memory of the block.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' --mlir-print-op-generic | %python %S/execute.py %s

#natural = #simt.layout<rank = 1, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]]>
#warp = #simt.layout<rank = 1, register = [[8], [1]], lane = [[4], [2], [16], [32], [64]], warp = []>

// Of the 36 steps one meets another warp: 128 apart, in the last block.
// near: a: i32 = [(i * 37) % 101 for i in range(256)], b: i32 = [0] * 256
// near: expect b == sorted(a) and count("gpu.barrier") == 1
tile.kernel @near(%a: !tile.view<256xi32>, %b: !tile.view<256xi32> {tile.noalias}) attributes {warps = 2 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z] : !tile.view<256xi32> -> tensor<256xi32, #natural>
  %s = tile.sort %x axis 0 : tensor<256xi32, #natural>
  tile.store %s, %b[%z] : tensor<256xi32, #natural>, !tile.view<256xi32>
  tile.return
}

// A warp alone needs no memory; a size that is no power of two, the other way round.
// alone: a: i16 = [(i * 37) % 101 for i in range(100)], b: i16 = [0] * 100
// alone: expect b == sorted(a)[::-1] and count("gpu.barrier") == 0 and shared == 0
tile.kernel @alone(%a: !tile.view<100xi16>, %b: !tile.view<100xi16> {tile.noalias}) attributes {warps = 1 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z] : !tile.view<100xi16> -> tensor<100xi16, #warp>
  %s = tile.sort %x axis 0 descending : tensor<100xi16, #warp>
  tile.store %s, %b[%z] : tensor<100xi16, #warp>, !tile.view<100xi16>
  tile.return
}
