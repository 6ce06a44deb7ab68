// Machines whose threads share tiles spread the places of a scatter over the grid: stores combine, and no barrier parts
// those of one instance.
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none --no-fallback --emit=asm | FileCheck %s --check-prefix=PTX
// RUN: for entry in rows bins points part bools product; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=open --dim=130
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=open --dim=0

// Rows of 70: eight places for an instance. 130 is no multiple of 8, so that places which are not there go outside.
// CHECK-LABEL: tile.kernel private @rows_{{.*}}scatter(
// CHECK-COUNT-8: tile.load {{.*}} tensor<1xi32>
// CHECK-COUNT-8: tile.load {{.*}} tensor<128xf32>
// CHECK: arith.select
// CHECK: tile.store {{.*}} combine add : tensor<128xf32>
// CHECK-NOT: scf.for
// PTX-LABEL: .entry rows_{{.*}}scatter(
// PTX-NOT: bar.sync
// PTX: .entry
func.func @rows(%x: tensor<10x70xf32>, %k: tensor<130x1xi32>, %u: tensor<130x1x70xf32>) -> tensor<10x70xf32> {
  %c = prim.constant dense<15> : tensor<130x1xi32>
  %i = prim.bitwise_and %k, %c : tensor<130x1xi32>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<10x70xf32>, tensor<130x1xi32>, tensor<130x1x70xf32>
  return %r : tensor<10x70xf32>
}
// Single elements: 32 places for an instance, which is one warp.
// CHECK-LABEL: tile.kernel private @bins_{{.*}}scatter(
// CHECK-SAME: tile.hints = #tile.kernel_hints<warps = 1>
// CHECK-COUNT-32: tile.store {{.*}} combine add : tensor<1xi32>
func.func @bins(%x: tensor<50xi32>, %k: tensor<1001x1xi32>, %u: tensor<1001x1xi32>) -> tensor<50xi32> {
  %c = prim.constant dense<63> : tensor<1001x1xi32>
  %i = prim.bitwise_and %k, %c : tensor<1001x1xi32>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<50xi32>, tensor<1001x1xi32>, tensor<1001x1xi32>
  return %r : tensor<50xi32>
}
// CHECK-LABEL: tile.kernel private @points_{{.*}}scatter(
// CHECK: tile.store {{.*}} combine max : tensor<1xi16>
func.func @points(%x: tensor<10x7xi16>, %k: tensor<3x30x2xi64>, %u: tensor<3x30x1x1xi16>) -> tensor<10x7xi16> {
  %c = prim.constant dense<15> : tensor<3x30x2xi64>
  %i = prim.bitwise_and %k, %c : tensor<3x30x2xi64>
  %r = prim.scatter max %x, %i, %u dims [1, 0] batch_dims 0 : tensor<10x7xi16>, tensor<3x30x2xi64>, tensor<3x30x1x1xi16>
  return %r : tensor<10x7xi16>
}
// CHECK-LABEL: tile.kernel private @open_{{.*}}scatter(
// CHECK: tile.store {{.*}} combine min : tensor<8xbf16>
func.func @open(%x: tensor<2x10x7xbf16>, %k: tensor<2x?x1xi64>, %u: tensor<2x?x1x7xbf16>) -> tensor<2x10x7xbf16> {
  %r = prim.scatter min %x, %k, %u dims [1] batch_dims 1 : tensor<2x10x7xbf16>, tensor<2x?x1xi64>, tensor<2x?x1x7xbf16>
  return %r : tensor<2x10x7xbf16>
}
// What is a part of an odd number of 16-bit elements has no whole words.
// CHECK-LABEL: tile.kernel private @part_{{.*}}scatter(
// CHECK-NOT: combine
func.func @part(%x: tensor<10xi16>, %y: tensor<1xi16>, %k: tensor<100x1xi32>, %u: tensor<100x1xi16>) -> tensor<11xi16> {
  %r = prim.scatter max %x, %k, %u dims [0] batch_dims 0 : tensor<10xi16>, tensor<100x1xi32>, tensor<100x1xi16>
  %c = prim.cat %y, %r dim 0 : tensor<1xi16>, tensor<10xi16> -> tensor<11xi16>
  return %c : tensor<11xi16>
}
// A byte is updated in a word, which may end behind the tensor; products have no such instruction: both as before.
// CHECK-LABEL: tile.kernel private @bools_{{.*}}scatter(
// CHECK-NOT: combine
// CHECK-LABEL: tile.kernel private @product_{{.*}}scatter(
// CHECK-NOT: combine
func.func @bools(%x: tensor<10xi1>, %u: tensor<300x1xi1>, %k: tensor<300x1xi8>) -> tensor<10xi1> {
  %r = prim.scatter add %x, %k, %u dims [0] batch_dims 0 : tensor<10xi1>, tensor<300x1xi8>, tensor<300x1xi1>
  return %r : tensor<10xi1>
}
func.func @product(%x: tensor<10xi32>, %u: tensor<300x1xi32>, %k: tensor<300x1xi8>) -> tensor<10xi32> {
  %r = prim.scatter mul %x, %k, %u dims [0] batch_dims 0 : tensor<10xi32>, tensor<300x1xi8>, tensor<300x1xi32>
  return %r : tensor<10xi32>
}
