// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that update in any order need to know which of several updates of one element is the last: the largest number of its places. The
// others go nowhere, so that what is left has no two updates of one element. Other targets update in order.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-find-last-updates))' | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},func.func(prim-find-last-updates))' | FileCheck %s --check-prefix=ORDER
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-find-last-updates))' | FileCheck %s --check-prefix=ORDER
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s --check-prefix=TILE
// RUN: for entry in elements rows windows mixed wide; do kiln-run %s --entry=$entry --target=amd:gfx942,device=sim --no-fallback --check || exit 1; done

// ORDER-LABEL: func.func @elements
// ORDER-NOT: unique
// ORDER-LABEL: func.func @apart

// CHECK-LABEL: func.func @elements
// CHECK: %[[PLACE:.*]] = prim.convert_element_type %{{.*}} : tensor<3000xi64> -> tensor<3000xi32>
// CHECK: %[[NUMBER:.*]] = prim.iota dim 0 : tensor<3000xi32>
// CHECK: %[[NONE:.*]] = prim.full -1 : i32 : tensor<1000xi32>
// CHECK: %[[LAST:.*]] = prim.scatter max %[[NONE]], {{.*}} dims [0] batch_dims 0 : tensor<1000xi32>, tensor<3000x1xi32>, tensor<3000x1xi32>
// CHECK: %[[THERE:.*]] = prim.gather %[[LAST]], {{.*}} dim 0 batch_dims 0 : tensor<1000xi32>, tensor<3000xi32> -> tensor<3000xi32>
// CHECK: prim.eq %[[THERE]], %[[NUMBER]]
// CHECK: %[[KEPT:.*]] = prim.where {{.*}} : tensor<3000x1xi1>, tensor<3000x1xi32>
// CHECK: prim.scatter set %arg0, %[[KEPT]], %arg2 dims [0] batch_dims 0 unique
// Each thread has updates of its own.
// TILE-LABEL: tile.kernel private @elements_{{.*}}scatter(
// TILE: tile.store_scatter {{.*}} combine max : tensor<{{.*}}xi32>, !tile.view<1000xi32>
// TILE-LABEL: tile.kernel private @elements_{{.*}}scatter(
// TILE: tile.load_gather {{.*}} !tile.view<1000xi32>
// TILE: tile.store_scatter {{.*}}[] dim 0 by %{{[0-9]+}} : tensor<{{.*}}xf32>, !tile.view<1000xf32>
func.func @elements(%x: tensor<1000xf32>, %t: tensor<3000x1xi32>, %u: tensor<3000x1xf32>) -> tensor<1000xf32> {
  %c = prim.constant dense<1023> : tensor<3000x1xi32>
  %i = prim.bitwise_and %t, %c : tensor<3000x1xi32>
  %r = prim.scatter set %x, %i, %u dims [0] batch_dims 0 : tensor<1000xf32>, tensor<3000x1xi32>, tensor<3000x1xf32>
  return %r : tensor<1000xf32>
}
// A row has one number.
// CHECK-LABEL: func.func @rows
// CHECK: prim.scatter max {{.*}} : tensor<100xi32>, tensor<300x1xi32>, tensor<300x1xi32>
// CHECK: prim.scatter set {{.*}} unique : tensor<100x24xbf16>, tensor<300x1xi64>, tensor<300x1x24xbf16>
// TILE: tile.store_scatter {{.*}}[%c0] dim 0 by %{{.*}} : tensor<[[N:[0-9]+]]x32xbf16>, !tile.view<100x24xbf16>, tensor<[[N]]xi32>
func.func @rows(%x: tensor<100x24xbf16>, %t: tensor<300x1xi64>, %u: tensor<300x1x24xbf16>) -> tensor<100x24xbf16> {
  %c = prim.constant dense<127> : tensor<300x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<300x1xi64>
  %r = prim.scatter set %x, %i, %u dims [0] batch_dims 0 : tensor<100x24xbf16>, tensor<300x1xi64>, tensor<300x1x24xbf16>
  return %r : tensor<100x24xbf16>
}
// Windows that overlap in part: each element is a place. Narrow indices do not wrap when steps are added.
// CHECK-LABEL: func.func @windows
// CHECK: prim.add {{.*}} : tensor<3x70x4x3x2xi64>
// CHECK: prim.scatter max {{.*}} : tensor<6000xi32>, tensor<2520x1xi32>, tensor<2520x1xi32>
// CHECK: prim.scatter set {{.*}} dims [2, 1] batch_dims 1 unique : tensor<3x40x50xi1>, tensor<3x70x4x3x2xi64>, tensor<3x70x4x3x1x1xi1>
func.func @windows(%x: tensor<3x40x50xi1>, %t: tensor<3x70x2xi8>, %u: tensor<3x70x3x4xi1>) -> tensor<3x40x50xi1> {
  %c = prim.constant dense<63> : tensor<3x70x2xi8>
  %i = prim.bitwise_and %t, %c : tensor<3x70x2xi8>
  %r = prim.scatter set %x, %i, %u dims [2, 1] batch_dims 1 : tensor<3x40x50xi1>, tensor<3x70x2xi8>, tensor<3x70x3x4xi1>
  return %r : tensor<3x40x50xi1>
}
func.func @mixed(%x: tensor<3x40x5x6xi8>, %t: tensor<3x70x2xi32>, %u: tensor<3x70x3x2x6xi8>) -> tensor<3x40x5x6xi8> {
  %c = prim.constant dense<63> : tensor<3x70x2xi32>
  %i = prim.bitwise_and %t, %c : tensor<3x70x2xi32>
  %r = prim.scatter set %x, %i, %u dims [1, 2] batch_dims 1 : tensor<3x40x5x6xi8>, tensor<3x70x2xi32>, tensor<3x70x3x2x6xi8>
  return %r : tensor<3x40x5x6xi8>
}
func.func @wide(%x: tensor<100x1100xi16>, %t: tensor<300x1xi64>, %u: tensor<300x1x1100xi16>) -> tensor<100x1100xi16> {
  %c = prim.constant dense<127> : tensor<300x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<300x1xi64>
  %r = prim.scatter set %x, %i, %u dims [0] batch_dims 0 : tensor<100x1100xi16>, tensor<300x1xi64>, tensor<300x1x1100xi16>
  return %r : tensor<100x1100xi16>
}
// No two updates of one element, few places, dynamic sizes, and another combination stay as they are.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: prim.iota
// CHECK: prim.scatter set
// CHECK-NEXT: prim.scatter set
// CHECK-NEXT: prim.scatter set
// CHECK-NEXT: prim.scatter add
func.func @apart(%x: tensor<1000xf32>, %i: tensor<300x1xi32>, %u: tensor<300x1xf32>, %j: tensor<60x1xi32>, %v: tensor<60x1xf32>, %k: tensor<?x1xi32>, %w: tensor<?x1xf32>) -> tensor<1000xf32> {
  %a = prim.scatter set %x, %i, %u dims [0] batch_dims 0 unique : tensor<1000xf32>, tensor<300x1xi32>, tensor<300x1xf32>
  %b = prim.scatter set %a, %j, %v dims [0] batch_dims 0 : tensor<1000xf32>, tensor<60x1xi32>, tensor<60x1xf32>
  %c = prim.scatter set %b, %k, %w dims [0] batch_dims 0 : tensor<1000xf32>, tensor<?x1xi32>, tensor<?x1xf32>
  %d = prim.scatter add %c, %i, %u dims [0] batch_dims 0 : tensor<1000xf32>, tensor<300x1xi32>, tensor<300x1xf32>
  return %d : tensor<1000xf32>
}
