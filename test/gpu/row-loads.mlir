// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row of few elements is loaded where it is used, so that threads exchange nothing: also of several elements for each thread, where one
// access loads them. Rows at odd addresses would take an access for each element; they are loaded by as many threads as there are elements.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' --mlir-print-local-scope | FileCheck %s
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed

// CHECK-LABEL: tile.kernel @aligned
// CHECK: scf.for
// CHECK: tile.load {{.*}} -> tensor<64xf32, #simt.layout<rank = 1, register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32]], warp = []>>
// CHECK-NOT: simt.convert_layout
// CHECK: scf.yield
tile.kernel @aligned(%x: !tile.view<16x64xf32> {tile.readonly, tile.align = 16 : i64}, %y: !tile.view<?x64xf32> {tile.readonly, tile.align = 16 : i64},
                     %z: !tile.view<16x64xf32> {tile.align = 16 : i64}) attributes {warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.dim %y[0] : !tile.view<?x64xf32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<16x64xf32> -> tensor<16x64xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<16x64xf32>) {
    %b = tile.load %y[%i, %c0] : !tile.view<?x64xf32> -> tensor<64xf32>
    %r = tile.expand_dims %b axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %w = tile.broadcast %r : tensor<1x64xf32> -> tensor<16x64xf32>
    %p = arith.mulf %a, %w : tensor<16x64xf32>
    %t = arith.addf %s, %p : tensor<16x64xf32>
    scf.yield %t : tensor<16x64xf32>
  }
  tile.store %sum, %z[%c0, %c0] : tensor<16x64xf32>, !tile.view<16x64xf32>
}

// CHECK-LABEL: tile.kernel @odd
// CHECK: scf.for
// CHECK: tile.load {{.*}} -> tensor<64xf32, #simt.layout<rank = 1, register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32]]>>
// CHECK: simt.convert_layout
tile.kernel @odd(%x: !tile.view<16x64xf32> {tile.readonly, tile.align = 16 : i64}, %y: !tile.view<?x?xf32> {tile.readonly},
                 %z: !tile.view<16x64xf32> {tile.align = 16 : i64}) attributes {warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.dim %y[0] : !tile.view<?x?xf32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<16x64xf32> -> tensor<16x64xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<16x64xf32>) {
    %b = tile.load %y[%i, %c0] : !tile.view<?x?xf32> -> tensor<64xf32>
    %r = tile.expand_dims %b axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %w = tile.broadcast %r : tensor<1x64xf32> -> tensor<16x64xf32>
    %p = arith.mulf %a, %w : tensor<16x64xf32>
    %t = arith.addf %s, %p : tensor<16x64xf32>
    scf.yield %t : tensor<16x64xf32>
  }
  tile.store %sum, %z[%c0, %c0] : tensor<16x64xf32>, !tile.view<16x64xf32>
}
