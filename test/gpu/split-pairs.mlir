// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles are split and joined in registers: the elements of a pair come into one thread before they are split, and what is joined stays.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts{warps=1},stage-allocate,simt-insert-barriers))' --mlir-print-local-scope | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts{warps=1},stage-allocate,simt-insert-barriers),convert-tile-to-simt)' | FileCheck %s --check-prefix=SIMT
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts{warps=1},stage-allocate,simt-insert-barriers),convert-tile-to-simt)' -o %t

// A pair lies in two registers: nothing moves.
// CHECK-LABEL: tile.kernel @registers
// CHECK-NOT: convert_layout
// CHECK: tile.split %{{[0-9]+}} : tensor<32x2xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1]], lane = {{.*}} -> tensor<32xf32, #simt.layout<rank = 1, register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = []>>
// CHECK: tile.join
// CHECK-SAME: -> tensor<32x2xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1]],
// SIMT-LABEL: llvm.func @registers
// SIMT-SAME: shared_bytes = 0,
// SIMT-NOT: gpu.shuffle
// SIMT-NOT: gpu.barrier
// SIMT: llvm.return
tile.kernel @registers(%x: !tile.view<32x2xf32> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<32x2xf32> {tile.align = 16 : i64})
    attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<32x2xf32> -> tensor<32x2xf32>
  %a, %b = tile.split %t : tensor<32x2xf32> -> tensor<32xf32>
  %s = arith.addf %a, %b : tensor<32xf32>
  %d = arith.subf %a, %b : tensor<32xf32>
  %j = tile.join %s, %d : tensor<32xf32> -> tensor<32x2xf32>
  tile.store %j, %o[%c0, %c0] : tensor<32x2xf32>, !tile.view<32x2xf32>
}

// A pair lies in two lanes: a register takes the lanes' place, and lanes exchange once.
// CHECK-LABEL: tile.kernel @lanes
// CHECK: simt.convert_layout
// CHECK-NOT: convert_layout
// CHECK: tile.split %{{[0-9]+}} : tensor<32x2xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1]],
// CHECK-NOT: scratch =
// CHECK: tile.store
// SIMT-LABEL: llvm.func @lanes
// SIMT: gpu.shuffle
// SIMT: llvm.return
tile.kernel @lanes(%x: !tile.view<2x32xf32> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<32xf32>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<2x32xf32> -> tensor<2x32xf32>
  %p = tile.transpose %t [1, 0] : tensor<2x32xf32> -> tensor<32x2xf32>
  %a, %b = tile.split %p : tensor<32x2xf32> -> tensor<32xf32>
  %s = arith.addf %a, %b : tensor<32xf32>
  tile.store %s, %o[%c0] : tensor<32xf32>, !tile.view<32xf32>
}
