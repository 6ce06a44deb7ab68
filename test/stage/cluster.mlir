// Instances of a cluster exchange through memory at the stage level, too: what a copy writes is waited for before they meet.
// RUN: kiln-opt %s -stage-place=space=pad -verify-stage-form -stage-allocate | FileCheck %s
// RUN: for seed in 0 1 2; do kiln-run %s --target=reference,seed=$seed,races=error --grid=4 --arg=zeros:i32:4x4 | FileCheck %s --check-prefix=SWAP || exit 1; done
// RUN: sed "s/^  stage.wait %w//; s/^  \/\/ LATE //" %s > %t.mlir
// RUN: for seed in 0 1 2; do not kiln-run %t.mlir --target=reference,seed=$seed --grid=4 --arg=zeros:i32:4x4 2>&1 | FileCheck %s --check-prefix=FLIGHT || exit 1; done

!V = !tile.view<?x?xi32>
!S = memref<1x4xi32>

// Each instance stores its number, and adds up that of its neighbour.
// CHECK-LABEL: tile.kernel @swap
// CHECK: %[[W:.*]] = stage.copy async
// CHECK: stage.wait %[[W]]
// CHECK: tile.cluster_barrier [2, 1, 1]
// CHECK: stage.copy %arg0
// CHECK: tile.cluster_barrier [2, 1, 1]
// CHECK: stage.copy
// SWAP: 4x4xi32: 2, 2, 2, 2, 1, 1, 1, 1, 4, 4, 4, 4, 3, 3, 3, 3
// FLIGHT: cluster.mlir.tmp.mlir:[[#@LINE+15]]:3: lets other instances read memory that a copy in flight writes
tile.kernel @swap(%y: !V) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.addi %i, %c1 : index
  %number = arith.index_cast %count : index to i32
  %own = stage.alloc : !S
  %other = stage.alloc : !S
  stage.compute [1, 4] {
    %t = tile.splat %number : tensor<1x4xi32>
    stage.write %t, %own : tensor<1x4xi32>, !S
  }
  %w = stage.copy async %own to %y[%i, %c0] : !S, !V
  stage.wait %w
  tile.cluster_barrier [2, 1, 1]
  // LATE stage.wait %w
  %place = arith.xori %i, %c1 : index
  stage.copy %y[%place, %c0] to %other : !V, !S
  tile.cluster_barrier [2, 1, 1]
  stage.copy %other to %y[%i, %c0] : !S, !V
}
