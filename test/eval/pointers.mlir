// RUN: not kiln-eval %s 2>&1 | FileCheck %s

// Disabled lanes never touch memory.
tile.kernel @masked(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<8xi32>
  %n = arith.constant dense<5> : tensor<8xi32>
  %m = arith.cmpi slt, %i, %n : tensor<8xi32>
  %px = tile.splat %x : tensor<8x!tile.ptr<f32>>
  %qx = tile.ptr_add %px, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %z = arith.constant dense<-1.0> : tensor<8xf32>
  %v = tile.load_ptr %qx mask %m other %z : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %py = tile.splat %y : tensor<8x!tile.ptr<f32>>
  %qy = tile.ptr_add %py, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store_ptr %qy, %v : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
}
program.func @masked_host() -> memref<8xf32> {
  %x = program.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32> as memref<5xf32>
  %y = program.alloc : memref<8xf32>
  %c1 = arith.constant 1 : index
  program.launch [@masked] grid (%c1, %c1, %c1) args (%x, %y) writes [1] : memref<5xf32>, memref<8xf32>
  program.return %y : memref<8xf32>
}

// A lane past the end that is enabled.
tile.kernel @past(%x: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<8xi32>
  %px = tile.splat %x : tensor<8x!tile.ptr<f32>>
  %qx = tile.ptr_add %px, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  // CHECK: pointers.mlir:[[#@LINE+1]]:8: error: out-of-bounds access by instance 0: byte 28 of a buffer of 20 bytes
  %v = tile.load_ptr %qx : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
}
program.func @past_host() {
  %x = program.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32> as memref<5xf32>
  %c1 = arith.constant 1 : index
  program.launch [@past] grid (%c1, %c1, %c1) args (%x) writes [] : memref<5xf32>
  program.return
}

// The last instance to arrive sums what the others have written.
tile.kernel @last(%parts: !tile.view<4xf32>, %counter: !tile.ptr<i32>, %y: !tile.view<1xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %v = arith.constant dense<2.0> : tensor<1xf32>
  tile.store %v, %parts[%i] : tensor<1xf32>, !tile.view<4xf32>
  %old = tile.atomic_rmw add acq_rel device %counter, %one : !tile.ptr<i32>, i32
  %is_last = arith.cmpi eq, %old, %three : i32
  scf.if %is_last {
    %t = tile.load %parts[%c0] : !tile.view<4xf32> -> tensor<4xf32>
    %s = tile.reduce %t axis 0 : tensor<4xf32> -> tensor<f32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %r = tile.reshape %s : tensor<f32> -> tensor<1xf32>
    tile.store %r, %y[%c0] : tensor<1xf32>, !tile.view<1xf32>
  }
}
tile.kernel @zero(%x: !tile.view<1xi32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0> : tensor<1xi32>
  tile.store %z, %x[%c0] : tensor<1xi32>, !tile.view<1xi32>
}
// CHECK: masked_host = [8] f32: 1 2 3 4 5 -1 -1 -1
// CHECK: last_host = [1] f32: 8
program.func @last_host() -> memref<1xf32> {
  %parts = program.alloc : memref<4xf32>
  %counter = program.alloc : memref<1xi32>
  %y = program.alloc : memref<1xf32>
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  program.launch [@zero] grid (%c1, %c1, %c1) args (%counter) writes [0] : memref<1xi32>
  program.launch [@last] grid (%c4, %c1, %c1) args (%parts, %counter, %y) writes [0, 1, 2]
    : memref<4xf32>, memref<1xi32>, memref<1xf32>
  program.return %y : memref<1xf32>
}
// CHECK: cas_host = [1] i32: 7
tile.kernel @cas(%x: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %c9 = arith.constant 9 : i32
  %a = tile.atomic_cas acq_rel device %x, %c0, %c7 : !tile.ptr<i32>, i32
  %b = tile.atomic_cas acq_rel device %x, %c0, %c9 : !tile.ptr<i32>, i32
}
program.func @cas_host() -> memref<1xi32> {
  %x = program.alloc : memref<1xi32>
  %c1 = arith.constant 1 : index
  program.launch [@zero] grid (%c1, %c1, %c1) args (%x) writes [0] : memref<1xi32>
  program.launch [@cas] grid (%c1, %c1, %c1) args (%x) writes [0] : memref<1xi32>
  program.return %x : memref<1xi32>
}
