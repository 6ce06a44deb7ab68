// Products whose depth is the windows of an image in two orders, such as gradients of weights behind window attention: a copy of the
// factor that is moved has the depth as one dimension, so that blocks are deep and instances share it out.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=windows | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=small | FileCheck %s --check-prefix=SMALL
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=small --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed
// RUN: kiln-run %s --target=amd:gfx942,device=sim --entry=windows --no-fallback --check 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: result 0: ok

// CHECK-LABEL: tile.kernel @windows_0_dot_factor0(
// CHECK-LABEL: tile.kernel @windows_0_dot(%{{.*}}: !tile.view<96x8192xbf16, strides = [1, 96]>
// CHECK: tile.load %arg0{{.*}} -> tensor<{{[0-9]+}}x64xbf16>
// CHECK-LABEL: tile.kernel @windows_0_dot_parts(
func.func @windows(%g: tensor<16x8x8x8x96xbf16>, %x: tensor<16x8x8x8x96xbf16>) -> tensor<96x96xbf16> {
  %t = prim.transpose %g permutation [0, 2, 1, 3, 4] : tensor<16x8x8x8x96xbf16> -> tensor<16x8x8x8x96xbf16>
  %a = prim.reshape %t : tensor<16x8x8x8x96xbf16> -> tensor<8192x96xbf16>
  %b = prim.reshape %x : tensor<16x8x8x8x96xbf16> -> tensor<8192x96xbf16>
  %c = prim.transpose %a permutation [1, 0] : tensor<8192x96xbf16> -> tensor<96x8192xbf16>
  %r = prim.dot_general %c, %b batch [] x [] contract [1] x [0] : tensor<96x8192xbf16>, tensor<8192x96xbf16> -> tensor<96x96xbf16>
  return %r : tensor<96x96xbf16>
}

// A small product reads the factor as it lies.
// SMALL-NOT: small_0_dot_factor
// SMALL: tile.kernel @small_0_dot(
func.func @small(%g: tensor<2x4x4x4x16xbf16>, %x: tensor<2x4x4x4x16xbf16>) -> tensor<16x16xbf16> {
  %t = prim.transpose %g permutation [0, 2, 1, 3, 4] : tensor<2x4x4x4x16xbf16> -> tensor<2x4x4x4x16xbf16>
  %a = prim.reshape %t : tensor<2x4x4x4x16xbf16> -> tensor<128x16xbf16>
  %b = prim.reshape %x : tensor<2x4x4x4x16xbf16> -> tensor<128x16xbf16>
  %c = prim.transpose %a permutation [1, 0] : tensor<128x16xbf16> -> tensor<16x128xbf16>
  %r = prim.dot_general %c, %b batch [] x [] contract [1] x [0] : tensor<16x128xbf16>, tensor<128x16xbf16> -> tensor<16x16xbf16>
  return %r : tensor<16x16xbf16>
}
