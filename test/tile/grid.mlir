// Instances, the order in which they take the points of the grid, and barriers of clusters.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize --cse | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(verify-tile-form,tile-raise)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=RAISE

// CHECK-LABEL: tile.kernel @workers(
tile.kernel @workers(%y: !tile.view<?x?xi32>) {
  %v = arith.constant dense<1> : tensor<1x1xi32>
  // CHECK: %[[G:.*]]:3 = tile.num_programs
  %nx, %ny, %nz = tile.num_programs : index, index, index
  %points = arith.muli %nx, %ny : index
  // CHECK: %[[W:.*]] = tile.instance_id : index
  %w = tile.instance_id : index
  // CHECK: %[[COUNT:.*]] = tile.num_instances : index
  %count = tile.num_instances : index
  // CHECK: scf.for %[[N:.*]] = %[[W]] to %{{.*}} step %[[COUNT]]
  scf.for %n = %w to %points step %count {
    // CHECK: %[[X:.*]], %[[Y:.*]], %{{.*}} = tile.grid_coordinates %[[N]] in(%[[G]]#0, %[[G]]#1, %[[G]]#2) bands 2 along 0
    %i, %j, %k = tile.grid_coordinates %n in (%nx, %ny, %nz) bands 2 along 0
    // CHECK: tile.store %{{.*}}[%[[X]], %[[Y]]]
    tile.store %v, %y[%i, %j] : tensor<1x1xi32>, !tile.view<?x?xi32>
  }
}

// Coordinates of the instance's own number are dimensions of the kernel.
// CHECK-LABEL: tile.kernel @rows(
// RAISE: remark: tile.kernel @rows{{.*}}accesses = ["load arg0[4*d0 : 4, 8*d1 : 8]"{{.*}}dims = ["d0: parallel, grid 0, block 4{{.*}}d1: parallel, grid 1, block 8
tile.kernel @rows(%x: !tile.view<?x?xi32>) {
  %n = tile.instance_id : index
  %nx, %ny, %nz = tile.num_programs : index, index, index
  // CHECK: tile.grid_coordinates %{{.*}} in(%{{.*}}, %{{.*}}, %{{.*}}){{$}}
  %i, %j, %k = tile.grid_coordinates %n in (%nx, %ny, %nz)
  %v = tile.load %x[%i, %j] : !tile.view<?x?xi32> -> tensor<4x8xi32>
  tile.store %v, %x[%i, %j] : tensor<4x8xi32>, !tile.view<?x?xi32>
}

// A barrier is kept where it is: behind the store, in front of the load.
// CHECK-LABEL: tile.kernel @clustered(
tile.kernel @clustered(%y: !tile.view<?xi32>) {
  %i = tile.program_id : index
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %m = arith.remui %i, %c2 : index
  %other = arith.subi %c1, %m : index
  %first = arith.subi %i, %m : index
  %at = arith.addi %first, %other : index
  %v = arith.constant dense<1> : tensor<1xi32>
  // CHECK: tile.store
  tile.store %v, %y[%i] : tensor<1xi32>, !tile.view<?xi32>
  // CHECK-NEXT: tile.cluster_barrier [2, 1, 1]
  tile.cluster_barrier [2, 1, 1]
  // CHECK: tile.load
  %a = tile.load %y[%at] : !tile.view<?xi32> -> tensor<1xi32>
  // CHECK: tile.cluster_barrier [2, 1, 1]
  tile.cluster_barrier [2, 1, 1]
  tile.store %a, %y[%i] : tensor<1xi32>, !tile.view<?xi32>
}
