// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-lower-pointers))' | FileCheck %s

// Steps become bytes; a loop carries addresses; accesses take them back as pointers.
// CHECK-LABEL: tile.kernel @copy
// CHECK: %[[BASE:.*]] = tile.ptr_to_int %{{.*}} : !tile.ptr<f32> -> i64
// CHECK: %[[TILE:.*]] = tile.splat %[[BASE]] : tensor<64xi64>
// CHECK: %[[WIDE:.*]] = arith.extsi %{{.*}} : tensor<64xi32> to tensor<64xi64>
// CHECK: %[[BYTES:.*]] = arith.muli %[[WIDE]], %{{.*}} : tensor<64xi64>
// CHECK: %[[START:.*]] = arith.addi %[[TILE]], %[[BYTES]] : tensor<64xi64>
// CHECK: scf.for {{.*}} iter_args(%[[AT:.*]] = %[[START]]) -> (tensor<64xi64>)
// CHECK:   %[[P:.*]] = tile.int_to_ptr %[[AT]] : tensor<64xi64> -> tensor<64x!tile.ptr<f32>>
// CHECK:   tile.load_ptr %[[P]]
tile.kernel @copy(%x: !tile.ptr<f32>, %y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %range = tile.iota 0 : tensor<64xi32>
  %base = tile.splat %x : tensor<64x!tile.ptr<f32>>
  %start = tile.ptr_add %base, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %step = arith.constant dense<64> : tensor<64xi32>
  %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%at = %start) -> (tensor<64x!tile.ptr<f32>>) {
    %v = tile.load_ptr %at : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
    tile.store %v, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
    %next = tile.ptr_add %at, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f32>>
  }
}
