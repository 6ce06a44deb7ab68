// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long lines are sorted by blocks, which are merged: each instance searches the elements of its block, loads them as one tile, and orders it.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program --entry=more | FileCheck %s
// RUN: for entry in one two many more; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done

// Of 17 blocks there are five merges: one, two, two. The last one writes places alone.
// CHECK-LABEL: tile.kernel private @more_0_argsort(
// CHECK: tile.sort
// CHECK-LABEL: tile.kernel private @more_0_argsort_merge(
// CHECK: scf.for
// CHECK-COUNT-4: tile.load_gather {{.*}} tensor<128xi64>
// CHECK: tile.reduce
// CHECK: tile.load_gather {{.*}} tensor<1024xi64>
// CHECK-COUNT-10: tile.exchange
// CHECK-NOT: tile.exchange
// CHECK: tile.store {{.*}} tensor<1024xi64>
// CHECK-LABEL: tile.kernel private @more_0_argsort_end(
// CHECK: tile.store {{.*}} tensor<1024xi32>
func.func @more(%x: tensor<17000xf32>) -> tensor<17000xi32> {
  %r = prim.argsort %x dim 0 : tensor<17000xf32> -> tensor<17000xi32>
  return %r : tensor<17000xi32>
}
// Several lines, the last block of which has room.
func.func @one(%x: tensor<3x5000xf32>) -> tensor<3x5000xi64> {
  %r = prim.argsort %x dim 1 : tensor<3x5000xf32> -> tensor<3x5000xi64>
  return %r : tensor<3x5000xi64>
}
// Lines that are columns.
func.func @two(%x: tensor<2500x2xi16>) -> tensor<2500x2xi32> {
  %r = prim.argsort %x dim 0 descending : tensor<2500x2xi16> -> tensor<2500x2xi32>
  return %r : tensor<2500x2xi32>
}
// Equal keys keep their order.
func.func @many(%x: tensor<9000xi8>) -> tensor<9000xi32> {
  %r = prim.argsort %x dim 0 : tensor<9000xi8> -> tensor<9000xi32>
  return %r : tensor<9000xi32>
}
