// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that change places: registers get other names, lanes exchange theirs, warps go through the memory of the block.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' --mlir-print-op-generic | %python %S/execute.py %s

#natural = #simt.layout<rank = 1, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]]>
#rows = #simt.layout<rank = 2, register = [[0, 1], [1, 0]], lane = [[0, 2], [0, 4], [0, 8], [2, 0], [4, 0]], warp = [[8, 0]]>

// CHECK-LABEL: llvm.func @registers
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// registers: a: i32 = [i * 7 for i in range(256)], b: i32 = [0] * 256
// registers: expect b == [(i ^ 3) * 7 for i in range(256)]
tile.kernel @registers(%a: !tile.view<256xi32>, %b: !tile.view<256xi32> {tile.noalias}) attributes {warps = 2 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z] : !tile.view<256xi32> -> tensor<256xi32, #natural>
  %s = tile.exchange %x axis 0 mask 3 : tensor<256xi32, #natural>
  tile.store %s, %b[%z] : tensor<256xi32, #natural>, !tile.view<256xi32>
  tile.return
}

// Two halves travel in a word.
// CHECK-LABEL: llvm.func @lanes
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// lanes: a: i16 = [i * 7 for i in range(256)], b: i16 = [0] * 256
// lanes: expect b == [(i ^ 25) * 7 for i in range(256)]
tile.kernel @lanes(%a: !tile.view<256xi16>, %b: !tile.view<256xi16> {tile.noalias}) attributes {warps = 2 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z] : !tile.view<256xi16> -> tensor<256xi16, #natural>
  %s = tile.exchange %x axis 0 mask 25 : tensor<256xi16, #natural>
  tile.store %s, %b[%z] : tensor<256xi16, #natural>, !tile.view<256xi16>
  tile.return
}

// 16 bytes at a time.
// CHECK-LABEL: llvm.func @warps
// CHECK: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK-COUNT-1: gpu.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT: gpu.barrier
// CHECK-LABEL: llvm.func @both
// warps: a: i32 = [i * 7 for i in range(256)], b: i32 = [0] * 256
// warps: expect b == [(i ^ 166) * 7 for i in range(256)]
tile.kernel @warps(%a: !tile.view<256xi32>, %b: !tile.view<256xi32> {tile.noalias}) attributes {warps = 2 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z] : !tile.view<256xi32> -> tensor<256xi32, #natural>
  %s = tile.exchange %x axis 0 mask 166 : tensor<256xi32, #natural>
  tile.store %s, %b[%z] : tensor<256xi32, #natural>, !tile.view<256xi32>
  tile.return
}

// Along rows and columns, of 64 bits.
// both: a: i64 = [i * 7 for i in range(256)], b: i64 = [0] * 256
// both: expect b == [((i ^ 13) * 16 + (j ^ 6)) * 7 for i in range(16) for j in range(16)]
tile.kernel @both(%a: !tile.view<16x16xi64>, %b: !tile.view<16x16xi64> {tile.noalias}) attributes {warps = 2 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z, %z] : !tile.view<16x16xi64> -> tensor<16x16xi64, #rows>
  %s = tile.exchange %x axis 0 mask 13 : tensor<16x16xi64, #rows>
  %t = tile.exchange %s axis 1 mask 6 : tensor<16x16xi64, #rows>
  tile.store %t, %b[%z, %z] : tensor<16x16xi64, #rows>, !tile.view<16x16xi64>
  tile.return
}
