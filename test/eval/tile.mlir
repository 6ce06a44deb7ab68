// RUN: kiln-eval %s | FileCheck %s
// Kernels over views, run by host programs.

// Blocks at the edge: what lies outside is padded and dropped.
tile.kernel @add_one(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %b = arith.addf %a, %one : tensor<4xf32>
  tile.store %b, %y[%i] : tensor<4xf32>, !tile.view<?xf32>
}
// CHECK: add_one_host = [6] f32: 1 2 3 4 5 6
program.func @add_one_host() -> memref<?xf32> {
  %x = program.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<6xf32> as memref<6xf32>
  %n = arith.constant 6 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = program.alloc sizes (%n) : memref<?xf32>
  program.launch [@add_one] grid (%c2, %c1, %c1) args (%x, %y) writes [1] : memref<6xf32>, memref<?xf32>
  program.return %y : memref<?xf32>
}

tile.kernel @paddings(%x: !tile.view<2x3xf32>, %y: !tile.view<3x8xf32>) {
  %m = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = arith.constant 7.0 : f32
  %a = tile.load %x at [%c0, %m] : !tile.view<2x3xf32> -> tensor<8xf32>
  %b = tile.load %x at [%c1, %m] pad %v : f32 : !tile.view<2x3xf32> -> tensor<8xf32>
  %c = tile.load %x at [%m, %c0] padding nan step [1, 2] : !tile.view<2x3xf32> -> tensor<2x4xf32>
  %d = tile.reshape %c : tensor<2x4xf32> -> tensor<8xf32>
  tile.store %a, %y at [%c0, %c0] : tensor<8xf32>, !tile.view<3x8xf32>
  tile.store %b, %y at [%c1, %c0] : tensor<8xf32>, !tile.view<3x8xf32>
  tile.store %d, %y at [%c2, %c0] : tensor<8xf32>, !tile.view<3x8xf32>
}
// CHECK: paddings_host = [3, 8] f32: 0 1 2 3 0 0 0 0 7 4 5 6 7 7 7 7 nan nan nan nan 1 3 nan nan
program.func @paddings_host() -> memref<3x8xf32> {
  %x = program.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> as memref<2x3xf32>
  %c1 = arith.constant 1 : index
  %y = program.alloc : memref<3x8xf32>
  program.launch [@paddings] grid (%c1, %c1, %c1) args (%x, %y) writes [1] : memref<2x3xf32>, memref<3x8xf32>
  program.return %y : memref<3x8xf32>
}

// Every instance adds to the same elements: combining stores are atomic.
tile.kernel @count(%y: !tile.view<2xi32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<[1, 2]> : tensor<2xi32>
  tile.store %one, %y[%c0] combine add : tensor<2xi32>, !tile.view<2xi32>
}
tile.kernel @zero(%y: !tile.view<2xi32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0> : tensor<2xi32>
  tile.store %z, %y[%c0] : tensor<2xi32>, !tile.view<2xi32>
}
// CHECK: count_host = [2] i32: 12 24
program.func @count_host() -> memref<2xi32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %y = program.alloc : memref<2xi32>
  program.launch [@zero] grid (%c1, %c1, %c1) args (%y) writes [0] : memref<2xi32>
  program.launch [@count] grid (%c4, %c3, %c1) args (%y) writes [0] : memref<2xi32>
  program.return %y : memref<2xi32>
}

tile.kernel @matmul(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32, strides = [1, ?]>, %c: !tile.view<?x?xf32>) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %a[1] by 2 : !tile.view<?x?xf32>
  %zero = arith.constant dense<0.0> : tensor<2x2xf32>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<2x2xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<2x2xf32>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf32, strides = [1, ?]> -> tensor<2x2xf32>
    %d = tile.dot %x, %y, %s : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
    scf.yield %d : tensor<2x2xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<2x2xf32>, !tile.view<?x?xf32>
}
// The second matrix is a transposed view of the first.
// CHECK: matmul_host = [2, 2] f32: 14 32 32 77
program.func @matmul_host() -> memref<2x2xf32> {
  %a = program.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> as memref<2x3xf32>
  %c1 = arith.constant 1 : index
  %b = program.view %a offset [0] sizes [3, 2] strides [1, 3] (), (), ()
    : memref<2x3xf32> -> memref<3x2xf32, strided<[1, 3]>>
  %c = program.alloc : memref<2x2xf32>
  program.launch [@matmul] grid (%c1, %c1, %c1) args (%a, %b, %c) writes [2]
    : memref<2x3xf32>, memref<3x2xf32, strided<[1, 3]>>, memref<2x2xf32>
  program.return %c : memref<2x2xf32>
}

tile.kernel @rows(%t: !tile.view<?x2xf32>, %ids: !tile.view<3xi32>, %y: !tile.view<3x2xf32>) {
  %c0 = arith.constant 0 : index
  %i = tile.load %ids[%c0] : !tile.view<3xi32> -> tensor<3xi32>
  %r = tile.load_gather %t[%c0] dim 0 by %i : !tile.view<?x2xf32>, tensor<3xi32> -> tensor<3x2xf32>
  tile.store %r, %y[%c0, %c0] : tensor<3x2xf32>, !tile.view<3x2xf32>
}
// CHECK: gather_host = [3, 2] f32: 3 4 0 0 1 2
program.func @gather_host() -> memref<3x2xf32> {
  %t = program.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> as memref<2x2xf32>
  %ids = program.constant dense<[1, 9, 0]> : tensor<3xi32> as memref<3xi32>
  %c1 = arith.constant 1 : index
  %y = program.alloc : memref<3x2xf32>
  program.launch [@rows] grid (%c1, %c1, %c1) args (%t, %ids, %y) writes [2]
    : memref<2x2xf32>, memref<3xi32>, memref<3x2xf32>
  program.return %y : memref<3x2xf32>
}

// What lies outside, by its index or its offset, is dropped.
tile.kernel @place(%x: !tile.view<3x2xf32>, %ids: !tile.view<3xi32>, %y: !tile.view<3x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.load %ids[%c0] : !tile.view<3xi32> -> tensor<3xi32>
  %v = tile.load %x[%c0, %c0] : !tile.view<3x2xf32> -> tensor<3x2xf32>
  tile.store_scatter %v, %y[%c1] dim 0 by %i : tensor<3x2xf32>, !tile.view<3x2xf32>, tensor<3xi32>
}
// Where stores combine, elements with the same place all count.
tile.kernel @weigh(%x: !tile.view<6xf32>, %ids: !tile.view<6xi32>, %y: !tile.view<3xf32>, %z: !tile.view<3xf32>) {
  %c0 = arith.constant 0 : index
  %i = tile.load %ids[%c0] : !tile.view<6xi32> -> tensor<6xi32>
  %v = tile.load %x[%c0] : !tile.view<6xf32> -> tensor<6xf32>
  tile.store_scatter %v, %y[] dim 0 by %i combine add : tensor<6xf32>, !tile.view<3xf32>, tensor<6xi32>
  tile.store_scatter %v, %z[] dim 0 by %i combine mul : tensor<6xf32>, !tile.view<3xf32>, tensor<6xi32>
}
// CHECK: weigh_host[0] = [3] f32: 15 6 7
// CHECK: weigh_host[1] = [3] f32: 98 6 12
program.func @weigh_host() -> (memref<3xf32>, memref<3xf32>) {
  %x = program.constant dense<[1.0, 6.0, 3.0, 4.0, 7.0, 7.0]> : tensor<6xf32> as memref<6xf32>
  %ids = program.constant dense<[-1, 1, 2, 2, 0, 0]> : tensor<6xi32> as memref<6xi32>
  %c1 = arith.constant 1 : index
  %y = program.constant dense<[1.0, 0.0, 0.0]> : tensor<3xf32> as memref<3xf32>
  %z = program.constant dense<[2.0, 1.0, 1.0]> : tensor<3xf32> as memref<3xf32>
  %a = program.alloc : memref<3xf32>
  %b = program.alloc : memref<3xf32>
  program.copy %y to %a : memref<3xf32>, memref<3xf32>
  program.copy %z to %b : memref<3xf32>, memref<3xf32>
  program.launch [@weigh] grid (%c1, %c1, %c1) args (%x, %ids, %a, %b) writes [2, 3]
    : memref<6xf32>, memref<6xi32>, memref<3xf32>, memref<3xf32>
  program.return %a, %b : memref<3xf32>, memref<3xf32>
}
// CHECK: scatter_host = [3, 2] f32: 0 5 0 0 0 1
program.func @scatter_host() -> memref<3x2xf32> {
  %x = program.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32> as memref<3x2xf32>
  %ids = program.constant dense<[2, -1, 0]> : tensor<3xi32> as memref<3xi32>
  %c1 = arith.constant 1 : index
  %y = program.constant dense<0.0> : tensor<3x2xf32> as memref<3x2xf32>
  %z = program.alloc : memref<3x2xf32>
  program.copy %y to %z : memref<3x2xf32>, memref<3x2xf32>
  program.launch [@place] grid (%c1, %c1, %c1) args (%x, %ids, %z) writes [2]
    : memref<3x2xf32>, memref<3xi32>, memref<3x2xf32>
  program.return %z : memref<3x2xf32>
}
