// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads come before the exchanges of what others load, so that threads wait for memory once. What is looked up by an exchanged tile, and
// what a store may have written, is loaded where it stood.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-request-loads))' | FileCheck %s

#narrow = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
#wide = #simt.layout<rank = 1, register = [[1], [2]], lane = [[4], [8], [16]], warp = []>
!narrow = tensor<32xf32, #narrow>
!wide = tensor<32xf32, #wide>
#tall = #simt.layout<rank = 1, register = [[32], [64], [128]], lane = [[1], [2], [4], [8], [16]], warp = []>
!tall = tensor<256xf32, #tall>
!view = !tile.view<?xf32>

// CHECK-LABEL: tile.kernel @three
// CHECK: %[[A:.*]] = tile.load %arg0
// CHECK-NEXT: tile.load %arg1
// CHECK-NEXT: arith.addi
// CHECK-NEXT: tile.load %arg2
// CHECK-NEXT: simt.convert_layout %[[A]]
// CHECK-NEXT: simt.convert_layout
// CHECK-NEXT: simt.convert_layout
tile.kernel @three(%x: !view, %y: !view, %z: !view, %o: !view) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.load %x[%c0] : !view -> !narrow
  %b = simt.convert_layout %a : !narrow -> !wide
  %c = tile.load %y[%c0] : !view -> !narrow
  %d = simt.convert_layout %c : !narrow -> !wide
  %i = arith.addi %c0, %c1 : index
  %e = tile.load %z[%i] : !view -> !narrow
  %f = simt.convert_layout %e : !narrow -> !wide
  %s = arith.addf %b, %d : !wide
  %t = arith.addf %s, %f : !wide
  tile.store %t, %o[%c0] : !wide, !view
}

// CHECK-LABEL: tile.kernel @ordered
// CHECK: tile.load %arg0
// CHECK-NEXT: simt.convert_layout
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.load %arg1
tile.kernel @ordered(%x: !view, %y: !view, %z: !view, %o: !view) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !view -> !narrow
  %b = simt.convert_layout %a : !narrow -> !wide
  tile.store %b, %z[%c0] : !wide, !view
  %c = tile.load %y[%c0] : !view -> !narrow
  %d = simt.convert_layout %c : !narrow -> !wide
  tile.store %d, %o[%c0] : !wide, !view
}

// CHECK-LABEL: tile.kernel @dependent
// CHECK: tile.load %arg0
// CHECK-NEXT: simt.convert_layout
// CHECK: tile.load_gather %arg1
tile.kernel @dependent(%x: !tile.view<?xi32>, %y: !view, %o: !view) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<?xi32> -> tensor<32xi32, #narrow>
  %b = simt.convert_layout %a : tensor<32xi32, #narrow> -> tensor<32xi32, #wide>
  %c = tile.load_gather %y[] dim 0 by %b : !view, tensor<32xi32, #wide> -> !wide
  tile.store %c, %o[%c0] : !wide, !view
}

// A tile of more bytes is not moved: the exchange in front of it comes behind it instead, as far as its first user allows.
// CHECK-LABEL: tile.kernel @behind
// CHECK: %[[A:.*]] = tile.load %arg0
// CHECK-NEXT: %[[N:.*]] = arith.negf %[[A]]
// CHECK-NEXT: %[[T:.*]] = tile.load %arg1
// CHECK-NEXT: %[[B:.*]] = simt.convert_layout %[[N]]
// CHECK-NEXT: tile.store %[[B]]
// CHECK-NEXT: tile.load %arg1
tile.kernel @behind(%x: !view, %y: !view, %o: !view) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !view -> !narrow
  %n = arith.negf %a : !narrow
  %b = simt.convert_layout %n : !narrow -> !wide
  %t = tile.load %y[%c0] : !view -> !tall
  tile.store %b, %o[%c0] : !wide, !view
  %u = tile.load %y[%c0] : !view -> !tall
  %s = arith.addf %t, %u : !tall
  tile.store %s, %o[%c0] : !tall, !view
}
