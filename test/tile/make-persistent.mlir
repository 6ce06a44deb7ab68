// Instances loop over points of the grid; what all of them share is computed once.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-raster{group=2 along=0},tile-make-persistent{all}))' 2>/dev/null | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia},tile.kernel(tile-make-persistent))' 2>&1 | FileCheck %s --check-prefix=HINTS

// HINTS: warning: kernel 'waits_as_asked' is not persistent: its instances may wait for each other

// CHECK-LABEL: tile.kernel @matmul(
// CHECK: %[[G:.*]]:3 = tile.num_programs : index, index, index
// CHECK-DAG: %[[XY:.*]] = arith.muli %[[G]]#0, %[[G]]#1
// CHECK-DAG: %[[POINTS:.*]] = arith.muli %[[XY]], %[[G]]#2
// CHECK-DAG: %[[W:.*]] = tile.instance_id
// CHECK-DAG: %[[COUNT:.*]] = tile.num_instances
// CHECK: tile.num_blocks %arg0[1] by 32
// CHECK: scf.for %[[N:.*]] = %[[W]] to %[[POINTS]] step %[[COUNT]] {
// CHECK: %[[I:.*]], %[[J:.*]], %{{.*}} = tile.grid_coordinates %[[N]] in({{.*}}) bands 2 along 0
// CHECK: dense<0.0
// CHECK: scf.for
// CHECK: tile.load %arg0[%[[I]], %{{.*}}]
// CHECK: tile.store %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT: }
// HINTS-LABEL: tile.kernel @matmul(
// HINTS: tile.program_id
tile.kernel @matmul(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %c: !tile.view<?x?xf32>) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %n = tile.num_blocks %a[1] by 32 : !tile.view<?x?xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<16x32xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<16x32xf32>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf32> -> tensor<32x32xf32>
    %d = tile.dot %x, %y, %s : tensor<16x32xf32>, tensor<32x32xf32>, tensor<16x32xf32>
    scf.yield %d : tensor<16x32xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<16x32xf32>, !tile.view<?x?xf32>
}

// CHECK-LABEL: tile.kernel @waits_as_asked(
// CHECK-NOT: scf.for
// CHECK: tile.load
tile.kernel @waits_as_asked(%x: !tile.view<?xi32>)
    attributes {progress = #tile<progress concurrent>, hints = {nvidia = {persistent = true}}} {
  %i = tile.program_id : index
  %v = tile.load %x[%i] : !tile.view<?xi32> -> tensor<1xi32>
}

// The numbers of the instances were those of the points.
// CHECK-LABEL: tile.kernel @counts(
// CHECK: scf.for %[[N:.*]] = %{{.*}} to
// CHECK-NEXT: tile.load %{{.*}}[%[[N]]]
tile.kernel @counts(%x: !tile.view<?xi32>) {
  %i = tile.instance_id : index
  %v = tile.load %x[%i] : !tile.view<?xi32> -> tensor<1xi32>
}

// Its lines would all name the instance.
// CHECK-LABEL: tile.kernel @says(
// CHECK-NOT: scf.for
// CHECK: }
tile.kernel @says(%n: i32) {
  tile.print "n: " %n : i32
}

// Prints and atomic operations name, and reach, what each point does.
// CHECK-LABEL: tile.kernel @says_where(
// CHECK: scf.for
// CHECK: tile.grid_coordinates
// CHECK: tile.print
// HINTS-LABEL: tile.kernel @says_where(
// HINTS: scf.for
tile.kernel @says_where(%x: !tile.view<?xi32>) attributes {hints = {nvidia = {persistent = true}}} {
  %i = tile.program_id : index
  %v = tile.load %x[%i] : !tile.view<?xi32> -> tensor<1xi32>
  tile.print "v: " %v : tensor<1xi32>
}
