// RUN: kiln-opt %s -split-input-file -tile-retile="sizes=96,32,48" -canonicalize -cse | FileCheck %s

// Tiles, the loop over blocks and the launch follow; 100 rows need 2 blocks of 96.
// CHECK-LABEL: tile.kernel @matmul
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<96x32xf32>
// CHECK: tile.num_blocks %arg0[1] by 48
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]]) -> (tensor<96x32xf32>)
// CHECK: tile.load %arg0[%{{.*}}, %{{.*}}] : !tile.view<?x?xf32> -> tensor<96x48xf32>
// CHECK: tile.load %arg1[%{{.*}}, %{{.*}}] : !tile.view<?x?xf32> -> tensor<48x32xf32>
// CHECK: tile.dot %{{.*}} : tensor<96x48xf32>, tensor<48x32xf32>, tensor<96x32xf32>
// CHECK: tile.store %{{.*}}, %arg2[%{{.*}}] : tensor<96x32xf32>
tile.kernel @matmul(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %c: !tile.view<?x?xf32>) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %n = tile.num_blocks %a[1] by 64 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x128xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf32> -> tensor<64x128xf32>
    %d = tile.dot %x, %y, %s : tensor<64x64xf32>, tensor<64x128xf32>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x128xf32>, !tile.view<?x?xf32>
}
// CHECK-LABEL: program.func @main
// CHECK-DAG: %[[X:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[Y:.*]] = arith.constant 10 : index
// CHECK: program.launch [@matmul] grid(%[[X]], %[[Y]], %{{.*}})
program.func @main(%a: memref<100x200xf32>, %b: memref<200x300xf32>) -> memref<100x300xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c = program.alloc : memref<100x300xf32>
  program.launch [@matmul] grid (%c2, %c3, %c1) args (%a, %b, %c) writes [2] : memref<100x200xf32>, memref<200x300xf32>, memref<100x300xf32>
  program.return %c : memref<100x300xf32>
}

// -----

// A raster of dynamic size: its numbers of blocks and the product in the launch
// follow. The loop counts elements, so that its step changes.
// CHECK-LABEL: tile.kernel @raster
// CHECK-DAG: %[[C96:.*]] = arith.constant 96 : index
// CHECK-DAG: %[[C48:.*]] = arith.constant 48 : index
// CHECK: %[[N:.*]] = tile.num_blocks %arg1[1] by 32
// CHECK: arith.divui %{{.*}}, %[[N]]
// CHECK: arith.remui %{{.*}}, %[[N]]
// CHECK: scf.for {{.*}} step %[[C48]]
// CHECK: arith.muli %{{.*}}, %[[C96]]
// CHECK: tile.load %arg0 at {{.*}} -> tensor<96x48xf32>
tile.kernel @raster(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %c: !tile.view<?x?xf32>) {
  %pid = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %nn = tile.num_blocks %b[1] by 128 : !tile.view<?x?xf32>
  %i = arith.divui %pid, %nn : index
  %j = arith.remui %pid, %nn : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %size = tile.dim %a[1] : !tile.view<?x?xf32>
  %m0 = arith.muli %i, %c64 : index
  %acc = scf.for %k = %c0 to %size step %c32 iter_args(%s = %zero) -> (tensor<64x128xf32>) {
    %x = tile.load %a at [%m0, %k] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %y0 = tile.load %b at [%k, %c0] : !tile.view<?x?xf32> -> tensor<32x1xf32>
    %y = tile.broadcast %y0 : tensor<32x1xf32> -> tensor<32x128xf32>
    %d = tile.dot %x, %y, %s : tensor<64x32xf32>, tensor<32x128xf32>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x128xf32>, !tile.view<?x?xf32>
}
// CHECK-LABEL: program.func @main
// CHECK: %[[M:.*]] = memref.dim %arg0
// CHECK: %[[N:.*]] = memref.dim %arg1
// CHECK-DAG: arith.ceildivsi %[[N]], %c32
// CHECK-DAG: arith.ceildivsi %{{.*}}, %c96
// CHECK: %[[G:.*]] = arith.muli
// CHECK: program.launch [@raster] grid(%[[G]], %{{.*}})
program.func @main(%a: memref<?x?xf32>, %b: memref<?x?xf32>) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %n = memref.dim %b, %c1 : memref<?x?xf32>
  %gm = arith.ceildivsi %m, %c64 : index
  %gn = arith.ceildivsi %n, %c128 : index
  %g = arith.muli %gm, %gn : index
  %c = program.alloc sizes (%m, %n) : memref<?x?xf32>
  program.launch [@raster] grid (%g, %c1, %c1) args (%a, %b, %c) writes [2] : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  program.return %c : memref<?x?xf32>
}
