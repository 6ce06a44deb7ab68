// Many updates of few elements: each thread combines its own ahead, and an instance stores once for each element.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm | FileCheck %s --check-prefix=PTX
// RUN: kiln-compile %s --entry=sums --target=nvidia:sm_90a,ptxas=none,scatter=ordered --no-fallback --emit=program | FileCheck %s --check-prefix=ORDERED
// RUN: for entry in sums most least bits groups; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done
// RUN: for places in 0 77; do kiln-run %s --entry=open --dim=$places --target=amd:gfx942,device=sim --check --inputs=hurt || exit 1; done
// RUN: kiln-run %s --entry=least --target=amd:gfx942,device=sim --check --inputs=hurt

// What no update is for stays as it is: nothing is stored there.
// CHECK-LABEL: tile.kernel private @sums_{{.*}}scatter(
// CHECK-SAME: warps = 1
// CHECK: %[[NONE:.*]] = arith.constant dense<-0.000000e+00> : tensor<16x128xf32>
// CHECK: %[[ALL:.*]] = scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[NONE]]) -> (tensor<16x128xf32>)
// CHECK: %[[OWN:.*]] = arith.cmpi eq
// CHECK: %[[NEW:.*]] = arith.select %[[OWN]], %{{.*}}, %[[NONE]]
// CHECK: arith.addf %[[SUM]], %[[NEW]]
// CHECK: %[[TOTAL:.*]] = tile.reduce %[[ALL]] axis 1
// CHECK: tile.store_scatter %[[TOTAL]], {{.*}} combine add : tensor<16xf32>, !tile.view<10xf32>
// PTX-LABEL: .entry sums_{{.*}}scatter(
// PTX-NOT: bar.sync
// PTX: .entry
// ORDERED-LABEL: tile.kernel private @sums_{{.*}}scatter(
// ORDERED-NOT: combine
func.func @sums(%x: tensor<10xf32>, %t: tensor<1000000x1xi64>, %u: tensor<1000000x1xf32>) -> tensor<10xf32> {
  %c = prim.constant dense<15> : tensor<1000000x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<1000000x1xi64>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<10xf32>, tensor<1000000x1xi64>, tensor<1000000x1xf32>
  return %r : tensor<10xf32>
}
// Elements of two dimensions are one line. More of them leave registers for fewer places.
// CHECK-LABEL: tile.kernel private @most_{{.*}}scatter(
// CHECK: arith.constant dense<-2147483648> : tensor<32x64xi32>
// CHECK: tile.store_scatter {{.*}} combine max : tensor<32xi32>, !tile.view<21xi32>
func.func @most(%x: tensor<3x7xi32>, %t: tensor<20000x2xi32>, %u: tensor<20000x1x1xi32>) -> tensor<3x7xi32> {
  %c = prim.constant dense<7> : tensor<20000x2xi32>
  %i = prim.bitwise_and %t, %c : tensor<20000x2xi32>
  %r = prim.scatter max %x, %i, %u dims [1, 0] batch_dims 0 : tensor<3x7xi32>, tensor<20000x2xi32>, tensor<20000x1x1xi32>
  return %r : tensor<3x7xi32>
}
// CHECK-LABEL: tile.kernel private @least_{{.*}}scatter(
// CHECK: arith.constant dense<0x7F800000> : tensor<16x128xf32>
// CHECK: tile.store_scatter {{.*}} combine min : tensor<16xf32>
func.func @least(%x: tensor<10xf32>, %t: tensor<9001x1xi64>, %u: tensor<9001x1xf32>) -> tensor<10xf32> {
  %c = prim.constant dense<15> : tensor<9001x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<9001x1xi64>
  %r = prim.scatter min %x, %i, %u dims [0] batch_dims 0 : tensor<10xf32>, tensor<9001x1xi64>, tensor<9001x1xf32>
  return %r : tensor<10xf32>
}
// CHECK-LABEL: tile.kernel private @bits_{{.*}}scatter(
// CHECK: arith.constant dense<-1> : tensor<4x128xi64>
// CHECK: tile.store_scatter {{.*}} combine and : tensor<4xi64>
func.func @bits(%x: tensor<4xi64>, %t: tensor<3000x1xi32>, %u: tensor<3000x1xi64>) -> tensor<4xi64> {
  %c = prim.constant dense<7> : tensor<3000x1xi32>
  %i = prim.bitwise_and %t, %c : tensor<3000x1xi32>
  %r = prim.scatter and %x, %i, %u dims [0] batch_dims 0 : tensor<4xi64>, tensor<3000x1xi32>, tensor<3000x1xi64>
  return %r : tensor<4xi64>
}

// Products, of as many updates as the call says.
func.func @open(%x: tensor<8xf32>, %t: tensor<?x1xi64>, %u: tensor<?x1xf32>) -> tensor<8xf32> {
  %r = prim.scatter mul %x, %t, %u dims [0] batch_dims 0 : tensor<8xf32>, tensor<?x1xi64>, tensor<?x1xf32>
  return %r : tensor<8xf32>
}
// Of more elements instances have 32 each, and leave the updates of the others alone.
// CHECK-LABEL: tile.kernel private @groups_{{.*}}scatter(
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}#0, %c32
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[FIRST]] : index to i32
// CHECK: %[[OTHERS:.*]] = tile.splat %[[NUMBER]] : tensor<64xi32>
// CHECK: arith.subi %{{.*}}, %[[OTHERS]] : tensor<64xi32>
// CHECK: tile.store_scatter {{.*}} combine add : tensor<32xf32>, !tile.view<100xf32>
// CHECK: program.launch [@groups_{{.*}}] grid(%c4, %c
func.func @groups(%x: tensor<100xf32>, %t: tensor<60000x1xi64>, %u: tensor<60000x1xf32>) -> tensor<100xf32> {
  %c = prim.constant dense<127> : tensor<60000x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<60000x1xi64>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<100xf32>, tensor<60000x1xi64>, tensor<60000x1xf32>
  return %r : tensor<100xf32>
}
