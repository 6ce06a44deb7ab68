// Operations along a dimension, and pairs.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @along
tile.kernel @along(%x: f32, %n: i32, %on: i1) {
  %a = tile.splat %x : tensor<4x8xf32>
  %i = tile.iota 1 : tensor<4x8xi32>
  %v = tile.splat %n : tensor<16xi32>
  %m = tile.splat %on : tensor<16xi1>
  // CHECK: tile.scan %{{.*}} axis 1 reverse : tensor<4x8xf32> -> tensor<4x8xf32>
  %s = tile.scan %a axis 1 reverse : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  // CHECK: tile.histogram %{{.*}} mask %{{.*}} : tensor<16xi1> : tensor<16xi32> -> tensor<4xi32>
  %h = tile.histogram %v mask %m : tensor<16xi1> : tensor<16xi32> -> tensor<4xi32>
  // CHECK: tile.gather %{{.*}} by %{{.*}} axis 1 : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4x8xf32>
  %g = tile.gather %a by %i axis 1 : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4x8xf32>
  // CHECK: tile.sort %{{.*}} axis 0 descending : tensor<4x8xf32>
  %o = tile.sort %a axis 0 descending : tensor<4x8xf32>
  // CHECK: tile.join %{{.*}}, %{{.*}} : tensor<4x8xf32> -> tensor<4x8x2xf32>
  %j = tile.join %a, %s : tensor<4x8xf32> -> tensor<4x8x2xf32>
  // CHECK: tile.split %{{.*}} : tensor<4x8x2xf32> -> tensor<4x8xf32>
  %f, %l = tile.split %j : tensor<4x8x2xf32> -> tensor<4x8xf32>
}
