// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A large tile is made of a smaller one in front of what needs it.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-sink-conversions))' | FileCheck %s

// Of two warps that share a tile, and that both have it.
#own = #simt.layout<rank = 2, register = [[0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[32, 0]]>
#both = #simt.layout<rank = 2, register = [[0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
!view = !tile.view<?x?xf32>
!half = !tile.view<?x?xbf16>

// The exchange moves, and the extension behind it.
// CHECK-LABEL: tile.kernel @sinks
// CHECK: %[[A:.*]] = tile.load %arg0
// CHECK-NEXT: %[[B:.*]] = tile.load %arg1
// CHECK-NEXT: tile.store %[[B]]
// CHECK-NEXT: %[[C:.*]] = simt.convert_layout %[[A]]
// CHECK-NEXT: %[[E:.*]] = arith.extf %[[C]]
// CHECK-NEXT: tile.dot %{{.*}}, %[[E]],
tile.kernel @sinks(%x: !half, %y: !view, %o: !view) attributes {warps = 2 : i64} {
  %z = arith.constant dense<1.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !half -> tensor<64x64xbf16, #own>
  %c = simt.convert_layout %a : tensor<64x64xbf16, #own> -> tensor<64x64xbf16, #both>
  %e = arith.extf %c : tensor<64x64xbf16, #both> to tensor<64x64xf32, #both>
  %b = tile.load %y[%c0, %c0] : !view -> tensor<64x64xf32, #own>
  tile.store %b, %o[%c0, %c0] : tensor<64x64xf32, #own>, !view
  %d = tile.dot %z, %e, %z precision tf32 : tensor<64x64xf32>, tensor<64x64xf32, #both>, tensor<64x64xf32>
  tile.store %d, %o[%c0, %c0] : tensor<64x64xf32>, !view
}

// A kernel without a matmul stays as it is.
// CHECK-LABEL: tile.kernel @stays
// CHECK: %[[A:.*]] = tile.load %arg0
// CHECK-NEXT: simt.convert_layout %[[A]]
// CHECK-NEXT: tile.load %arg1
tile.kernel @stays(%x: !view, %y: !view, %o: !view, %p: !view) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !view -> tensor<64x64xf32, #own>
  %c = simt.convert_layout %a : tensor<64x64xf32, #own> -> tensor<64x64xf32, #both>
  %b = tile.load %y[%c0, %c0] : !view -> tensor<64x64xf32, #own>
  tile.store %b, %o[%c0, %c0] : tensor<64x64xf32, #own>, !view
  %s = arith.addf %c, %c : tensor<64x64xf32, #both>
  tile.store %s, %p[%c0, %c0] : tensor<64x64xf32, #both>, !view
}
