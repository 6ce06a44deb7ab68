// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row of few elements is loaded where it is used if each thread can do so by one instruction: no exchange, and in a loop no barriers.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: tile.kernel @matrix_vector
// CHECK: tile.load %{{.*}} -> tensor<8x128xf16, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [0, 2], [4, 0]], lane = {{\[\[}}0, 4],
// CHECK: tile.load %{{.*}} -> tensor<1x128xf16, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}0, 4],
// CHECK-NOT: simt.convert_layout
// CHECK: scf.yield
tile.kernel @matrix_vector(%a: !tile.view<8x4096xf16> {tile.readonly, tile.align = 16 : i64}, %x: !tile.view<1x4096xf16> {tile.readonly, tile.align = 16 : i64},
                           %o: !tile.view<8x128xf32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant dense<0.0> : tensor<8x128xf32>
  %sum = scf.for %i = %c0 to %c4096 step %c128 iter_args(%s = %zero) -> tensor<8x128xf32> {
    %at = tile.load %a[%c0, %i] : !tile.view<8x4096xf16> -> tensor<8x128xf16>
    %xt = tile.load %x[%c0, %i] : !tile.view<1x4096xf16> -> tensor<1x128xf16>
    %aw = arith.extf %at : tensor<8x128xf16> to tensor<8x128xf32>
    %xw = arith.extf %xt : tensor<1x128xf16> to tensor<1x128xf32>
    %xs = tile.broadcast %xw : tensor<1x128xf32> -> tensor<8x128xf32>
    %p = arith.mulf %aw, %xs : tensor<8x128xf32>
    %n = arith.addf %s, %p : tensor<8x128xf32>
    scf.yield %n : tensor<8x128xf32>
  }
  tile.store %sum, %o[%c0, %c0] : tensor<8x128xf32>, !tile.view<8x128xf32>
}
