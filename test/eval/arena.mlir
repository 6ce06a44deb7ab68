// RUN: not kiln-eval %s 2>&1 | FileCheck %s
// Buffers of a plan share memory; a plan that reuses it too early is caught.

tile.kernel @fill(%x: !tile.view<4xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<3.0> : tensor<4xf32>
  tile.store %v, %x[%c0] : tensor<4xf32>, !tile.view<4xf32>
}
tile.kernel @copy(%x: !tile.view<4xf32>, %y: !tile.view<4xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: arena.mlir:[[#@LINE+1]]:8: error: read of unwritten memory by instance 0
  %v = tile.load %x[%c0] : !tile.view<4xf32> -> tensor<4xf32>
  tile.store %v, %y[%c0] : tensor<4xf32>, !tile.view<4xf32>
}
// CHECK: right = [4] f32: 3 3 3 3
program.func @right() -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %bytes = arith.constant 128 : index
  program.arena %bytes
  %x = program.alloc at %c0 : memref<4xf32>
  program.launch [@fill] grid (%c1, %c1, %c1) args (%x) writes [0] : memref<4xf32>
  %y = program.alloc at %c64 : memref<4xf32>
  program.launch [@copy] grid (%c1, %c1, %c1) args (%x, %y) writes [1] : memref<4xf32>, memref<4xf32>
  program.return %y : memref<4xf32>
}
program.func @wrong() -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %bytes = arith.constant 128 : index
  program.arena %bytes
  %x = program.alloc at %c0 : memref<4xf32>
  program.launch [@fill] grid (%c1, %c1, %c1) args (%x) writes [0] : memref<4xf32>
  %y = program.alloc at %c8 : memref<4xf32>
  program.launch [@copy] grid (%c1, %c1, %c1) args (%x, %y) writes [1] : memref<4xf32>, memref<4xf32>
  program.return %y : memref<4xf32>
}
