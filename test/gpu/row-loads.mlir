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

// Each warp has a row, and loads all weights by four accesses of full width.
// CHECK-LABEL: tile.kernel @weights
// CHECK-NOT: simt.convert_layout
// CHECK: tile.load %arg1{{.*}} -> tensor<1024xbf16, #simt.layout<rank = 1, register = {{\[\[}}1], [2], [4], [256], [512]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = []>>
// CHECK-NOT: simt.convert_layout
// CHECK: tile.store
tile.kernel @weights(%x: !tile.view<64x1024xbf16> {tile.readonly, tile.align = 16 : i64}, %y: !tile.view<1024xbf16> {tile.readonly, tile.align = 16 : i64},
                     %z: !tile.view<64x1024xbf16> {tile.align = 16 : i64}) attributes {warps = 4 : i64} {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : !tile.view<64x1024xbf16> -> tensor<4x1024xbf16>
  %m = tile.reduce %a axis 1 : tensor<4x1024xbf16> -> tensor<4xbf16> {
  ^bb0(%p: bf16, %q: bf16):
    %n = arith.maximumf %p, %q : bf16
    tile.yield %n : bf16
  }
  %c = tile.reshape %m : tensor<4xbf16> -> tensor<4x1xbf16>
  %d = tile.broadcast %c : tensor<4x1xbf16> -> tensor<4x1024xbf16>
  %s = arith.subf %a, %d : tensor<4x1024xbf16>
  %b = tile.load %y[%c0] : !tile.view<1024xbf16> -> tensor<1024xbf16>
  %r = tile.expand_dims %b axis 0 : tensor<1024xbf16> -> tensor<1x1024xbf16>
  %w = tile.broadcast %r : tensor<1x1024xbf16> -> tensor<4x1024xbf16>
  %t = arith.mulf %s, %w : tensor<4x1024xbf16>
  tile.store %t, %z[%i, %c0] : tensor<4x1024xbf16>, !tile.view<64x1024xbf16>
}
