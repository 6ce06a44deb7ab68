// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes store neighbouring pieces of 16 bytes of a result of f32, also where an operand of the product has a tile of that shape, of
// which a lane has twice as many elements. Elementwise code still has one layout for all its tiles.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts))' | FileCheck %s
// RUN: kiln-run %s --target=reference,threads=nvidia:sm_90a --entry=product --check --grid=2,1 --arg=random:1:bf16:64x256 --arg=random:2:bf16:256x256 --arg=zeros:f32:64x256

// CHECK-LABEL: tile.kernel @product(
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: %[[LINES:.*]] = simt.convert_layout %[[SUM]] {{.*}} -> tensor<64x128xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [0, 2], [{{[1-9]}}
// CHECK-SAME: lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]]
// CHECK: tile.store %[[LINES]]
tile.kernel @product(%a: !tile.view<64x256xbf16> {tile.facts = {align = 16 : i64, readonly}}, %b: !tile.view<256x256xbf16> {tile.facts = {align = 16 : i64, readonly}}, %c: !tile.view<64x256xf32> {tile.facts = {align = 16 : i64, noalias}}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %j = tile.program_id : index
  %r = scf.for %k = %c0 to %c2 step %c1 iter_args(%sum = %zero) -> (tensor<64x128xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<64x256xbf16> -> tensor<64x128xbf16>
    %y = tile.load %b[%k, %j] : !tile.view<256x256xbf16> -> tensor<128x128xbf16>
    %d = tile.dot %x, %y, %sum : tensor<64x128xbf16>, tensor<128x128xbf16>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tile.store %r, %c[%c0, %j] : tensor<64x128xf32>, !tile.view<64x256xf32>
}

// CHECK-LABEL: tile.kernel @elementwise(
// CHECK: tile.load {{.*}} -> tensor<64x128xbf16, 
// CHECK-NOT: simt.convert_layout
// CHECK: tile.store
tile.kernel @elementwise(%a: !tile.view<64x256xbf16> {tile.facts = {align = 16 : i64, readonly}}, %c: !tile.view<64x256xf32> {tile.facts = {align = 16 : i64, noalias}}) {
  %c0 = arith.constant 0 : index
  %j = tile.program_id : index
  %x = tile.load %a[%c0, %j] : !tile.view<64x256xbf16> -> tensor<64x128xbf16>
  %y = arith.extf %x : tensor<64x128xbf16> to tensor<64x128xf32>
  tile.store %y, %c[%c0, %j] : tensor<64x128xf32>, !tile.view<64x256xf32>
}
