// Reductions of short lines, whose kept dimensions do not merge: tiles have places of more than one of these, so that an instance
// reduces more than a few elements.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=pairs | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile --entry=few | FileCheck %s --check-prefix=FEW
// RUN: kiln-run %s --target=amd:gfx942,device=sim --entry=pairs --no-fallback --check 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: kiln-run %s --target=amd:gfx942,device=sim --entry=looked_up --no-fallback --check 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: result 0: ok
// RUN: for entry in pairs looked_up few; do \
// RUN:   kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=$entry --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// CHECK-LABEL: tile.kernel @pairs_0_amax(
// CHECK: tensor<4x8x4xf32>
// CHECK: tile.reduce
// CHECK: tile.store {{.*}}tensor<4x8xf32>
func.func @pairs(%x: tensor<4224x3xf32>, %y: tensor<6x3xf32>) -> tensor<4224x6xf32> {
  %0 = prim.broadcast_in_dim %x dims [0, 2] : tensor<4224x3xf32> -> tensor<4224x6x3xf32>
  %1 = prim.broadcast_in_dim %y dims [1, 2] : tensor<6x3xf32> -> tensor<4224x6x3xf32>
  %2 = prim.add %0, %1 : tensor<4224x6x3xf32>
  %3 = prim.amax %2 dims [2] : tensor<4224x6x3xf32> -> tensor<4224x6xf32>
  return %3 : tensor<4224x6xf32>
}

// What is reduced is looked up.
func.func @looked_up(%t: tensor<40x2xf32>, %i: tensor<4224x3xi64>, %y: tensor<3x2xf32>) -> tensor<4224x2xf32> {
  %c = prim.full 39 : i64 : tensor<4224x3xi64>
  %n = prim.bitwise_and %i, %c : tensor<4224x3xi64>
  %0 = prim.gather %t, %n dim 0 batch_dims 0 : tensor<40x2xf32>, tensor<4224x3xi64> -> tensor<4224x3x2xf32>
  %1 = prim.broadcast_in_dim %y dims [1, 2] : tensor<3x2xf32> -> tensor<4224x3x2xf32>
  %2 = prim.mul %0, %1 : tensor<4224x3x2xf32>
  %3 = prim.sum %2 dims [1] : tensor<4224x3x2xf32> -> tensor<4224x2xf32>
  return %3 : tensor<4224x2xf32>
}

// Few instances stay as many.
// FEW-LABEL: tile.kernel @few_0_amax(
// FEW: tensor<8x4xf32>
// FEW-NOT: tensor<{{[0-9]+}}x8x4xf32>
func.func @few(%x: tensor<132x3xf32>, %y: tensor<6x3xf32>) -> tensor<132x6xf32> {
  %0 = prim.broadcast_in_dim %x dims [0, 2] : tensor<132x3xf32> -> tensor<132x6x3xf32>
  %1 = prim.broadcast_in_dim %y dims [1, 2] : tensor<6x3xf32> -> tensor<132x6x3xf32>
  %2 = prim.add %0, %1 : tensor<132x6x3xf32>
  %3 = prim.amax %2 dims [2] : tensor<132x6x3xf32> -> tensor<132x6xf32>
  return %3 : tensor<132x6xf32>
}
