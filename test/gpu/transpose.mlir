// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile that is contiguous along one dimension where it is read and along another where it is written gets a layout for
// each side, so that both move 16 bytes at a time; the exchange in between goes through memory of the block.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' | FileCheck %s --check-prefix=LAYOUT
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' --mlir-print-op-generic | %python %S/execute.py %s

// LAYOUT-LABEL: tile.kernel @matrix
// LAYOUT: %[[X:.*]] = tile.load {{.*}} register = {{\[\[}}1, 0], [2, 0], [4, 0],
// LAYOUT: %[[Y:.*]] = simt.convert_layout %[[X]] {{.*}} -> tensor<64x64xi16, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [0, 2], [0, 4],
// LAYOUT: tile.store %[[Y]]
// CHECK-LABEL: llvm.func @matrix
// CHECK-COUNT-4: simt.load {{.*}} align 16 : !llvm.ptr<1> -> vector<8xi16>
// CHECK-NOT: simt.load
// CHECK-COUNT-1: gpu.barrier
// CHECK-COUNT-4: simt.store {{.*}} align 16 : vector<8xi16>, !llvm.ptr<1>
// CHECK-NOT: simt.store
// matrix: a: i16 = range(4096), b: i16 = [0] * 4096
// matrix: expect b == [a[j * 64 + i] for i in range(64) for j in range(64)]
tile.kernel @matrix(%a: !tile.view<64x64xi16, strides = [1, 64]> {tile.readonly, tile.align = 16},
                    %b: !tile.view<64x64xi16> {tile.noalias, tile.align = 16}) {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z, %z] : !tile.view<64x64xi16, strides = [1, 64]> -> tensor<64x64xi16>
  tile.store %x, %b[%z, %z] : tensor<64x64xi16>, !tile.view<64x64xi16>
  tile.return
}

// Of higher rank.
// CHECK-LABEL: llvm.func @reversed
// CHECK-COUNT-4: simt.load {{.*}} align 16 : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT: simt.load
// CHECK-COUNT-4: simt.store {{.*}} align 16 : vector<4xi32>, !llvm.ptr<1>
// CHECK-NOT: simt.store
// reversed: a: i32 = range(2048), b: i32 = [0] * 2048
// reversed: expect b == [a[(k * 4 + j) * 32 + i] for i in range(32) for j in range(4) for k in range(16)]
tile.kernel @reversed(%a: !tile.view<32x4x16xi32, strides = [1, 32, 128]> {tile.readonly, tile.align = 16},
                      %b: !tile.view<32x4x16xi32> {tile.noalias, tile.align = 16}) {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z, %z, %z] : !tile.view<32x4x16xi32, strides = [1, 32, 128]> -> tensor<32x4x16xi32>
  tile.store %x, %b[%z, %z, %z] : tensor<32x4x16xi32>, !tile.view<32x4x16xi32>
  tile.return
}

// Without products and hints a thread has 32 elements of what is loaded.
// LAYOUT-LABEL: tile.kernel @small
// LAYOUT-SAME: warps = 4
tile.kernel @small(%a: !tile.view<512xf32> {tile.readonly}) {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z] : !tile.view<512xf32> -> tensor<512xf32>
  tile.return
}
// LAYOUT-LABEL: tile.kernel @large
// LAYOUT-SAME: warps = 16
tile.kernel @large(%a: !tile.view<16384xf32> {tile.readonly}) {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z] : !tile.view<16384xf32> -> tensor<16384xf32>
  tile.return
}
// LAYOUT-LABEL: tile.kernel @asked
// LAYOUT-SAME: warps = 2
tile.kernel @asked(%a: !tile.view<16384xf32> {tile.readonly}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z] : !tile.view<16384xf32> -> tensor<16384xf32>
  tile.return
}
