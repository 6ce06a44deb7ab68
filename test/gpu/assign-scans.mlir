// Warps share an axis that is scanned only where nothing else is left: each thread then scans its registers, and no
// warp waits for another. A reduction takes the axis for warps first.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts))' --mlir-print-local-scope | FileCheck %s
// RUN: kiln-run %s --entry=wide --target=reference,threads=nvidia:sm_90a --grid=1 --arg=random:1:i32:8x512 --arg=zeros:i32:8x512 --check --no-fallback
// RUN: kiln-run %s --entry=narrow --target=reference,threads=nvidia:sm_90a --grid=1 --arg=random:1:i32:32x64 --arg=zeros:i32:32x64 --check --no-fallback

// CHECK-LABEL: @wide
// CHECK: tile.load {{.*}} register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = {{\[\[}}0, 128], [0, 256]]>>
// CHECK-NOT: scratch
tile.kernel @wide(%x: !tile.view<8x512xi32> {tile.facts = {align = 16, readonly}}, %y: !tile.view<8x512xi32> {tile.facts = {align = 16, noalias}}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<8x512xi32> -> tensor<8x512xi32>
  %s = tile.scan %t axis 0 : tensor<8x512xi32> -> tensor<8x512xi32> { ^bb0(%a: i32, %b: i32):
    %n = arith.addi %a, %b : i32
    tile.yield %n : i32
  }
  tile.store %s, %y[%c0, %c0] : tensor<8x512xi32>, !tile.view<8x512xi32>
}

// CHECK-LABEL: @narrow
// CHECK: tile.load {{.*}} lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = {{\[\[}}2, 0], [4, 0]]>>
tile.kernel @narrow(%x: !tile.view<32x64xi32> {tile.facts = {align = 16, readonly}}, %y: !tile.view<32x64xi32> {tile.facts = {align = 16, noalias}}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<32x64xi32> -> tensor<32x64xi32>
  %s = tile.scan %t axis 0 : tensor<32x64xi32> -> tensor<32x64xi32> { ^bb0(%a: i32, %b: i32):
    %n = arith.addi %a, %b : i32
    tile.yield %n : i32
  }
  tile.store %s, %y[%c0, %c0] : tensor<32x64xi32>, !tile.view<32x64xi32>
}
