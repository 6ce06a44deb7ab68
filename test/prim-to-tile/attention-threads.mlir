// Where threads share tiles and a matrix unit multiplies 16-bit elements, attention is one kernel, whose weights have the
// type of the values.
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_86 --emit=program | FileCheck %s --check-prefix=LESS
// RUN: kiln-compile %s --target=nvidia:sm_90a,attention=wide --emit=program | FileCheck %s --check-prefix=WIDE
// RUN: kiln-compile %s --target=nvidia:sm_90a,attention=decomposed --emit=program | FileCheck %s --check-prefix=PARTS
// RUN: not kiln-compile %s --target=nvidia:sm_90a,attention=fast --emit=program 2>&1 | FileCheck %s --check-prefix=BAD

// CHECK-LABEL: tile.kernel private @half_0_attention(
// CHECK-SAME: tile.hints = #tile.kernel_hints<warps = 8>
// CHECK: tile.load {{.*}} -> tensor<128x64xbf16>
// CHECK: scf.for
// CHECK: tile.dot {{.*}} tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>
// CHECK: %[[E:.*]] = math.fma
// CHECK: %[[P:.*]] = math.exp2 %[[E]] fastmath<afn> : tensor<128x64xf32>
// CHECK: %[[W:.*]] = arith.truncf %{{.*}} : tensor<128x64xf32> to tensor<128x64xbf16>
// CHECK: tile.dot %[[W]], {{.*}} tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>
// WIDE-LABEL: tile.kernel private @half_0_attention(
// WIDE: tile.dot {{.*}} tensor<128x64xf32>, tensor<64x64xf32>, tensor<128x64xf32>
// PARTS-NOT: _attention
// BAD: error: option 'attention' of target 'nvidia': expected wide|decomposed, found 'fast'
func.func @half(%q: tensor<64x512x64xbf16>, %k: tensor<64x512x64xbf16>, %v: tensor<64x512x64xbf16>) -> tensor<64x512x64xbf16> {
  %r = prim.attention %q, %k, %v scale 0.125 : tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16> -> tensor<64x512x64xbf16>
  return %r : tensor<64x512x64xbf16>
}

// Heads of 80 elements get tiles of 128, with zeros behind them.
// CHECK-LABEL: tile.kernel private @odd_0_attention(
// CHECK: tile.dot {{.*}} tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
func.func @odd(%q: tensor<2x100x80xf16>, %k: tensor<2x90x80xf16>, %v: tensor<2x90x80xf16>) -> tensor<2x100x80xf16> {
  %r = prim.attention %q, %k, %v scale 0.1 : tensor<2x100x80xf16>, tensor<2x90x80xf16>, tensor<2x90x80xf16> -> tensor<2x100x80xf16>
  return %r : tensor<2x100x80xf16>
}

// No matrix unit takes f32 with all bits: each thread multiplies for itself, where the factors of both products fit into half of the
// shared memory. A weight stays f32. A core has several instances, in place of slots of a ring.
// CHECK-LABEL: tile.kernel private @single_0_attention(
// CHECK-SAME: tile.hints = #tile.kernel_hints<warps = 4>
// CHECK: scf.for
// CHECK: tile.dot {{.*}} tensor<64x128xf32>, tensor<128x64xf32>, tensor<64x64xf32>
// CHECK: %[[P32:.*]] = math.exp %{{.*}} : tensor<64x64xf32>
// CHECK: tile.dot %[[P32]], {{.*}} tensor<64x64xf32>, tensor<64x128xf32>, tensor<64x128xf32>
// CHECK: } {tile.hints = #tile.loop_hints<stages = 1>}
func.func @single(%q: tensor<64x512x128xf32>, %k: tensor<64x512x128xf32>, %v: tensor<64x512x128xf32>) -> tensor<64x512x128xf32> {
  %r = prim.attention %q, %k, %v scale 0.125 : tensor<64x512x128xf32>, tensor<64x512x128xf32>, tensor<64x512x128xf32> -> tensor<64x512x128xf32>
  return %r : tensor<64x512x128xf32>
}

// Tiles that pad the heads would take longer than three kernels.
// CHECK-NOT: @padded_0_attention
func.func @padded(%q: tensor<64x512x96xf32>, %k: tensor<64x512x96xf32>, %v: tensor<64x512x96xf32>) -> tensor<64x512x96xf32> {
  %r = prim.attention %q, %k, %v scale 0.125 : tensor<64x512x96xf32>, tensor<64x512x96xf32>, tensor<64x512x96xf32> -> tensor<64x512x96xf32>
  return %r : tensor<64x512x96xf32>
}

// A smaller memory has no room.
// LESS-NOT: @single_0_attention

// Three kernels compute what few queries, and heads whose sums leave no registers, ask for.
// CHECK-NOT: @few_0_attention
// CHECK-NOT: @wide_0_attention
func.func @few(%q: tensor<2x32x64xf32>, %k: tensor<2x128x64xf32>, %v: tensor<2x128x64xf32>) -> tensor<2x32x64xf32> {
  %r = prim.attention %q, %k, %v scale 0.125 : tensor<2x32x64xf32>, tensor<2x128x64xf32>, tensor<2x128x64xf32> -> tensor<2x32x64xf32>
  return %r : tensor<2x32x64xf32>
}
func.func @wide(%q: tensor<2x128x256xf32>, %k: tensor<2x128x256xf32>, %v: tensor<2x128x256xf32>) -> tensor<2x128x256xf32> {
  %r = prim.attention %q, %k, %v scale 0.125 : tensor<2x128x256xf32>, tensor<2x128x256xf32>, tensor<2x128x256xf32> -> tensor<2x128x256xf32>
  return %r : tensor<2x128x256xf32>
}
