// Machines whose threads share tiles sort blocks of eight elements for each thread as one tile: an element's key and its place are one
// integer, so that equal keys keep their order. Longer lines are merged from there on.
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=amd:gfx942 --no-fallback --emit=program | FileCheck %s --check-prefix=LANES64
// RUN: for entry in small ties first best least none; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done
// RUN: for size in 0 1 1025 9000; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=open --dim=$size || exit 1; done

// CHECK-LABEL: tile.kernel private @small_0_argsort(
// CHECK: tile.load {{.*}} tensor<512xf32>
// CHECK: tile.sort {{.*}} axis 0 : tensor<512xi64>
// CHECK: tile.store {{.*}} tensor<512xi32>
// CHECK-NOT: tile.kernel private @small
func.func @small(%x: tensor<5x300xf32>) -> tensor<5x300xi32> {
  %i = prim.argsort %x dim 1 : tensor<5x300xf32> -> tensor<5x300xi32>
  return %i : tensor<5x300xi32>
}
// CHECK-LABEL: tile.kernel private @ties_0_argsort(
// CHECK: tile.sort {{.*}} axis 0 : tensor<1024xi64>
// LANES64-LABEL: tile.kernel private @ties_0_argsort(
// LANES64: tile.sort {{.*}} axis 0 : tensor<2048xi64>
// CHECK-LABEL: tile.kernel private @ties_0_argsort_first(
func.func @ties(%y: tensor<3x2500xi8>) -> tensor<3x2500xi32> {
  %i = prim.argsort %y dim 1 descending : tensor<3x2500xi8> -> tensor<3x2500xi32>
  return %i : tensor<3x2500xi32>
}
func.func @first(%y: tensor<1500x4xbf16>) -> tensor<1500x4xi32> {
  %i = prim.argsort %y dim 0 : tensor<1500x4xbf16> -> tensor<1500x4xi32>
  return %i : tensor<1500x4xi32>
}
func.func @open(%y: tensor<?x2xf32>) -> tensor<?x2xi64> {
  %i = prim.argsort %y dim 0 descending : tensor<?x2xf32> -> tensor<?x2xi64>
  return %i : tensor<?x2xi64>
}
// The largest ones: of 50000 elements each block keeps 50, of those 2450 again, and the last round sorts 150.
// CHECK-LABEL: tile.kernel private @best_{{.*}}argsort(
// CHECK: tile.store_scatter {{.*}} tensor<1x1024xi64>, !tile.view<2x2450xi64>
// CHECK-LABEL: tile.kernel private @best_{{.*}}argsort_1(
// CHECK: tile.store_scatter {{.*}} tensor<1x1024xi64>, !tile.view<2x150xi64>
// CHECK-LABEL: tile.kernel private @best_{{.*}}argsort_2(
// CHECK: tile.sort {{.*}} axis 0 : tensor<256xi64>
// CHECK: tile.store {{.*}} tensor<256xi32>, !tile.view<2x50xi32>
func.func @best(%x: tensor<2x50000xbf16>) -> (tensor<2x50xbf16>, tensor<2x50xi32>) {
  %v, %i = prim.top_k %x k 50 dim 1 : tensor<2x50000xbf16> -> tensor<2x50xbf16>, tensor<2x50xi32>
  return %v, %i : tensor<2x50xbf16>, tensor<2x50xi32>
}
func.func @least(%x: tensor<3000x2xi32>) -> (tensor<300x2xi32>, tensor<300x2xi64>) {
  %v, %i = prim.top_k %x k 300 dim 0 smallest : tensor<3000x2xi32> -> tensor<300x2xi32>, tensor<300x2xi64>
  return %v, %i : tensor<300x2xi32>, tensor<300x2xi64>
}
// All are equal: the first ones by their places.
func.func @none(%x: tensor<4xf32>) -> (tensor<7xf32>, tensor<7xi32>) {
  %c = prim.constant dense<1.0> : tensor<5000xf32>
  %v, %i = prim.top_k %c k 7 dim 0 : tensor<5000xf32> -> tensor<7xf32>, tensor<7xi32>
  return %v, %i : tensor<7xf32>, tensor<7xi32>
}
