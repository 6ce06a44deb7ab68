// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short loops of loads are unrolled, inner ones first, so that all loads are requested together. Loops that load much or nothing stay.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-unroll-loops))' | FileCheck %s
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(simt-unroll-loops))' -o %t

#l = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
#many = #simt.layout<rank = 1, register = [[32], [64], [128], [256]], lane = [[1], [2], [4], [8], [16]], warp = []>
!tile = tensor<32xf32, #l>
!large = tensor<512xf32, #many>

// CHECK-LABEL: tile.kernel @window
// CHECK-NOT: scf.for
// CHECK-COUNT-6: tile.load
// CHECK-NOT: tile.load
// CHECK: tile.store
tile.kernel @window(%x: !tile.view<?x?xf32>, %o: !tile.view<32xf32>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : !tile
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %zero) -> !tile {
    %row = scf.for %j = %c0 to %c2 step %c1 iter_args(%r = %s) -> !tile {
      %t = tile.load %x[%i, %j] : !tile.view<?x?xf32> -> !tile
      %n = arith.addf %r, %t : !tile
      scf.yield %n : !tile
    }
    scf.yield %row : !tile
  }
  tile.store %sum, %o[%c0] : !tile, !tile.view<32xf32>
}

// Sixteen iterations of 64 bytes are too much, and so are iterations that only a launch counts.
// CHECK-LABEL: tile.kernel @large
// CHECK: scf.for
// CHECK: scf.for
tile.kernel @large(%x: !tile.view<?xf32>, %o: !tile.view<512xf32>, %end: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !large
  %none = arith.constant dense<0.0> : !tile
  %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %zero) -> !large {
    %t = tile.load %x[%i] : !tile.view<?xf32> -> !large
    %n = arith.addf %s, %t : !large
    scf.yield %n : !large
  }
  scf.for %i = %c0 to %end step %c1 {
    %t = tile.load %x[%i] : !tile.view<?xf32> -> !tile
    tile.store %t, %o[%i] : !tile, !tile.view<512xf32>
  }
  tile.store %sum, %o[%c0] : !large, !tile.view<512xf32>
}

// The author of a loop may say how its iterations run.
// CHECK-LABEL: tile.kernel @hinted
// CHECK: scf.for
tile.kernel @hinted(%x: !tile.view<?xf32>, %o: !tile.view<32xf32>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : !tile
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> !tile {
    %t = tile.load %x[%i] : !tile.view<?xf32> -> !tile
    %n = arith.addf %s, %t : !tile
    scf.yield %n : !tile
  } {tile.loop = #tile.loop_hints<unroll = 2>}
  tile.store %sum, %o[%c0] : !tile, !tile.view<32xf32>
}
