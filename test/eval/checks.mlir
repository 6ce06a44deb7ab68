// RUN: not kiln-eval %s 2>&1 | FileCheck %s
// What a correct program never does, reported at the operation that does it.

tile.kernel @overrun(%p: !tile.ptr<f32>, %y: !tile.view<4xf32>) {
  %c0 = arith.constant 0 : index
  %v = tile.make_view %p : !tile.ptr<f32> -> !tile.view<8xf32>
  // CHECK: checks.mlir:[[#@LINE+1]]:8: error: out-of-bounds access by instance 0: byte 28 of a buffer of 16 bytes
  %a = tile.load %v[%c0] : !tile.view<8xf32> -> tensor<8xf32>
  %c4 = arith.constant 4 : index
  tile.store %a, %y at [%c4] : tensor<8xf32>, !tile.view<4xf32>
}
program.func @overrun_host() {
  %x = program.constant dense<0.0> : tensor<4xf32> as memref<4xf32>
  %y = program.alloc : memref<4xf32>
  %c1 = arith.constant 1 : index
  program.launch [@overrun] grid (%c1, %c1, %c1) args (%x, %y) writes [1] : memref<4xf32>, memref<4xf32>
  program.return
}

tile.kernel @reader(%x: !tile.view<4xf32>, %y: !tile.view<4xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: checks.mlir:[[#@LINE+1]]:8: error: read of unwritten memory by instance 0: byte 0 of a buffer of 16 bytes
  %a = tile.load %x[%c0] : !tile.view<4xf32> -> tensor<4xf32>
  tile.store %a, %y[%c0] : tensor<4xf32>, !tile.view<4xf32>
}
program.func @unwritten_host() {
  %x = program.alloc : memref<4xf32>
  %y = program.alloc : memref<4xf32>
  %c1 = arith.constant 1 : index
  program.launch [@reader] grid (%c1, %c1, %c1) args (%x, %y) writes [1] : memref<4xf32>, memref<4xf32>
  program.return
}

// Every instance writes the same element; only different values are a race,
// which is said once.
tile.kernel @collide(%y: !tile.view<4xi64>, %z: !tile.view<4xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.program_id : index
  %v = arith.index_cast %i : index to i64
  %a = tile.splat %v : tensor<1xi64>
  %b = arith.constant dense<1> : tensor<1xi64>
  tile.store %b, %z[%c0] : tensor<1xi64>, !tile.view<4xi64>
  // CHECK-NOT: race
  // CHECK: checks.mlir:[[#@LINE+1]]:3: warning: race: instance 1 writes byte 8 of a buffer of 32 bytes that instance 0 has written without an order
  tile.store %a, %y[%c1] : tensor<1xi64>, !tile.view<4xi64>
  // CHECK-NOT: race
}
program.func @collide_host() {
  %y = program.alloc : memref<4xi64>
  %z = program.alloc : memref<4xi64>
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  program.launch [@collide] grid (%c3, %c1, %c1) args (%y, %z) writes [0, 1] : memref<4xi64>, memref<4xi64>
  program.return
}

// An instance reads what its neighbour writes.
tile.kernel @shift(%y: !tile.view<4xf32>) {
  %i = tile.program_id : index
  %c1 = arith.constant 1 : index
  %n = arith.addi %i, %c1 : index
  %l = tile.load %y at [%n] : !tile.view<4xf32> -> tensor<1xf32>
  %a = arith.addf %l, %l : tensor<1xf32>
  // CHECK: checks.mlir:[[#@LINE+1]]:3: warning: race: instance 1 writes byte 4 of a buffer of 16 bytes that instance 0 has read without an order
  tile.store %a, %y at [%i] : tensor<1xf32>, !tile.view<4xf32>
}
tile.kernel @fill(%y: !tile.view<4xf32>) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<1.0> : tensor<4xf32>
  tile.store %a, %y[%c0] : tensor<4xf32>, !tile.view<4xf32>
}
program.func @shift_host() {
  %y = program.alloc : memref<4xf32>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  program.launch [@fill] grid (%c1, %c1, %c1) args (%y) writes [0] : memref<4xf32>
  program.launch [@shift] grid (%c2, %c1, %c1) args (%y) writes [0] : memref<4xf32>
  program.return
}

// Poison may be computed, but not stored.
tile.kernel @poison(%y: !tile.view<4xi32>) {
  %c0 = arith.constant 0 : index
  %a = tile.iota 0 : tensor<4xi32>
  %z = arith.constant dense<12> : tensor<4xi32>
  %q = arith.divsi %z, %a : tensor<4xi32>
  // CHECK: checks.mlir:[[#@LINE+1]]:3: error: 'tile.store' op poison reaches memory: element 0 of the 4
  tile.store %q, %y[%c0] : tensor<4xi32>, !tile.view<4xi32>
}
program.func @poison_host() {
  %y = program.alloc : memref<4xi32>
  %c1 = arith.constant 1 : index
  program.launch [@poison] grid (%c1, %c1, %c1) args (%y) writes [0] : memref<4xi32>
  program.return
}

// What a load reads by `any` is poison, but its lanes outside are not stored.
tile.kernel @any(%x: !tile.view<3xf32>, %y: !tile.view<3xf32>, %z: !tile.view<4xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] padding any : !tile.view<3xf32> -> tensor<4xf32>
  tile.store %a, %y[%c0] : tensor<4xf32>, !tile.view<3xf32>
  // CHECK: checks.mlir:[[#@LINE+1]]:3: error: 'tile.store' op poison reaches memory: element 3 of the 4
  tile.store %a, %z[%c0] : tensor<4xf32>, !tile.view<4xf32>
}
program.func @any_host() {
  %x = program.constant dense<1.0> : tensor<3xf32> as memref<3xf32>
  %y = program.alloc : memref<3xf32>
  %z = program.alloc : memref<4xf32>
  %c1 = arith.constant 1 : index
  program.launch [@any] grid (%c1, %c1, %c1) args (%x, %y, %z) writes [1, 2] : memref<3xf32>, memref<3xf32>, memref<4xf32>
  program.return
}

func.func @gather_outside() -> tensor<1xf32> {
  %x = prim.constant dense<1.0> : tensor<4xf32>
  %i = prim.constant dense<4> : tensor<1xi32>
  // CHECK: checks.mlir:[[#@LINE+1]]:8: error: 'prim.gather' op expected indices in [0, 4), found 4
  %r = prim.gather %x, %i dim 0 batch_dims 0 : tensor<4xf32>, tensor<1xi32> -> tensor<1xf32>
  return %r : tensor<1xf32>
}

// A sum, a decision and a size depend on an element that is not there.
func.func @sum_outside() -> tensor<f32> {
  %x = prim.constant dense<1.0> : tensor<4xf32>
  %i = prim.constant dense<[0, -3]> : tensor<2xi32>
  // CHECK: checks.mlir:[[#@LINE+1]]:8: error: 'prim.gather' op expected indices in [0, 4), found -3
  %r = prim.gather %x, %i dim 0 batch_dims 0 : tensor<4xf32>, tensor<2xi32> -> tensor<2xf32>
  // CHECK: checks.mlir:[[#@LINE+2]]:3: note: result 0 depends on it
  %s = prim.sum %r dims [0] : tensor<2xf32> -> tensor<f32>
  return %s : tensor<f32>
}
func.func @decision_outside() -> tensor<f32> {
  %x = prim.constant dense<true> : tensor<4xi1>
  %i = prim.constant dense<5> : tensor<i32>
  // CHECK: checks.mlir:[[#@LINE+1]]:8: error: 'prim.gather' op expected indices in [0, 4), found 5
  %c = prim.gather %x, %i dim 0 batch_dims 0 : tensor<4xi1>, tensor<i32> -> tensor<i1>
  %r = prim.if %c : tensor<i1> -> (tensor<f32>) {
    %a = prim.constant dense<1.0> : tensor<f32>
    prim.yield %a : tensor<f32>
  } else {
    %b = prim.constant dense<2.0> : tensor<f32>
    prim.yield %b : tensor<f32>
  }
  return %r : tensor<f32>
}

func.func @forever() -> tensor<1xf32> {
  // CHECK: checks.mlir:[[#@LINE+1]]:8: error: calls are nested more than
  %r = func.call @forever() : () -> tensor<1xf32>
  return %r : tensor<1xf32>
}

func.func @unknown() -> tensor<1xf32> {
  // CHECK: checks.mlir:[[#@LINE+1]]:8: error: unsupported: no evaluation for 'tensor.empty'
  %r = tensor.empty() : tensor<1xf32>
  return %r : tensor<1xf32>
}
program.func @check() {
  %no = arith.constant false
  // CHECK: checks.mlir:[[#@LINE+1]]:3: error: sizes do not match
  program.check %no, "sizes do not match"
  program.return
}
