// A left factor that a loop does not change is packed before it.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},cpu-select-matrix-instructions,tile.kernel(tile-decide-storage,convert-tile-to-stage,stage-split-products))' | FileCheck %s

// CHECK-LABEL: @fixed
// CHECK: scf.for
// CHECK: tile.load %{{.*}} -> tensor<32x64xf32>
// CHECK: stage.write
// CHECK: scf.for
// CHECK-NOT: tensor<32x64xf32>
// CHECK: tile.load %{{.*}} -> tensor<64x32xf32>
// CHECK: stage.product
tile.kernel @fixed(%x: !tile.view<32x64xf32> {tile.readonly}, %y: !tile.view<64x128xf32> {tile.readonly}, %z: !tile.view<32x128xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<32x64xf32> -> tensor<32x64xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %b = tile.load %y[%c0, %i] : !tile.view<64x128xf32> -> tensor<64x32xf32>
    %d = tile.dot %a, %b, %zero : tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x32xf32>
    tile.store %d, %z[%c0, %i] : tensor<32x32xf32>, !tile.view<32x128xf32>
  }
}

// What may be written meanwhile is packed where it is needed.
// CHECK-LABEL: @written
// CHECK: stage.write
// CHECK: tile.load %{{.*}} -> tensor<64x32xf32>
// CHECK: stage.product
tile.kernel @written(%x: !tile.view<32x64xf32>, %y: !tile.view<64x128xf32> {tile.readonly}, %z: !tile.view<32x128xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %a = tile.load %x[%c0, %c0] : !tile.view<32x64xf32> -> tensor<32x64xf32>
    %b = tile.load %y[%c0, %i] : !tile.view<64x128xf32> -> tensor<64x32xf32>
    %d = tile.dot %a, %b, %zero : tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x32xf32>
    tile.store %d, %z[%c0, %i] : tensor<32x32xf32>, !tile.view<32x128xf32>
  }
}
