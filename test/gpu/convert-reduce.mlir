// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions: registers of a thread, then lanes by shuffles, then warps through the memory of the block, with a
// barrier between writing and reading it; the next one takes other bytes of it.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,cse,canonicalize)' | FileCheck %s

#e = #simt.layout<rank = 1, register = [[128]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#s = #simt.layout<rank = 0, register = [], lane = [], warp = []>
#rows = #simt.layout<rank = 2, register = [[0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]]>
#left = #simt.layout<rank = 1, register = [], lane = [[0], [0], [1], [2], [4]], warp = [[8]]>

// CHECK-LABEL: llvm.func @twice(
// CHECK-SAME: simt.block = #simt.thread_block<threads = 128, shared_bytes = 32,
// CHECK: %[[A:.*]] = simt.load
// CHECK: %[[B:.*]] = simt.load
// CHECK: arith.addf %[[A]], %[[B]] : f32
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: gpu.barrier
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: gpu.barrier
// CHECK: simt.store
tile.kernel @twice(%x: !tile.view<256xf32> {tile.readonly}, %y: !tile.ptr<f32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<256xf32> -> tensor<256xf32, #e>
  %s = tile.reduce %a axis 0 : tensor<256xf32, #e> -> tensor<f32, #s> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  %f = tensor.extract %s[] : tensor<f32, #s>
  %w = tile.splat %f : tensor<256xf32, #e>
  %d = arith.subf %a, %w : tensor<256xf32, #e>
  %m = tile.reduce %d axis 0 : tensor<256xf32, #e> -> tensor<f32, #s> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.maximumf %p, %q : f32
    tile.yield %r : f32
  }
  %g = tensor.extract %m[] : tensor<f32, #s>
  tile.store_ptr %y, %g : !tile.ptr<f32>, f32
}

// Rows that no two warps share need no memory: the four lanes of a row, and both of its registers.
// CHECK-LABEL: llvm.func @lanes(
// CHECK-SAME: simt.block = #simt.thread_block<threads = 64, shared_bytes = 0,
// CHECK: arith.maximumf
// CHECK: gpu.shuffle xor %{{.*}}, %c1_i32,
// CHECK: arith.maximumf
// CHECK: gpu.shuffle xor %{{.*}}, %c2_i32,
// CHECK: arith.maximumf
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: llvm.return
tile.kernel @lanes(%x: !tile.view<16x8xf32> {tile.readonly}, %y: !tile.view<16xf32>) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<16x8xf32> -> tensor<16x8xf32, #rows>
  %m = tile.reduce %a axis 1 : tensor<16x8xf32, #rows> -> tensor<16xf32, #left> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.maximumf %p, %q : f32
    tile.yield %r : f32
  }
  tile.store %m, %y[%c0] : tensor<16xf32, #left>, !tile.view<16xf32>
}

// A combiner that rounds otherwise with its operands exchanged leaves other bits in each lane: all take those of the first.
// CHECK-LABEL: llvm.func @means(
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle xor
// CHECK: gpu.shuffle idx
// CHECK: llvm.return
#one = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
#none = #simt.layout<rank = 0, register = [], lane = [], warp = []>
tile.kernel @means(%x: !tile.view<32xf32> {tile.readonly}, %y: !tile.ptr<f32>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<32xf32> -> tensor<32xf32, #one>
  %s = tile.reduce %a axis 0 : tensor<32xf32, #one> -> tensor<f32, #none> {
  ^bb0(%p: f32, %q: f32):
    %half = arith.constant 0.5 : f32
    %d = arith.subf %q, %p : f32
    %h = arith.mulf %d, %half : f32
    %r = arith.addf %p, %h : f32
    tile.yield %r : f32
  }
  %f = tensor.extract %s[] : tensor<f32, #none>
  tile.store_ptr %y, %f : !tile.ptr<f32>, f32
}
