// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a core has no room for a third block, a thread requests up to 128 bytes together, else 64.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-unroll-loops))' | FileCheck %s

#large = #simt.layout<rank = 1, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256], [512], [1024], [2048]]>
#small = #simt.layout<rank = 1, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256], [512]]>

// CHECK-LABEL: tile.kernel @large
// CHECK-NOT: scf.for
// CHECK-COUNT-5: tile.load
// CHECK-NOT: tile.load
tile.kernel @large(%x: !tile.view<?xf32>, %o: !tile.view<4096xf32>) attributes {warps = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant dense<0.0> : tensor<4096xf32, #large>
  %sum = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero) -> tensor<4096xf32, #large> {
    %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<4096xf32, #large>
    %a = arith.addf %s, %t : tensor<4096xf32, #large>
    scf.yield %a : tensor<4096xf32, #large>
  }
  tile.store %sum, %o[%c0] : tensor<4096xf32, #large>, !tile.view<4096xf32>
}

// CHECK-LABEL: tile.kernel @small
// CHECK: scf.for
tile.kernel @small(%x: !tile.view<?xf32>, %o: !tile.view<1024xf32>) attributes {warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant dense<0.0> : tensor<1024xf32, #small>
  %sum = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %zero) -> tensor<1024xf32, #small> {
    %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<1024xf32, #small>
    %a = arith.addf %s, %t : tensor<1024xf32, #small>
    scf.yield %a : tensor<1024xf32, #small>
  }
  tile.store %sum, %o[%c0] : tensor<1024xf32, #small>, !tile.view<1024xf32>
}
