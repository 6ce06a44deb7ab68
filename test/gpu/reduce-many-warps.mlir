// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sixteen warps reduce a row. Each thread would read what all warps have; instead each of four lanes reads four of
// these, and two exchanges combine the rest. All lanes must get the same bits, so a combiner that does not give them for
// its operands the other way round reads all. Of eight warps every thread reads all, too.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,cse,canonicalize)' | FileCheck %s
// RUN: for warps in 8 16 32; do kiln-run %source/examples/fused_softmax.mlir --target=reference,threads=nvidia:sm_90a,thread_options=warps=$warps \
// RUN:   --grid=3 --arg=random:1:f32:3x1000 --arg=zeros:f32:3x1000 --check | FileCheck %s --check-prefix=SOFTMAX || exit 1; done
// SOFTMAX: argument 1 (y): ok: 3x1000xf32

#row = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128], [256]]>
#short = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128]]>
#one = #simt.layout<rank = 0, register = [], lane = [], warp = []>

// CHECK-LABEL: llvm.func @sum(
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK-COUNT-4: llvm.load {{.*}} -> f32
// CHECK-NOT: llvm.load
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: llvm.return
tile.kernel @sum(%x: !tile.view<512xf32> {tile.readonly}, %y: !tile.view<512xf32>) attributes {warps = 16 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<512xf32> -> tensor<512xf32, #row>
  %s = tile.reduce %a axis 0 : tensor<512xf32, #row> -> tensor<f32, #one> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  %e = tensor.extract %s[] : tensor<f32, #one>
  %t = tile.splat %e : tensor<512xf32, #row>
  tile.store %t, %y[%c0] : tensor<512xf32, #row>, !tile.view<512xf32>
}

// CHECK-LABEL: llvm.func @last(
// CHECK: gpu.barrier
// CHECK-COUNT-16: llvm.load {{.*}} -> i32
// CHECK-NOT: gpu.shuffle
// CHECK: llvm.return
tile.kernel @last(%x: !tile.view<512xi32> {tile.readonly}, %y: !tile.view<512xi32>) attributes {warps = 16 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<512xi32> -> tensor<512xi32, #row>
  %s = tile.reduce %a axis 0 : tensor<512xi32, #row> -> tensor<i32, #one> {
  ^bb0(%p: i32, %q: i32):
    %m = arith.cmpi sgt, %p, %q : i32
    %r = arith.select %m, %p, %q : i32
    tile.yield %r : i32
  }
  %e = tensor.extract %s[] : tensor<i32, #one>
  %t = tile.splat %e : tensor<512xi32, #row>
  tile.store %t, %y[%c0] : tensor<512xi32, #row>, !tile.view<512xi32>
}

// CHECK-LABEL: llvm.func @short(
// CHECK: gpu.barrier
// CHECK-COUNT-8: llvm.load {{.*}} -> f32
// CHECK-NOT: gpu.shuffle
// CHECK: llvm.return
tile.kernel @short(%x: !tile.view<256xf32> {tile.readonly}, %y: !tile.view<256xf32>) attributes {warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<256xf32> -> tensor<256xf32, #short>
  %s = tile.reduce %a axis 0 : tensor<256xf32, #short> -> tensor<f32, #one> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  %e = tensor.extract %s[] : tensor<f32, #one>
  %t = tile.splat %e : tensor<256xf32, #short>
  tile.store %t, %y[%c0] : tensor<256xf32, #short>, !tile.view<256xf32>
}
