// Attention is one kernel with an online softmax where cores compute out of caches.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},prim-claim,prim-inline-claims,func.func(prim-decompose,prim-simplify,prim-fuse),convert-prim-to-tile)' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir

// Blocks divide all sizes and nothing masks: one loop, no mask.
// CHECK-LABEL: tile.kernel private @plain_0_attention(
// CHECK-NOT: tile.iota
// CHECK: %[[Q:.*]] = tile.load {{.*}} -> tensor<256x64xf32>
// CHECK: scf.for {{.*}} iter_args(%[[M:.*]] = {{.*}}, %[[L:.*]] = {{.*}}, %[[A:.*]] = {{.*}}) -> (tensor<256x1xf32>, tensor<256x1xf32>, tensor<256x64xf32>)
// CHECK: %[[S:.*]] = tile.dot %[[Q]]
// CHECK: %[[X:.*]] = arith.mulf %[[S]]
// CHECK: tile.reduce %[[X]] axis 1
// CHECK: %[[N:.*]] = arith.maximumf %[[M]]
// CHECK: %[[P:.*]] = math.exp
// CHECK: arith.subf %[[M]]
// CHECK: %[[F:.*]] = math.exp
// CHECK: tile.dot %[[P]]
// CHECK: scf.yield %[[N]]
// CHECK-NOT: scf.for
// CHECK: arith.divf
// CHECK: tile.store
func.func @plain(%q: tensor<2x512x64xf32>, %k: tensor<2x512x64xf32>, %v: tensor<2x512x64xf32>) -> tensor<2x512x64xf32> {
  %r = prim.attention %q, %k, %v scale 0.125 : tensor<2x512x64xf32>, tensor<2x512x64xf32>, tensor<2x512x64xf32> -> tensor<2x512x64xf32>
  return %r : tensor<2x512x64xf32>
}

// What a query does not see is not computed, and only blocks that the mask cuts are masked. Heads that share keys
// read the same ones.
// CHECK-LABEL: tile.kernel private @causal_0_attention(
// CHECK-SAME: !tile.view<2x64x512xf32, strides = [32768, 1, 64]>
// The queries that see most come first.
// CHECK: %[[ID:.*]]:3 = tile.program_id
// CHECK-NEXT: arith.subi %c3, %[[ID]]#0
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[CUT:[0-9]+]] step
// CHECK-NOT: arith.cmpi
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} = %[[CUT]] to %
// CHECK: arith.cmpi sge
// CHECK: arith.select
// CHECK: scf.yield
func.func @causal(%q: tensor<4x512x64xf32>, %k: tensor<2x512x64xf32>, %v: tensor<2x512x64xf32>) -> tensor<4x512x64xf32> {
  %i = prim.iota dim 0 : tensor<512x512xi32>
  %j = prim.iota dim 1 : tensor<512x512xi32>
  %c = prim.ge %i, %j : tensor<512x512xi32> -> tensor<512x512xi1>
  %z = prim.full 0.0 : f32 : tensor<512x512xf32>
  %n = prim.full 0xFF800000 : f32 : tensor<512x512xf32>
  %w = prim.where %c, %z, %n : tensor<512x512xi1>, tensor<512x512xf32>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<512x512xf32> -> tensor<4x512x512xf32>
  %kb = prim.broadcast_in_dim %k dims [0, 2, 3] : tensor<2x512x64xf32> -> tensor<2x2x512x64xf32>
  %kr = prim.reshape %kb : tensor<2x2x512x64xf32> -> tensor<4x512x64xf32>
  %vb = prim.broadcast_in_dim %v dims [0, 2, 3] : tensor<2x512x64xf32> -> tensor<2x2x512x64xf32>
  %vr = prim.reshape %vb : tensor<2x2x512x64xf32> -> tensor<4x512x64xf32>
  %r = prim.attention %q, %kr, %vr mask %m scale 0.125 : tensor<4x512x64xf32>, tensor<4x512x64xf32>, tensor<4x512x64xf32>, tensor<4x512x512xf32> -> tensor<4x512x64xf32>
  return %r : tensor<4x512x64xf32>
}

// Keys that end within a block are masked in a step of their own; what is narrow is computed in f32.
// CHECK-LABEL: tile.kernel private @edges_0_attention(
// CHECK: scf.for
// CHECK: tile.dot {{.*}} : tensor<{{.*}}x20xbf16>, tensor<20x{{.*}}xbf16>, tensor<{{.*}}xf32>
// CHECK-NOT: arith.cmpi
// CHECK: arith.extf {{.*}} : tensor<{{.*}}x24xbf16> to tensor<{{.*}}x24xf32>
// CHECK: scf.yield
// CHECK: arith.cmpi slt
// CHECK: arith.truncf
// CHECK: tile.store {{.*}} : tensor<{{.*}}x24xbf16>, !tile.view<2x300x24xbf16
func.func @edges(%q: tensor<2x300x20xbf16>, %k: tensor<2x700x20xbf16>, %v: tensor<2x700x24xbf16>) -> tensor<300x2x24xbf16> {
  %r = prim.attention %q, %k, %v scale 0.25 : tensor<2x300x20xbf16>, tensor<2x700x20xbf16>, tensor<2x700x24xbf16> -> tensor<2x300x24xbf16>
  %t = prim.transpose %r permutation [1, 0, 2] : tensor<2x300x24xbf16> -> tensor<300x2x24xbf16>
  return %t : tensor<300x2x24xbf16>
}

// A few queries are products and a softmax.
// CHECK-NOT: tile.kernel private @few_0_attention(
// CHECK: tile.kernel private @few_1_softmax(
func.func @few(%q: tensor<2x1x64xf32>, %k: tensor<2x512x64xf32>, %v: tensor<2x512x64xf32>) -> tensor<2x1x64xf32> {
  %r = prim.attention %q, %k, %v scale 0.125 : tensor<2x1x64xf32>, tensor<2x512x64xf32>, tensor<2x512x64xf32> -> tensor<2x1x64xf32>
  return %r : tensor<2x1x64xf32>
}
