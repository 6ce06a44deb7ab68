// What follows attention element by element is part of its kernel: one store, and no tensor between.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},prim-claim,prim-inline-claims,func.func(prim-decompose,prim-simplify,prim-fuse),convert-prim-to-tile)' | FileCheck %s
// RUN: kiln-run %s --entry=gated --target=cpu --check --arg=random:1:f32:2x4x64x16 --arg=random:2:f32:2x4x64x16 --arg=random:3:f32:2x4x64x16 --arg=random:4:f32:64x64 --arg=random:5:f32:2x64x64 | FileCheck %s --check-prefix=RIGHT
// RIGHT: result 0: ok

// Rows that see no key are zeros, heads are joined, and a gate is multiplied.
// CHECK: tile.kernel private @gated_0_amax(
// CHECK: tile.kernel private @gated_1_attention(
// CHECK: tile.dot
// CHECK: arith.divf
// CHECK: %[[R:.*]] = arith.mulf
// CHECK: %[[W:.*]] = arith.select %{{.*}}, %{{.*}}, %[[R]]
// CHECK: %[[O:.*]] = arith.mulf %[[W]], %{{.*}}
// CHECK: tile.store %[[O]]
// CHECK-NOT: tile.store
// CHECK-LABEL: program.func @gated
func.func @gated(%q: tensor<2x4x64x16xf32>, %k: tensor<2x4x64x16xf32>, %v: tensor<2x4x64x16xf32>, %mask: tensor<64x64xf32>, %gate: tensor<2x64x64xf32>) -> tensor<2x64x64xf32> {
  %lowest = prim.full 0xFF800000 : f32 : tensor<64xf32>
  %top = prim.amax %mask dims [1] : tensor<64x64xf32> -> tensor<64xf32>
  %empty = prim.eq %top, %lowest : tensor<64xf32> -> tensor<64xi1>
  %m = prim.broadcast_in_dim %mask dims [2, 3] : tensor<64x64xf32> -> tensor<2x4x64x64xf32>
  %r = prim.attention %q, %k, %v mask %m scale 0.25 : tensor<2x4x64x16xf32>, tensor<2x4x64x16xf32>, tensor<2x4x64x16xf32>, tensor<2x4x64x64xf32> -> tensor<2x4x64x16xf32>
  %c = prim.broadcast_in_dim %empty dims [2] : tensor<64xi1> -> tensor<2x4x64x16xi1>
  %zero = prim.full 0.0 : f32 : tensor<2x4x64x16xf32>
  %w = prim.where %c, %zero, %r : tensor<2x4x64x16xi1>, tensor<2x4x64x16xf32>
  %t = prim.transpose %w permutation [0, 2, 1, 3] : tensor<2x4x64x16xf32> -> tensor<2x64x4x16xf32>
  %s = prim.reshape %t : tensor<2x64x4x16xf32> -> tensor<2x64x64xf32>
  %o = prim.mul %s, %gate : tensor<2x64x64xf32>
  return %o : tensor<2x64x64xf32>
}

// What depends on another result of attention is a kernel behind it.
// CHECK: tile.kernel private @scaled_0_attention(
// CHECK: tile.kernel private @scaled_1_mul(
func.func @scaled(%q: tensor<4x64x16xf32>, %k: tensor<4x64x16xf32>, %v: tensor<4x64x16xf32>) -> tensor<4x64x16xf32> {
  %r, %sums = prim.attention %q, %k, %v scale 0.25 : tensor<4x64x16xf32>, tensor<4x64x16xf32>, tensor<4x64x16xf32> -> tensor<4x64x16xf32>, tensor<4x64xf32>
  %s = prim.broadcast_in_dim %sums dims [0, 1] : tensor<4x64xf32> -> tensor<4x64x16xf32>
  %o = prim.mul %r, %s : tensor<4x64x16xf32>
  return %o : tensor<4x64x16xf32>
}
