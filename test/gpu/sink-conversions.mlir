// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A large tile is made of a smaller one in front of what needs it.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-sink-conversions))' | FileCheck %s

// Of two warps that share a tile, and that both have it.
#own = #simt.layout<rank = 1, register = [[1], [2], [4], [8], [16]], lane = [[32], [64], [128], [256], [512]], warp = [[1024]]>
#both = #simt.layout<rank = 1, register = [[1], [2], [4], [8], [16], [1024]], lane = [[32], [64], [128], [256], [512]], warp = []>
!view = !tile.view<?xf32>

// CHECK-LABEL: tile.kernel @sinks
// CHECK: %[[A:.*]] = tile.load %arg0
// CHECK-NEXT: %[[B:.*]] = tile.load %arg1
// CHECK-NEXT: tile.store %[[B]]
// CHECK-NEXT: %[[C:.*]] = simt.convert_layout %[[A]]
// CHECK-NEXT: arith.addf %[[C]], %[[C]]
tile.kernel @sinks(%x: !view, %y: !view, %o: !view, %p: !view) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !view -> tensor<2048xf32, #own>
  %c = simt.convert_layout %a : tensor<2048xf32, #own> -> tensor<2048xf32, #both>
  %b = tile.load %y[%c0] : !view -> tensor<2048xf32, #own>
  tile.store %b, %o[%c0] : tensor<2048xf32, #own>, !view
  %s = arith.addf %c, %c : tensor<2048xf32, #both>
  tile.store %s, %p[%c0] : tensor<2048xf32, #both>, !view
}

// It stays before the loop that uses it, and a tile that does not grow stays where it is.
// CHECK-LABEL: tile.kernel @stays
// CHECK: %[[A:.*]] = tile.load %arg0
// CHECK-NEXT: arith.negf %[[A]]
// CHECK-NEXT: tile.load %arg1
// CHECK: simt.convert_layout %[[A]]
// CHECK-NEXT: scf.for
tile.kernel @stays(%x: !view, %y: !view, %o: !view, %p: !view, %n: index) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.load %x[%c0] : !view -> tensor<2048xf32, #own>
  %c = simt.convert_layout %a : tensor<2048xf32, #own> -> tensor<2048xf32, #both>
  %m = arith.negf %a : tensor<2048xf32, #own>
  %b = tile.load %y[%c0] : !view -> tensor<2048xf32, #own>
  tile.store %b, %o[%c0] : tensor<2048xf32, #own>, !view
  scf.for %i = %c0 to %n step %c1 {
    tile.store %c, %p[%i] : tensor<2048xf32, #both>, !view
  }
  tile.store %m, %o[%c0] : tensor<2048xf32, #own>, !view
}
