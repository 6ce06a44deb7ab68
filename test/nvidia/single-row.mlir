// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A single row by a factor that lies along the sum takes as long as reading the factor: threads multiply what they load, in
// accesses of 16 bytes, and add up once behind the loop, in which nobody waits for anybody.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=row | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm --entry=row | FileCheck %s --check-prefix=PTX
// RUN: for entry in row mixed open; do \
// RUN:   kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=$entry --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// CHECK-LABEL: tile.kernel @row_0_dot(%{{.*}}: !tile.view<1056x2048xbf16, strides = [0, 1]>
// CHECK: scf.for
// CHECK: tile.load {{.*}} -> tensor<2x1024xbf16>
// CHECK: tile.load {{.*}} -> tensor<1024x2xbf16>
// CHECK-NOT: tile.dot
// CHECK-NOT: tile.reduce
// CHECK: scf.yield
// CHECK: tile.reduce {{.*}} axis 1

// PTX: .entry row_0_dot(
// PTX: ld.global.v4
// PTX-NOT: bar.sync
// PTX: bra
// PTX: shfl
func.func @row(%x: tensor<1x2048xbf16>, %w: tensor<1056x2048xbf16>, %b: tensor<1056xbf16>) -> tensor<1x1056xbf16> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [1] : tensor<1x2048xbf16>, tensor<1056x2048xbf16> -> tensor<1x1056xbf16>
  %1 = prim.broadcast_in_dim %b dims [1] : tensor<1056xbf16> -> tensor<1x1056xbf16>
  %2 = prim.add %0, %1 : tensor<1x1056xbf16>
  return %2 : tensor<1x1056xbf16>
}

// A batch, sizes that no block divides, integers.
func.func @mixed(%x: tensor<3x1x200xi8>, %w: tensor<3x150x200xi8>) -> tensor<3x1x150xi32> {
  %0 = prim.dot_general %x, %w batch [0] x [0] contract [2] x [2] : tensor<3x1x200xi8>, tensor<3x150x200xi8> -> tensor<3x1x150xi32>
  return %0 : tensor<3x1x150xi32>
}

// The variant for one row of a product of an unknown number of them.
func.func @open(%x: tensor<?x200xf16>, %w: tensor<176x200xf16>) -> tensor<?x176xf16> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [1] : tensor<?x200xf16>, tensor<176x200xf16> -> tensor<?x176xf16>
  return %0 : tensor<?x176xf16>
}
