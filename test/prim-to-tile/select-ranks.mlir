// Elements from the middle of an order are found by their ranks, without a sort: machines whose threads share tiles count, bit by bit, how
// many keys of a line are less than the one found so far. Other machines sort.
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=cpu --emit=program --explain 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: for entry in value ties columns several listed single long bits many; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done
// RUN: for entry in value ties columns several listed single long bits many; do kiln-run %s --target=cpu --check --entry=$entry || exit 1; done
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=counted --dim=2
// RUN: for size in 1 3 40; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=open --dim=$size || exit 1; done

// The line is read once. There is one search for the key, of a pass for each bit, and one among equal keys, for each bit of a place.
// CHECK-LABEL: tile.kernel private @value_0_argsort(
// CHECK-DAG: %[[BITS:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[PLACES:.*]] = arith.constant 10 : index
// CHECK: tile.load {{.*}} tensor<1024xf32>
// CHECK: scf.for {{.*}} to %[[BITS]]
// CHECK: tile.reduce
// CHECK: scf.if
// CHECK: tile.reduce
// CHECK: else
// CHECK: scf.for {{.*}} to %[[PLACES]]
// CHECK-NOT: tile.sort
// CHECK-LABEL: tile.kernel private @value_1
// The places that the sort moves along are the order itself, and the results read no element that is not wanted.
// CHECK-NOT: tile.iota
// CPU: declined by generic.select: elements from the middle of an order are wanted
func.func @value(%x: tensor<37x1000xf32>) -> (tensor<37x1xf32>, tensor<37x1xi64>) {
  %i = prim.iota dim 1 : tensor<37x1000xi64>
  %r:2 = prim.sort %x, %i dim 1 keys 1 : tensor<37x1000xf32>, tensor<37x1000xi64>
  %v = prim.slice %r#0 starts [0, 499] limits [37, 500] strides [1, 1] : tensor<37x1000xf32> -> tensor<37x1xf32>
  %p = prim.slice %r#1 starts [0, 499] limits [37, 500] strides [1, 1] : tensor<37x1000xi64> -> tensor<37x1xi64>
  return %v, %p : tensor<37x1xf32>, tensor<37x1xi64>
}
// Keys of 8 bits have many equals, which keep their order.
// CHECK-LABEL: tile.kernel private @ties_0_argsort(
// CHECK-DAG: arith.constant 8 : index
// CHECK-NOT: tile.sort
func.func @ties(%y: tensor<3x2500xi8>) -> tensor<3x1xi32> {
  %i = prim.argsort %y dim 1 descending unsigned : tensor<3x2500xi8> -> tensor<3x2500xi32>
  %r = prim.slice %i starts [0, 1700] limits [3, 1701] strides [1, 1] : tensor<3x2500xi32> -> tensor<3x1xi32>
  return %r : tensor<3x1xi32>
}
func.func @columns(%y: tensor<150x4xbf16>) -> tensor<1x4xi32> {
  %i = prim.argsort %y dim 0 : tensor<150x4xbf16> -> tensor<150x4xi32>
  %r = prim.slice %i starts [149, 0] limits [150, 4] strides [1, 1] : tensor<150x4xi32> -> tensor<1x4xi32>
  return %r : tensor<1x4xi32>
}
func.func @several(%y: tensor<5x300xf16>) -> tensor<5x3xi64> {
  %i = prim.argsort %y dim 1 total_order : tensor<5x300xf16> -> tensor<5x300xi64>
  %r = prim.slice %i starts [0, 100] limits [5, 103] strides [1, 1] : tensor<5x300xi64> -> tensor<5x3xi64>
  return %r : tensor<5x3xi64>
}
// Ranks that the program computes, for each line.
// CHECK-LABEL: tile.kernel private @listed_{{.*}}argsort(
// CHECK: tile.load {{.*}} tensor<1xi64>
// CHECK-NOT: tile.sort
// CHECK-LABEL: tile.kernel private @long
func.func @listed(%y: tensor<6x300xf32>) -> (tensor<6x2xf32>, tensor<6x2xi32>) {
  %i = prim.argsort %y dim 1 : tensor<6x300xf32> -> tensor<6x300xi32>
  %row = prim.iota dim 0 : tensor<6x2xi64>
  %many = prim.constant dense<[[3, 9], [0, 299], [7, 7], [150, 1], [20, 40], [290, 100]]> : tensor<6x2xi64>
  %at = prim.sub %many, %row : tensor<6x2xi64>
  %first = prim.constant dense<0> : tensor<6x2xi64>
  %rank = prim.maximum %at, %first : tensor<6x2xi64>
  %p = prim.gather %i, %rank dim 1 batch_dims 1 : tensor<6x300xi32>, tensor<6x2xi64> -> tensor<6x2xi32>
  %v = prim.gather %y, %p dim 1 batch_dims 1 : tensor<6x300xf32>, tensor<6x2xi32> -> tensor<6x2xf32>
  return %v, %p : tensor<6x2xf32>, tensor<6x2xi32>
}
// Lines that threads have no room for are read in each pass.
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.load {{.*}} tensor<2048xf32>
func.func @long(%x: tensor<5x9000xf32>) -> tensor<5x1xi32> {
  %i = prim.argsort %x dim 1 : tensor<5x9000xf32> -> tensor<5x9000xi32>
  %r = prim.slice %i starts [0, 4499] limits [5, 4500] strides [1, 1] : tensor<5x9000xi32> -> tensor<5x1xi32>
  return %r : tensor<5x1xi32>
}
func.func @bits(%x: tensor<5x90xi1>) -> (tensor<5x1xi32>, tensor<5x1xi32>) {
  %i = prim.argsort %x dim 1 : tensor<5x90xi1> -> tensor<5x90xi32>
  %r = prim.slice %i starts [0, 60] limits [5, 61] strides [1, 1] : tensor<5x90xi32> -> tensor<5x1xi32>
  %j = prim.argsort %x dim 1 descending : tensor<5x90xi1> -> tensor<5x90xi32>
  %s = prim.slice %j starts [0, 30] limits [5, 31] strides [1, 1] : tensor<5x90xi32> -> tensor<5x1xi32>
  return %r, %s : tensor<5x1xi32>, tensor<5x1xi32>
}
func.func @open(%y: tensor<?x200xf32>) -> tensor<?x1xi32> {
  %i = prim.argsort %y dim 1 : tensor<?x200xf32> -> tensor<?x200xi32>
  %r = prim.slice %i starts [0, 7] limits [-1, 8] strides [1, 1] : tensor<?x200xi32> -> tensor<?x1xi32>
  return %r : tensor<?x1xi32>
}
// More of the first elements than half a block: those up to the last one are collected, and sorted as one tile.
// CHECK-LABEL: tile.kernel private @many_{{.*}}argsort(
// CHECK: scf.if
// CHECK: tile.scan
// CHECK: tile.store_scatter {{.*}}, !tile.view<3x700xi64>
// CHECK-LABEL: tile.kernel private @many_{{.*}}argsort_sort(
// CHECK: tile.sort {{.*}} axis 0 : tensor<1024xi64>
// CHECK-LABEL: tile.kernel private @many_{{.*}}argsort(
// CHECK: scf.for {{.*}} iter_args
// CHECK: tile.scan
// CHECK: tile.store_scatter {{.*}}, !tile.view<2x600xi64>
func.func @many(%x: tensor<3x3000xf16>, %y: tensor<2x9000xi8>) -> (tensor<3x700xf16>, tensor<3x700xi32>, tensor<2x600xi8>, tensor<2x600xi64>) {
  %v, %i = prim.top_k %x k 700 dim 1 : tensor<3x3000xf16> -> tensor<3x700xf16>, tensor<3x700xi32>
  %w, %j = prim.top_k %y k 600 dim 1 smallest : tensor<2x9000xi8> -> tensor<2x600xi8>, tensor<2x600xi64>
  return %v, %i, %w, %j : tensor<3x700xf16>, tensor<3x700xi32>, tensor<2x600xi8>, tensor<2x600xi64>
}
// One rank for each line, without a dimension of its own.
// CHECK-LABEL: tile.kernel private @single_{{.*}}argsort(
// CHECK: tile.load {{.*}} tensor<1xi32>
// CHECK-NOT: tile.sort
func.func @single(%y: tensor<6x300xf32>) -> tensor<6xi32> {
  %i = prim.argsort %y dim 1 : tensor<6x300xf32> -> tensor<6x300xi32>
  %row = prim.iota dim 0 : tensor<6xi32>
  %p = prim.gather %i, %row dim 1 batch_dims 1 : tensor<6x300xi32>, tensor<6xi32> -> tensor<6xi32>
  return %p : tensor<6xi32>
}
// The result says how many ranks a list has.
func.func @counted(%y: tensor<5x300xf32>, %k: tensor<5x?xi64>) -> tensor<5x2xf32> {
  %t = prim.sort %y dim 1 keys 1 : tensor<5x300xf32>
  %p = prim.gather %t, %k dim 1 batch_dims 1 : tensor<5x300xf32>, tensor<5x?xi64> -> tensor<5x2xf32>
  return %p : tensor<5x2xf32>
}
