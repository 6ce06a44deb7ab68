// The gradients of attention on threads: matrix instructions multiply all of it, out of shared memory along both dimensions
// of a tile, and barriers are verified. Every thread is executed, with asynchronous effects at random times.
// RUN: kiln-compile %s --entry=plain --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=mma.sync < %t.ptx
// RUN: kiln-compile %s --entry=wide --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm -o %t.ptx
// RUN: FileCheck %s --check-prefix=WIDE --implicit-check-not=mma.sync < %t.ptx
// RUN: kiln-compile %s --entry=narrow --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm -o - | FileCheck %s --check-prefix=NARROW
// RUN: for entry in odd one causal; do kiln-compile %s --entry=$entry --target=nvidia:sm_90a,ptxas=none --no-fallback --verify-semantics --verify-limit=0 -o %t.kiln 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAME || exit 1; done
// RUN: kiln-compile %s --entry=plain --target=nvidia:sm_90a --emit=program -o %t.program
// RUN: sed -e 's/tile.kernel private/tile.kernel/' -e 's/^module attributes {.*} {$/module {/' -e 's/, strides = \[1, 64\]//' -e '/program.func/,$d' %t.program > %t.kernels
// RUN: echo '}' >> %t.kernels
// RUN: for seed in 0 3; do for kernel in keys queries; do kiln-run %t.kernels --entry=plain_0_attention_backward_$kernel --target=reference,threads=nvidia:sm_90a,seed=$seed \
// RUN:   --grid=2,1 --inputs=random --check || exit 1; done; done | FileCheck %s
// CHECK: argument 6: ok
// CHECK: argument 7: ok
// CHECK: argument 6: ok
// CHECK: argument 6: ok
// CHECK: argument 7: ok
// CHECK: argument 6: ok
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// PTX-LABEL: .entry plain_0_attention_backward_rows(
// PTX-LABEL: .entry plain_0_attention_backward_keys(
// PTX-COUNT-4: wgmma.mma_async
// PTX-LABEL: .entry plain_0_attention_backward_queries(
// PTX-COUNT-3: wgmma.mma_async
func.func @plain(%q: tensor<1x128x64xbf16>, %k: tensor<1x256x64xbf16>, %v: tensor<1x256x64xbf16>, %o: tensor<1x128x64xbf16>, %g: tensor<1x128x64xbf16>, %l: tensor<1x128xf32>) -> (tensor<1x128x64xbf16>, tensor<1x256x64xbf16>, tensor<1x256x64xbf16>) {
  %d:3 = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.125 : tensor<1x128x64xbf16>, tensor<1x256x64xbf16>, tensor<1x256x64xbf16>, tensor<1x128x64xbf16>, tensor<1x128x64xbf16>, tensor<1x128xf32>
  return %d#0, %d#1, %d#2 : tensor<1x128x64xbf16>, tensor<1x256x64xbf16>, tensor<1x256x64xbf16>
}

// Of heads of 128 elements threads hold both sums over queries: keys and values stay in shared memory, where products read them. A warp of
// its own copies them, and what is known of the queries, there.
// WIDE-LABEL: .entry wide_0_attention_backward_keys(
// WIDE: .reqntid 384
// WIDE: cp.async.bulk.tensor.2d
// WIDE: cp.async.bulk.tensor.3d
// WIDE-COUNT-4: wgmma.mma_async
// WIDE-LABEL: .entry wide_0_attention_backward_queries(
// WIDE-COUNT-3: wgmma.mma_async
func.func @wide(%q: tensor<64x512x128xf16>, %k: tensor<64x512x128xf16>, %v: tensor<64x512x128xf16>, %o: tensor<64x512x128xf16>, %g: tensor<64x512x128xf16>, %l: tensor<64x512xf32>) -> (tensor<64x512x128xf16>, tensor<64x512x128xf16>, tensor<64x512x128xf16>) {
  %d:3 = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.125 : tensor<64x512x128xf16>, tensor<64x512x128xf16>, tensor<64x512x128xf16>, tensor<64x512x128xf16>, tensor<64x512x128xf16>, tensor<64x512xf32>
  return %d#0, %d#1, %d#2 : tensor<64x512x128xf16>, tensor<64x512x128xf16>, tensor<64x512x128xf16>
}

// Of narrow heads blocks have 64 rows, so that more of them share a core.
// NARROW-LABEL: .entry narrow_0_attention_backward_keys(
// NARROW: .reqntid 128
// NARROW-LABEL: .entry narrow_0_attention_backward_queries(
// NARROW: .reqntid 128
func.func @narrow(%q: tensor<64x512x64xf16>, %k: tensor<64x512x64xf16>, %v: tensor<64x512x64xf16>, %o: tensor<64x512x64xf16>, %g: tensor<64x512x64xf16>, %l: tensor<64x512xf32>) -> (tensor<64x512x64xf16>, tensor<64x512x64xf16>, tensor<64x512x64xf16>) {
  %d:3 = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.125 : tensor<64x512x64xf16>, tensor<64x512x64xf16>, tensor<64x512x64xf16>, tensor<64x512x64xf16>, tensor<64x512x64xf16>, tensor<64x512xf32>
  return %d#0, %d#1, %d#2 : tensor<64x512x64xf16>, tensor<64x512x64xf16>, tensor<64x512x64xf16>
}

// Blocks divide no size, and the sums come from the forward kernel.
func.func @odd(%q: tensor<1x70x40xf16>, %k: tensor<1x90x40xf16>, %v: tensor<1x90x24xf16>, %g: tensor<1x70x24xf16>) -> (tensor<1x70x40xf16>, tensor<1x90x40xf16>, tensor<1x90x24xf16>) {
  %o, %l = prim.attention %q, %k, %v scale 0.1 : tensor<1x70x40xf16>, tensor<1x90x40xf16>, tensor<1x90x24xf16> -> tensor<1x70x24xf16>, tensor<1x70xf32>
  %d:3 = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.1 : tensor<1x70x40xf16>, tensor<1x90x40xf16>, tensor<1x90x24xf16>, tensor<1x70x24xf16>, tensor<1x70x24xf16>, tensor<1x70xf32>
  return %d#0, %d#1, %d#2 : tensor<1x70x40xf16>, tensor<1x90x40xf16>, tensor<1x90x24xf16>
}

// One query and one element of a value.
func.func @one(%q: tensor<2x1x16xbf16>, %k: tensor<2x5x16xbf16>, %v: tensor<2x5x1xbf16>, %g: tensor<2x1x1xbf16>) -> (tensor<2x1x16xbf16>, tensor<2x5x16xbf16>, tensor<2x5x1xbf16>) {
  %o, %l = prim.attention %q, %k, %v scale 0.25 : tensor<2x1x16xbf16>, tensor<2x5x16xbf16>, tensor<2x5x1xbf16> -> tensor<2x1x1xbf16>, tensor<2x1xf32>
  %d:3 = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.25 : tensor<2x1x16xbf16>, tensor<2x5x16xbf16>, tensor<2x5x1xbf16>, tensor<2x1x1xbf16>, tensor<2x1x1xbf16>, tensor<2x1xf32>
  return %d#0, %d#1, %d#2 : tensor<2x1x16xbf16>, tensor<2x5x16xbf16>, tensor<2x5x1xbf16>
}

// A product may still read a slot behind the release of the next one: the ring holds it.
func.func @causal(%q: tensor<1x256x64xf16>, %k: tensor<1x256x64xf16>, %v: tensor<1x256x64xf16>, %g: tensor<1x256x64xf16>) -> (tensor<1x256x64xf16>, tensor<1x256x64xf16>, tensor<1x256x64xf16>) {
  %i = prim.iota dim 0 : tensor<256x256xi32>
  %j = prim.iota dim 1 : tensor<256x256xi32>
  %c = prim.ge %i, %j : tensor<256x256xi32> -> tensor<256x256xi1>
  %z = prim.full 0.0 : f16 : tensor<256x256xf16>
  %n = prim.full 0xFC00 : f16 : tensor<256x256xf16>
  %w = prim.where %c, %z, %n : tensor<256x256xi1>, tensor<256x256xf16>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<256x256xf16> -> tensor<1x256x256xf16>
  %o, %l = prim.attention %q, %k, %v mask %m scale 0.125 : tensor<1x256x64xf16>, tensor<1x256x64xf16>, tensor<1x256x64xf16>, tensor<1x256x256xf16> -> tensor<1x256x64xf16>, tensor<1x256xf32>
  %d:3 = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l mask %m scale 0.125 : tensor<1x256x64xf16>, tensor<1x256x64xf16>, tensor<1x256x64xf16>, tensor<1x256x64xf16>, tensor<1x256x64xf16>, tensor<1x256xf32>, tensor<1x256x256xf16>
  return %d#0, %d#1, %d#2 : tensor<1x256x64xf16>, tensor<1x256x64xf16>, tensor<1x256x64xf16>
}
