// Branches, loops, guarded variants with grids of their own, and several devices, by the evaluator and on a device.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s --check-prefix=PRINT
// RUN: kiln-compile %s --target=cpu --target=reference -o %t.kiln
// RUN: kiln-run %t.kiln --entry=collatz --target=cpu --arg=random:1:f32:8 | FileCheck %s --check-prefix=COLLATZ
// RUN: kiln-run %t.kiln --entry=collatz --target=reference --arg=random:1:f32:8 | FileCheck %s --check-prefix=COLLATZ
// COLLATZ: result 0: 1xi32: 8
// RUN: for n in 3 5; do kiln-run %t.kiln --entry=halves --target=cpu --dim=$n --arg=random:1 --check; done | FileCheck %s --check-prefix=HALVES
// HALVES: result 0: ok: 3xf32
// HALVES: result 0: ok: 5xf32
// RUN: for n in 8 9; do kiln-run %t.kiln --entry=either --target=cpu --dim=$n --arg=random:1 --check; done | FileCheck %s --check-prefix=EITHER
// EITHER: result 0: ok: 8xf32
// EITHER: result 0: ok: 9xf32
// RUN: kiln-run %t.kiln --inspect --target=cpu | FileCheck %s --check-prefix=INSPECT
// INSPECT: device cpu
// INSPECT: device cpu#1
// INSPECT: launch if r{{[0-9]+}} quads<r{{[0-9]+}}, r{{[0-9]+}}, r{{[0-9]+}}> ones<r{{[0-9]+}}, r{{[0-9]+}}, r{{[0-9]+}}>(b0, b1) with cluster 2 x 1 x 1, priority 1
// RUN: kiln-run %t.kiln --entry=two --target=cpu --arg=random:1 --check | FileCheck %s --check-prefix=TWO
// TWO: result 0: ok: 8xf32

/// n -> n / 2 or 3 n + 1.
tile.kernel private @step(%x: !tile.view<1xi32>) {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<1xi32> -> tensor<1xi32>
  %one = arith.constant dense<1> : tensor<1xi32>
  %two = arith.constant dense<2> : tensor<1xi32>
  %three = arith.constant dense<3> : tensor<1xi32>
  %zero = arith.constant dense<0> : tensor<1xi32>
  %bit = arith.andi %v, %one : tensor<1xi32>
  %even = arith.cmpi eq, %bit, %zero : tensor<1xi32>
  %half = arith.divui %v, %two : tensor<1xi32>
  %triple = arith.muli %v, %three : tensor<1xi32>
  %up = arith.addi %triple, %one : tensor<1xi32>
  %next = arith.select %even, %half, %up : tensor<1xi1>, tensor<1xi32>
  tile.store %next, %x[%c0] : tensor<1xi32>, !tile.view<1xi32>
}
tile.kernel private @set(%x: !tile.view<1xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  %v = tile.splat %n : tensor<1xi32>
  tile.store %v, %x[%c0] : tensor<1xi32>, !tile.view<1xi32>
}
tile.kernel private @ones(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %v = tile.load %x[%i] : !tile.view<?xf32> -> tensor<1xf32>
  %w = arith.addf %v, %v : tensor<1xf32>
  tile.store %w, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
}
tile.kernel private @quads(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %v = tile.load %x[%i] : !tile.view<?xf32> -> tensor<4xf32>
  %w = arith.addf %v, %v : tensor<4xf32>
  tile.store %w, %y[%i] : tensor<4xf32>, !tile.view<?xf32>
}

// How many steps from 6 to 1: the course depends on what kernels compute.
// PRINT-LABEL: program.func @collatz
program.func @collatz(%unused: memref<?xf32>) -> memref<1xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %six = arith.constant 6 : i32
  %x = program.alloc : memref<1xi32>
  // PRINT: program.fill %{{.*}} with 0 : memref<1xi32>
  program.fill %x with 0 : memref<1xi32>
  program.launch [@set] grid (%c1, %c1, %c1) args (%x, %six) writes [0] : memref<1xi32>, i32
  // PRINT: scf.while
  %steps = scf.while (%n = %c0) : (index) -> index {
    // PRINT: program.read %{{.*}}[%{{.*}}] : memref<1xi32>
    %now = program.read %x[%c0] : memref<1xi32>
    %more = arith.cmpi ne, %now, %c1 : index
    scf.condition(%more) %n : index
  } do {
  ^bb0(%n: index):
    program.launch [@step] grid (%c1, %c1, %c1) args (%x) writes [0] : memref<1xi32>
    %next = arith.addi %n, %c1 : index
    scf.yield %next : index
  }
  %result = program.alloc : memref<1xi32>
  %count = arith.index_cast %steps : index to i32
  program.launch [@set] grid (%c1, %c1, %c1) args (%result, %count) writes [0] : memref<1xi32>, i32
  program.return %result : memref<1xi32>
}

// Doubles once or three times, through buffers that change places.
program.func @halves(%x: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %y = program.alloc sizes (%n) : memref<?xf32>
  %z = program.alloc sizes (%n) : memref<?xf32>
  program.launch [@ones] grid (%n, %c1, %c1) args (%x, %y) writes [1] : memref<?xf32>, memref<?xf32>
  %small = arith.cmpi slt, %n, %c4 : index
  %r = scf.if %small -> (memref<?xf32>) {
    %a, %b = scf.for %i = %c0 to %c2 step %c1 iter_args(%from = %y, %to = %z) -> (memref<?xf32>, memref<?xf32>) {
      program.launch [@ones] grid (%n, %c1, %c1) args (%from, %to) writes [1] : memref<?xf32>, memref<?xf32>
      scf.yield %to, %from : memref<?xf32>, memref<?xf32>
    }
    scf.yield %a : memref<?xf32>
  } else {
    scf.yield %y : memref<?xf32>
  }
  program.return %r : memref<?xf32>
}

// A wide variant where the size and the address allow it.
program.func @either(%x: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %y = program.alloc sizes (%n) : memref<?xf32>
  %rest = arith.remui %n, %c4 : index
  %whole = arith.cmpi eq, %rest, %c0 : index
  // PRINT: program.aligned %{{.*}} to 16 : memref<?xf32>
  %aligned = program.aligned %x to 16 : memref<?xf32>
  %fits = arith.andi %whole, %aligned : i1
  %q = arith.divui %n, %c4 : index
  program.launch [@quads, @ones] guards (%fits) grid (%q, %c1, %c1, %n, %c1, %c1) args (%x, %y) writes [1]
    {contract = {cluster = array<i64: 2, 1, 1>, priority = 1 : i64}} : memref<?xf32>, memref<?xf32>
  program.return %y : memref<?xf32>
}

// One program on two devices of one driver.
program.func @two(%x: memref<8xf32>) -> memref<8xf32> {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 8 : index
  // PRINT: program.transfer %{{.*}} to "cpu" ordinal 1 : memref<8xf32> -> memref<8xf32>
  %there = program.transfer %x to "cpu" ordinal 1 : memref<8xf32> -> memref<8xf32>
  // PRINT: program.alloc on "cpu" ordinal 1 : memref<8xf32>
  %y = program.alloc on "cpu" ordinal 1 : memref<8xf32>
  %v = program.view %there offset [0] sizes [?] strides [1] (), (%n), () : memref<8xf32> -> memref<?xf32>
  %w = program.view %y offset [0] sizes [?] strides [1] (), (%n), () : memref<8xf32> -> memref<?xf32>
  program.launch [@ones] grid (%c8, %c1, %c1) args (%v, %w) writes [1] {device = "cpu", ordinal = 1 : i64} : memref<?xf32>, memref<?xf32>
  %z = program.alloc : memref<8xf32>
  program.copy %y to %z : memref<8xf32>, memref<8xf32>
  program.return %z : memref<8xf32>
}
