// RUN: kiln-opt %s -tile-retile="sizes=96,32" -canonicalize -cse | FileCheck %s

// Positions computed from the index get the new block size; one shared zero
// becomes one for each size. Without a launch the scale of the grid is noted.
// CHECK-LABEL: tile.kernel @positions
// CHECK-SAME: grid_scale = array<i64: 64, 96, 64, 32, 1, 1>
// CHECK-DAG: %[[C96:.*]] = arith.constant 96 : index
// CHECK-DAG: arith.constant dense<0> : tensor<96xindex>
// CHECK-DAG: arith.constant dense<0> : tensor<32xindex>
// CHECK: %[[P:.*]] = arith.muli %{{.*}}, %[[C96]]
// CHECK: tile.splat %[[P]] : tensor<96xindex>
// CHECK: tile.iota 0 : tensor<96xindex>
tile.kernel @positions(%x: !tile.view<?xindex>, %y: !tile.view<?xindex>) {
  %i, %j = tile.program_id : index, index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0> : tensor<64xindex>
  %p = arith.muli %i, %c64 : index
  %t = tile.splat %p : tensor<64xindex>
  %u = tile.iota 0 : tensor<64xindex>
  %v = arith.addi %t, %u : tensor<64xindex>
  %w = arith.maxsi %v, %zero : tensor<64xindex>
  tile.store %w, %x[%i] : tensor<64xindex>, !tile.view<?xindex>
  %a = tile.load %y[%j] : !tile.view<?xindex> -> tensor<64xindex>
  %b = arith.maxsi %a, %zero : tensor<64xindex>
  tile.store %b, %y[%j] : tensor<64xindex>, !tile.view<?xindex>
}
