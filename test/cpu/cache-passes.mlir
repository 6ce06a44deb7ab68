// What caches are told stands in the kernel before code is generated: prefetches, and stores that pass by them.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},tile.kernel(cpu-prefetch,cpu-stream-stores))' --split-input-file | FileCheck %s

// The row that the next instance stores: the view has 64 MiB, more than the last cache.
// CHECK-LABEL: tile.kernel @rows
// CHECK: %[[I:.*]] = tile.program_id
// CHECK: %[[BLOCK:.*]] = arith.muli %[[I]], %{{.*}}
// CHECK: %[[AT:.*]] = arith.addi %[[BLOCK]]
// CHECK: stage.prefetch %{{.*}} at [%[[AT]], %{{.*}}] box [4096] every 4096 near : !tile.view<4096x4096xf32>
// CHECK: stage.compute [4096] stream <33554432, peel = true> {
// CHECK-NOT: prefetch
tile.kernel @rows(%a: !tile.view<4096x4096xf32>, %b: !tile.view<4096x4096xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  stage.compute [4096] {
    %x = tile.load %a[%i, %c0] : !tile.view<4096x4096xf32> -> tensor<4096xf32>
    tile.store %x, %b[%i, %c0] : tensor<4096xf32>, !tile.view<4096x4096xf32>
  }
}

// -----

// Sizes that only a launch knows: no rows are peeled. The tile that is read for the last time brings the next one.
// CHECK-LABEL: tile.kernel @again
// CHECK: stage.compute [2048] ->
// CHECK-NOT: prefetch
// CHECK: stage.compute [2048] stream <33554432> {
// CHECK: %[[X:.*]] = tile.load {{.*}} {stage.decided = #stage.clone<0>}
// CHECK-NEXT: stage.prefetch_ahead %[[X]] by [1, 0] near : tensor<2048xf32>
tile.kernel @again(%a: !tile.view<?x2048xf32>, %b: !tile.view<?x2048xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %sum = stage.compute [2048] -> f32 {
    %x = tile.load %a[%i, %c0] {stage.decided = #stage.clone<0, first>} : !tile.view<?x2048xf32> -> tensor<2048xf32>
    %r = tile.reduce %x axis 0 : tensor<2048xf32> -> tensor<f32> {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      tile.yield %s : f32
    }
    stage.yield %r : tensor<f32>
  }
  stage.compute [2048] {
    %x = tile.load %a[%i, %c0] {stage.decided = #stage.clone<0>} : !tile.view<?x2048xf32> -> tensor<2048xf32>
    %s = tile.splat %sum : tensor<2048xf32>
    %y = arith.divf %x, %s : tensor<2048xf32>
    tile.store %y, %b[%i, %c0] : tensor<2048xf32>, !tile.view<?x2048xf32>
  }
}

// -----

// Indices that are read for the last time are no points of the box, here of one that has their shape turned, too.
// CHECK-LABEL: tile.kernel @indices
// CHECK: stage.compute [12, 64] {
// CHECK-NEXT: %[[AT:.*]] = tile.load {{.*}} {stage.decided = #stage.clone<0>}
// CHECK-NEXT: stage.prefetch_ahead %[[AT]] by [1, 0] near : tensor<12xi64>
// CHECK: stage.compute [8, 8] {
// CHECK-NEXT: %[[X:.*]] = tile.load {{.*}} {stage.decided = #stage.clone<1>}
// CHECK-NEXT: stage.prefetch_ahead %[[X]] by [8, 0] near : tensor<8x8xf32>
// CHECK-NEXT: tile.transpose
tile.kernel @indices(%ids: !tile.view<2x12xi64>, %rows: !tile.view<128x64xf32>, %out: !tile.view<2x12x64xf32>,
                     %a: !tile.view<16x8xf32>, %b: !tile.view<8x16xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  stage.compute [12, 64] {
    %at = tile.load %ids[%i, %c0] {stage.decided = #stage.clone<0>} : !tile.view<2x12xi64> -> tensor<12xi64>
    %row = tile.load_gather %rows[%c0] dim 0 by %at : !tile.view<128x64xf32>, tensor<12xi64> -> tensor<12x64xf32>
    tile.store %row, %out[%i, %c0, %c0] : tensor<12x64xf32>, !tile.view<2x12x64xf32>
  }
  stage.compute [8, 8] {
    %x = tile.load %a[%i, %c0] {stage.decided = #stage.clone<1>} : !tile.view<16x8xf32> -> tensor<8x8xf32>
    %t = tile.transpose %x [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
    tile.store %t, %b[%c0, %i] : tensor<8x8xf32>, !tile.view<8x16xf32>
  }
}

// -----

// What is small for sure, or combined, is stored as usual; a region that says how it stores keeps that.
// CHECK-LABEL: tile.kernel @usual
// CHECK: stage.compute [64] {
// CHECK: stage.compute [64] {
// CHECK: stage.compute [64] stream <4096> {
tile.kernel @usual(%a: !tile.view<64xf32>, %b: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  stage.compute [64] {
    %x = arith.constant dense<1.0> : tensor<64xf32>
    tile.store %x, %a[%c0] : tensor<64xf32>, !tile.view<64xf32>
  }
  stage.compute [64] {
    %x = arith.constant dense<1.0> : tensor<64xf32>
    tile.store %x, %b[%c0] combine add : tensor<64xf32>, !tile.view<?xf32>
  }
  stage.compute [64] stream <4096> {
    %x = arith.constant dense<1.0> : tensor<64xf32>
    tile.store %x, %b[%c0] : tensor<64xf32>, !tile.view<?xf32>
  }
}
