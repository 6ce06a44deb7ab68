// RUN: not kiln-eval %s 2>&1 | FileCheck %s
// Instances that wait for each other take turns.

// Instance 0 waits for a flag that the last instance raises.
tile.kernel @wait(%flag: !tile.view<1xi32>, %data: !tile.view<1xf32>, %y: !tile.view<1xf32>) attributes {progress = #tile<progress concurrent>} {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %first = arith.cmpi eq, %i, %c0 : index
  scf.if %first {
    scf.while : () -> () {
      %f = tile.load %flag[%c0] : !tile.view<1xi32> -> tensor<1xi32>
      %v = tensor.extract %f[%c0] : tensor<1xi32>
      %again = arith.cmpi eq, %v, %zero : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    %d = tile.load %data[%c0] : !tile.view<1xf32> -> tensor<1xf32>
    tile.store %d, %y[%c0] : tensor<1xf32>, !tile.view<1xf32>
  } else {
    %v = arith.constant dense<42.0> : tensor<1xf32>
    %one = arith.constant dense<1> : tensor<1xi32>
    tile.store %v, %data[%c0] : tensor<1xf32>, !tile.view<1xf32>
    tile.store %one, %flag[%c0] combine add : tensor<1xi32>, !tile.view<1xi32>
  }
}
tile.kernel @clear(%flag: !tile.view<1xi32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0> : tensor<1xi32>
  tile.store %z, %flag[%c0] : tensor<1xi32>, !tile.view<1xi32>
}
program.func @wait_host() -> memref<1xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %flag = program.alloc : memref<1xi32>
  %data = program.alloc : memref<1xf32>
  %y = program.alloc : memref<1xf32>
  program.launch [@clear] grid (%c1, %c1, %c1) args (%flag) writes [0] : memref<1xi32>
  program.launch [@wait] grid (%c2, %c1, %c1) args (%flag, %data, %y) writes [0, 1, 2]
    : memref<1xi32>, memref<1xf32>, memref<1xf32>
  program.return %y : memref<1xf32>
}

// The data is written after the flag is raised: a race.
tile.kernel @late(%flag: !tile.view<1xi32>, %data: !tile.view<1xf32>, %y: !tile.view<1xf32>) attributes {progress = #tile<progress concurrent>} {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %first = arith.cmpi eq, %i, %c0 : index
  scf.if %first {
    scf.while : () -> () {
      %f = tile.load %flag[%c0] : !tile.view<1xi32> -> tensor<1xi32>
      %v = tensor.extract %f[%c0] : tensor<1xi32>
      %again = arith.cmpi eq, %v, %zero : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    // CHECK: concurrent.mlir:[[#@LINE+1]]:10: warning: race: instance 0 reads byte 0 of a buffer of 4 bytes that instance 1 has written
    %d = tile.load %data[%c0] : !tile.view<1xf32> -> tensor<1xf32>
    tile.store %d, %y[%c0] : tensor<1xf32>, !tile.view<1xf32>
  } else {
    %v = arith.constant dense<42.0> : tensor<1xf32>
    %one = arith.constant dense<1> : tensor<1xi32>
    tile.store %one, %flag[%c0] combine add : tensor<1xi32>, !tile.view<1xi32>
    tile.store %v, %data[%c0] : tensor<1xf32>, !tile.view<1xf32>
  }
}
program.func @late_host() -> memref<1xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %flag = program.alloc : memref<1xi32>
  %data = program.alloc : memref<1xf32>
  %y = program.alloc : memref<1xf32>
  program.launch [@clear] grid (%c1, %c1, %c1) args (%flag) writes [0] : memref<1xi32>
  program.launch [@late] grid (%c2, %c1, %c1) args (%flag, %data, %y) writes [0, 1, 2]
    : memref<1xi32>, memref<1xf32>, memref<1xf32>
  program.return %y : memref<1xf32>
}

// CHECK: concurrent.mlir:[[#@LINE+1]]:1: error: program instances wait for each other without end; 1 of 1 have not finished
tile.kernel @forever(%flag: !tile.view<1xi32>) attributes {progress = #tile<progress concurrent>} {
  %true = arith.constant true
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    scf.yield
  }
}
program.func @forever_host() {
  %c1 = arith.constant 1 : index
  %flag = program.alloc : memref<1xi32>
  program.launch [@forever] grid (%c1, %c1, %c1) args (%flag) writes [0] : memref<1xi32>
  program.return
}
// CHECK: wait_host = [1] f32: 42
