// Two sums over the same dimensions, of what is read in common, are one kernel: the gradient of a norm has such.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-fuse))' | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=TILE
// Other machines sum one after the other.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},func.func(prim-fuse))' | FileCheck %s --check-prefix=APART
// RUN: for entry in columns lines dependent; do \
// RUN:   kiln-run %s --entry=$entry --target=amd:gfx942,device=sim --no-fallback --check 2>&1 | FileCheck %s --check-prefix=RESULT || exit 1; done
// RESULT: result 0: ok
// RESULT: result 1: ok
// APART-LABEL: func.func @columns
// APART-COUNT-2: prim.fusion reduction

// One loop reads both tensors and carries both sums; a second kernel adds up those of all instances.
// CHECK-LABEL: func.func @columns
// CHECK: prim.fusion reduction({{.*}}) -> (tensor<48xf32>, tensor<48xf32>)
// CHECK-NOT: prim.fusion
// TILE-LABEL: tile.kernel private @columns_0_sum(
// TILE: scf.for {{.*}} -> (tensor<[[T:.*]]xf32>, tensor<[[T]]xf32>)
// TILE: tile.load
// TILE: tile.load
// TILE-NOT: tile.load
// TILE: scf.yield
// TILE-COUNT-2: tile.store
// TILE-LABEL: tile.kernel private @columns_0_sum_parts(
// TILE-COUNT-2: tile.load
// TILE-COUNT-2: tile.store
func.func @columns(%dy: tensor<8x33x32x48xbf16>, %x: tensor<8x33x32x48xbf16>) -> (tensor<48xf32>, tensor<48xf32>) {
  %0 = prim.convert_element_type %dy : tensor<8x33x32x48xbf16> -> tensor<8x33x32x48xf32>
  %1 = prim.convert_element_type %x : tensor<8x33x32x48xbf16> -> tensor<8x33x32x48xf32>
  %2 = prim.sum %0 dims [0, 1, 2] : tensor<8x33x32x48xf32> -> tensor<48xf32>
  %3 = prim.mul %0, %1 : tensor<8x33x32x48xf32>
  %4 = prim.sum %3 dims [0, 1, 2] : tensor<8x33x32x48xf32> -> tensor<48xf32>
  return %2, %4 : tensor<48xf32>, tensor<48xf32>
}

// Lines of images that have their channels first.
// CHECK-LABEL: func.func @lines
// CHECK: prim.fusion reduction({{.*}}) -> (tensor<6xf32>, tensor<6xf32>)
// CHECK-NOT: prim.fusion
func.func @lines(%dy: tensor<4x6x300xf32>, %x: tensor<4x6x300xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %0 = prim.sum %dy dims [0, 2] : tensor<4x6x300xf32> -> tensor<6xf32>
  %1 = prim.mul %dy, %x : tensor<4x6x300xf32>
  %2 = prim.sum %1 dims [0, 2] : tensor<4x6x300xf32> -> tensor<6xf32>
  return %0, %2 : tensor<6xf32>, tensor<6xf32>
}

// The second sum is of distances from what the first one gives.
// CHECK-LABEL: func.func @dependent
// CHECK: prim.fusion reduction({{.*}}) -> tensor<48xf32>
// CHECK: prim.fusion reduction({{.*}}) -> tensor<48xf32>
func.func @dependent(%x: tensor<640x48xf32>, %y: tensor<640x48xf32>) -> (tensor<48xf32>, tensor<48xf32>) {
  %0 = prim.sum %x dims [0] : tensor<640x48xf32> -> tensor<48xf32>
  %1 = prim.broadcast_in_dim %0 dims [1] : tensor<48xf32> -> tensor<640x48xf32>
  %2 = prim.sub %x, %1 : tensor<640x48xf32>
  %3 = prim.mul %2, %y : tensor<640x48xf32>
  %4 = prim.sum %3 dims [0] : tensor<640x48xf32> -> tensor<48xf32>
  return %0, %4 : tensor<48xf32>, tensor<48xf32>
}
