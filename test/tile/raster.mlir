// The coordinates of instances follow from their numbers, in bands.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-raster{group=4 along=0}))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-raster,tile-expand-instances,canonicalize))' | FileCheck %s --check-prefix=ARITH
// RUN: not kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-raster{group=4 along=2}))' 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: error: expected bands of at least 1 coordinate along axis 0 or 1, found 4 along 2

// CHECK-LABEL: tile.kernel @rows(
// CHECK: %[[N:.*]] = tile.instance_id : index
// CHECK: %[[G:.*]]:3 = tile.num_programs
// CHECK: %[[X:.*]], %[[Y:.*]], %{{.*}} = tile.grid_coordinates %[[N]] in(%[[G]]#0, %[[G]]#1, %[[G]]#2) bands 4 along 0
// CHECK-NOT: tile.program_id
// CHECK: tile.store %{{.*}}[%[[X]], %[[Y]]]

// Three divisions: by the plane, by a band, by the width of the band.
// ARITH-LABEL: tile.kernel @rows(
// ARITH: tile.num_programs
// ARITH: tile.program_id
// ARITH-COUNT-3: arith.divui
// ARITH-NOT: arith.divui
// ARITH: tile.store
tile.kernel @rows(%y: !tile.view<?x?xi32>) {
  %v = arith.constant dense<1> : tensor<1x1xi32>
  %i, %j = tile.program_id : index, index
  tile.store %v, %y[%i, %j] : tensor<1x1xi32>, !tile.view<?x?xi32>
}

// Instances of a cluster are neighbours in the grid.
// CHECK-LABEL: tile.kernel @clustered(
// CHECK: tile.program_id
tile.kernel @clustered(%y: !tile.view<?x?xi32>) {
  %v = arith.constant dense<1> : tensor<1x1xi32>
  %i, %j = tile.program_id : index, index
  tile.cluster_barrier [2, 1, 1]
  tile.store %v, %y[%i, %j] : tensor<1x1xi32>, !tile.view<?x?xi32>
}
