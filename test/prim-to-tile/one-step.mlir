// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many rows with a depth of 64 and less: a core is busy only with memory, so the model takes a whole depth in one step, in blocks of
// which a core holds several. A loop over parts of the depth would wait for memory with nothing to multiply meanwhile.
// RUN: kiln-compile %s --entry=square --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile | FileCheck %s --check-prefix=SQUARE
// SQUARE-NOT: scf.for
// SQUARE: tile.dot {{.*}} tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
// RUN: kiln-compile %s --entry=wide --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile | FileCheck %s --check-prefix=WIDE
// WIDE-NOT: scf.for
// WIDE: tile.dot {{.*}} tensor<64x128xf32>
// RUN: kiln-compile %s --entry=narrow --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile | FileCheck %s --check-prefix=NARROW
// NARROW-NOT: scf.for
// NARROW: tile.dot {{.*}} tensor<128x16xf32>
// A greater depth keeps its loop.
// RUN: kiln-compile %s --entry=deep --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile | FileCheck %s --check-prefix=DEEP
// DEEP: scf.for
func.func @square(%a: tensor<100352x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<100352x64xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<100352x64xbf16>, tensor<64x64xbf16> -> tensor<100352x64xbf16>
  return %r : tensor<100352x64xbf16>
}
func.func @wide(%a: tensor<131072x64xbf16>, %b: tensor<128x64xbf16>) -> tensor<131072x128xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<131072x64xbf16>, tensor<128x64xbf16> -> tensor<131072x128xbf16>
  return %r : tensor<131072x128xbf16>
}
func.func @narrow(%a: tensor<300000x64xbf16>, %b: tensor<16x64xbf16>) -> tensor<300000x16xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<300000x64xbf16>, tensor<16x64xbf16> -> tensor<300000x16xbf16>
  return %r : tensor<300000x16xbf16>
}
func.func @deep(%a: tensor<25088x512xbf16>, %b: tensor<256x512xbf16>) -> tensor<25088x256xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<25088x512xbf16>, tensor<256x512xbf16> -> tensor<25088x256xbf16>
  return %r : tensor<25088x256xbf16>
}
