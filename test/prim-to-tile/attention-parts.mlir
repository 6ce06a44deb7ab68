// Few queries: heads that read the same keys are rows of one tile, instances share out the keys, and a second kernel
// combines what they have found. Keys that are joined, such as a cache and new ones, stay where they are.
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,attention=decomposed --emit=program | FileCheck %s --check-prefix=DECOMPOSED
// RUN: for entry in grouped joined whole masked; do kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=$entry --verify-semantics \
// RUN:   --verify-limit=0 -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// CHECK-LABEL: tile.kernel private @grouped_0_attention(
// CHECK-SAME: !tile.view<2x4x64xbf16> {{.*}} !tile.view<2x64x300xbf16
// CHECK: tile.load {{.*}} -> tensor<4x64xbf16>
// CHECK: tile.broadcast {{.*}} -> tensor<4x4x64xbf16>
// CHECK: tile.reshape {{.*}} -> tensor<16x64xbf16>
// CHECK: scf.for
// CHECK: tile.dot {{.*}} tensor<16x64xbf16>, tensor<64x64xbf16>, tensor<16x64xf32>
// CHECK: scf.for
// CHECK: tile.store {{.*}} tensor<16xf32>
// CHECK: tile.store {{.*}} tensor<16xf32>
// CHECK: tile.store {{.*}} tensor<16x64xf32>
// CHECK-LABEL: tile.kernel private @grouped_0_attention_combine(
// CHECK: pad
// CHECK: tile.reduce
// CHECK: arith.divf
// CHECK-LABEL: program.func @grouped(
// CHECK: program.launch [@grouped_0_attention]
// CHECK-NEXT: program.launch [@grouped_0_attention_combine]
// CHECK-NOT: program.launch
// DECOMPOSED-NOT: _attention
func.func @grouped(%q: tensor<1x8x1x64xbf16>, %k: tensor<1x2x300x64xbf16>, %v: tensor<1x2x300x64xbf16>) -> tensor<1x8x1x64xbf16> {
  %kb = prim.broadcast_in_dim %k dims [0, 1, 3, 4] : tensor<1x2x300x64xbf16> -> tensor<1x2x4x300x64xbf16>
  %kr = prim.reshape %kb : tensor<1x2x4x300x64xbf16> -> tensor<1x8x300x64xbf16>
  %vb = prim.broadcast_in_dim %v dims [0, 1, 3, 4] : tensor<1x2x300x64xbf16> -> tensor<1x2x4x300x64xbf16>
  %vr = prim.reshape %vb : tensor<1x2x4x300x64xbf16> -> tensor<1x8x300x64xbf16>
  %r = prim.attention %q, %kr, %vr scale 0.125 : tensor<1x8x1x64xbf16>, tensor<1x8x300x64xbf16>, tensor<1x8x300x64xbf16> -> tensor<1x8x1x64xbf16>
  return %r : tensor<1x8x1x64xbf16>
}

// A cache of 1030 keys and three new ones: no kernel copies the cache.
// CHECK-LABEL: tile.kernel private @joined_0_attention(
// CHECK-SAME: !tile.view<4x64x1030xf16
// CHECK-SAME: !tile.view<4x1030x64xf16
// CHECK-SAME: !tile.view<4x64x3xf16
// CHECK-SAME: !tile.view<4x3x64xf16
// CHECK-LABEL: program.func @joined(
// CHECK: program.launch [@joined_0_attention]
// CHECK: program.launch [@joined_0_attention_combine]
// CHECK-NOT: program.launch
func.func @joined(%q: tensor<4x3x64xf16>, %k: tensor<4x1030x64xf16>, %v: tensor<4x1030x64xf16>, %kn: tensor<4x3x64xf16>, %vn: tensor<4x3x64xf16>) -> tensor<4x3x64xf16> {
  %0 = prim.cat %k, %kn dim 1 : tensor<4x1030x64xf16>, tensor<4x3x64xf16> -> tensor<4x1033x64xf16>
  %1 = prim.cat %v, %vn dim 1 : tensor<4x1030x64xf16>, tensor<4x3x64xf16> -> tensor<4x1033x64xf16>
  %r = prim.attention %q, %0, %1 scale 0.125 : tensor<4x3x64xf16>, tensor<4x1033x64xf16>, tensor<4x1033x64xf16> -> tensor<4x3x64xf16>
  return %r : tensor<4x3x64xf16>
}

// The keys end with a whole block, the pieces do not.
// CHECK-LABEL: program.func @whole(
// CHECK: program.launch [@whole_0_attention]
// CHECK: program.launch [@whole_0_attention_combine]
func.func @whole(%q: tensor<2x1x64xbf16>, %k: tensor<2x511x64xbf16>, %v: tensor<2x511x64xbf16>, %kn: tensor<2x1x64xbf16>, %vn: tensor<2x1x64xbf16>) -> tensor<2x1x64xbf16> {
  %0 = prim.cat %k, %kn dim 1 : tensor<2x511x64xbf16>, tensor<2x1x64xbf16> -> tensor<2x512x64xbf16>
  %1 = prim.cat %v, %vn dim 1 : tensor<2x511x64xbf16>, tensor<2x1x64xbf16> -> tensor<2x512x64xbf16>
  %r = prim.attention %q, %0, %1 scale 0.125 : tensor<2x1x64xbf16>, tensor<2x512x64xbf16>, tensor<2x512x64xbf16> -> tensor<2x1x64xbf16>
  return %r : tensor<2x1x64xbf16>
}

// A mask that the host knows nothing about, and three heads of a group.
// CHECK-LABEL: program.func @masked(
// CHECK: program.launch [@masked_0_attention]
func.func @masked(%q: tensor<2x3x2x64xbf16>, %k: tensor<2x1x200x64xbf16>, %v: tensor<2x1x200x64xbf16>, %m: tensor<2x200xbf16>) -> tensor<2x3x2x64xbf16> {
  %kb = prim.broadcast_in_dim %k dims [0, 1, 2, 3] : tensor<2x1x200x64xbf16> -> tensor<2x3x200x64xbf16>
  %vb = prim.broadcast_in_dim %v dims [0, 1, 2, 3] : tensor<2x1x200x64xbf16> -> tensor<2x3x200x64xbf16>
  %mb = prim.broadcast_in_dim %m dims [2, 3] : tensor<2x200xbf16> -> tensor<2x3x2x200xbf16>
  %r = prim.attention %q, %kb, %vb mask %mb scale 0.125 : tensor<2x3x2x64xbf16>, tensor<2x3x200x64xbf16>, tensor<2x3x200x64xbf16>, tensor<2x3x2x200xbf16> -> tensor<2x3x2x64xbf16>
  return %r : tensor<2x3x2x64xbf16>
}

// Enough queries for all cores: one kernel.
// CHECK-LABEL: program.func @many(
// CHECK: program.launch [@many_0_attention]
// CHECK-NOT: program.launch
// CHECK: program.return
func.func @many(%q: tensor<64x512x64xbf16>, %k: tensor<64x256x64xbf16>, %v: tensor<64x256x64xbf16>) -> tensor<64x512x64xbf16> {
  %r = prim.attention %q, %k, %v scale 0.125 : tensor<64x512x64xbf16>, tensor<64x256x64xbf16>, tensor<64x256x64xbf16> -> tensor<64x512x64xbf16>
  return %r : tensor<64x512x64xbf16>
}

// Tiles of many rows keep the matrix unit busy, also where cores hold one instance each: one kernel.
// CHECK-LABEL: program.func @prefill(
// CHECK: program.launch [@prefill_0_attention]
// CHECK-NOT: program.launch
// CHECK: program.return
func.func @prefill(%q: tensor<32x512x64xbf16>, %k: tensor<32x512x64xbf16>, %v: tensor<32x512x64xbf16>) -> tensor<32x512x64xbf16> {
  %r = prim.attention %q, %k, %v scale 0.125 : tensor<32x512x64xbf16>, tensor<32x512x64xbf16>, tensor<32x512x64xbf16> -> tensor<32x512x64xbf16>
  return %r : tensor<32x512x64xbf16>
}

// Enough instances of a single query: a tile has copies of it, and one row is stored.
// CHECK-LABEL: tile.kernel private @single_0_attention(
// CHECK: tile.dot {{.*}} tensor<16x64xbf16>, tensor<64x64xbf16>, tensor<16x64xf32>
// CHECK: tile.reduce {{.*}} axis 0 : tensor<16x64xf32> -> tensor<64xf32>
// CHECK: tile.store {{.*}} : tensor<64xbf16>, !tile.view<600x64xbf16>
func.func @single(%q: tensor<600x1x64xbf16>, %k: tensor<600x64x64xbf16>, %v: tensor<600x64x64xbf16>) -> tensor<600x1x64xbf16> {
  %r = prim.attention %q, %k, %v scale 0.125 : tensor<600x1x64xbf16>, tensor<600x64x64xbf16>, tensor<600x64x64xbf16> -> tensor<600x1x64xbf16>
  return %r : tensor<600x1x64xbf16>
}
