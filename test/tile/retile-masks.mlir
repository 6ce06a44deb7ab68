// RUN: kiln-opt %s -tile-raise -o /dev/null 2>&1 | FileCheck %s --check-prefix=RAISE
// RUN: kiln-opt %s -tile-retile="sizes=16,0,24" -canonicalize -cse | FileCheck %s

// The number of blocks is a parameter, the last block is masked where the
// operand is no longer zero outside of its view, and the grid has four digits.
// RAISE-LABEL: tile.kernel @masked
// RAISE-SAME: "d0: parallel, grid 0 digit, block 8, extent arg1[0]", "d1: parallel, grid 0 digit, block 1
// RAISE-SAME: "d2: reduction, loop step 1, block 32, extent arg0[1]"]
// CHECK-LABEL: tile.kernel @masked
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C24:.*]] = arith.constant 24 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK: %[[COVERED:.*]] = arith.muli %arg3, %[[C32]]
// CHECK: %[[COUNT:.*]] = arith.ceildivsi %[[COVERED]], %[[C24]]
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[COUNT]]
// CHECK: tile.load %arg0 at {{.*}} -> tensor<16x24xf32>
// CHECK: tile.iota 1 : tensor<1x24xi32>
// CHECK: %[[BACK:.*]] = arith.muli %[[K]], %{{.*}}
// CHECK: %[[LEFT:.*]] = arith.addi %[[BACK]], %arg2
// CHECK: arith.maxsi %[[LEFT]]
// CHECK: arith.minsi %{{.*}}, %[[C24]]
// CHECK: tile.splat {{.*}} : tensor<1x24xi32>
tile.kernel @masked(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>, %size: index, %blocks: index, %b: index) {
  %id = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %j = arith.remui %id, %b : index
  %i = arith.divui %id, %b : index
  %m0 = arith.muli %i, %c8 : index
  %zero = arith.constant dense<0.0> : tensor<8x32xf32>
  %none = arith.constant dense<0.0> : tensor<8xf32>
  %sum = scf.for %k = %c0 to %blocks step %c1 iter_args(%s = %none) -> (tensor<8xf32>) {
    %k0 = arith.muli %k, %c32 : index
    %t = tile.load %x at [%m0, %k0] : !tile.view<?x?xf32> -> tensor<8x32xf32>
    %e = math.exp %t : tensor<8x32xf32>
    %iota = tile.iota 1 : tensor<1x32xi32>
    %left = arith.subi %size, %k0 : index
    %low = arith.maxsi %left, %c0 : index
    %high = arith.minsi %low, %c32 : index
    %narrow = arith.index_cast %high : index to i32
    %limit = tile.splat %narrow : tensor<1x32xi32>
    %inside = arith.cmpi slt, %iota, %limit : tensor<1x32xi32>
    %mask = tile.broadcast %inside : tensor<1x32xi1> -> tensor<8x32xi1>
    %v = arith.select %mask, %e, %zero : tensor<8x32xi1>, tensor<8x32xf32>
    %r = tile.reduce %v axis 1 : tensor<8x32xf32> -> tensor<8xf32> {
    ^bb0(%p: f32, %q: f32):
      %a = arith.addf %p, %q : f32
      tile.yield %a : f32
    }
    %u = arith.addf %s, %r : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  %o = tile.reshape %sum : tensor<8xf32> -> tensor<8x1xf32>
  tile.store %o, %y at [%m0, %j] : tensor<8x1xf32>, !tile.view<?x?xf32>
}

// CHECK-LABEL: program.func @main
// CHECK: %[[B:.*]] = memref.dim %arg1
// CHECK: %[[UP:.*]] = arith.ceildivsi %{{.*}}, %c16
// CHECK: %[[GRID:.*]] = arith.muli %[[B]], %[[UP]]
// CHECK: program.launch [@masked] grid(%[[GRID]],
program.func @main(%x: memref<?x?xf32>, %like: memref<?xf32>) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %k = memref.dim %x, %c1 : memref<?x?xf32>
  %b = memref.dim %like, %c0 : memref<?xf32>
  %gm = arith.ceildivsi %m, %c8 : index
  %g = arith.muli %gm, %b : index
  %gk = arith.ceildivsi %k, %c32 : index
  %y = program.alloc sizes (%m, %b) : memref<?x?xf32>
  program.launch [@masked] grid (%g, %c1, %c1) args (%x, %y, %k, %gk, %b) writes [1] : memref<?x?xf32>, memref<?x?xf32>, index, index, index
  program.return %y : memref<?x?xf32>
}
