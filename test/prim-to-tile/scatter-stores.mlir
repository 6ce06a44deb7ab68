// Machines whose threads share tiles spread the places of a scatter over the grid: stores combine, and no barrier parts
// those of one instance.
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none --no-fallback --emit=asm | FileCheck %s --check-prefix=PTX
// RUN: for entry in rows narrow bins few points windows part bools product; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=open --dim=130
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=open --dim=0

// Rows of 70: a tile has parts of several, and their indices once. What is not there goes nowhere.
// CHECK-LABEL: tile.kernel private @rows_{{.*}}scatter(
// CHECK: tile.load {{.*}} tensor<16x32xf32>
// CHECK: tile.load {{.*}} tensor<16xi32>
// CHECK: arith.select
// CHECK: tile.store_scatter {{.*}} combine add : tensor<16x32xf32>, !tile.view<10x70xf32>, tensor<16xi32>
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
// A tile has several narrow rows, and their indices once.
// CHECK-LABEL: tile.kernel private @narrow_{{.*}}scatter(
// CHECK: tile.load {{.*}} tensor<128x4xf32>
// CHECK: tile.load {{.*}} tensor<128xi32>
// CHECK: tile.store_scatter {{.*}} combine add : tensor<128x4xf32>, !tile.view<10x3xf32>, tensor<128xi32>
// CHECK: program.launch {{.*}} grid(%c3, %c1, %c1)
func.func @narrow(%x: tensor<10x3xf32>, %k: tensor<260x1xi32>, %u: tensor<260x1x3xf32>) -> tensor<10x3xf32> {
  %c = prim.constant dense<15> : tensor<260x1xi32>
  %i = prim.bitwise_and %k, %c : tensor<260x1xi32>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<10x3xf32>, tensor<260x1xi32>, tensor<260x1x3xf32>
  return %r : tensor<10x3xf32>
}
// Single elements: each thread has its places. What is outside has an index that no element has.
// CHECK-LABEL: tile.kernel private @bins_{{.*}}scatter(
// CHECK: %[[U:.*]] = tile.load {{.*}} tensor<512xi32>
// CHECK: %[[K:.*]] = tile.load {{.*}} tensor<512xi32>
// CHECK-NOT: tile.load
// CHECK: %[[AT:.*]] = arith.select {{.*}} : tensor<512xi1>, tensor<512xi32>
// CHECK: tile.store_scatter %[[U]], %{{.*}}[] dim 0 by %[[AT]] combine add : tensor<512xi32>, !tile.view<200xi32>
// CHECK: program.launch {{.*}} grid(%c2, %c1, %c1)
// PTX-LABEL: .entry bins_{{.*}}scatter(
// PTX: .reqntid 128
// PTX: atom.global.add.u32
// PTX-NOT: bar.sync
// PTX: .entry
func.func @bins(%x: tensor<200xi32>, %k: tensor<1001x1xi32>, %u: tensor<1001x1xi32>) -> tensor<200xi32> {
  %c = prim.constant dense<255> : tensor<1001x1xi32>
  %i = prim.bitwise_and %k, %c : tensor<1001x1xi32>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<200xi32>, tensor<1001x1xi32>, tensor<1001x1xi32>
  return %r : tensor<200xi32>
}
// Many rows of few places: a block has the places of several rows.
// CHECK-LABEL: tile.kernel private @few_{{.*}}scatter(
// CHECK: tile.store_scatter {{.*}} combine xor : tensor<64x8xi32>
// CHECK: program.launch {{.*}} grid(%c5, %c1, %c1)
func.func @few(%x: tensor<300x40xi32>, %k: tensor<300x5x1xi64>, %u: tensor<300x5x1xi32>) -> tensor<300x40xi32> {
  %c = prim.constant dense<63> : tensor<300x5x1xi64>
  %i = prim.bitwise_and %k, %c : tensor<300x5x1xi64>
  %r = prim.scatter xor %x, %i, %u dims [1] batch_dims 1 : tensor<300x40xi32>, tensor<300x5x1xi64>, tensor<300x5x1xi32>
  return %r : tensor<300x40xi32>
}
// Dimensions of places that lie together are one.
// CHECK-LABEL: tile.kernel private @points_{{.*}}scatter(
// CHECK: tile.store_scatter {{.*}} combine max : tensor<128xi16>
func.func @points(%x: tensor<10x7xi16>, %k: tensor<3x30x2xi64>, %u: tensor<3x30x1x1xi16>) -> tensor<10x7xi16> {
  %c = prim.constant dense<15> : tensor<3x30x2xi64>
  %i = prim.bitwise_and %k, %c : tensor<3x30x2xi64>
  %r = prim.scatter max %x, %i, %u dims [1, 0] batch_dims 0 : tensor<10x7xi16>, tensor<3x30x2xi64>, tensor<3x30x1x1xi16>
  return %r : tensor<10x7xi16>
}
// Windows that an index moves, each by an instance: they may overlap.
// CHECK-LABEL: tile.kernel private @windows_{{.*}}scatter(
// CHECK-NOT: scf.for
// CHECK: tile.store_scatter {{.*}} combine add : tensor<8xf32>
// CHECK: program.launch {{.*}} grid(%c200, %c2, %c1)
func.func @windows(%x: tensor<5x100xf32>, %k: tensor<200x2xi32>, %u: tensor<200x2x8xf32>) -> tensor<5x100xf32> {
  %c = prim.constant dense<127> : tensor<200x2xi32>
  %i = prim.bitwise_and %k, %c : tensor<200x2xi32>
  %r = prim.scatter add %x, %i, %u dims [0, 1] batch_dims 0 : tensor<5x100xf32>, tensor<200x2xi32>, tensor<200x2x8xf32>
  return %r : tensor<5x100xf32>
}
// Rows of 16 bits are in tiles of several, too.
// CHECK-LABEL: tile.kernel private @open_{{.*}}scatter(
// CHECK: tile.store_scatter {{.*}} combine min : tensor<128x8xbf16>
// CHECK-LABEL: tile.kernel private @halves_{{.*}}scatter(
// CHECK: tile.store_scatter {{.*}} combine min : tensor<32x32xbf16>
func.func @open(%x: tensor<2x10x7xbf16>, %k: tensor<2x?x1xi64>, %u: tensor<2x?x1x7xbf16>) -> tensor<2x10x7xbf16> {
  %r = prim.scatter min %x, %k, %u dims [1] batch_dims 1 : tensor<2x10x7xbf16>, tensor<2x?x1xi64>, tensor<2x?x1x7xbf16>
  return %r : tensor<2x10x7xbf16>
}
func.func @halves(%x: tensor<2x10x32xbf16>, %k: tensor<2x?x1xi64>, %u: tensor<2x?x1x32xbf16>) -> tensor<2x10x32xbf16> {
  %r = prim.scatter min %x, %k, %u dims [1] batch_dims 1 : tensor<2x10x32xbf16>, tensor<2x?x1xi64>, tensor<2x?x1x32xbf16>
  return %r : tensor<2x10x32xbf16>
}
// What is a part of an odd number of 16-bit elements has no whole words.
// CHECK-LABEL: tile.kernel private @part_{{.*}}scatter(
// CHECK-NOT: combine
func.func @part(%x: tensor<10xi16>, %y: tensor<1xi16>, %k: tensor<100x1xi32>, %u: tensor<100x1xi16>) -> tensor<11xi16> {
  %r = prim.scatter max %x, %k, %u dims [0] batch_dims 0 : tensor<10xi16>, tensor<100x1xi32>, tensor<100x1xi16>
  %c = prim.cat %y, %r dim 0 : tensor<1xi16>, tensor<10xi16> -> tensor<11xi16>
  return %c : tensor<11xi16>
}
// A byte is updated in a word, which may end behind the tensor.
// CHECK-LABEL: tile.kernel private @bools_{{.*}}scatter(
// CHECK-NOT: combine
// CHECK-LABEL: tile.kernel private @product_{{.*}}scatter(
// CHECK: tile.store_scatter {{.*}} combine mul : tensor<512xi32>
// PTX-LABEL: .entry product_{{.*}}scatter(
// PTX: atom.relaxed.gpu.global.cas.b32
func.func @bools(%x: tensor<10xi1>, %u: tensor<300x1xi1>, %k: tensor<300x1xi8>) -> tensor<10xi1> {
  %r = prim.scatter add %x, %k, %u dims [0] batch_dims 0 : tensor<10xi1>, tensor<300x1xi8>, tensor<300x1xi1>
  return %r : tensor<10xi1>
}
func.func @product(%x: tensor<60xi32>, %u: tensor<300x1xi32>, %k: tensor<300x1xi8>) -> tensor<60xi32> {
  %r = prim.scatter mul %x, %k, %u dims [0] batch_dims 0 : tensor<60xi32>, tensor<300x1xi8>, tensor<300x1xi32>
  return %r : tensor<60xi32>
}
