// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that reduces twice as many elements as it has registers, and more, combines each two as soon as both are there, column by column beside each
// other: the first sums stand before most elements are used. The pairs are those of fewer elements, which wait until all are loaded.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,cse,canonicalize)' | FileCheck %s
// RUN: for k in tall low; do kiln-run %s --entry=$k --target=reference,threads=nvidia:sm_90a --grid=1 --inputs=random --check || exit 1; done

#tall = #simt.layout<rank = 2, register = [[0, 1], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [128, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = []>
#low = #simt.layout<rank = 2, register = [[0, 1], [1, 0], [2, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = []>
#sum = #simt.layout<rank = 1, register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// CHECK-LABEL: llvm.func @tall(
// Two pairs of the first column, and one of the second, before both columns have four rows.
// CHECK: %[[A:.*]] = arith.addf
// CHECK-NEXT: %[[B:.*]] = arith.addf
// CHECK-NEXT: %[[C:.*]] = arith.addf
// CHECK-NEXT: arith.addf %[[A]], %[[C]]
// CHECK-NEXT: %[[D:.*]] = arith.addf
// CHECK-NEXT: arith.addf %[[B]], %[[D]]
tile.kernel @tall(%x: !tile.view<256x64xf32> {tile.readonly}, %y: !tile.view<64xf32>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<256x64xf32> -> tensor<256x64xf32, #tall>
  %s = tile.reduce %a axis 0 : tensor<256x64xf32, #tall> -> tensor<64xf32, #sum> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  tile.store %s, %y[%c0] : tensor<64xf32, #sum>, !tile.view<64xf32>
}

// CHECK-LABEL: llvm.func @low(
// CHECK: %[[A:.*]] = arith.addf
// CHECK-NEXT: %[[B:.*]] = arith.addf
// CHECK-NEXT: arith.addf %[[A]], %[[B]]
tile.kernel @low(%x: !tile.view<4x64xf32> {tile.readonly}, %y: !tile.view<64xf32>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<4x64xf32> -> tensor<4x64xf32, #low>
  %s = tile.reduce %a axis 0 : tensor<4x64xf32, #low> -> tensor<64xf32, #sum> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  tile.store %s, %y[%c0] : tensor<64xf32, #sum>, !tile.view<64xf32>
}
