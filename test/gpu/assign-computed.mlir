// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reduction takes its tile where the elements lie that it is computed of, element by element, from a tile of another shape.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts{warps=2}))' | FileCheck %s

// Eight elements of a thread in a row, sixteen lanes a row: nothing is exchanged.
// CHECK-LABEL: tile.kernel @rows
// CHECK: tile.load {{.*}} lane = {{\[\[}}8], [16], [32], [64], [128]], warp = {{\[\[}}256]]>>
// CHECK-NOT: simt.convert_layout
// CHECK: tile.reduce {{.*}} axis 1 {{.*}} lane = {{\[\[}}0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp = {{\[\[}}2, 0]]>>
// CHECK-NOT: simt.convert_layout {{.*}}tensor<4x128
// CHECK: tile.store
tile.kernel @rows(%x: !tile.view<512xbf16> {tile.facts = {align = 16 : i64}}, %y: !tile.view<512xbf16> {tile.facts = {align = 16 : i64}}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<512xbf16> -> tensor<512xbf16>
  %r = tile.reshape %t : tensor<512xbf16> -> tensor<4x128xbf16>
  %a = math.absf %r : tensor<4x128xbf16>
  %w = arith.extf %a : tensor<4x128xbf16> to tensor<4x128xf32>
  %m = tile.reduce %w axis 1 : tensor<4x128xf32> -> tensor<4xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.maxnumf %p, %q : f32
    tile.yield %s : f32
  }
  %c = tile.expand_dims %m axis 1 : tensor<4xf32> -> tensor<4x1xf32>
  %b = tile.broadcast %c : tensor<4x1xf32> -> tensor<4x128xf32>
  %d = arith.divf %w, %b : tensor<4x128xf32>
  %n = arith.truncf %d : tensor<4x128xf32> to tensor<4x128xbf16>
  %f = tile.reshape %n : tensor<4x128xbf16> -> tensor<512xbf16>
  tile.store %f, %y[%c0] : tensor<512xbf16>, !tile.view<512xbf16>
  tile.return
}
