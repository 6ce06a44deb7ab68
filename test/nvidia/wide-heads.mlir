// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heads of 256 elements: blocks of 64 keys leave room for a ring of two slots beside the queries. So a copy unit fills the ring, by a warp
// of its own.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback -o %t.kpkg 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: warning
// RUN: kiln-run %t.kpkg --inspect | FileCheck %s
// CHECK: kernel main_0_attention
// CHECK: launched with threads! 384
// CHECK-COUNT-3: encodes arg{{[012]}} by tensor_map(
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile -o %t.views.mlir
// RUN: sed 's/, strides = \[1, 256\]//; s/, strides = \[32768, 1, 256\]//' %t.views.mlir > %t.mlir
// RUN: for seed in 0 3; do kiln-run %t.mlir --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=2,1 --inputs=random --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-2: argument 3: ok: 66x256x256xbf16
func.func @main(%q: tensor<66x256x256xbf16>, %k: tensor<66x128x256xbf16>, %v: tensor<66x128x256xbf16>) -> tensor<66x256x256xbf16> {
  %o = prim.attention %q, %k, %v scale 0.0625 : tensor<66x256x256xbf16>, tensor<66x128x256xbf16>, tensor<66x128x256xbf16> -> tensor<66x256x256xbf16>
  return %o : tensor<66x256x256xbf16>
}
