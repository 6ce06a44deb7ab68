// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-find-exchanges),canonicalize,cse)' | FileCheck %s

// A step of a bitonic network, on a dimension for each bit: the other one of a pair is an exclusive or of both. The step
// comes back to the shape that the tile had, and what tells the halves apart to a bit of the index.
// CHECK-LABEL: tile.kernel @step
// CHECK-SAME: %[[IN:[a-z0-9]+]]: !tile.view<2x8xf32>
tile.kernel @step(%in: !tile.view<2x8xf32>, %out: !tile.view<2x8xf32>) {
  // CHECK-DAG: %[[I:.*]] = tile.iota 1 : tensor<2x8xi32>
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1> : tensor<2x8xi32>
  // CHECK-DAG: %[[SHIFT:.*]] = arith.shrui %[[I]], %[[ONE]]
  // CHECK-DAG: %[[RIGHT:.*]] = arith.andi %[[SHIFT]], %[[ONE]]
  // CHECK-DAG: %[[T:.*]] = tile.load %[[IN]]
  // CHECK-NOT: tile.reduce
  // CHECK-NOT: tile.reshape
  // CHECK: %[[OTHER:.*]] = tile.exchange %[[T]] axis 1 mask 2 : tensor<2x8xf32>
  // CHECK: %[[MORE:.*]] = arith.cmpf ogt, %[[T]], %[[OTHER]] : tensor<2x8xf32>
  // CHECK: arith.select %{{.*}}, %[[OTHER]], %[[T]] : tensor<2x8xi1>, tensor<2x8xf32>
  %z = arith.constant 0 : index
  %t = tile.load %in[%z, %z] : !tile.view<2x8xf32> -> tensor<2x8xf32>
  %h = tile.reshape %t : tensor<2x8xf32> -> tensor<2x2x2x2xf32>
  %bits = arith.bitcast %h : tensor<2x2x2x2xf32> to tensor<2x2x2x2xi32>
  %both = tile.reduce %bits axis 2 : tensor<2x2x2x2xi32> -> tensor<2x2x2xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tile.yield %c : i32
  }
  %e = tile.expand_dims %both axis 2 : tensor<2x2x2xi32> -> tensor<2x2x1x2xi32>
  %w = tile.broadcast %e : tensor<2x2x1x2xi32> -> tensor<2x2x2x2xi32>
  %other = arith.xori %bits, %w : tensor<2x2x2x2xi32>
  %y = arith.bitcast %other : tensor<2x2x2x2xi32> to tensor<2x2x2x2xf32>
  %two = tile.iota 0 : tensor<2xi32>
  %r = tile.reshape %two : tensor<2xi32> -> tensor<1x1x2x1xi32>
  %right = tile.broadcast %r : tensor<1x1x2x1xi32> -> tensor<2x2x2x2xi32>
  %more = arith.cmpf ogt, %h, %y : tensor<2x2x2x2xf32>
  %morei = arith.extui %more : tensor<2x2x2x2xi1> to tensor<2x2x2x2xi32>
  %swaps = arith.cmpi ne, %morei, %right : tensor<2x2x2x2xi32>
  %s = arith.select %swaps, %y, %h : tensor<2x2x2x2xi1>, tensor<2x2x2x2xf32>
  %flat = tile.reshape %s : tensor<2x2x2x2xf32> -> tensor<2x8xf32>
  tile.store %flat, %out[%z, %z] : tensor<2x8xf32>, !tile.view<2x8xf32>
}

// A sum that goes to both of a pair: each adds the other one.
// CHECK-LABEL: tile.kernel @sums
tile.kernel @sums(%in: !tile.view<16xf32>, %out: !tile.view<16xf32>) {
  // CHECK: %[[T:.*]] = tile.load
  // CHECK: %[[OTHER:.*]] = tile.exchange %[[T]] axis 0 mask 4 : tensor<16xf32>
  // CHECK: %[[S:.*]] = arith.addf %[[T]], %[[OTHER]] : tensor<16xf32>
  // CHECK: tile.store %[[S]]
  %z = arith.constant 0 : index
  %t = tile.load %in[%z] : !tile.view<16xf32> -> tensor<16xf32>
  %h = tile.reshape %t : tensor<16xf32> -> tensor<2x2x4xf32>
  %sum = tile.reduce %h axis 1 : tensor<2x2x4xf32> -> tensor<2x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %e = tile.expand_dims %sum axis 1 : tensor<2x4xf32> -> tensor<2x1x4xf32>
  %w = tile.broadcast %e : tensor<2x1x4xf32> -> tensor<2x2x4xf32>
  %flat = tile.reshape %w : tensor<2x2x4xf32> -> tensor<16xf32>
  tile.store %flat, %out[%z] : tensor<16xf32>, !tile.view<16xf32>
}

// The largest of each pair stays; what it is taken from has three dimensions.
// CHECK-LABEL: tile.kernel @larger
tile.kernel @larger(%in: !tile.view<32xi32>, %out: !tile.view<16xi32>) {
  // CHECK: %[[X:.*]] = tile.exchange %{{.*}} axis 0 mask 1 : tensor<32xi32>
  // CHECK: %[[Y:.*]] = arith.addi {{.*}} : tensor<32xi32>
  // CHECK: %[[H:.*]] = tile.reshape %[[Y]] : tensor<32xi32> -> tensor<4x2x4xi32>
  // CHECK: tile.reduce %[[H]] axis 1 : tensor<4x2x4xi32> -> tensor<4x4xi32>
  %z = arith.constant 0 : index
  %t = tile.load %in[%z] : !tile.view<32xi32> -> tensor<32xi32>
  %h = tile.reshape %t : tensor<32xi32> -> tensor<2x2x2x2x2xi32>
  %x = tile.exchange %h axis 4 mask 1 : tensor<2x2x2x2x2xi32>
  %s = arith.addi %h, %x : tensor<2x2x2x2x2xi32>
  %m = tile.reduce %s axis 2 : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  }
  %flat = tile.reshape %m : tensor<2x2x2x2xi32> -> tensor<16xi32>
  tile.store %flat, %out[%z] : tensor<16xi32>, !tile.view<16xi32>
}

// An order that is prescribed stays.
// CHECK-LABEL: tile.kernel @ordered
tile.kernel @ordered(%in: !tile.view<2x4xf32>, %out: !tile.view<2x4xf32>) {
  // CHECK: tile.reduce
  // CHECK-NOT: tile.exchange
  %z = arith.constant 0 : index
  %t = tile.load %in[%z, %z] : !tile.view<2x4xf32> -> tensor<2x4xf32>
  %sum = tile.reduce %t axis 0 ordered : tensor<2x4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.subf %a, %b : f32
    tile.yield %c : f32
  }
  %e = tile.expand_dims %sum axis 0 : tensor<4xf32> -> tensor<1x4xf32>
  %w = tile.broadcast %e : tensor<1x4xf32> -> tensor<2x4xf32>
  tile.store %w, %out[%z, %z] : tensor<2x4xf32>, !tile.view<2x4xf32>
}
