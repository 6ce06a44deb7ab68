// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that a warp can hold: each warp has one, and loads the weights of its elements itself, so that no warp waits for another.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s --check-prefix=TILE
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm | FileCheck %s
// RUN: kiln-run %s --target=amd:gfx942,device=sim --check
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --verify-semantics --emit=asm -o %t.ptx 2>&1 | grep ' 0 changed'

// TILE: tile.load {{.*}} -> tensor<4x1024xbf16>
// CHECK-LABEL: .entry norm_
// CHECK-NOT: bar.sync
// CHECK-COUNT-3: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-10: shfl.sync.bfly
// CHECK-NOT: bar.sync
// CHECK: st.global.v4.b32
// CHECK-NOT: bar.sync
func.func @norm(%x: tensor<2112x768xbf16>, %w: tensor<768xbf16>, %b: tensor<768xbf16>) -> tensor<2112x768xbf16> {
  %r = prim.layer_norm %x weight %w bias %b axes 1 eps 1.0e-05 : tensor<2112x768xbf16>, tensor<768xbf16>, tensor<768xbf16>
  return %r : tensor<2112x768xbf16>
}
