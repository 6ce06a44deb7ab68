// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles are split and joined in registers: the elements of a pair come into one thread before they are split, and what is joined stays.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts{warps=1},stage-allocate,simt-insert-barriers))' --mlir-print-local-scope | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts{warps=1},stage-allocate,simt-insert-barriers),convert-tile-to-simt)' | FileCheck %s --check-prefix=SIMT
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts{warps=1},stage-allocate,simt-insert-barriers),convert-tile-to-simt)' -o %t

// A pair lies in two registers: nothing moves.
// CHECK-LABEL: tile.kernel @registers
// CHECK-NOT: convert_layout
// CHECK: tile.split %{{[0-9]+}} : tensor<32x2xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1]], lane = {{.*}} -> tensor<32xf32, #simt.layout<rank = 1, register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = []>>
// CHECK: tile.join
// CHECK-SAME: -> tensor<32x2xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1]],
// SIMT-LABEL: llvm.func @registers
// SIMT-SAME: shared_bytes = 0,
// SIMT-NOT: gpu.shuffle
// SIMT-NOT: gpu.barrier
// SIMT: llvm.return
tile.kernel @registers(%x: !tile.view<32x2xf32> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<32x2xf32> {tile.align = 16 : i64})
    attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<32x2xf32> -> tensor<32x2xf32>
  %a, %b = tile.split %t : tensor<32x2xf32> -> tensor<32xf32>
  %s = arith.addf %a, %b : tensor<32xf32>
  %d = arith.subf %a, %b : tensor<32xf32>
  %j = tile.join %s, %d : tensor<32xf32> -> tensor<32x2xf32>
  tile.store %j, %o[%c0, %c0] : tensor<32x2xf32>, !tile.view<32x2xf32>
}

// A pair lies in two lanes: a register takes the lanes' place, and lanes exchange once.
// CHECK-LABEL: tile.kernel @lanes
// CHECK: simt.convert_layout
// CHECK-NOT: convert_layout
// CHECK: tile.split %{{[0-9]+}} : tensor<32x2xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1]],
// CHECK-NOT: scratch =
// CHECK: tile.store
// SIMT-LABEL: llvm.func @lanes
// SIMT: gpu.shuffle
// SIMT: llvm.return
tile.kernel @lanes(%x: !tile.view<2x32xf32> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<32xf32>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<2x32xf32> -> tensor<2x32xf32>
  %p = tile.transpose %t [1, 0] : tensor<2x32xf32> -> tensor<32x2xf32>
  %a, %b = tile.split %p : tensor<32x2xf32> -> tensor<32xf32>
  %s = arith.addf %a, %b : tensor<32xf32>
  tile.store %s, %o[%c0] : tensor<32xf32>, !tile.view<32xf32>
}

// Parts that are split again: the pairs of all dimensions come into one thread before the first split, at once.
// CHECK-LABEL: tile.kernel @chain
// CHECK: simt.convert_layout {{.*}} -> tensor<32x8xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [0, 2], [0, 4]],
// CHECK-NOT: convert_layout
// CHECK-COUNT-7: tile.split
// CHECK-NOT: convert_layout
// CHECK: tile.store
tile.kernel @chain(%x: !tile.view<32x8xf32, strides = [1, 32]> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<32xf32>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<32x8xf32, strides = [1, 32]> -> tensor<32x8xf32>
  %p = tile.reshape %t : tensor<32x8xf32> -> tensor<32x2x2x2xf32>
  %a, %b = tile.split %p : tensor<32x2x2x2xf32> -> tensor<32x2x2xf32>
  %aa, %ab = tile.split %a : tensor<32x2x2xf32> -> tensor<32x2xf32>
  %ba, %bb = tile.split %b : tensor<32x2x2xf32> -> tensor<32x2xf32>
  %aaa, %aab = tile.split %aa : tensor<32x2xf32> -> tensor<32xf32>
  %aba, %abb = tile.split %ab : tensor<32x2xf32> -> tensor<32xf32>
  %baa, %bab = tile.split %ba : tensor<32x2xf32> -> tensor<32xf32>
  %bba, %bbb = tile.split %bb : tensor<32x2xf32> -> tensor<32xf32>
  %s0 = arith.subf %aaa, %aab : tensor<32xf32>
  %s1 = arith.mulf %aba, %abb : tensor<32xf32>
  %s2 = arith.subf %baa, %bab : tensor<32xf32>
  %s3 = arith.addf %bba, %bbb : tensor<32xf32>
  %s4 = arith.addf %s0, %s1 : tensor<32xf32>
  %s5 = arith.mulf %s2, %s3 : tensor<32xf32>
  %s = arith.addf %s4, %s5 : tensor<32xf32>
  tile.store %s, %o[%c0] : tensor<32xf32>, !tile.view<32xf32>
}

// Parts of what lies side by side in memory: each thread loads those that it needs, which nothing moves.
// CHECK-LABEL: tile.kernel @vectors
// CHECK: tile.load {{.*}} -> tensor<32x8xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [0, 2], [0, 4]],
// CHECK-NOT: convert_layout
// CHECK-COUNT-7: tile.split
// CHECK-NOT: convert_layout
// CHECK: tile.store
tile.kernel @vectors(%x: !tile.view<32x8xf32> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<32xf32>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<32x8xf32> -> tensor<32x8xf32>
  %p = tile.reshape %t : tensor<32x8xf32> -> tensor<32x2x2x2xf32>
  %a, %b = tile.split %p : tensor<32x2x2x2xf32> -> tensor<32x2x2xf32>
  %aa, %ab = tile.split %a : tensor<32x2x2xf32> -> tensor<32x2xf32>
  %ba, %bb = tile.split %b : tensor<32x2x2xf32> -> tensor<32x2xf32>
  %aaa, %aab = tile.split %aa : tensor<32x2xf32> -> tensor<32xf32>
  %aba, %abb = tile.split %ab : tensor<32x2xf32> -> tensor<32xf32>
  %baa, %bab = tile.split %ba : tensor<32x2xf32> -> tensor<32xf32>
  %bba, %bbb = tile.split %bb : tensor<32x2xf32> -> tensor<32xf32>
  %s0 = arith.subf %aaa, %aab : tensor<32xf32>
  %s1 = arith.mulf %aba, %abb : tensor<32xf32>
  %s2 = arith.subf %baa, %bab : tensor<32xf32>
  %s3 = arith.addf %bba, %bbb : tensor<32xf32>
  %s4 = arith.addf %s0, %s1 : tensor<32xf32>
  %s5 = arith.mulf %s2, %s3 : tensor<32xf32>
  %s = arith.addf %s4, %s5 : tensor<32xf32>
  tile.store %s, %o[%c0] : tensor<32xf32>, !tile.view<32xf32>
}

// All threads load the parts of one vector.
// CHECK-LABEL: tile.kernel @repeated
// CHECK: tile.load {{.*}} -> tensor<4xf32, #simt.layout<rank = 1, register = {{\[\[}}1], [2]], lane = [], warp = []>>
// CHECK-NOT: convert_layout
// CHECK: tile.store
tile.kernel @repeated(%x: !tile.view<4xf32> {tile.readonly, tile.align = 16 : i64}, %y: !tile.view<32xf32>, %o: !tile.view<32xf32>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<4xf32> -> tensor<4xf32>
  %p = tile.reshape %t : tensor<4xf32> -> tensor<1x2x2xf32>
  %a, %b = tile.split %p : tensor<1x2x2xf32> -> tensor<1x2xf32>
  %aa, %ab = tile.split %a : tensor<1x2xf32> -> tensor<1xf32>
  %ba, %bb = tile.split %b : tensor<1x2xf32> -> tensor<1xf32>
  %y0 = tile.load %y[%c0] : !tile.view<32xf32> -> tensor<32xf32>
  %v0 = tile.broadcast %aa : tensor<1xf32> -> tensor<32xf32>
  %v1 = tile.broadcast %ab : tensor<1xf32> -> tensor<32xf32>
  %v2 = tile.broadcast %ba : tensor<1xf32> -> tensor<32xf32>
  %v3 = tile.broadcast %bb : tensor<1xf32> -> tensor<32xf32>
  %y1 = arith.mulf %y0, %v0 : tensor<32xf32>
  %y2 = arith.addf %y1, %v1 : tensor<32xf32>
  %y3 = arith.mulf %y2, %v2 : tensor<32xf32>
  %y4 = arith.addf %y3, %v3 : tensor<32xf32>
  tile.store %y4, %o[%c0] : tensor<32xf32>, !tile.view<32xf32>
}

// Tiles that are joined to pairs in memory lie as these do: what is computed of the parts stays where it is.
// CHECK-LABEL: tile.kernel @pairs
// CHECK-NOT: convert_layout
// CHECK: tile.store
tile.kernel @pairs(%x: !tile.view<128x2xf32> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<128x2xf32> {tile.align = 16 : i64})
    attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %t = tile.load %x[%c0, %c0] : !tile.view<128x2xf32> -> tensor<128x2xf32>
  %a, %b = tile.split %t : tensor<128x2xf32> -> tensor<128xf32>
  %c = arith.addf %b, %one : tensor<128xf32>
  %j = tile.join %c, %one : tensor<128xf32> -> tensor<128x2xf32>
  tile.store %j, %o[%c0, %c0] : tensor<128x2xf32>, !tile.view<128x2xf32>
}

// What lanes have summed lies in both of them: a join takes one lane for either part, so that a butterfly needs no more registers in its next step.
// CHECK-LABEL: tile.kernel @butterfly
// CHECK: tile.join
// CHECK-SAME: -> tensor<16x4x2xf32, #simt.layout<rank = 3, register = {{\[\[}}0, {{[12]}}, 0], [0, {{[12]}}, 0]], lane = {{\[\[}}0, 0, 1], [1, 0, 0], [2, 0, 0], [4, 0, 0], [8, 0, 0]]
// CHECK-NOT: convert_layout
// CHECK: tile.store
// SIMT-LABEL: llvm.func @butterfly
// SIMT-SAME: shared_bytes = 0,
// SIMT-NOT: gpu.barrier
// SIMT-COUNT-8: gpu.shuffle
// SIMT-NOT: gpu.shuffle
// SIMT-COUNT-4: arith.select
// SIMT-NOT: arith.select
// SIMT-NOT: gpu.barrier
// SIMT: llvm.return
tile.kernel @butterfly(%x: !tile.view<128xf32> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<128xf32> {tile.align = 16 : i64})
    attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<128xf32> -> tensor<128xf32>
  %r = tile.reshape %t : tensor<128xf32> -> tensor<16x2x4xf32>
  %s = tile.reduce %r axis 1 : tensor<16x2x4xf32> -> tensor<16x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %add = arith.addf %a, %b : f32
    tile.yield %add : f32
  }
  %m = tile.reduce %r axis 1 : tensor<16x2x4xf32> -> tensor<16x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maximumf %a, %b : f32
    tile.yield %max : f32
  }
  %j = tile.join %s, %m : tensor<16x4xf32> -> tensor<16x4x2xf32>
  %p = tile.transpose %j [0, 2, 1] : tensor<16x4x2xf32> -> tensor<16x2x4xf32>
  %q = tile.reshape %p : tensor<16x2x4xf32> -> tensor<128xf32>
  tile.store %q, %o[%c0] : tensor<128xf32>, !tile.view<128xf32>
}
