// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s

// Rows that fit are one tile, read once.
// CHECK-LABEL: tile.kernel private @softmax_0_softmax(
// CHECK-COUNT-1: tile.load
// CHECK: tile.reduce %{{.*}} axis 1 : tensor<4x1000xf32>
// CHECK: math.exp
// CHECK: tile.reduce
// CHECK: tile.store
func.func @softmax(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %m = prim.amax %x dims [1] : tensor<64x1000xf32> -> tensor<64xf32>
  %mb = prim.broadcast_in_dim %m dims [0] : tensor<64xf32> -> tensor<64x1000xf32>
  %s = prim.sub %x, %mb : tensor<64x1000xf32>
  %e = prim.exp %s : tensor<64x1000xf32>
  %t = prim.sum %e dims [1] : tensor<64x1000xf32> -> tensor<64xf32>
  %tb = prim.broadcast_in_dim %t dims [0] : tensor<64xf32> -> tensor<64x1000xf32>
  %r = prim.div %e, %tb : tensor<64x1000xf32>
  return %r : tensor<64x1000xf32>
}

// Longer rows take one loop per level; what lies beyond the end was loaded as zeros, which do not count.
// CHECK-LABEL: tile.kernel private @long_0_sum(
// CHECK: scf.for
// CHECK: %[[LOADED:.*]] = tile.load
// CHECK-NEXT: tile.reduce %[[LOADED]]
// CHECK: scf.yield
func.func @long(%x: tensor<4x?xf32>) -> tensor<4xf32> {
  %m = prim.sum %x dims [1] : tensor<4x?xf32> -> tensor<4xf32>
  return %m : tensor<4xf32>
}

// What is computed from such zeros is masked.
// CHECK-LABEL: tile.kernel private @long_computed_0_sum(
// CHECK: scf.for
// CHECK: tile.load
// CHECK: math.exp
// CHECK: %[[MASKED:.*]] = arith.select
// CHECK-NEXT: tile.reduce %[[MASKED]]
// CHECK: scf.yield
func.func @long_computed(%x: tensor<4x?xf32>) -> tensor<4xf32> {
  %e = prim.exp %x : tensor<4x?xf32>
  %m = prim.sum %e dims [1] : tensor<4x?xf32> -> tensor<4xf32>
  return %m : tensor<4xf32>
}

// Over a dimension that is not contiguous the sum runs row by row.
// CHECK-LABEL: tile.kernel private @columns_0_sum(
// CHECK: scf.for
// CHECK-NOT: tile.reduce
// CHECK: arith.addf %{{.*}} : tensor<512xf32>
func.func @columns(%x: tensor<64x1000xf32>) -> tensor<1000xf32> {
  %m = prim.sum %x dims [0] : tensor<64x1000xf32> -> tensor<1000xf32>
  return %m : tensor<1000xf32>
}

// Half types are summed in f32 and rounded once.
// CHECK-LABEL: tile.kernel private @half_0_sum(
// CHECK: arith.extf
// CHECK: tile.reduce %{{.*}} : tensor<4x9xf32>
// CHECK: arith.truncf
func.func @half(%x: tensor<4x9xbf16>) -> tensor<4xbf16> {
  %m = prim.sum %x dims [1] : tensor<4x9xbf16> -> tensor<4xbf16>
  return %m : tensor<4xbf16>
}
