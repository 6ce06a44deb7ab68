// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heads whose elements are no power of two have tiles that reach beyond them. Loads leave zeros there, so that no selection follows, and
// copies go from memory to the shared memory that products read.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile --entry=padded | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile --entry=gradients | FileCheck %s --check-prefix=GRADIENTS
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm --entry=padded | FileCheck %s --check-prefix=PTX
// RUN: for entry in padded gradients; do kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=$entry --verify-semantics \
// RUN:   --verify-limit=0 -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed

// CHECK-LABEL: tile.kernel @padded_0_attention(
// CHECK: %[[Q:.*]] = tile.load {{.*}} -> tensor<{{.*}}x64xf16>
// CHECK: scf.for
// CHECK: %[[K:.*]] = tile.load {{.*}} -> tensor<64x64xf16>
// CHECK-NEXT: tile.dot %[[Q]], %[[K]]
// CHECK: %[[V:.*]] = tile.load {{.*}} -> tensor<64x64xf16>
// CHECK-NEXT: tile.dot %{{.*}}, %[[V]]
// PTX: cp.async.bulk.tensor
// PTX-NOT: cp.async.cg
func.func @padded(%q: tensor<2x128x40xf16>, %k: tensor<2x128x40xf16>, %v: tensor<2x128x40xf16>) -> tensor<2x128x40xf16> {
  %o = prim.attention %q, %k, %v scale 0.15 : tensor<2x128x40xf16>, tensor<2x128x40xf16>, tensor<2x128x40xf16> -> tensor<2x128x40xf16>
  return %o : tensor<2x128x40xf16>
}

// GRADIENTS-LABEL: tile.kernel @gradients_
// GRADIENTS-NOT: arith.select %{{.*}}xf16>
func.func @gradients(%q: tensor<1x64x40xf16>, %k: tensor<1x64x40xf16>, %v: tensor<1x64x40xf16>, %o: tensor<1x64x40xf16>, %l: tensor<1x64xf32>, %g: tensor<1x64x40xf16>)
    -> (tensor<1x64x40xf16>, tensor<1x64x40xf16>, tensor<1x64x40xf16>) {
  %d:3 = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.15 : tensor<1x64x40xf16>, tensor<1x64x40xf16>, tensor<1x64x40xf16>, tensor<1x64x40xf16>, tensor<1x64x40xf16>, tensor<1x64xf32>
  return %d#0, %d#1, %d#2 : tensor<1x64x40xf16>, tensor<1x64x40xf16>, tensor<1x64x40xf16>
}
